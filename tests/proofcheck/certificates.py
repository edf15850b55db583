"""Certificates for the tests of proofcheck: true ones of the test program, and large ones of nim from its theory.

    certificates.py BUILD TEXT HEAPS MOST

writes one of nim as a text and prints the number of its positions. A process of its own keeps its memory out of other
measurements.
"""

import itertools
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import build_dir, program  # noqa: E402


def run(*words, **more):
    """Runs proofcheck."""
    more = {"capture_output": True, "text": True, **more}
    return subprocess.run([program("proofcheck"), *words], stdin=subprocess.DEVNULL, timeout=600, check=False, **more)


def certificate(path, game, position, claim, leaves="0", graph=None):
    """Makes a true certificate with the test program."""
    words = [os.path.join(build_dir(), "tests", "test_proofcheck"), "write_certificate", path, game,
             position, claim, leaves]
    subprocess.run(words + ([graph] if graph else []), check=True)
    return path


def with_cards(path, game, position, claim, leaves="0"):
    """The same of format 4."""
    words = [os.path.join(build_dir(), "tests", "test_proofcheck"), "write_cards", path, game, position, claim, leaves]
    subprocess.run(words, check=True)
    return path


def nim_text(path, heaps, most):
    """A text certificate with all positions of nim with that many heaps of at most `most` counters: a player wins
    unless the exclusive or of the heaps is 0, within as many plies as there are counters. Returns the positions."""
    records = []
    for heap in itertools.combinations_with_replacement(range(most + 1), heaps):
        total, nimber = sum(heap), 0
        for counters in heap:
            nimber ^= counters
        if not total:
            continue
        at = next((i for i in range(heaps) if heap[i] ^ nimber < heap[i]), None)
        how = ",r%d" % total if at is None else ",r%d,m%d" % (total, 64 * at + (heap[at] ^ nimber))
        key = bytes(heap).hex()
        records.append("%s00 %s%s" % (key, "<=-1" if at is None else ">=1", how))
        records.append("%s01 %s%s" % (key, ">=1" if at is None else "<=-1", how))
    blocks = (len(records) + 999) // 1000
    root = bytes([most] * heaps).hex() + "00"
    wins = heaps % 2 == 1
    lines = ["proofd certificate text 1", "proofd certificate 2", "game: nim:" + ",".join([str(most)] * heaps),
             "rules: 1", "engine: theory", "position: ", "root: " + root,
             "claim: " + ("first-wins" if wins else "second-wins"), "status: proved", "lo: " + ("1" if wins else "-"),
             "hi: " + ("-" if wins else "-1"), "detail: full", "positions: %d" % len(records),
             "reasons: %d" % len(records), "leaves: 0", "blocks: %d" % blocks, "graph: 0", "digest: " + "0" * 32, ""]
    with open(path, "w", encoding="ascii") as file:
        file.write("\n".join(lines) + "\n")
        for i in range(blocks):
            file.write("block\n" + "\n".join(records[1000 * i : 1000 * i + 1000]) + "\n")
        file.write("end\n")
    return len(records)


if __name__ == "__main__":
    print(nim_text(sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
