"""The laboratory of repair: damaged data directories, and what `proofctl repair` makes of them.

A directory with solved and unfinished jobs, with facts in runs and in the log, is damaged at random: bits, pages, ends,
heads, whole files. It is read beforehand by code that shares nothing with the store (tests/support/pylmdb.py), so that
it is known which bytes each record stands on. Of each repair is asked:

  * it ends by itself, with an exit code that fits what it reports, and nothing is missing that it does not report; *
  every fact of a block whose bytes are as they were is there, as strong as the block says, and no fact says more than
  the directory did; * every job whose record is as it was is there, under its number and with its question; no other
  job has a number of a lost one; * the new directory opens, and `check` finds it clean when no fact is reported as
  lost.

    repair.py BUILD [CASES] [--seed N] [--keep] [--share]
"""

import argparse
import collections
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "support"))
import pylmdb  # noqa: E402
from pyproofd import Server  # noqa: E402

FILES = ("work.mdb", "facts.mdb")
PAGE = pylmdb.PAGE
KINDS = ("nothing", "one bit", "many bits", "zeroed pages", "swapped pages", "copied pages", "noise", "cut off", "head",
         "both heads",
         "page heads", "missing")
SPEC = ("game", "rules", "position", "claim", "algorithm", "detail", "key", "memory", "seed")
BUILD = None


class Finding(Exception):
    """What must not be."""


def ctl(*words, codes=None):
    done = subprocess.run([os.path.join(BUILD, "proofctl"), *words], capture_output=True, text=True, timeout=600,
                          stdin=subprocess.DEVNULL)
    if codes is not None and done.returncode not in codes:
        raise Finding("%s: exit code %d: %s%s" %
                      (" ".join(words[:1]), done.returncode, done.stdout[-300:], done.stderr[-600:]))
    return done


