"""Builds of tables that are killed or run out of disk, and damaged tables: what is answered is right, or nothing is.

    tables.py BUILD [--class NAME] [--kills N] [--limits N] [--damage N] [--seed N] [--share]

The class of checkers (KKvMM) and those that it rests on are built once in peace. Then they are built again: N kills
(10) at random moments, and N limits (20) on the size of a file, at which every write fails; each time the tables that
there are must be, byte for byte, those of the first build, and the last build must end with all of them. Last, a
random byte of a table is changed N times (100): the endings of tests/data/checkers must come back with their value and
plies, or as an error, and a build must replace the damaged table. Exit status 1: findings.
"""

import argparse
import json
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
import time

GAME = "checkers:8"
ENDINGS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "checkers", "endings.tsv")
WAIT_S = 3600


class Laboratory:
    def __init__(self, build, folder, name):
        self.program, self.folder, self.name, self.faults = os.path.join(build, "proofctl"), folder, name, 0
        self.whole = os.path.join(folder, "whole")
        self.run("solve", GAME, "--position", "B:W31:B14,20,24", data=self.whole)
        begin = time.monotonic()
        self.run(*self.words(), data=self.whole)
        self.seconds = time.monotonic() - begin
        self.tables = self.read(self.whole)

    def words(self):
        return ["table", "build", GAME, self.name, "--checkpoint", "0.05"]

    def run(self, *words, data, code=0):
        done = subprocess.run([self.program, *words, "--data", data], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=WAIT_S)
        if code is not None and done.returncode != code:
            self.fault("%s: exit status %d: %s" % (" ".join(words), done.returncode, done.stderr))
        return done

    def read(self, data):
        tables = {}
        for name in os.listdir(os.path.join(data, "tables")):
            if name.endswith(".table"):
                with open(os.path.join(data, "tables", name), "rb") as file:
                    tables[name] = file.read()
        return tables

    def fault(self, text):
        self.faults += 1
        print("FAULT:", text)

    def compare(self, data, when):
        for name, content in self.read(data).items():
            if self.tables[name] != content:
                self.fault("%s is another table %s" % (name, when))

    def finish(self, data, what):
        self.run(*self.words(), data=data)
        self.compare(data, "at last")
        there = {name for name in os.listdir(os.path.join(data, "tables")) if not name.endswith(".lock")}
        left = there ^ set(self.tables)
        if left:
            self.fault("%s: missing or left: %s" % (what, sorted(left)))

    def kill(self, count, pick):
        """Kills builds; one that ended before begins again without its last table."""
        data, killed = os.path.join(self.folder, "killed"), 0
        while killed < count:
            child = subprocess.Popen([self.program, *self.words(), "--data", data], stdin=subprocess.DEVNULL,
                                     stdout=subprocess.DEVNULL)
            time.sleep(pick.uniform(0, self.seconds / 3))
            child.kill()
            if child.wait(WAIT_S) < 0:
                killed += 1
            else:
                os.unlink(os.path.join(data, "tables", self.table_of(self.name)))
            if os.path.isdir(os.path.join(data, "tables")):
                self.compare(data, "after %d kills" % killed)
        self.finish(data, "kills")
        print("%d builds killed" % killed)

    def limit(self, count, pick):
        """No file may grow beyond a limit, as when the disk is full."""
        data, refused = os.path.join(self.folder, "limited"), 0
        most = 2 * max(map(len, self.tables.values()))
        for _ in range(count):
            size = pick.randrange(most)
            done = subprocess.run([self.program, *self.words(), "--data", data], stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, timeout=WAIT_S, restore_signals=False,
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)))
            refused += done.returncode == 1
            if done.returncode not in (0, 1):
                self.fault("a file limit of %d: exit status %d: %s" % (size, done.returncode, done.stderr))
            self.compare(data, "with files of at most %d bytes" % size)
        self.finish(data, "limits")
        print("%d builds with limits, %d refused" % (count, refused))

    def table_of(self, name):
        return "%s.%s.table" % (GAME.replace(":", "_"), name)

    def endings(self):
        """Name of the table, position, value and plies of the known endings whose table is there."""
        with open(ENDINGS, encoding="utf-8") as file:
            rows = [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]
        for position, value, plies in rows:
            sides = sorted((("K" * part.count("K") + "M" * (len(re.findall(r"\d+", part)) - part.count("K")))
                            for part in position[2:].split(":")), key=lambda men: (-len(men), men))
            if self.table_of("v".join(sides)) in self.tables:
                yield self.table_of("v".join(sides)), position, value, plies

    def damage(self, count, pick):
        endings, right, errors = list(self.endings()), 0, 0
        for _ in range(count):
            name, position, value, plies = pick.choice(endings)
            path, content = os.path.join(self.whole, "tables", name), bytearray(self.tables[name])
            content[pick.randrange(len(content))] ^= 1 << pick.randrange(8)
            with open(path, "wb") as file:
                file.write(content)
            done = self.run("query", GAME, position, "--json", data=self.whole, code=None)
            if done.returncode == 0:
                fact = json.loads(done.stdout)
                wanted = (0, 0) if value == "D" else (1, 1) if (value == "W") == (position[0] == "B") else (-1, -1)
                if (fact["lo"], fact["hi"]) != wanted or (value != "D" and fact["rank"] != int(plies)):
                    self.fault("%s: %s instead of %s %s" % (position, fact, value, plies))
                right += 1
            else:
                errors += 1
            if subprocess.run([self.program, "check", self.whole], capture_output=True).returncode != 1:
                self.fault("check does not see the damage of %s" % name)
            self.run("table", "build", GAME, name.split(".")[1], data=self.whole)
            self.compare(self.whole, "after its damage")
        print("damaged tables: %d right answers, %d errors" % (right, errors))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--class", dest="name", default="KKvMM")
    for what, count in (("kills", 10), ("limits", 20), ("damage", 100), ("seed", 1)):
        parser.add_argument("--" + what, type=int, default=count)
    parser.add_argument("--share", action="store_true", help="a few seconds' worth")
    given = parser.parse_args()
    if given.share:
        given.name, given.kills, given.limits, given.damage = "KMvM", 3, 3, 8
    pick = random.Random(given.seed)
    with tempfile.TemporaryDirectory(prefix="proofd-tables-") as folder:
        laboratory = Laboratory(given.build, folder, given.name)
        print("seed %d, %d tables of %s, %.1f s" % (given.seed, len(laboratory.tables), GAME, laboratory.seconds))
        laboratory.kill(given.kills, pick)
        laboratory.limit(given.limits, pick)
        laboratory.damage(given.damage, pick)
    print("%d findings" % laboratory.faults)
    return 1 if laboratory.faults else 0


if __name__ == "__main__":
    sys.exit(main())
