"""Crazyhouse: mates of random games are found, their proofs exported, and every certificate is verified."""

import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from effort import EFFORT  # noqa: E402

KNOWN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "bench", "known.py")
MATES = max(86 * EFFORT // 100, 5)

done = subprocess.run([sys.executable, KNOWN, sys.argv[1], "--only", "crazyhouse", "--limit", str(MATES), "--nodes",
                       "200000"], stdout=subprocess.PIPE, universal_newlines=True)
print(done.stdout)
rows = [line.split() for line in done.stdout.splitlines() if line.startswith("crazyhouse")]
# set (two words), positions, right, wrong, unanswered, verified, rejected
good = len(rows) == 1 and rows[0][2:8] == [str(MATES), str(MATES), "0", "0", str(MATES), "0"]
sys.exit(done.returncode or not good)
