"""Losing chess compared with sjeng (Debian's package, variant suicide, command `prove`): nodes a second of processor
time in turns, and the ratios.

    sjeng.py BUILD [--rounds N] [--seconds S] [--nodes N] [--json FILE]

Both search the position after 1.e3, which neither solves in that time. Processor time is what the system counts for the
process, with memory being cleared and freed for either.
"""

import argparse
import json
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

FEN = "rnbqkbnr/pppppppp/8/8/8/4P3/PPPP1PPP/RNBQKBNR b - - 0 1"


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def sjeng(options):
    before = processor_seconds()
    with tempfile.TemporaryDirectory() as scratch:
        said = subprocess.run(["sjeng"], input="variant suicide\nsetboard %s\nprove\n%d\nquit\n" %
                              (FEN, options.seconds), cwd=scratch,
                              stdout=subprocess.PIPE, text=True).stdout
    found = re.findall(r"\bN: (\d+) .*Mem: ([\d.]+)M", said)
    if not found:
        sys.exit("sjeng says nothing of its nodes:\n" + said)
    nodes = int(found[-1][0])
    return nodes / (processor_seconds() - before), float(found[-1][1]) * 2**20 / nodes


def ours(options, algorithm):
    with tempfile.NamedTemporaryFile() as told:
        before = processor_seconds()
        subprocess.run([os.path.join(options.build, "tests", "bench"), "speed", "--games", "antichess", "--algorithms",
                        algorithm, "--rounds", "1",
                        "--nodes", str(options.nodes), "--memory", "1024", "--json", told.name],
                       check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        seconds = processor_seconds() - before
        made = json.loads(told.readline())
    return (made["level1"] + made["level2"]) / seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=10, help="of sjeng")
    parser.add_argument("--nodes", type=int, default=60000000, help="of ours")
    parser.add_argument("--json")
    options = parser.parse_args()
    os.environ["PATH"] += ":/usr/games"
    if not shutil.which("sjeng"):
        sys.exit("there is no sjeng: apt install sjeng")
    peer, rates = [], {"pds-pn": [], "pn": []}
    for _ in range(options.rounds):
        peer.append(sjeng(options))
        for algorithm in rates:
            rates[algorithm].append(ours(options, algorithm))
    speeds = [rate for rate, _ in peer]
    print("%-8s %8.2f M nodes a second of processor time, %.0f bytes a node" %
          ("sjeng", statistics.median(speeds) / 1e6, peer[0][1]))
    table = {"sjeng": statistics.median(speeds)}
    for algorithm, own in rates.items():
        ratios = [a / b for a, b in zip(own, speeds)]
        table[algorithm] = {"rate": statistics.median(own), "ratio": statistics.median(ratios), "ratios": ratios}
        print("%-8s %8.2f M, ratio %.1f (rounds %.1f to %.1f)"
              % (algorithm, statistics.median(own) / 1e6, statistics.median(ratios), min(ratios), max(ratios)))
    if options.json:
        with open(options.json, "w") as file:
            json.dump(table, file, indent=1)


if __name__ == "__main__":
    main()
