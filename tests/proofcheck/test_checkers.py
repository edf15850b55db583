"""proofcheck, minicheck.py and, where it is built, proofkernel: a share of `./dev checkers`; the certificates to accept
and to refuse; minicheck.py's quick answers."""

import glob
import io
import os
import random
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import checkers  # noqa: E402
import examples  # noqa: E402
from certificates import run  # noqa: E402
from effort import EFFORT  # noqa: E402

minicheck, minigames = checkers.minicheck, checkers.minigames
# What minicheck.py says otherwise: efforts and positions that no game reaches are UNKNOWN, `position` is not read.
OTHERWISE = {"accept/effort": 2, "accept/set-up": 2, "refuse/effort-false": 2, "refuse/root-of-another": 0,
             "accept/t13": 2, "refuse/t13-men": 2, "refuse/t13-rank": 2, "refuse/t13-side": 2, "refuse/t13-witness": 2}


class Checkers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="proofd-checkers-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def test_forged_certificates_are_judged_alike(self):
        count = max(1, 6 * EFFORT // 100) * checkers.BATCH
        tally, found = checkers.compare_checkers(self.folder, count, 3, 10)
        self.assertEqual(found, [])
        self.assertEqual(sum(n for name, n in tally.items() if name.startswith("game ")), count)
        self.assertGreater(tally["accepted by one of them: true"], count // 50)
        self.assertGreater(tally["proofcheck and minicheck: same"], count * 9 // 10)
        for game in ("andor", "breakthrough", "connect4", "domineering", "hex", "mnk", "nim"):
            self.assertGreater(tally["game %s: REJECTED" % game], 0)

    def test_a_run_that_was_stopped_goes_on(self):
        once, _ = checkers.compare_checkers(os.path.join(self.folder, "once"), 2 * checkers.BATCH, 5, 0)
        parts = os.path.join(self.folder, "parts")
        checkers.compare_checkers(parts, checkers.BATCH, 5, 0)
        self.assertEqual(checkers.compare_checkers(parts, 2 * checkers.BATCH, 5, 0)[0], once)

    def test_what_is_false_is_found(self):
        """The truth that the comparison uses finds a false claim, also in a graph with cycles."""
        cycle = next(text for name, text in checkers.honest(self.folder, random.Random(1)) if name == "andor:cycle")
        self.assertIs(checkers.is_true(str(cycle)), True)
        for name, value in (("claim", "first-wins"), ("status", "proved"), ("lo", 1), ("hi", "-")):
            cycle.set(name, value)
        self.assertIs(checkers.is_true(str(cycle)), False)

    def test_certificates_to_accept_and_to_refuse(self):
        texts = sorted(glob.glob(os.path.join(examples.PLACE, "*", "*.text")))
        self.assertGreater(len(texts), 100)
        judges = checkers.Checkers(self.folder)
        self.addCleanup(judges.close)
        for path in texts:
            name = os.path.relpath(path, examples.PLACE)[: -len(".text")]
            word = {"accept": 0, "refuse": 1, "unknown": 2}[os.path.dirname(name)]
            proof = path[: -len(".text")] + ".proof"
            with self.subTest(name):
                if os.path.exists(proof):
                    self.assertEqual(run(proof).returncode, word)
                    with open(path, encoding="utf-8", newline="") as file:
                        self.assertEqual(run("--text", proof).stdout, file.read())
                else:
                    made = run("--from-text", path, os.path.join(self.folder, "made"))
                    self.assertEqual((made.returncode, word), (1, 1))
                with open(path, encoding="latin-1", newline="") as file:
                    self.assertEqual(minicheck.judge(file)[0], OTHERWISE.get(name, word))
                if judges.kernel:  # it proves bounds whatever the form is; what it proves is true
                    judges.send(judges.kernel, [path])
                    told = judges.told()[0]
                    self.assertIn(told, ("VERIFIED", "UNKNOWN") if word == 0 else ("VERIFIED", "REJECTED", "UNKNOWN"))
                    with open(path, encoding="latin-1", newline="") as file:
                        self.assertIsNot(checkers.is_true(file.read()) if told == "VERIFIED" else True, False)

    def test_the_directory_is_what_the_script_writes(self):
        examples.write(self.folder)
        for kind in ("accept", "refuse", "unknown", ""):
            names = [sorted(os.listdir(os.path.join(place, kind))) for place in (self.folder, examples.PLACE)]
            self.assertEqual(*names)
            for name in filter(lambda name: "." in name, names[0]):
                with open(os.path.join(self.folder, kind, name), "rb") as new, \
                        open(os.path.join(examples.PLACE, kind, name), "rb") as old:
                    self.assertEqual(new.read(), old.read(), os.path.join(kind, name))

    def test_quick_answers_are_those_of_the_policy(self):
        rng, compared = random.Random(5), 0
        for name in ("connect4:7x6", "connect4:4x4", "connect4:3x6", "mnk:4,4,3", "mnk:5,4,4", "mnk:3,3,2"):
            game = minigames.named(name, "1", b"")
            for _ in range(6 * EFFORT):
                p = game.start((0, 0, 0))
                for _ in range(rng.randrange(game.squares)):
                    left = sorted(set(game.moves(p)) - set(game.ends(p)))
                    p = game.play(p, rng.choice(left)) if left else p
                weights = bytes(rng.randrange(256) for _ in range(game.squares))
                play = minicheck.Play(game, bool(p[2]), 0, weights)
                quick = game.quick_answer(p, play.upper, play.weights)
                if quick is not None and not any(map(play.good, game.ends(p).values())):
                    game.quick_answer = lambda *_: None
                    self.assertEqual(play.answer(p), (quick, False), game.show(p))
                    del game.quick_answer
                    compared += 1
        self.assertGreater(compared, EFFORT)

    def test_the_program(self):
        """Standard input, a file, a file that is not there; the exit status."""
        script = os.path.join(os.path.dirname(minicheck.__file__), "minicheck.py")
        path = os.path.join(examples.PLACE, "accept", "nim.text")
        for words, text, code, word in (((path,), "", 0, "VERIFIED"), (("-",), "proofd\n", 1, "REJECTED"),
                                        ((path + "s",), "", 2, ""), ((), "", 2, "Checks a certificate")):
            done = subprocess.run([sys.executable, "-B", script, *words], input=text, capture_output=True, text=True,
                                  timeout=60, check=False)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn(word, done.stdout)

    def test_texts_that_are_no_certificates(self):
        with open(os.path.join(examples.PLACE, "accept", "cycle.text"), encoding="ascii") as file:
            cycle = file.read()
        for old, new, code in (("certificate 2", "certificate 24", 2), ("certificate 2", "certificate 6", 2),
                               ("graph: ", "graph: 9999999999999999", 1), ('"or"', '"of"', 1), ('{"root"', '{"root', 1),
                               ('"b": {', '"b": {}, "c": {', 1), ('{"value": 1}', '{"value": 9}', 1), (cycle, "", 1)):
            self.assertEqual(minicheck.judge(io.StringIO(cycle.replace(old, new, 1)))[0], code, new)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
