"""Modules of the page in Node, without a browser (modules.mjs), with what a real server says of methods, scales and
boards."""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
sys.path.insert(0, os.path.join(HERE, "..", "support"))
from pyproofd import TIMEOUT, Server  # noqa: E402

SCALES = [(-1, 1), (0, 10), (-3, 5), (1, 6), (-6, -2), (-4, 0)]
CERTIFICATE = os.path.join(ROOT, "tests", "data", "golden", "connect4-5x4.proof4")
PAWN = "8/4P3/8/8/8/8/8/k7 w - -"  # antichess: the pawn becomes any piece on e8


def methods():
    """(name, role) of each row of proto/methods.def."""
    with open(os.path.join(ROOT, "proto", "methods.def"), encoding="utf-8") as file:
        return re.findall(r'^METHOD\(\w+, \w+, "([\w.]+)", \w+, PR_ROLE_(\w+),', file.read(), re.M)


def graph(low, high):
    """First chooses among all values of the scale, and Second between that one and the next."""
    lines = ["values %d %d" % (low, high), "root or %s" % " ".join("a%d" % i for i in range(high - low + 1))]
    for i in range(high - low + 1):
        lines += ["a%d and b%d c%d" % (i, i, min(i + 1, high - low)), "b%d or v%d" % (i, i), "c%d or v%d" % (i, i),
                  "v%d = %d" % (i, low + i)]
    return "\n".join(lines) + "\n"


def answers():
    """What fact.probe says of positions on each scale, solved, bounded and unknown ones; a position of antichess."""
    with tempfile.TemporaryDirectory(prefix="proofd-test-") as folder:
        for low, high in SCALES:
            with open(os.path.join(folder, "scale%d.graph" % SCALES.index((low, high))), "w") as file:
                file.write(graph(low, high))
        with Server("--threads", "1", "--graphs", folder, data=False) as server:
            found = []
            for number, (low, high) in enumerate(SCALES):
                game = "andor:scale%d" % number
                asked = [("", claim) for claim in ("first-at-least-%d" % value for value in range(low + 1, high + 1))]
                for position, claim in asked[::2] + [("a%d" % (high - low), "value"), ("a0", "value")]:
                    server.wait_job(server.rpc("job.submit", game=game, position=position, claim=claim,
                                               memory="4M")["job"])
                places = [""] + ["%s%d" % (letter, i) for letter in "abcv" for i in range(high - low + 1)]
                found += server.rpc("fact.probe", positions=[{"game": game, "position": place}
                                                             for place in places])["answers"]
            shown = server.rpc("position.show", game="antichess", position=PAWN, data=True)
        return found, shown


class Modules(unittest.TestCase):
    def test_modules(self):
        found, shown = answers()
        for answer in found:
            self.assertNotIn("error", answer)
        with open(CERTIFICATE, "rb") as file:
            certificate = list(file.read())
        given = {"web": os.path.join(os.path.abspath(ROOT), "clients", "web"), "answers": found,
                 "certificate": certificate,
                 "methods": [(name, role.lower()) for name, role in methods()], "legal": shown["legal"],
                 "places": [place["name"] for place in shown["geometry"]["places"]]}
        self.assertGreater(len(given["methods"]), 30)
        done = subprocess.run(["node", os.path.join(HERE, "modules.mjs")], input=json.dumps(given),
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=TIMEOUT)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertRegex(done.stdout, r"(?m)^# pass [1-9]\d")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
