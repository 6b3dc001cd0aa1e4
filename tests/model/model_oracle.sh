#!/bin/bash
# model_oracle.sh REPLAY FIRST LAST: run model_oracle.py where there is a Python to run it.
. "$(dirname "$0")/../tools.sh"
need python3
exec python3 "$(dirname "$0")/../support/model_oracle.py" "$@"
