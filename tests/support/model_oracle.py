#!/usr/bin/env python3
"""model_oracle.py REPLAY FIRST LAST

Made-up logs, by seed, have to give the figures of stats_oracle.py in whatever order the model meets the rings.
"""

import json
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import random_log  # noqa: E402
import stats_oracle  # noqa: E402

ORDERS = {
    2: ["rings", "reverse", "merged", "late"],
    3: ["rings", "reverse"],  # sorting by time would mend stamps that go back
}
# unannounced, an event at the very stamp of a resume may hide the one before it, so only seeds 2, 6, 10.. try late
OTHERS = ["rings", "reverse", "merged"]


def check(replay, seed, path):
    """The differences that the log of a seed shows."""
    lines = list(random_log.lines(seed))
    with open(path, "w", encoding="utf-8") as log:
        log.writelines(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
    want = stats_oracle.stats(lines)
    for order in ORDERS.get(seed % 4, OTHERS):
        have = subprocess.run([replay, path, order], check=True, capture_output=True, text=True).stdout
        for difference in stats_oracle.compare(want, have):
            yield "seed %d, %s: %s" % (seed, order, difference)


def main(replay, first, last):
    with tempfile.TemporaryDirectory() as work:
        for seed in range(int(first), int(last) + 1):
            found = list(check(replay, seed, os.path.join(work, "log")))
            if found:
                print("\n".join(found[:20]))
                return 1
    print("seeds %s to %s agree" % (first, last))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