def read(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return b""


def make(where):
    """Jobs that are over, one with its budget used up, one that was running; facts in runs, and in a log because the
    process was killed."""
    server = Server("--threads", "1", data=where)
    for game, more in (("connect4:4x4", {}), ("mnk:3,3,3", {}), ("connect4:5x4", {"budget": {"nodes": 300000}}),
                       ("connect4:4x4", {"position": "1", "claim": "first>=1"}),
                       ("connect4:5x4", {"claim": "first>=0"})):
        server.wait_job(server.rpc("job.submit", game=game, memory="4M", **more)["job"])
    while server.rpc("server.stats")["memtable"]:
        pass
    job = server.rpc("job.submit", game="connect4:6x5", memory="8M")["job"]
    while server.rpc("server.stats")["memtable"] < 500 and server.rpc("job.get", job=job)["state"] != "solved":
        pass
    server.kill()


def flip(data, draw, count, places=None):
    for _ in range(count):
        at = places(draw) if places else draw.randrange(len(data))
        data[at] ^= 1 << draw.randrange(8)


def pages(data, draw):
    return [draw.randrange(2, max(3, len(data) // PAGE)) for _ in range(draw.choice((1, 1, 2, 8)))]


def damage(kind, data, draw):
    """The new content; None: the file goes."""
    data = bytearray(data)
    if kind == "one bit":
        flip(data, draw, 1)
    elif kind == "many bits":
        flip(data, draw, draw.choice((5, 30, 300)))
    elif kind == "zeroed pages":
        for n in pages(data, draw):
            data[n * PAGE:(n + 1) * PAGE] = bytes(PAGE)
    elif kind in ("swapped pages", "copied pages"):
        for a in pages(data, draw):
            b = draw.randrange(2, len(data) // PAGE)
            old = data[a * PAGE:(a + 1) * PAGE]
            data[a * PAGE:(a + 1) * PAGE] = data[b * PAGE:(b + 1) * PAGE]
            if kind == "swapped pages":
                data[b * PAGE:(b + 1) * PAGE] = old
    elif kind == "noise":
        for n in pages(data, draw):
            at, size = n * PAGE + draw.randrange(PAGE), draw.choice((1, 16, 512, 8192))
            size = min(size, len(data) - at)
            data[at:at + size] = draw.randbytes(size)
    elif kind == "cut off":
        del data[draw.randrange(len(data)):]
    elif kind == "head":
        n = draw.randrange(2)
        data[n * PAGE:(n + 1) * PAGE] = draw.randbytes(PAGE)
    elif kind == "both heads":
        data[:2 * PAGE] = bytes(2 * PAGE)
    elif kind == "page heads":
        flip(data, draw, 40, lambda d: d.randrange(len(data) // PAGE) * PAGE + d.randrange(16))
    elif kind == "missing":
        return None
    return bytes(data)


class Original:
    def __init__(self, where):
        self.bytes = {name: read(os.path.join(where, name)) for name in FILES}
        self.work, self.facts = (pylmdb.Records(os.path.join(where, name)) for name in FILES)
        self.blocks = list(pylmdb.fact_blocks(self.work, self.facts))
        self.known = pylmdb.all_facts(self.work, self.facts)
        self.most = dict(self.known)  # what a repair may find at most
        for key, b in pylmdb.unfinished(self.work):
            self.most[key] = pylmdb.join(self.most.get(key, (None, None)), b)
        self.jobs = pylmdb.jobs(self.work)
        self.runs = next(r for r in self.facts.tables["meta"] if r.key == b"runs")
        self.logged = sum(file == "work.mdb" for _, file, _ in self.blocks)


def games_kept(original, after):
    """Whether every game's record is as it was in one of the files."""
    mine = {r.key: r for r in original.work.tables["games"]}
    other = {r.key: r for r in original.facts.tables["games"]}
    return all(r.untouched(original.bytes["work.mdb"], after["work.mdb"]) or
               key in other and other[key].untouched(original.bytes["facts.mdb"], after["facts.mdb"])
               for key, r in mine.items())


def compare(original, after, where, report):
    work, facts = (pylmdb.Records(os.path.join(where, name)) for name in FILES)
    known = pylmdb.all_facts(work, facts)
    for key, b in known.items():
        if key not in original.most or not pylmdb.within(b, original.most[key]):
            raise Finding("a fact that the directory did not have: %r says %s" % (key, b))
    list_kept = original.runs.untouched(original.bytes["facts.mdb"], after["facts.mdb"])
    for record, file, block in original.blocks:
        if not record.untouched(original.bytes[file], after[file]) or not games_kept(original, after) or \
                (file == "facts.mdb" and not list_kept):
            continue
        for key, b in block:
            if key not in known or not pylmdb.within(b, known[key]):
                raise Finding("a fact of an undamaged block of %s is gone: %r, %s (runs: %s)" %
                              (file, key, b, report["runs"]))
    found = pylmdb.jobs(work)
    all_there = all(key in known and pylmdb.within(b, known[key]) for key, b in original.known.items())
    if report["whole"] and not (all_there and found.keys() == original.jobs.keys()):
        raise Finding("%d facts and %d jobs, and nothing is reported as lost" % (len(known), len(found)))
    for number, (record, job) in original.jobs.items():
        there = found.get(number)
        if there is None and record.untouched(original.bytes["work.mdb"], after["work.mdb"]):
            raise Finding("job %d is gone, and its record is undamaged" % number)
        if there and any(there[1].get(k) != job.get(k) for k in SPEC):
            raise Finding("job %d is another: %s" % (number, there[1]))
    if any(number not in original.jobs for number in found):
        raise Finding("a job that was not there")


def no_facts_lost(report):
    return report["counted"] and report["runs"] == "newest" and not any(report[k]
                                                                        for k in ("facts_lost", "log_blocks_lost",
                                                                                  "games_lost", "contradictions"))


def case(original, place, kind, draw):
    """One damaged directory; returns what came of it."""
    damaged, new = os.path.join(place, "damaged"), os.path.join(place, "new")
    for path in (damaged, new):
        shutil.rmtree(path, ignore_errors=True)
    os.mkdir(damaged)
    hit = draw.choice((FILES[:1], FILES[1:], FILES if kind != "missing" else FILES[:1]))
    after = {}
    for name in FILES:
        content = damage(kind, original.bytes[name], draw) if name in hit else original.bytes[name]
        after[name] = content or b""
        if content is not None:
            with open(os.path.join(damaged, name), "wb") as file:
                file.write(content)
    done = ctl("repair", damaged, new, "--json", codes=(0, 3))
    report = json.loads(done.stdout)
    if report["whole"] != (done.returncode == 0):
        raise Finding("exit code %d, and the report says %s" % (done.returncode, done.stdout))
    if {n: read(os.path.join(damaged, n)) for n in FILES} != after:
        raise Finding("the damaged directory was changed")
    if kind == "nothing" and not report["whole"]:
        raise Finding("nothing was damaged, and something is lost: %s" % done.stdout)
    compare(original, after, new, report)
    ctl("check", new, "--json", codes=(0,) if no_facts_lost(report) else (0, 1))
    ctl("list", "--data", new, codes=(0,))
    return "whole" if report["whole"] else "no fact lost" if no_facts_lost(report) else "facts lost"


def main():
    global BUILD
    parser = argparse.ArgumentParser(description="damaged directories, and what proofctl repair makes of them")
    parser.add_argument("build")
    parser.add_argument("cases", nargs="?", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", action="store_true", help="leave the directory of a finding where it is")
    parser.add_argument("--share", action="store_true", help="a few seconds' worth")
    args = parser.parse_args()
    BUILD = os.path.abspath(args.build)
    if args.share:
        args.cases = 3 * len(KINDS)
    place = tempfile.mkdtemp(prefix="proofd-repair-")
    table, findings = collections.Counter(), 0
    try:
        make(os.path.join(place, "sound"))
        original = Original(os.path.join(place, "sound"))
        print("%d jobs, %d facts in %d blocks, %d of them in the log" %
              (len(original.jobs), len(original.known), len(original.blocks),
                                                                   original.logged))
        for n in range(args.cases):
            kind = KINDS[n % len(KINDS)]
            try:
                table[kind, case(original, place, kind, random.Random(args.seed * 1000003 + n))] += 1
            except (Finding, subprocess.TimeoutExpired, ValueError) as finding:
                findings += 1
                table[kind, "finding"] += 1
                print("case %d, %s: %s" % (n, kind, finding), flush=True)
                if args.keep:
                    shutil.copytree(place, "%s-%d" % (place, n))
    finally:
        shutil.rmtree(place, ignore_errors=True)
    columns = ("whole", "no fact lost", "facts lost", "finding")
    print("%-16s%s" % ("", "".join("%14s" % c for c in columns)))
    for kind in KINDS:
        print("%-16s%s" % (kind, "".join("%14d" % table[kind, c] for c in columns)))
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
