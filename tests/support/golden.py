"""Writes a golden data directory (tests/data/golden) with the programs of a build, today's or an old one.

    python3 tests/support/golden.py BUILD OUT.tar.xz

Jobs in all states that the programs know, facts, histories, tables, a certificate; and a job that ran when its server
was killed. golden.json in the archive says what is in it. Nothing of the machine stands in the archive: no names, no
times of files, no lock files.
"""

import json
import os
import shutil
import sys
import tarfile
import tempfile
import time

from pyproofd import RpcError, Server

KILLED = ("connect4:5x5", 60000)  # the game of the job that is killed, and after how many nodes
PAUSED = ("connect4:5x4", 20000)
BUDGET = ("loa:5", 20000)


def nodes(job):
    return sum(job["nodes"].values())


def run_until(server, job, most):
    """Waits until the job runs and has that many nodes; returns its nodes."""
    state = server.rpc("job.get", job=job)
    while state["state"] in ("queued", "running") and nodes(state) < most:
        state = server.rpc("job.get", job=job)
    assert state["state"] == "running", state
    return nodes(state)


def submit(server, game, **params):
    return server.rpc("job.submit", game=game, memory="1M", **params)["job"]


def old_jobs(server, made):
    """Contents that every version can make."""
    made["solved"] = submit(server, "mnk:3,3,3", detail="full", key="tic-tac-toe", priority=3)
    server.wait_job(made["solved"])
    made["proof"] = os.path.basename(server.rpc("proof.export", job=made["solved"])["file"])
    made["exhausted"] = submit(server, BUDGET[0], claim="first-wins", budget={"nodes": BUDGET[1]})
    assert server.wait_job(made["exhausted"])["state"] == "exhausted"
    made["paused"] = submit(server, PAUSED[0])
    run_until(server, made["paused"], PAUSED[1])
    server.rpc("job.pause", job=made["paused"])
    made["cancelled"] = submit(server, "connect4:7x6")
    run_until(server, made["cancelled"], 10000)
    server.rpc("job.cancel", job=made["cancelled"])


def new_jobs(server, made):
    """Later features: groups, jobs that wait for others, budgets of processor time, removed jobs."""
    methods = {method["name"]: {param["name"] for param in method["params"]}
               for method in server.rpc("rpc.discover")["methods"]}
    if "job.remove" in methods:
        job = submit(server, "mnk:3,3,3", claim="first-wins")
        server.wait_job(job)
        server.rpc("job.remove", job=job)
        made["removed"] = job
    if "group.set" in methods:
        server.rpc("group.set", group="night", limit=1, paused=True)
        made["group"] = "night"
        made["queued"] = submit(server, "mnk:4,3,3", group="night")
    if "after" in methods["job.submit"]:
        made["after"] = submit(server, "hex:3", after=[made["paused"]], budget={"cpu": 60, "disk": 1 << 20})


def write(path, out):
    """The directory as a reproducible archive."""
    with tarfile.open(out, "w:xz", preset=9) as archive:
        for folder, folders, names in os.walk(path):
            folders.sort()
            for name in sorted(names):
                whole = os.path.join(folder, name)
                if name == "lock" or name.endswith((".sock", "-lock")):
                    continue
                info = tarfile.TarInfo(os.path.relpath(whole, path))
                info.size = os.path.getsize(whole)
                with open(whole, "rb") as file:
                    archive.addfile(info, file)


def main():
    out, made = sys.argv[2], {}
    place = tempfile.mkdtemp(prefix="proofd-golden-")
    data = os.path.join(place, "data")
    try:
        with Server("--threads", "1", "--checkpoint", "0.05", data=data) as server:
            made["version"] = server.rpc("server.hello")["version"]
            old_jobs(server, made)
            try:
                new_jobs(server, made)
            except RpcError as error:
                print("without what came later: %s" % error)
            made["killed"] = submit(server, KILLED[0], priority=9)
            made["nodes"] = run_until(server, made["killed"], KILLED[1])
            time.sleep(0.3)  # several checkpoints
            run_until(server, made["killed"], KILLED[1])
            server.kill()
        with open(os.path.join(data, "golden.json"), "w", encoding="utf-8") as file:
            json.dump(made, file, indent=1, sort_keys=True)
        write(data, out)
        print("%s: %d bytes, %s" % (out, os.path.getsize(out), json.dumps(made, sort_keys=True)))
    finally:
        shutil.rmtree(place)


if __name__ == "__main__":
    main()
