"""What an export costs: seconds, processor seconds and memory a certificate. Checks that an export which is killed and
resumed writes the same certificate.

Usage: export.py BUILD_DIRECTORY [--games GAME;...] [--data DIR] [--json FILE]. Solves each game by the rules alone
(-O knowledge=no), unless DIR/GAME has the answer already, exports it with all positions (--cards no), and exports it
again, killed after a third and after two thirds of the time. The default is a small share of what is asked of
mnk:7,4,4 (28 million positions, a few minutes to solve): `--games mnk:7,4,4`.
"""

import argparse
import hashlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import time


def used():
    """Processor seconds of all processes that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def digest(path):
    sha = hashlib.sha256()
    with open(path, "rb") as file:
        for piece in iter(lambda: file.read(1 << 20), b""):
            sha.update(piece)
    return sha.hexdigest()


def peak_of(process):
    """Waits for a process; its peak memory in bytes."""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_maxrss * 1024


def export(command, seconds=None):
    """One export, killed after `seconds`. None if it was killed; else seconds, processor seconds, peak and reply."""
    begin, cpu = time.monotonic(), used()
    with tempfile.TemporaryFile("w+") as told:
        process = subprocess.Popen(command, stdout=told, stderr=subprocess.DEVNULL)
        if seconds is not None:
            try:
                process.wait(seconds)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                return None
        peak = peak_of(process)
        if process.returncode:
            raise SystemExit("the export ended with %d" % process.returncode)
        told.seek(0)
        return time.monotonic() - begin, used() - cpu, peak, json.loads(told.readline())


def measure(build, game, where):
    proofctl, data = os.path.join(build, "proofctl"), os.path.join(where, game.replace(":", "-"))
    if not os.path.exists(data):
        subprocess.run([proofctl, "solve", game, "--data", data, "-O", "knowledge=no", "--memory", "1G", "--threads",
                        str(os.cpu_count())], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    file, again = (os.path.join(where, name) for name in ("export.cert", "export-again.cert"))
    command = [proofctl, "export", game, "--data", data, "--cards", "no", "--json"]
    seconds, cpu, peak, told = export(command + [file])
    kills = sum(export(command + [again], seconds / 3) is None for _ in range(2))
    rest = export(command + [again])[0]
    same = digest(file) == digest(again)
    row = {"game": game, "positions": told["positions"], "bytes": told["bytes"], "seconds": seconds, "cpu": cpu,
           "peak": peak, "kills": kills, "rest_seconds": rest, "same": same}
    print("%s: %d positions, %d bytes; %.1f s, %.1f CPU s, %.0f MB; after %d kills the rest took %.1f s, %s" %
          (game, row["positions"], row["bytes"], seconds, cpu, peak / 1e6, kills, rest,
           "the same bytes" if same else "OTHER BYTES"), flush=True)
    for path in (file, again):
        os.remove(path)
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--games", default="mnk:4,4,4;mnk:5,4,4;mnk:6,4,4", help="full names, separated by ;")
    parser.add_argument("--data", help="keep the data directories there")
    parser.add_argument("--json")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        where = options.data or scratch
        os.makedirs(where, exist_ok=True)
        rows = [measure(options.build, game, where) for game in options.games.split(";")]
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)
    return 0 if all(row["same"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
