"""A table 1,000 times smaller than the search needs: does every algorithm still finish, and what does it cost?

    starved.py BUILD_DIRECTORY [--seconds S] [--share N] [--json FILE]

Each question is asked twice of each algorithm with a table: with room for everything (the entries used are what the
search needs), and with one entry in N of that (1,000; 16 at the least). Ends with 1 when an answer was wrong, or when
one that came with room for everything did not come without it.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

ALGORITHMS = ("pds-pn", "dfpn-pn", "paper", "df-pn", "pds")
QUESTIONS = ("connect4:4x6", "connect4:5x5", "mnk:4,4,3", "hex:5", "uttt", "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP")


def ask(build, algorithm, question, seconds, *more):
    """One run as `bench_suite` writes it, or None when it was wrong."""
    with tempfile.NamedTemporaryFile() as out:
        done = subprocess.run([os.path.join(build, "tests", "bench"), "suite", "--suite", "short", "--only", question,
                               "--algorithms", algorithm,
                               "--seconds", str(seconds), "--json", out.name, *more], stdout=subprocess.DEVNULL)
        runs = [json.loads(line) for line in out]
    return None if done.returncode or len(runs) != 1 else runs[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--seconds", type=float, default=120, help="of processor time a run")
    parser.add_argument("--share", type=int, default=1000)
    parser.add_argument("--json")
    options = parser.parse_args()
    bad, rows = 0, []
    print("%-10s %-28s %12s %8s %8s %8s %8s" % ("by", "question", "entries", "s", "places", "s", "nodes"))
    for question in QUESTIONS:
        for algorithm in ALGORITHMS:
            rich = ask(options.build, algorithm, question, options.seconds, "--tables", "24", "--memory", "1024")
            if not rich or not rich["answered"]:
                print("%-10s %-28s %s" %
                      (algorithm, question[:28], "no answer with room for everything" if rich else "WRONG"))
                bad += rich is None
                continue
            places = max(16, rich["entries"] // options.share)
            poor = ask(options.build, algorithm, question, options.seconds, "--set", "table=%d" % places)
            bad += not poor or not poor["answered"]
            nodes = lambda run: run["level1"] + run["level2"]
            print("%-10s %-28s %12d %8.2f %8d %8s %8s" % (
                algorithm, question[:28], rich["entries"], rich["cpu"], places,
                "WRONG" if not poor else "%.2f" % poor["cpu"] if poor["answered"] else "-",
                "x %.2f" % (nodes(poor) / nodes(rich)) if poor and poor["answered"] else ""))
            sys.stdout.flush()
            rows.append({"algorithm": algorithm, "question": question, "rich": rich, "poor": poor})
    if options.json:
        with open(options.json, "w") as file:
            json.dump(rows, file)
    return bad > 0


sys.exit(main())
