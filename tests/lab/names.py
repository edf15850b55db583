"""Names that are told before they are on disk: a power cut would take them back.

    names.py BUILD [--share]

preload_names.c notes which names proofd, proofctl and proofcheck give and take in a directory, and which files and
directories they sync. When a server has answered and when a program has ended, the names of what it has made must be
on disk (the directory was synced after that), and so must be the absence of what it has removed (D1). A file that gets
its name by a rename must have been synced before. Files whose absence does no harm, and drafts, are left out. Exit
status 1: findings.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time

from faults import Lab

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import TIMEOUT, Server, program  # noqa: E402

GAME, TABLE = "mnk:3,3,3", {"game": "checkers:8", "material": "KKvM"}
SUITE = "\n".join(json.dumps(line) for line in (
    {"suite": "one", "memory": "8M"}, {"variant": "df", "algorithm": "df-pn"},
    {"name": "ttt", "game": "mnk:3,3,3", "value": 0}))
HARMLESS = re.compile(r"(-lock|\.(part|new|work|state|lock|build))$|^(lock|series|plugin-crashes|new|log|packed.cert)$")


class Laboratory:
    def __init__(self, build, folder):
        self.folder, self.log, self.findings, self.looks = folder, os.path.join(folder, "names"), 0, 0
        self.data, self.backups = os.path.join(folder, "data"), os.path.join(folder, "backups")
        self.env = {"LD_PRELOAD": os.path.join(build, "tests", "preload_names.so"), "LAB_NAMES_DIR": folder,
                    "LAB_NAMES_LOG": self.log}
        os.mkdir(self.backups)
        os.mkdir(os.path.join(folder, "suites"))

    def path(self, name):
        return os.path.join(self.folder, name)

    def fault(self, text):
        self.findings += 1
        print("FINDING:", text)

    def replay(self, when):
        """What was noted: names that are not on disk, by directory, and all names that were given or taken."""
        waits, synced, seen = {}, {self.folder}, set()
        with open(self.log, encoding="utf-8") as log:
            notes = [line.rstrip("\n").split("\t") for line in log]
        for what, path, other in notes:
            folder, name = os.path.split(path)
            if what == "sync":
                synced.add(path)
                waits.pop(path, None)
            elif what == "move":
                inside = {at for at in waits if (at + "/").startswith(path + "/")}
                if any(waits[at] for at in inside):
                    self.fault("%s: %s is renamed before all in it is on disk: %s" %
                               (when, path, [(at, waits[at]) for at in inside]))
                elif not os.path.isdir(other) and path not in synced and not HARMLESS.search(other):
                    self.fault("%s: %s is renamed to %s before it is on disk" % (when, path, other))
                for at in inside:
                    del waits[at]
                synced.discard(path)
                synced.add(other)
                seen.add(other)
                if not HARMLESS.search(os.path.basename(other)):
                    waits.setdefault(os.path.dirname(other), set()).add(os.path.basename(other))
            else:
                if what == "give":
                    synced.discard(path)
                    if path.endswith(".cert") and ".repairing/" not in path:
                        self.fault("%s: %s has its name before it is complete" % (when, path))
                waits.pop(path, None)  # a directory that was removed, or made again
                seen.add(path)
                if what == "take" and name in waits.get(folder, ()):
                    waits[folder].discard(name)  # it never was on disk, or its place matters no more
                elif not HARMLESS.search(name):
                    waits.setdefault(folder, set()).add(name)
        return {os.path.join(at, name) for at in waits for name in waits[at]}, seen

    def look(self, when, *wanted):
        """All of `wanted`, patterns of paths in the folder, have been given or taken, durably; none: whatever was."""
        waits, seen = self.replay(when)
        self.looks += 1
        for pattern in wanted or [".*"]:
            if not any(re.fullmatch(pattern, os.path.relpath(path, self.folder)) for path in seen):
                self.fault("%s: nothing like %s was noted" % (when, pattern))
            for path in sorted(waits):
                if re.fullmatch(pattern, os.path.relpath(path, self.folder)):
                    self.fault("%s: %s is not on disk" % (when, path))
        if not wanted:
            os.unlink(self.log)

    def run(self, name, *words):
        done = subprocess.run([program(name), *words], env=dict(os.environ, **self.env), stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=TIMEOUT)
        if done.returncode:
            self.fault("%s: exit status %d: %s" % (" ".join((name,) + words), done.returncode, done.stderr))
        self.look(" ".join((name,) + words[:2]))

    def server(self, *options):
        return Server("--threads", "1", "--nice", "0", "--experiments", self.path("suites"), "--backup-dir",
                      self.backups, *options, data=self.data, env=self.env)

    def serve(self):
        with self.server() as server:
            job = server.rpc("job.submit", game=GAME, memory="8M", detail="full")["job"]
            server.wait_job(job)
            for claim in {}, {"claim": "value"}:
                made = server.rpc("proof.export", game=GAME, **claim)["proof"]
                self.look("proof.export", "data/proofs", r"data/proofs/%s\.cert" % made)
                server.rpc("proof.remove", proof=made)
                self.look("proof.remove", r"data/proofs/%s\.cert" % made)
            server.rpc("proof.export", job=job)
            self.run("proofctl", "export", GAME, self.path("fetched.cert"), "--socket", server.socket_path)
            server.rpc("table.build", **TABLE)
            while any(build["state"] in ("queued", "running") for build in server.rpc("table.list")["builds"]):
                time.sleep(0.02)
            self.look("a table", r"data/tables/.*\.table", r"data/tables/.*\.order")
            for name in "first", "second":
                server.admin("server.backup", name=name)
                while server.admin("server.backup")["state"] == "running":
                    time.sleep(0.02)
                self.look("backup", "backups/%s" % name)
            server.terminate()
        self.look("the end of the server")

    def wait(self):
        """With orders that cannot begin: what is on disk when they are answered, and nothing later."""
        with self.server("--disk-reserve", "1000T") as server:
            self.look("ready", "data", r"data/\w+\.mdb", "data/experiments")
            server.rpc("table.build", game=TABLE["game"], material="KKvMM")
            self.look("table.build", "data/tables", "data/tables/.*KKvMM.order")
            server.rpc("table.cancel", game=TABLE["game"], material="KKvMM")
            self.look("table.cancel", "data/tables/.*KKvMM.order")
            for _ in range(2):  # one stays, for the copies
                number = server.rpc("experiment.start", text=SUITE)["experiment"]
                server.rpc("experiment.stop", experiment=number)
            server.rpc("experiment.resume", experiment=number)
            files = "data/experiments/%d" % number, r"data/experiments/%d/(state|suite)" % number
            self.look("experiment.start", *files)
            server.rpc("experiment.stop", experiment=number)
            self.look("experiment.stop", *files)
            server.rpc("experiment.remove", experiment=number)
            self.look("experiment.remove", files[0])
            server.terminate()
        self.look("the end of the server")

    def tools(self):
        proof = self.path("proof.cert")
        self.run("proofctl", "export", GAME, proof, "--data", self.data)
        self.run("proofcheck", "--pack", proof, self.path("packed.cert"))
        self.run("proofctl", "compress", proof, self.path("small.cert"), "--threads", "1")
        self.run("proofctl", "backup", self.path("backups/third"), "--data", self.data)
        self.run("proofctl", "restore", self.path("backups/first"), self.path("restored"))
        self.run("proofctl", "repair", self.data, self.path("repaired"))
        self.run("proofctl", "compact", self.path("repaired"))
        with open(self.path("dump"), "wb") as dump:
            subprocess.run([program("proofctl"), "dump", self.data], stdout=dump, stderr=subprocess.DEVNULL, check=True)
        self.run("proofctl", "load", self.path("dump"), self.path("loaded"))
        self.run("proofctl", "table", "build", TABLE["game"], "KvK", "--data", self.path("loaded"))


def main():
    parser = argparse.ArgumentParser(prog="./dev lab names", description=__doc__.splitlines()[0])
    parser.add_argument("build", help="build directory (./dev gives it)")
    parser.add_argument("--share", action="store_true", help="the same: it takes a few seconds")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="proofd-names-", dir=Lab.place_for_data()) as folder:
        laboratory = Laboratory(os.path.abspath(options.build), os.path.realpath(folder))
        laboratory.wait()
        laboratory.serve()
        laboratory.tools()
    print("%d looks, %d findings" % (laboratory.looks, laboratory.findings))
    return 1 if laboratory.findings else 0


if __name__ == "__main__":
    sys.exit(main())
