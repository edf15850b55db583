"""Small proofs: answers of many games, each solved, exported, compressed and checked by every checker, as a table.

    proofs.py BUILD [--dir DIR] [--threads N] [--memory SIZE] [--seconds S] [--keep DIR] [--table] [--share] [NAME ...]

Each answer has a directory DIR/NAME (DIR: BUILD/proofs) with its data, its certificates and `result.json`, a line for
each step: solve, export (without cards, with `--cards no`; with cards), compress, pack, and the checks of the packed
certificate. A step that was done is not repeated, so a killed run can be resumed. `--seconds` bounds each step
(600). With --keep, packed certificates of at most 20,000 bytes are copied to a directory. --table prints the
results so far and runs nothing. --share runs two small answers only; exit status 1: a checker did not accept a
certificate.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
MINICHECK = os.path.join(HERE, "..", "..", "clients", "minicheck", "minicheck.py")
KEPT_MOST = 20000

# Name, game, position, claim.
ANSWERS = [
    ("connect4-4x4", "connect4:4x4", "", "second-draws"),
    ("connect4-6x4", "connect4:6x4", "", "second-wins"),
    ("connect4-6x5", "connect4:6x5", "", "value"),
    ("connect4-6x6", "connect4:6x6", "", "second-wins"),
    ("connect4-7x5-first", "connect4:7x5", "", "first-draws"),
    ("connect4-7x5-second", "connect4:7x5", "", "second-draws"),
    ("connect4-7x6", "connect4:7x6", "", "first-wins"),
    ("mnk-3,3,3", "mnk:3,3,3", "", "value"),
    ("mnk-4,4,4", "mnk:4,4,4", "", "second-draws"),
    ("mnk-5,4,4", "mnk:5,4,4", "", "second-draws"),
    ("mnk-5,5,4", "mnk:5,5,4", "", "second-draws"),
    ("mnk-5,5,5", "mnk:5,5,5", "", "second-draws"),
    ("mnk-6,5,4", "mnk:6,5,4", "", "first-wins"),
    ("mnk-6,6,4", "mnk:6,6,4", "", "first-wins"),
    ("mnk-7,7,5", "mnk:7,7,5", "", "second-draws"),
    ("hex-4", "hex:4", "", "first-wins"),
    ("hex-5", "hex:5", "", "first-wins"),
    ("hex-6-c3", "hex:6", "c3", "first-wins"),
    ("domineering-5x5", "domineering:5x5", "", "value"),
    ("domineering-6x6", "domineering:6x6", "", "value"),
    ("breakthrough-4x5", "breakthrough:4x5", "", "value"),
    ("breakthrough-5x5", "breakthrough:5x5", "", "value"),
    ("atari-go-4x4", "atari-go:4x4", "", "value"),
    ("atari-go-5x5", "atari-go:5x5", "", "value"),
    ("nogo-4x4", "nogo:4x4", "", "value"),
    ("othello-4", "othello:4", "", "value"),
    ("dots-2x2", "dots:2x2", "", "value"),
    ("nim-3,4,5", "nim:3,4,5", "", "value"),
    ("antichess-e3-d5", "antichess", "rnbqkbnr/ppp1pppp/8/3p4/8/4P3/PPPP1PPP/RNBQKBNR w - - 0 2", "first-wins"),
]
# Hours: only when named. A run that was stopped goes on.
LONG = [
    ("connect4-7x7-first", "connect4:7x7", "", "first-draws"),
    ("connect4-7x7-second", "connect4:7x7", "", "second-draws"),
    ("connect4-8x6", "connect4:8x6", "", "second-wins"),
]
SHARE = ["connect4-4x4", "mnk-4,4,4"]
STEPS = ["solve", "rules", "cards", "small", "packed", "proofcheck", "proofkernel", "minicheck"]


class Answer:
    def __init__(self, given, name, game, position, claim):
        self.given, self.name, self.game, self.position, self.claim = given, name, game, position, claim
        self.folder = os.path.join(given.dir, name)
        os.makedirs(self.folder, exist_ok=True)
        self.path = os.path.join(self.folder, "result.json")
        self.done = {}
        if os.path.exists(self.path):
            with open(self.path, encoding="utf-8") as file:
                self.done = {row["step"]: row for row in map(json.loads, file)}

    def program(self, name):
        return os.path.join(self.given.build, name)

    def file(self, name):
        return os.path.join(self.folder, name)

    def run(self, step, words):
        """A step with its processor and wall time, exit status and what it printed last."""
        if self.succeeded(step):
            return
        begin, log = time.monotonic(), self.file(step + ".log")
        with open(log, "w", encoding="utf-8") as out:
            child = subprocess.Popen(["timeout", "--signal=INT", "%g" % self.given.seconds] + words, stdout=out,
                                     stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
            _, status, used = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        with open(log, encoding="utf-8", errors="replace") as text:
            lines = [line for line in text.read().splitlines() if line.strip()]
        row = {"step": step, "exit": child.returncode, "cpu": round(used.ru_utime + used.ru_stime, 2),
               "wall": round(time.monotonic() - begin, 2), "peak": used.ru_maxrss * 1024,
               "last": lines[-1][:300] if lines else ""}
        for what in "rules", "cards", "small", "packed":
            if step == what and row["exit"] == 0:
                row["bytes"] = os.path.getsize(self.file(what + ".cert"))
                row["positions"], row["witnesses"] = self.figures(what + ".cert")
        self.done[step] = row
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")

    def figures(self, name):
        """Positions and reasons with cards, from the header."""
        with open(self.file(name), "rb") as file:
            head = file.read(40000).split(b"\n\n")[0].decode("utf-8", "replace").split("\n")
        lines = dict(line.split(": ", 1) for line in head if ": " in line)
        return int(lines.get("positions", 0)), int(lines.get("cards", 0))

    def succeeded(self, step):
        return step in self.done and self.done[step]["exit"] == 0

    def make(self):
        where = ["--position", self.position] if self.position else []
        data = ["--data", self.file("data"), "--claim", self.claim] + where
        self.run("solve", [self.program("proofctl"), "solve", self.game, "--memory", self.given.memory, "--threads",
                           str(self.given.threads)] + data)
        if not self.succeeded("solve"):
            return
        export = [self.program("proofctl"), "export", self.game]
        self.run("rules", export + [self.file("rules.cert"), "--cards", "no"] + data)
        self.run("cards", export + [self.file("cards.cert")] + data)
        if not self.succeeded("cards"):
            return
        self.run("small", [self.program("proofctl"), "compress", self.file("cards.cert"), self.file("small.cert"),
                           "--threads", str(self.given.threads), "--memory", self.given.memory])
        best = "small" if self.succeeded("small") else "cards"
        self.run("packed", [self.program("proofcheck"), "--pack", self.file(best + ".cert"), self.file("packed.cert")])
        best = "packed" if self.succeeded("packed") else best
        self.run("proofcheck", [self.program("proofcheck"), "--quiet", self.file(best + ".cert")])
        kernel = self.program("clients/kernel/proofkernel")
        if os.path.exists(kernel):  # it finds proofcheck, which prints the text form, on the path
            self.run("proofkernel", ["env", "PATH=%s:%s" % (self.given.build, os.environ["PATH"]), kernel,
                                     self.file(best + ".cert")])
        if not os.path.exists(self.file("small.txt")):
            with open(self.file("small.txt"), "wb") as text:
                subprocess.run([self.program("proofcheck"), "--text", self.file(best + ".cert")], stdout=text,
                               check=False)
        self.run("minicheck", [sys.executable, MINICHECK, self.file("small.txt")])
        if self.given.keep and self.succeeded("packed") and self.done["packed"]["bytes"] <= KEPT_MOST:
            shutil.copyfile(self.file("packed.cert"), os.path.join(self.given.keep, self.name + ".proof"))

    def size(self, step):
        row = self.done.get(step)
        if not row or row["exit"]:
            return "-"
        return "%s (%s)" % (format(row["positions"], ","), format(row["bytes"], ","))

    def seconds(self, step):
        row = self.done.get(step)
        return "-" if not row else "%.1f" % row["cpu"] if row["exit"] == 0 else "no"

    def row(self):
        before, after = self.done.get("rules"), self.done.get("packed")
        smaller = "-"
        if before and after and not before["exit"] and not after["exit"]:
            smaller = "%.1f" % (before["bytes"] / after["bytes"])
        return "| %s | %s | %s | %s | %s | %s | %s |" % (
            self.name, self.claim, self.size("rules"), self.size("cards"), self.size("packed"), smaller,
            " | ".join(self.seconds(step) for step in ("solve", "small", "proofcheck", "proofkernel", "minicheck")))

    def refused(self):
        """Whether a check ended with REJECTED; UNKNOWN (2) and a time limit are no refusals."""
        return [step for step in STEPS[5:] if self.done.get(step, {"exit": 0})["exit"] == 1]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--dir", help="default: BUILD/proofs")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--memory", default="4G")
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--keep", help="directory for the small ones")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--share", action="store_true", help="two small answers")
    given = parser.parse_intermixed_args()
    given.build = os.path.abspath(given.build)
    folder = tempfile.TemporaryDirectory() if given.share else None
    given.dir = folder.name if folder else given.dir or os.path.join(given.build, "proofs")
    names = SHARE if given.share else given.names
    asked = [answer for answer in ANSWERS + LONG if answer[0] in names] if names else ANSWERS
    missing = set(names) - {answer[0] for answer in asked}
    if missing:
        sys.exit("there is no answer %s; there are %s" %
                 (" ".join(missing), " ".join(answer[0] for answer in ANSWERS + LONG)))
    print("Positions (bytes). Seconds are processor time; \"no\": not done within the limit, or not known to that "
          "program.\n\n"
          "| answer | claim | rules alone | cards | packed | times smaller | solve, s | compress, s | proofcheck, s | "
          "proofkernel, s | minicheck, s |\n| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | "
          "---: |")
    bad = []
    for answer in asked:
        one = Answer(given, *answer)
        if not given.table:
            one.make()
        if one.done:
            print(one.row(), flush=True)
        bad += ["%s: %s does not accept it" % (one.name, step) for step in one.refused()]
        if given.share:
            bad += ["%s: no step %s" % (one.name, step) for step in STEPS
                    if step != "proofkernel" and not one.succeeded(step)]
    print("".join("\nFINDING: " + line for line in bad))
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
