"""A newcomer's path: newcomer.py ROOT [SECONDS]. The first steps of README.md in a fresh clone, one after the other.

Prints each command with what the README says of it, what it printed, and how long it took: the wall time, and the
processor time of the processes that have ended (that of the server counts when it stops). Fails when a command fails,
or when the first proof, the first `proofcheck`, comes later than SECONDS (180).
The server gets free ports in place of those of the README, and is found by its socket.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SHOWN = 4  # lines of output


def steps(root):
    """[(command, what the README says of it)]"""
    with open(os.path.join(root, "README.md"), encoding="utf-8") as file:
        part = re.search(r"^## First steps\n(.*?)^## ", file.read(), re.M | re.S)[1]
    return [tuple(one.strip() for one in re.match(r"    (.*?)(?: #(.*))?$", line).groups(""))
            for line in part.splitlines() if line.startswith("    ./")]


def used():
    """Processor time of the processes that were started and have ended."""
    return sum(os.times()[2:4])


def run_server(command, place, env):
    words = ["127.0.0.1:0" if ":" in word else word for word in command.rstrip("& ").split()]
    server = subprocess.Popen(words + ["--listen", "127.0.0.1:0", "--log", "warn"], cwd=place, env=env,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    if b'"http":"127.0.0.1:' not in server.stdout.readline():
        raise SystemExit("the server is not ready")
    env["PROOFD_SERVER"] = os.path.join(place, "games", "proofd.sock")
    return server


def main():
    root, limit = os.path.realpath(sys.argv[1]), float(sys.argv[2] if len(sys.argv) > 2 else 180)
    place = tempfile.mkdtemp(prefix="proofd-newcomer-")
    clone = os.path.join(place, "proofd")
    env, server, proof, begin, here = dict(os.environ), None, None, time.monotonic(), place
    env.pop("PROOFD_SERVER", None)
    try:
        for command, words in [("git clone -q %s proofd" % root, "a copy of the tree")] + steps(root):
            print("\n$ %s\n  # %s" % (command, words or "(no comment)"), flush=True)
            before, cpu = time.monotonic(), used()
            if command.endswith("&"):
                server = run_server(command, here, env)
            else:
                here = clone if "./dev" in command else here
                done = subprocess.run(["bash", "-c", command], cwd=here, env=env, stdin=subprocess.DEVNULL,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
                lines = done.stdout.splitlines()
                if done.returncode:
                    raise SystemExit("%s\nexit code %d" % (done.stdout, done.returncode))
                print("".join("  %s\n" % line for line in lines[:SHOWN] + ["..."] * (len(lines) > SHOWN)), end="")
            if "cd build/release" in command:
                here = os.path.join(clone, "build", "release")
            now = time.monotonic()
            print("  %.1f s, %.1f s of processor time" % (now - before, used() - cpu), flush=True)
            if "proofcheck" in command and not proof:
                proof, cpu_proof = now - begin, used()
        print("\nfrom the clone to the first proof: %.0f s, %.0f s of processor time; all steps: %.0f s" %
              (proof, cpu_proof, time.monotonic() - begin))
        if proof > limit:
            raise SystemExit("that is more than %.0f s" % limit)
    finally:
        if server:
            server.send_signal(signal.SIGTERM)
            server.wait()
        shutil.rmtree(place, ignore_errors=True)


if __name__ == "__main__":
    main()
