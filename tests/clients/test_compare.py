"""proofctl compare: runs, medians and ratios, as text, JSON and CSV; wrong lists; an interruption."""

import csv
import io
import json
import os
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import TIMEOUT, program  # noqa: E402

SMALL = ["--memory", "4M"]


def run(*words):
    done = subprocess.run(
        [program("proofctl"), *words], capture_output=True, text=True, timeout=TIMEOUT, stdin=subprocess.DEVNULL
    )
    return done.returncode, done.stdout, done.stderr


def run_json(*words, code=0):
    got, out, err = run(*words, "--json")
    if got != code or err:
        raise AssertionError("%s: %d\n%s%s" % (words, got, out, err))
    return [json.loads(line) for line in out.splitlines()]


class Compare(unittest.TestCase):
    def test_runs_and_medians(self):
        words = ["compare", "mnk:3,3,3", "hex:3", "--algorithms", "pds-pn,pn", "--seeds", "1,2,3", *SMALL]
        told = run_json(*words)
        runs, medians = [one for one in told if "median" not in one], [one["median"] for one in told if "median" in one]
        self.assertEqual(
            [(one["game"], one["seed"], one["algorithm"]) for one in runs],
            [(g, s, a) for g in ("mnk:3,3,3", "hex:3") for s in (1, 2, 3) for a in ("pds-pn", "pn")],
        )
        self.assertEqual({one["value"]["text"] for one in runs if one["game"] == "hex:3"}, {"first wins"})
        self.assertEqual({one["state"] for one in runs}, {"solved"})
        self.assertEqual(len(medians), 4)
        for median in medians:
            mine = [one for one in runs if all(one[key] == median[key] for key in ("game", "algorithm"))]
            nodes = sorted(one["nodes"]["level1"] + one["nodes"]["level2"] for one in mine)
            positions = sorted(one["nodes"]["positions"] for one in mine)
            self.assertEqual((median["runs"], median["answered"], median["nodes"]), (3, 3, nodes[1]))
            self.assertEqual(median["positions"], positions[1])
            first = next(one for one in medians if one["game"] == median["game"])
            for unit in ("nodes", "positions"):
                self.assertAlmostEqual(median[unit + "_ratio"], median[unit] / first[unit], places=2)
        # The same runs again: they are repeatable, and each begins with nothing.
        self.assertEqual([one["nodes"] for one in run_json(*words)[:12]], [one["nodes"] for one in runs])

    def test_a_run_is_what_solve_does(self):
        for seed in ([], ["7"]):
            options = [*SMALL, "-O", "table=400", "--nodes", "20000"]
            (solved,) = run_json("solve", "connect4:5x4", "--algorithm", "df-pn", *options,
                                 *(["--seed", *seed] if seed else []), code=3)
            told = run_json("compare", "connect4:5x4", "--algorithms", "df-pn", *options,
                            *(["--seeds", *seed] if seed else []), code=3)
            self.assertEqual((told[0]["nodes"], told[0]["facts"]), (solved["nodes"], solved["facts"]))
            self.assertEqual(told[0]["entries"], 400)

    def test_text_and_csv(self):
        words = ["compare", "mnk:3,3,3", "--claim", "first-wins", "--algorithms", "pds-pn,df-pn", *SMALL]
        code, out, err = run(*words)
        self.assertEqual((code, err), (0, ""))
        self.assertIn("median positions", out)
        self.assertRegex(out, r"mnk:3,3,3 +pds-pn +1/1 +[\d,]+ +1\.00 ")
        code, out, err = run(*words, "--csv")
        self.assertEqual((code, err), (0, ""))
        rows = list(csv.DictReader(io.StringIO(out)))
        self.assertEqual([row["algorithm"] for row in rows], ["pds-pn", "df-pn"])
        self.assertEqual({(row["game"], row["claim"], row["hi"]) for row in rows}, {("mnk:3,3,3", "first-wins", "0")})

    def test_a_budget_that_ends_first(self):
        told = run_json("compare", "connect4:6x5", "--algorithms", "pds-pn,df-pn", "--nodes", "1000", *SMALL, code=3)
        self.assertEqual([one["state"] for one in told[:2]], ["exhausted"] * 2)
        self.assertEqual((told[2]["median"]["answered"], told[2]["median"]["nodes"]), (0, None))

    def test_wrong_lists(self):
        for words, part in (
            (["--algorithms", "pds-pn,fast"], "--algorithms: "),
            (["--algorithms", ""], "--algorithms: "),
            (["--seeds", "1,,2"], "--seeds takes integers"),
            (["--seeds", "-1"], "--seeds takes integers"),
            (["--csv", "--json"], "cannot be combined"),
            (["hex:3", "--position", "b2"], "a single GAME"),
            (["hexen:3"], "hexen"),
            (["--claim", "wins"], "wins"),
            (["-O", "speed=2"], "speed"),
        ):
            with self.subTest(words):
                code, out, err = run("compare", "mnk:3,3,3", *words)
                self.assertEqual((code, out), (2, ""), err)
                self.assertIn(part, err)

    def test_an_interruption_keeps_what_was_measured(self):
        process = subprocess.Popen(
            [program("proofctl"), "compare", "mnk:3,3,3", "connect4:7x6", "--algorithms", "pds-pn", *SMALL],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)  # if it has not ended, it searches on for hours
        lines = [process.stdout.readline() for _ in range(2)]
        self.assertIn("draw", lines[1])
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=TIMEOUT)
        self.assertEqual(process.returncode, 130)
        self.assertIn("interrupted after 1 of 2 runs", err)
        self.assertRegex(out, r"mnk:3,3,3 +pds-pn +1/1 ")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
