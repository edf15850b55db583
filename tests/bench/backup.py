"""What a backup costs the search: the rate of a job alone, and while backups follow one another, in turns.

    backup.py BUILD [--facts N] [--entries N] [--seconds S] [--rounds N] [--threads N] [--tmp DIR] [--json FILE]

The directory has about a gigabyte: a job with a full table, and facts. Each backup is a full one; it is removed before
the next. Prints the rate of each turn, how long the backups took, and the median ratio of the rates.
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


def made(*words):
    command = [program("tests/bench"), "recovery", *map(str, words)]
    return json.loads(subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE).stdout)


def nodes(server):
    """Nodes of the job, and when that was."""
    counts = server.rpc("job.get", job=1)["nodes"]
    return counts["level1"] + counts["level2"], time.monotonic()


def rate_of(server, work):
    """Nodes a second while that is done."""
    (first, begin) = nodes(server)
    work()
    (last, end) = nodes(server)
    return (last - first) / (end - begin)


def back_up(server, places, took):
    """One backup, which is removed afterwards."""
    name = "n%d" % len(took)
    begin = time.monotonic()
    told = server.admin("server.backup", name=name)
    while told["state"] == "running":
        time.sleep(0.05)
        told = server.admin("server.backup")
    if told["state"] != "complete":
        sys.exit("the backup is %r" % told)
    took.append(time.monotonic() - begin)
    shutil.rmtree(os.path.join(places, name))


def turn(server, seconds, places, took):
    def work():
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if places:
                back_up(server, places, took)
            else:
                time.sleep(0.5)
    return rate_of(server, work)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--facts", type=int, default=20000000)
    parser.add_argument("--entries", type=int, default=20000000)
    parser.add_argument("--seconds", type=float, default=15, help="of a turn, at least")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--tmp")
    parser.add_argument("--json")
    options = parser.parse_args()
    ratios, took = [], []
    with tempfile.TemporaryDirectory(prefix="proofd-backup-", dir=options.tmp) as place:
        data, places = os.path.join(place, "data"), os.path.join(place, "backups")
        os.mkdir(places)
        made("table", data, 1536, options.entries, options.entries // 10)
        made("facts", data, options.facts)
        size = sum(os.path.getsize(os.path.join(data, name)) for name in ("work.mdb", "facts.mdb"))
        print("%.0f MB" % (size / 1e6), flush=True)
        with Server("--threads", str(options.threads), "--backup-dir", places, data=data) as server:
            while not server.rpc("job.explain", job=1)["threads"]:
                pass
            turn(server, options.seconds, None, took)  # until it has found its rate
            for number in range(options.rounds):
                rates = {}
                for backups in (False, True) if number % 2 else (True, False):
                    rates[backups] = turn(server, options.seconds, places if backups else None, took)
                ratios.append(rates[True] / rates[False])
                print("alone %.0f nodes/s, during backups %.0f nodes/s, ratio %.3f" %
                      (rates[False], rates[True], ratios[-1]), flush=True)
    print("median ratio %.3f; a backup took %.2f s (median), at most %.2f s" %
          (statistics.median(ratios), statistics.median(took), max(took)))
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"bytes": size, "ratios": ratios, "median": statistics.median(ratios), "backups_s": took}, file)


if __name__ == "__main__":
    main()
