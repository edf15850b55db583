"""Dominance (theorem 102): everything that searches with it say of a small game with hands, against retrograde
analysis; and changed cards, against the text of the theorem.

    dominance.py BUILD [--stride N] [--cards N] [--share]

Runs two tests at another size. Every N-th position is solved in eight ways; a stride of 8, the default, gives more
than a million claims. So many cards, 16,000, are changed of each of the certificates. Exit status 1: something was
wrong.
"""

import argparse
import os
import subprocess
import sys


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("build")
    parser.add_argument("--stride", type=int, default=8)
    parser.add_argument("--cards", type=int, default=16000)
    parser.add_argument("--share", action="store_true", help="a few seconds of each")
    options = parser.parse_args()
    if options.share:
        options.stride, options.cards = 600, 100
    size = {"DOMINANCE_STRIDE": str(options.stride), "DOMINANCE_CARDS": str(options.cards)}
    runs = [subprocess.run([os.path.join(options.build, "tests", name), "dominance"], check=False,
                           env={**os.environ, **size, "CK_TIMEOUT_MULTIPLIER": "100"})
            for name in ("test_solver", "test_proofcheck")]
    return int(any(run.returncode for run in runs))


if __name__ == "__main__":
    sys.exit(main())
