"""What large directories cost at the next start, with the disk's pages in memory (warm) and not (cold).

    recovery.py BUILD [--memory MB] [--records N] [--facts N] [--rounds N] [--tmp DIR] [--drop-caches] [--json FILE]

table   a job's table with a journal of 10 million records behind its snapshot: from the start of the process to the job
        searching again
facts   50 million facts: opening, look-ups of facts that are there and of others, bytes a fact

Both directories are made by bench_recovery, which takes some minutes. Cold: the pages of the files are dropped
(posix_fadvise); with --drop-caches (root) all of the machine's.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import Server, program  # noqa: E402

TARGETS = {"table cold, s": 6, "open cold, ms": 50, "open warm, ms": 50, "probe hit, us": 2.5, "probe miss, us": 2.5,
           "bytes a fact": 40}


def made(*words):
    command = [program("tests/bench"), "recovery", *map(str, words)]
    return json.loads(subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE).stdout)


def make_cold(directory, everything):
    os.sync()
    for name in os.listdir(directory):
        with open(os.path.join(directory, name), "rb") as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    if everything:
        with open("/proc/sys/vm/drop_caches", "w") as file:
            file.write("3\n")


def searching(data, memory):
    """Seconds from the start of the process: until it is ready, and until its job searches; its processor time until
    then, and the entries that were loaded."""
    begin = time.monotonic()
    with Server("--threads", "1", "--memory", "%dM" % (2 * memory), data=data) as server:
        ready = time.monotonic() - begin
        with server.connect() as client:
            while not client.rpc("job.explain", job=1)["threads"]:
                if client.rpc("job.get", job=1)["state"] not in ("queued", "running"):
                    raise RuntimeError("the job does not run: %s" % client.rpc("job.get", job=1))
                time.sleep(0.01)
            took = time.monotonic() - begin
            with open("/proc/%d/stat" % server.pid) as stat:
                words = stat.read().rsplit(")", 1)[1].split()
            job = client.rpc("job.get", job=1)
        server.kill()
    return ready, took, (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK"), job["entries"]


def table(options, place):
    data, whole = os.path.join(place, "table"), os.path.join(place, "whole")
    what = made("table", whole, options.memory, options.entries, options.records)
    print("table: room for %(capacity)d entries; snapshot of %(entries)d, journal of %(records)d, %(table_bytes)d "
          "bytes of %(work_bytes)d" % what, flush=True)
    figures = {}
    for kind in ("cold", "warm"):
        rounds = []
        for _ in range(options.rounds):
            shutil.copytree(whole, data)  # each round finds the same; three kills in a row would fail the job
            if kind == "cold":
                make_cold(data, options.drop_caches)
            rounds.append(searching(data, options.memory))
            print("  %-5s ready %.2f s, searching %.2f s (%.2f s of processor), %d entries" % (kind, *rounds[-1]),
                  flush=True)
            shutil.rmtree(data)
        figures["table %s, s" % kind] = statistics.median(r[1] for r in rounds)
        figures["ready %s, s" % kind] = statistics.median(r[0] for r in rounds)
    shutil.rmtree(whole)
    return dict(figures, table=what)


def facts(options, place):
    data = os.path.join(place, "facts")
    begin = time.monotonic()
    what = made("facts", data, options.facts)
    print("facts: %(facts)d, %(facts_bytes)d bytes, %(runs)d runs" % what, "in %.0f s" % (time.monotonic() - begin),
          flush=True)
    figures = {}
    for kind in ("cold", "warm"):
        rounds = []
        for _ in range(options.rounds):
            if kind == "cold":
                make_cold(data, options.drop_caches)
            rounds.append(made("probe", data, options.facts))
            print("  %-5s open %.1f ms, first look-ups %.2f us, then %.2f us, not there %.2f us, %.1f bytes a fact" %
                  (kind, *(rounds[-1][k] for k in ("open_ms", "first_us", "hit_us", "miss_us", "bytes_a_fact"))),
                  flush=True)
        figures["open %s, ms" % kind] = statistics.median(r["open_ms"] for r in rounds)
    figures.update({"probe hit, us": statistics.median(r["hit_us"] for r in rounds),
                    "probe miss, us": statistics.median(r["miss_us"] for r in rounds),
                    "bytes a fact": rounds[-1]["bytes_a_fact"]})
    shutil.rmtree(data)
    return figures


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--memory", type=int, default=1536, help="megabytes of the job")
    parser.add_argument("--entries", type=int, default=0, help="of the snapshot; 0: as many as there is room for")
    parser.add_argument("--records", type=int, default=10000000, help="of the journal")
    parser.add_argument("--facts", type=int, default=50000000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", choices=["table", "facts"])
    parser.add_argument("--tmp", help="where the directories are made; they take 4 GB")
    parser.add_argument("--drop-caches", action="store_true")
    parser.add_argument("--json")
    options = parser.parse_args()
    figures = {}
    with tempfile.TemporaryDirectory(prefix="proofd-recovery-", dir=options.tmp) as place:
        for part in (table, facts):
            if options.only in (None, part.__name__):
                figures.update(part(options, place))
    for name, target in TARGETS.items():
        if name in figures:
            print("%-16s %8.2f  wanted: at most %g%s" % (name, figures[name], target,
                                                       "" if figures[name] <= target else "  MISSED"))
    if options.json:
        with open(options.json, "w") as file:
            json.dump(figures, file)


if __name__ == "__main__":
    main()
