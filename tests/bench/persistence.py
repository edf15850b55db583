"""What persistence costs: the same job by the same server program with its store on disk and in memory, in pairs.

Usage: persistence.py BUILD_DIRECTORY [--pairs N] [--nodes N] [--game GAME] [--json FILE]. Prints nodes per second of
search for each run, the ratio of every pair and the median of the ratios; and for the runs on disk the bytes that
reached the block device for each level-1 entry, counted by the device itself (other writers of the machine are in it)
and as the growth of the two files.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))

from pyproofd import Client  # noqa: E402


def device_bytes(path):
    """Bytes written so far to the block device below a path; None where that cannot be told."""
    number = os.stat(path).st_dev
    try:
        with open("/sys/dev/block/%d:%d/stat" % (os.major(number), os.minor(number))) as stat:
            return int(stat.read().split()[6]) * 512
    except OSError:
        return None


def run(build, store, options):
    """One job; returns its *job* object and the bytes written to the device."""
    os.sync()
    with tempfile.TemporaryDirectory() as scratch:
        before = device_bytes(scratch)
        where = ["--data", os.path.join(scratch, "data")] if store else ["--memory-only"]
        server = subprocess.Popen([os.path.join(build, "proofd"), *where, "--listen", "127.0.0.1:0", "--threads", "1"],
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        try:
            host, port = json.loads(server.stdout.readline())["listen"].rsplit(":", 1)
            client = Client((host, int(port)))
            job = client.rpc("job.submit", game=options.game, budget={"nodes": options.nodes})["job"]
            client.wait_job(job)
            result = client.rpc("job.get", job=job)
            client.close()
        finally:
            server.terminate()
            server.wait()
        os.sync()
        after = device_bytes(scratch)
    return result, None if before is None else after - before


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--nodes", type=int, default=200000000)
    parser.add_argument("--game", default="connect4:7x5")
    parser.add_argument("--json")
    options = parser.parse_args()
    ratios, device, files = [], [], []
    print("%-6s %14s %14s %7s %9s %14s %12s" %
          ("pair", "disk nodes/s", "memory nodes/s", "ratio", "entries", "device B/entry",
                                                "file B/entry"))
    for pair in range(options.pairs):
        order = (True, False) if pair % 2 == 0 else (False, True)
        speed = {}
        for store in order:
            job, written = run(options.build, store, options)
            nodes = job["nodes"]["level1"] + job["nodes"]["level2"]
            speed[store] = nodes / job["seconds"]
            if store:
                entries = job["entries"]
                files.append(job["disk"] / entries)
                device.append(written / entries if written is not None else float("nan"))
        ratios.append(speed[True] / speed[False])
        print("%-6d %14.0f %14.0f %7.3f %9d %14.0f %12.0f" %
              (pair + 1, speed[True], speed[False], ratios[-1], entries, device[-1],
                                                             files[-1]), flush=True)
    print("median ratio disk/memory %.3f; device bytes per level-1 entry, median %.0f" %
          (statistics.median(ratios), statistics.median(device)))
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"ratios": ratios, "median": statistics.median(ratios), "device_bytes_per_entry": device,
                       "file_bytes_per_entry": files}, file)


if __name__ == "__main__":
    main()
