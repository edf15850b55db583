"""A campaign: 10,000 positions are submitted by `proofctl submit --file`, followed, killed (the server, SIGKILL) and
resumed, and the rest is cancelled by its tag. In the end each position has exactly one job, and none is lost.

    campaign.py BUILD [--positions N] [--kills N] [--searched N] [--seed N] [--share]

Exit status 1: a position without a job or with two, a job that is in no state that it should be in, a result that
changed after it was reported, or a table of all jobs that takes 300 ms.
"""

import argparse
import itertools
import os
import random
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import Server, program  # noqa: E402

GAME = "mnk:5,5,4"
TAG = "openings"
TABLE_MS = 300.0
PATIENCE_S = 600


class Finding(Exception):
    pass


def openings(count):
    """Positions after two moves of each side, as moves: each a different position."""
    squares = [column + row for column in "abcde" for row in "12345"]
    for first in itertools.combinations(squares, 2):
        for second in itertools.combinations([s for s in squares if s not in first], 2):
            if not count:
                return
            count -= 1
            yield "%s %s %s %s" % (first[0], second[0], first[1], second[1])


class Campaign:
    def __init__(self, options):
        self.count = options.positions
        self.random = random.Random(options.seed)
        self.server = Server("--memory", "64M", "--threads", "1", "--keep-jobs", "0")
        self.file = os.path.join(self.server.dir, "positions")
        with open(self.file, "w") as out:
            for moves in openings(self.count):
                out.write('{"moves": "%s", "label": "%s"}\n' % (moves, moves))
        self.reported = {}  # job: its row once it was over

    def proofctl(self, *words):
        return [program("proofctl"), *words, "--socket", self.server.socket_path]

    def submitter(self):
        return subprocess.Popen(self.proofctl("submit", GAME, "--file", self.file, "--tag", TAG, "--memory", "4M",
                                              "--nodes", "3000"), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True)

    def restart(self):
        self.server.kill()
        begin = time.monotonic()
        self.server.start()
        return time.monotonic() - begin

    def table(self):
        """All rows, the milliseconds that they took, and the longest of a call."""
        rows, before, longest, begin = [], {}, 0.0, time.monotonic()
        while True:
            at = time.monotonic()
            page = self.server.admin("campaign.table", tag=TAG, **before)
            longest = max(longest, time.monotonic() - at)
            rows += page["rows"]
            if "next" not in page:
                return rows, (time.monotonic() - begin) * 1e3, longest * 1e3
            before = {"before": page["next"]}

    def check(self, rows):
        if len({row["label"] for row in rows}) != len(rows):
            raise Finding("a position has two jobs")
        known = {row["job"]: row for row in rows}
        for job, row in self.reported.items():
            if known.get(job) != row:
                raise Finding("job %d was %s, and is %s" % (job, row, known.get(job)))
        self.reported.update({row["job"]: row for row in rows if row["state"] in ("solved", "exhausted", "cancelled")})

    def submit(self, kills):
        """Submits the file, killing the server meanwhile; begins again until all are there."""
        begin = time.monotonic()
        for left in range(kills, -1, -1):
            process = self.submitter()
            if left:
                time.sleep(self.random.uniform(0.05, 0.4))
                self.restart()
            out, err = process.communicate(timeout=PATIENCE_S)
            self.check(self.table()[0] if self.server.admin("campaign.list")["campaigns"] else [])
        if process.returncode or not out.startswith("%d submitted" % self.count):
            raise Finding("proofctl submit: %s%s" % (out, err))
        return time.monotonic() - begin

    def states(self):
        return self.server.admin("campaign.list", tag=TAG)["campaigns"][0]["states"]

    def search(self, until, kills):
        """Waits until that many jobs are over, killing the server meanwhile."""
        begin, starts = time.monotonic(), []
        steps = [until * (i + 1) // (kills + 1) for i in range(kills + 1)]
        for step in steps:
            while sum(self.states()[state] for state in ("solved", "exhausted")) < step:
                if time.monotonic() > begin + PATIENCE_S:
                    raise Finding("only %s after %d s" % (self.states(), PATIENCE_S))
                time.sleep(0.05)
            self.check(self.table()[0])
            if step != until:
                starts.append(self.restart())
        return time.monotonic() - begin, starts

    def cancel(self):
        begin = time.monotonic()
        subprocess.run(self.proofctl("campaign", TAG, "cancel"), check=True, stdout=subprocess.DEVNULL)
        took = time.monotonic() - begin
        states = self.states()
        if states["queued"] or states["running"] or states["paused"]:
            raise Finding("after cancel: %s" % states)
        return took

    def run(self, options):
        empty = self.server.memory()
        print("submitted in %.1f s, with %d kills" % (self.submit(options.kills), options.kills))
        print("memory: %.2f KiB a job" % ((self.server.memory() - empty) / 1024 / self.count))
        rows, took, longest = min((self.table() for _ in range(10)), key=lambda table: table[1])
        print("table of %d: %.0f ms, the longest call %.1f ms" % (len(rows), took, longest))
        if len(rows) != self.count:
            raise Finding("%d jobs for %d positions" % (len(rows), self.count))
        if took >= TABLE_MS and not options.share:
            raise Finding("the table took %.0f ms" % took)
        took, starts = self.search(options.searched, options.kills)
        print("%d searched in %.1f s; starts after kills: %s s" %
              (options.searched, took, ", ".join("%.2f" % start for start in starts)))
        print("cancelled in %.1f s" % self.cancel())
        print("start after a kill: %.2f s" % self.restart())
        rows = self.table()[0]
        self.check(rows)
        if len(rows) != self.count or any(row["state"] not in ("solved", "exhausted", "cancelled") for row in rows):
            raise Finding("%d jobs, %s" % (len(rows), self.states()))
        print("%d positions, 0 lost: %s" % (self.count, self.states()))
        work = os.path.getsize(os.path.join(self.server.data, "work.mdb"))
        print("%.2f KiB on disk a job" % (work / 1024 / self.count))
        if self.server.terminate():
            raise Finding("the server did not stop cleanly")
        subprocess.run([program("proofctl"), "check", self.server.data], check=True,
                       stdout=subprocess.DEVNULL)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("build")
    parser.add_argument("--positions", type=int, default=10000)
    parser.add_argument("--searched", type=int, default=1000, help="positions that are searched before the rest is "
                        "cancelled")
    parser.add_argument("--kills", type=int, default=3, help="kills while submitting, and again while searching")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--share", action="store_true", help="600 positions, for a test")
    options = parser.parse_args()
    if options.share:
        options.positions, options.searched, options.kills = 600, 6, 1
    options.seed = options.seed if options.seed is not None else random.randrange(1 << 32)
    print("seed %d" % options.seed, flush=True)
    try:
        Campaign(options).run(options)
    except Finding as finding:
        print("campaign: %s" % finding)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
