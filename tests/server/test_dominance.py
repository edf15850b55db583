"""Dominance from a search to a certificate, on a small game with hands (tests/support/drops.c): facts that follow from
those of other positions are checked, exported, verified, dumped, loaded and retracted."""

import json
import os
import random
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from effort import EFFORT  # noqa: E402
from pyproofd import TIMEOUT, build_dir, program  # noqa: E402

PLUGINS = os.path.join(build_dir(), "tests", "plugins")
GAMES = ("--game-dir", os.path.join(PLUGINS, "drops"))
TRIES = 200  # for each position that is wanted
RULES = os.path.join(PLUGINS, "drops-checker", "drops-checker.so")


def share(whole, least):
    """As effort_of in effort.h."""
    return max(least, whole * EFFORT // 100)


def run(name, *words, stdin=""):
    done = subprocess.run([program(name), *words], capture_output=True, text=True, timeout=10 * TIMEOUT, input=stdin)
    return done.returncode, done.stdout, done.stderr


def board(rng, width, height):
    """A position with the king and up to two men; it need not be legal."""
    squares = ["."] * (width * height)
    for man in "k" + "".join(rng.sample("rbRB", rng.randrange(3))):
        squares[rng.choice([i for i, s in enumerate(squares) if s == "."])] = man
    rows = "/".join("".join(squares[i * width:(i + 1) * width]) for i in range(height))
    return "%s a %d %d" % (rows, rng.randrange(3), rng.randrange(3))


class Dominance(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory(prefix="proofd-dominance-")
        cls.addClassCleanup(cls.place.cleanup)
        cls.data = {}
        cls.solved = {}
        for detail in ("full", "frontier"):
            rng = random.Random(detail)
            data = cls.data[detail] = os.path.join(cls.place.name, detail)
            solved = cls.solved[detail] = []
            wanted = share(30, 8)
            for number in range(TRIES * wanted):
                text = board(rng, 4, 3) if number else "..k./..../.... a 1 2"
                code, out, err = run("proofctl", "solve", "drops:4x3", *GAMES, "--position", text, "--claim",
                                   "first-wins", "--detail", detail, "--algorithm",
                                   rng.choice(("pds-pn", "df-pn", "dfpn-pn")) if number else "df-pn", "-O",
                                   "cap-first=50", "-O", "cap-last=100", "--memory", "16M", "--data", data, "--json")
                if code == 0 and json.loads(out)["nodes"]["positions"] > 100:
                    solved.append(text)
                elif not solved:
                    raise AssertionError("%s was not solved (is %s built?): %s%s" % (text, GAMES[1], out, err))
                if len(solved) == wanted:
                    break
            else:
                raise AssertionError("only %d of %d positions were solved" % (len(solved), wanted))

    def dump(self, data):
        code, text, err = run("proofctl", "dump", data, *GAMES)
        self.assertEqual(code, 0, err)
        return text

    def check(self, data, good=True):
        code, out, err = run("proofctl", "check", data, *GAMES)
        self.assertEqual(code == 0, good, out + err)
        return out + err

    def test_facts_are_justified(self):
        for detail, data in self.data.items():
            self.check(data)
            self.assertGreaterEqual(self.dump(data).count('"dominated"'), 1, detail)

    def test_certificates_verify(self):
        cards = 0
        for detail, data in self.data.items():
            for number, text in enumerate(self.solved[detail]):
                file = os.path.join(self.place.name, "%s.%d" % (detail, number))
                for options in (("--detail", "full"), ("--detail", "frontier")):
                    code, _, err = run("proofctl", "export", "drops:4x3", file, *GAMES, "--position", text, "--claim",
                                       "first-wins", "--data", data, *options)
                    self.assertEqual(code, 0, err)
                    code, out, err = run("proofcheck", "--rules", RULES, file)
                    self.assertEqual(code, 0, text + out + err)
                    shown = run("proofcheck", "--rules", RULES, "--text", file)[1]
                    cards += len(re.findall(r",c102:0[0-2]0[0-2]\b", shown))
        self.assertGreater(cards, 0)

    def test_a_certificate_without_cards_is_refused_or_verifies(self):
        said = set()
        for number, text in enumerate(self.solved["full"]):
            file = os.path.join(self.place.name, "plain.%d" % number)
            code, _, err = run("proofctl", "export", "drops:4x3", file, *GAMES, "--position", text, "--claim",
                               "first-wins", "--data", self.data["full"], "--cards", "no")
            if code:
                self.assertIn("only a certificate with cards can say so", err)
            else:
                self.assertEqual(run("proofcheck", "--rules", RULES, file)[0], 0)
            said.add(code == 0)
        self.assertIn(True, said)

    def test_dumps_are_loaded(self):
        text, again = self.dump(self.data["full"]), os.path.join(self.place.name, "again")
        code, _, err = run("proofctl", "load", "-", again, *GAMES, stdin=text)
        self.assertEqual(code, 0, err)
        self.assertEqual(self.dump(again), text)
        self.check(again)

    def test_a_false_order_part_is_found(self):
        """Each fact by dominance in turn names a position that it does not dominate, or that has no such fact."""
        text = self.dump(self.data["full"])
        places = [m.span(1) for m in re.finditer(r'"dominated":\s?"(\d+)"', text)][:share(20, 3)]
        for number, (begin, end) in enumerate(places):
            for order in (65536 + int(text[begin:end]), 1 + 0x0303):
                forged = text[:begin] + str(order) + text[end:]
                data = os.path.join(self.place.name, "forged.%d.%d" % (number, order))
                code, _, err = run("proofctl", "load", "-", data, *GAMES, "--no-verify", stdin=forged)
                self.assertEqual(code, 0, err)
                self.assertIn("does not dominate", self.check(data, good=False))

    def test_a_contradiction_by_dominance_is_found(self):
        """The opposite of what is proved of a position is claimed of one that dominates it."""
        text = self.dump(self.data["full"])
        lines = text.splitlines()
        facts = [(i, json.loads(line)) for i, line in enumerate(lines) if '"dominated"' in line]
        planted = 0
        for at, fact in facts[:share(10, 2)]:
            reason = next(one for one in fact["reasons"] if "dominated" in one)
            other = {"side": "lo", "bound": 1, "rank": 5} if reason["side"] == "hi" else {
                "side": "hi", "bound": -1, "rank": None}
            fact["reasons"] = [{**other, "move": None, "effort": 9, "job": reason["job"]}]
            forged = lines[:at] + [json.dumps(fact)] + lines[at + 1:]
            data = os.path.join(self.place.name, "planted.%d" % at)
            code, _, err = run("proofctl", "load", "-", data, *GAMES, "--no-verify", stdin="\n".join(forged) + "\n")
            self.assertEqual(code, 0, err)
            said = self.check(data, good=False)
            self.assertIn("the opposite is proved of a position that it dominates", said)
            self.assertIn("the opposite is proved of a position that dominates it", said)
            planted += 1
        self.assertGreater(planted, 0)

    def test_retraction_leaves_what_a_lie_contradicts(self):
        """A false fact of one job contradicts a true one by dominance; a retraction of another job takes neither."""
        place, planted = (os.path.join(self.place.name, name) for name in ("two", "two.planted"))
        for position in ("..k./..../.... a 1 2", ".k../..../.... a 2 2"):
            self.assertEqual(run("proofctl", "solve", "drops:4x3", *GAMES, "--position", position, "--claim",
                                 "first-wins", "--detail", "full", "--algorithm", "df-pn", "--memory", "16M", "--data",
                                 place)[0], 0)
        lines = self.dump(place).splitlines()
        at, lie = next((i, json.loads(line)) for i, line in enumerate(lines) if '"dominated"' in line)
        self.assertEqual(lie["reasons"][0]["side"], "hi")
        lie["reasons"] = [{"side": "lo", "bound": 1, "rank": 5, "move": None, "effort": 9, "job": 1}]
        lines[at] = json.dumps(lie)
        code, _, err = run("proofctl", "load", "-", planted, *GAMES, "--no-verify", stdin="\n".join(lines) + "\n")
        self.assertEqual(code, 0, err)
        pattern = r"drops:4x3: (.*): value <= -1 .*: the opposite is proved of a position that it dominates"
        contradicted = re.findall(pattern, self.check(planted, good=False))
        self.assertGreater(len(contradicted), 0)
        code, out, err = run("proofctl", "taint", "--data", planted, *GAMES, "--job", "2")
        self.assertEqual(code, 0, out + err)
        for position in contradicted:
            self.assertIn('"position":"%s"' % position, self.dump(planted))

    def test_retraction_leaves_justified_facts(self):
        text, data = self.dump(self.data["full"]), os.path.join(self.place.name, "tainted")
        self.assertEqual(run("proofctl", "load", "-", data, *GAMES, stdin=text)[0], 0)
        code, out, err = run("proofctl", "taint", "--data", data, *GAMES, "--job", "1")
        self.assertEqual(code, 0, out + err)
        self.check(data)
        self.assertLess(self.dump(data).count('"fact"'), text.count('"fact"'))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
