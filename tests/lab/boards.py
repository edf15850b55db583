"""Boards that are too large for a test: each is searched by `proofctl solve` with a data directory of its own, for a
budget of processor time, and goes on where it was.

    boards.py BUILD [--dir DIR] [--cpu S] [--memory SIZE] [--share] [NAME ...]

Every board that is not solved yet gets S seconds (600) more; with NAMEs, these alone. DIR (BUILD/boards) has a data
directory for each and `runs`, a line for each run. Printed are all runs together: nodes, processor time, the peak of
resident memory, and the value once it is known. The lines of ultimate tic-tac-toe are the hardest of tests/data/uttt.
With --share two small boards are run twice, and the second run has to finish; exit status 1: it did not.
"""

import argparse
import json
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
GAMES = ["connect4:7x7", "connect4:8x6", "connect4:8x7", "connect4:8x8", "mnk:8,4,4", "mnk:6,6,4", "mnk:7,7,5",
         "atari-go:6x6"]
UTTT_LINES = 3
SMALL = ["connect4:5x5", "connect4:5x6"]  # both are draws


def questions():
    """Name, game and position."""
    for game in GAMES:
        yield game, game, ""
    with open(os.path.join(HERE, "..", "data", "uttt", "positions.tsv"), encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]
    for row in sorted(rows, key=lambda row: -int(row[4]))[:UTTT_LINES]:
        yield "uttt:%s-%s" % (row[0], row[1]), "uttt", row[2]


class Boards:
    def __init__(self, build, folder, memory):
        self.program, self.folder, self.memory = os.path.join(build, "proofctl"), folder, memory
        self.path = os.path.join(folder, "runs")
        os.makedirs(folder, exist_ok=True)

    def runs(self, name):
        if not os.path.exists(self.path):
            return []
        with open(self.path, encoding="utf-8") as file:
            return [run for run in map(json.loads, file) if run["name"] == name]

    def search(self, name, game, position, seconds):
        """One run; its line is kept when it has ended."""
        words = [self.program, "solve", game, "--json", "--cpu", "%g" % seconds, "--memory", self.memory, "--data",
                 os.path.join(self.folder, name.replace(":", "-").replace(",", "x"))]
        out, into = os.pipe()
        child = os.posix_spawn(self.program, words + (["--position", position] if position else []), os.environ,
                               file_actions=[(os.POSIX_SPAWN_DUP2, into, 1), (os.POSIX_SPAWN_CLOSE, out)])
        os.close(into)
        with open(out, encoding="utf-8") as file:
            text = file.read()
        _, status, used = os.wait4(child, 0)
        if os.waitstatus_to_exitcode(status) not in (0, 3):
            sys.exit("%s: proofctl ended with status %d" % (name, os.waitstatus_to_exitcode(status)))
        answer = json.loads(text.splitlines()[-1])
        run = {"name": name, "solved": answer["status"] == "solved", "value": answer["value"]["text"],
               "nodes": answer["nodes"]["level1"] + answer["nodes"]["level2"],
               "cpu": round(used.ru_utime + used.ru_stime, 2), "peak": used.ru_maxrss * 1024}
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps(run) + "\n")

    def print_row(self, name):
        runs = self.runs(name)
        if runs:
            print("| %s | %d | %s | %.1f | %d | %s |" % (
                name, len(runs), format(runs[-1]["nodes"], ","), sum(run["cpu"] for run in runs),
                max(run["peak"] for run in runs) >> 20, runs[-1]["value"] if runs[-1]["solved"] else "open"),
                flush=True)

    def go_on(self, name, game, position, seconds):
        runs = self.runs(name)
        if not runs or not runs[-1]["solved"]:
            self.search(name, game, position, seconds)
        self.print_row(name)


def share(build):
    with tempfile.TemporaryDirectory() as folder:
        boards = Boards(build, folder, "64M")
        for seconds in 0.02, 60:
            for name in SMALL:
                boards.go_on(name, name, "", seconds)
        return [name for name in SMALL if [run["solved"] for run in boards.runs(name)] != [False, True] or
                boards.runs(name)[1]["value"] != "draw"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--dir", help="default: BUILD/boards")
    parser.add_argument("--cpu", type=float, default=600)
    parser.add_argument("--memory", default="4G")
    parser.add_argument("--share", action="store_true", help="two small boards")
    given = parser.parse_intermixed_args()
    known = {name: question for name, *question in questions()}
    missing = [name for name in given.names if name not in known]
    if missing:
        sys.exit("there is no board %s; there are %s" % (" ".join(missing), " ".join(known)))
    print("| board | runs | nodes | processor, s | peak, MB | value |\n| --- | ---: | ---: | ---: | ---: | --- |")
    if given.share:
        wrong = share(given.build)
        for name in wrong:
            print("FINDING: %s was not solved after an interruption, or has the wrong value" % name)
        sys.exit(bool(wrong))
    boards = Boards(given.build, given.dir or os.path.join(given.build, "boards"), given.memory)
    for name in given.names or known:
        boards.go_on(name, *known[name], given.cpu)


if __name__ == "__main__":
    main()
