#!/bin/bash
# model_oracle.sh REPLAY FIRST LAST: run model_oracle.py where there is a Python to run it.
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
exec python3 "$(dirname "$0")/model_oracle.py" "$@"
