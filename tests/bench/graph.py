"""A large AND/OR graph whose value is known: written, solved, its proof exported and checked.

Usage: graph.py BUILD_DIRECTORY [--layers N] [--width N] [--children N] [--seed N] [--algorithm NAME] [--memory SIZE]
       [--threads N] [--keep DIRECTORY]

bench_graph.c says what the graph is; its value comes from the last layer back, without a search. Without options it has
2.2 * 10^7 nodes and 10^8 edges, and a file of 1.2 GB; the certificate contains the file. Prints a row for each step:
seconds of wall time and of the processor, memory at most, and what came of it. Ends with 1 when the answer is wrong or
the certificate is not verified. --keep: the files stay in that directory.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time


def step(name, command, expect=0):
    """Runs a command; prints its row, and returns what it wrote."""
    begin = time.monotonic()
    with tempfile.TemporaryFile("w+") as out:
        process = subprocess.Popen(command, stdout=out)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        text = out.read()
    print("| %s | %.0f | %.0f | %.2f |" % (name, time.monotonic() - begin, usage.ru_utime + usage.ru_stime,
                                          usage.ru_maxrss / (1 << 20)), end="", flush=True)
    if process.returncode != expect:
        print(" exit status %d |" % process.returncode)
        sys.exit(1)
    return text


def run(build, options, where):
    proofctl, graphs, data = os.path.join(build, "proofctl"), os.path.join(where, "graphs"), os.path.join(where, "data")
    path, proof = os.path.join(graphs, "big.graph"), os.path.join(where, "big.proof")
    os.makedirs(graphs)
    print("| step | seconds | of the processor | GB at most | |\n| --- | ---: | ---: | ---: | --- |")
    made = json.loads(step("write the graph", [os.path.join(build, "tests", "bench"), "graph", str(options.layers),
                                               str(options.width), str(options.children), str(options.seed), path]))
    print(" %d nodes, %d edges, %.2f GB, value %d |" % (made["nodes"], made["edges"], os.path.getsize(path) / 1e9,
                                                        made["value"]))
    place = ["--graphs", graphs, "--data", data]
    answer = json.loads(step("solve", [proofctl, "solve", "andor:big", "--json", "--algorithm", options.algorithm,
                                       "--memory", options.memory, "--threads", str(options.threads), "--detail",
                                       "full"] + place).strip().split("\n")[-1])
    value = answer["value"]
    print(" %d nodes, %.1f s of search, value %d to %d |" % (answer["nodes"]["level1"] + answer["nodes"]["level2"],
                                                             answer["seconds"], value["lo"], value["hi"]))
    wrong = value["lo"] != made["value"] or value["hi"] != made["value"]
    written = json.loads(step("export", [proofctl, "export", "andor:big", proof, "--json"] + place))
    print(" %d positions, %.2f GB |" % (written["positions"], os.path.getsize(proof) / 1e9))
    verdict = step("check", [os.path.join(build, "proofcheck"), proof])
    print(" %s |" % verdict.split("\n")[0].replace(proof, "").strip())
    if wrong:
        print("WRONG: the value is %d" % made["value"])
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build")
    parser.add_argument("--layers", type=int, default=13)
    parser.add_argument("--width", type=int, default=1670000)
    parser.add_argument("--children", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--algorithm", default="df-pn")
    parser.add_argument("--memory", default="2G")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--keep")
    options = parser.parse_args()
    if options.keep:
        os.makedirs(options.keep)
        return run(options.build, options, options.keep)
    with tempfile.TemporaryDirectory(dir="/var/tmp") as where:  # gigabytes: /tmp may be memory
        return run(options.build, options, where)


if __name__ == "__main__":
    sys.exit(main())
