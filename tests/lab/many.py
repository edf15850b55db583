"""Many jobs: a data directory of 10,000 jobs in all states with a million events, as a server has it after months.

Measured are the start (the process begins, its line says that it is ready) with the directory in the page cache and
without it, lists, single jobs, histories, figures and submissions. Then the limits of retention are set, and jobs go on
coming: their number and the directory stay bounded.

    many.py BUILD [--jobs N] [--events N] [--starts N] [--data DIR] [--share]

Exit status 1: a start of a second or more, a list of 50 ms or more, or something that is not bounded.
"""

import argparse
import json
import os
import select
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import Server, build_has, program  # noqa: E402

START_S = 1.0
LIST_MS = 50.0
STATES = ("queued", "running", "paused", "solved", "exhausted", "cancelled", "failed")
OVER = ("solved", "exhausted", "cancelled", "failed")
PAGE = 250          # jobs of a page at most
ROUNDS = 6          # in which jobs go on coming
SLACK = 16 << 20    # bytes by which the directory may grow meanwhile
BEHIND = 1500       # jobs that may wait to be removed while jobs come as quickly as they can
PATIENCE_S = 300
GRAPH = {"root": "r", "nodes": {"r": {"or": ["a", "b"]}, "a": {"value": 1}, "b": {"value": -1}}}


class Finding(Exception):
    pass


def say(text, *values):
    print(text % values, flush=True)


def milliseconds(times):
    times = sorted(times)
    return "%8.2f ms, longest %8.2f ms" % (statistics.median(times) * 1e3, times[-1] * 1e3)


def repeat(count, call):
    """The seconds that each of `count` calls takes."""
    times = []
    for i in range(count):
        begin = time.monotonic()
        call(i)
        times.append(time.monotonic() - begin)
    return times


def call(number, method, **params):
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})


def batch(client, method, all_params):
    """The results of a batch of calls, in their order."""
    client.send("[" + ",".join(call(i, method, **params) for i, params in enumerate(all_params)) + "]")
    replies = client.message()
    for reply in replies:
        if "error" in reply:
            raise Finding("%s: %s" % (method, reply["error"]["message"]))
    return [reply["result"] for reply in sorted(replies, key=lambda reply: reply["id"])]


def wait_until(server, condition, what):
    """Asks for the figures of the server until they are as they should be; returns them."""
    end = time.monotonic() + PATIENCE_S
    while True:
        figures = server.admin("server.stats")
        if condition(figures):
            return figures
        if time.monotonic() > end:
            raise Finding("%s after %d s: %s" % (what, PATIENCE_S, figures))
        select.select([], [], [], 0.02)


def over(figures):
    return sum(figures["jobs"][state] for state in OVER)


# --- the directory


def make_models(place, data):
    """A directory with one job in each state, as a server leaves it."""
    graphs = os.path.join(place, "graphs")
    os.mkdir(graphs)
    name = os.path.join(graphs, "g.json")
    with open(name, "w") as file:
        json.dump(GRAPH, file)
    with Server("--threads", "1", "--graphs", graphs, data=data) as server:
        server.wait_job(server.rpc("job.submit", game="mnk:3,3,3", memory="1M")["job"])
        server.wait_job(server.rpc("job.submit", game="connect4:7x6", memory="1M", budget={"nodes": 3000})["job"])
        server.rpc("job.cancel", job=server.rpc("job.submit", game="connect4:7x6", memory="1M")["job"])
        paused = server.rpc("job.submit", game="connect4:8x8", memory="1M")["job"]
        wait_until(server, lambda figures: figures["jobs"]["running"] == 1, "no job runs")
        server.rpc("job.pause", job=paused)
        server.terminate()
        server.options[1] = "0"
        server.start()
        failed = server.rpc("job.submit", game="andor:g", memory="1M")["job"]
        server.terminate()
        with open(name, "w") as file:
            json.dump(dict(GRAPH, root="a"), file)
        server.options[1] = "1"
        server.start()
        server.wait_job(failed)
        server.terminate()
        server.options[1] = "0"
        server.start()
        server.rpc("job.submit", game="connect4:8x8", memory="1M")
        counts = server.rpc("server.stats")["jobs"]
        missing = [state for state in STATES if state != "running" and not counts[state]]
        if missing:
            raise Finding("the models lack a job that is %s: %s" % (missing[0], counts))
        server.terminate()
    return ("--graphs", graphs)


def make(options, place, data):
    graphs = make_models(place, data)
    begin = time.monotonic()
    subprocess.run([program("tests/lab"), "many_fill", data, str(options.jobs), str(options.events)], check=True,
                   stdin=subprocess.DEVNULL)
    say("%d jobs and %d events written in %.1f s; %s", options.jobs, options.events, time.monotonic() - begin,
        sizes(data))
    return graphs


def files(data):
    return [os.path.join(data, name) for name in ("work.mdb", "facts.mdb")]


def bytes_of(data):
    """What the two files take on the disk."""
    return sum(os.stat(name).st_blocks * 512 for name in files(data))


def sizes(data):
    return ", ".join("%s %.1f MB" % (os.path.basename(name), os.stat(name).st_blocks * 512 / 1e6)
                     for name in files(data))


def drop_pages(data):
    """Takes the directory's pages out of the page cache."""
    for name in files(data):
        with open(name, "rb") as file:
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


# --- what is measured


def processor_seconds(pid):
    with open("/proc/%d/stat" % pid) as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def starts(options, server):
    """Seconds from the start of the process to its ready line."""
    for cold in (False, True):
        times, processor = [], []
        for _ in range(options.starts):
            server.terminate()
            if cold:
                drop_pages(server.data)
            begin = time.monotonic()
            server.start()
            times.append(time.monotonic() - begin)
            processor.append(processor_seconds(server.pid))
        name = "start, %s" % ("pages dropped" if cold else "pages in memory")
        say("%-34s %s; %.0f ms of processor time", name, milliseconds(times), 1e3 * statistics.median(processor))
        options.require(statistics.median(times) < START_S, "%s: %.2f s" % (name, statistics.median(times)))


def all_pages(server, **params):
    """The numbers of all jobs, page by page."""
    jobs, before = [], None
    while True:
        page = server.rpc("job.list", limit=PAGE, **params, **({"before": before} if before else {}))
        jobs += [job["job"] for job in page["jobs"]]
        before = page.get("next")
        if not before:
            return jobs


def lists(options, server):
    rows = [("job.list, the first 100", lambda i: server.rpc("job.list"))]
    for state in STATES:
        rows.append(("job.list, %s" % state, lambda i, state=state: server.rpc("job.list", state=state)))
    for name, ask in rows:
        times = repeat(30, ask)
        say("%-34s %s", name, milliseconds(times))
        options.require(statistics.median(times) * 1e3 < LIST_MS, "%s: %s" % (name, milliseconds(times)))
    say("%-34s %s", "job.list, all pages", milliseconds(repeat(3, lambda i: all_pages(server))))
    numbers = all_pages(server)
    if numbers != sorted(set(numbers), reverse=True) or len(numbers) != options.jobs:
        raise Finding("%d jobs are listed, of %d" % (len(numbers), options.jobs))
    counts = server.rpc("server.stats")["jobs"]
    for state in STATES:
        if state != "running" and not counts[state]:
            raise Finding("no job is %s: %s" % (state, counts))
    command = [program("proofctl"), "list", "--server", "%s:%d" % server.address]
    times = repeat(10, lambda i: subprocess.run(command, check=True, stdin=subprocess.DEVNULL,
                                                stdout=subprocess.DEVNULL))
    say("%-34s %s", "proofctl list", milliseconds(times))
    options.require(statistics.median(times) * 1e3 < LIST_MS, "proofctl list: %s" % milliseconds(times))


def scrape(server):
    host, port = server.ready["monitor"].rsplit(":", 1)
    with socket.create_connection((host, int(port)), PATIENCE_S) as page:
        page.sendall(b"GET /metrics HTTP/1.0\r\nHost: localhost\r\n\r\n")
        text = b""
        while True:
            more = page.recv(1 << 16)
            if not more:
                break
            text += more
    if b"proofd_jobs{" not in text:
        raise Finding("/metrics lacks the jobs: %r" % text[:200])


def single(options, server):
    job = options.jobs // 2
    points = server.rpc("job.history", job=job, limit=10000)["points"]
    if abs(len(points) - options.events / options.jobs) > 2 or any(p["event"] == "damaged" for p in points):
        raise Finding("job %d has %d points in its history" % (job, len(points)))
    rows = [
        ("job.get", 100, lambda i: server.rpc("job.get", job=job + i)),
        ("job.history, all of it", 100, lambda i: server.rpc("job.history", job=job + i, limit=10000)),
        ("job.explain of a queued job", 100,
         lambda i: server.rpc("job.explain", job=queued[i % len(queued)])),
        ("server.stats", 100, lambda i: server.rpc("server.stats")),
        ("/metrics", 50, lambda i: scrape(server)),
        ("job.submit, until it is on disk", 30,
         lambda i: server.rpc("job.submit", game="connect4:7x6", memory="1M", priority=-100)),
    ]
    queued = [one["job"] for one in server.rpc("job.list", state="queued", limit=PAGE)["jobs"]]
    for name, count, ask in rows:
        say("%-34s %s", name, milliseconds(repeat(count if count < options.jobs // 4 else 20, ask)))


# --- retention


def cancel_all(server, state):
    """Cancels all jobs in that state; they are over then."""
    with server.connect(unix=True) as client:
        jobs = []
        before = {}
        while True:
            page = client.rpc("job.list", state=state, limit=PAGE, **before)
            jobs += [one["job"] for one in page["jobs"]]
            if "next" not in page:
                break
            before = {"before": page["next"]}
        for first in range(0, len(jobs), PAGE):
            batch(client, "job.cancel", [{"job": job} for job in jobs[first:first + PAGE]])


def come_and_end(server, count, most):
    """Jobs come as quickly as they can, from two clients: one in eight is solved, the others are cancelled at once.
    Returns the most that were over at one time."""
    share = PAGE // 2
    with server.connect(unix=True) as one, server.connect(unix=True) as other:
        for first in range(0, count, 2 * share):
            jobs = []
            for client in (one, other):
                client.send("[" + ",".join(call(i, "job.submit", game="mnk:3,3,3", memory="1M",
                                                priority=50 if i % 8 == 0 else -50) for i in range(share)) + "]")
            for client in (one, other):
                replies = sorted(client.message(), key=lambda reply: reply["id"])
                jobs.append([reply["result"]["job"] for i, reply in enumerate(replies) if i % 8])
            for client, mine in zip((one, other), jobs):
                client.send("[" + ",".join(call(i, "job.cancel", job=job) for i, job in enumerate(mine)) + "]")
            for client in (one, other):
                client.message()  # one that is solved or removed already is an error
            most = max(most, over(server.admin("server.stats")))
    return most


def retention(options, server):
    keep = max(options.jobs // 10, 20)
    data = server.data
    cancel_all(server, "queued")
    cancel_all(server, "running")
    before = bytes_of(data)
    server.terminate()
    server.options += ["--keep-jobs", str(keep)]
    begin = time.monotonic()
    server.start()
    ready = time.monotonic() - begin
    wait_until(server, lambda figures: over(figures) <= keep, "more than %d ended jobs are kept" % keep)
    say("--keep-jobs %d: ready in %.2f s, the others removed in %.1f s; %s", keep, ready, time.monotonic() - begin,
        sizes(data))
    grown = []
    for round_number in range(ROUNDS):
        begin = time.monotonic()
        most = come_and_end(server, options.jobs // 5, 0)
        seconds = time.monotonic() - begin
        wait_until(server, lambda figures: over(figures) <= keep and not figures["jobs"]["queued"],
                   "more than %d ended jobs are kept" % keep)
        grown.append(bytes_of(data) - before)
        say("round %d: %d jobs came in %.1f s, %d over at most; the directory has %+.1f MB", round_number + 1,
            options.jobs // 5, seconds, most, grown[-1] / 1e6)
        if most > keep + BEHIND:
            raise Finding("%d jobs are over, and %d are to be kept: removal does not keep up" % (most, keep))
    if max(grown) > SLACK:
        raise Finding("the directory grows by %d bytes" % max(grown))
    if server.terminate():
        raise Finding("the server ended badly")
    subprocess.run([program("proofctl"), "check", data], check=True, stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL)
    subprocess.run([program("proofctl"), "compact", data], check=True, stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL)
    say("compacted: %s; before retention %.1f MB", sizes(data), before / 1e6)


def run(options, place):
    data = options.data or os.path.join(place, "data")
    graphs = make(options, place, data)
    threads = str(os.cpu_count())
    say("machine load %.1f, %.1f, %.1f on %s processors", *(os.getloadavg() + (threads,)))
    with Server("--threads", threads, "--monitor", "127.0.0.1:0", "--log", "warn", *graphs, data=data) as server:
        starts(options, server)
        lists(options, server)
        single(options, server)
        retention(options, server)


def main():
    parser = argparse.ArgumentParser(prog="./dev lab many", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", help="build directory (./dev gives it)")
    parser.add_argument("--jobs", type=int, default=10000)
    parser.add_argument("--events", type=int, default=1000000)
    parser.add_argument("--starts", type=int, default=5)
    parser.add_argument("--data", help="make the directory here, and leave it")
    parser.add_argument("--seed", type=int, default=1, help="not used: nothing is drawn")
    parser.add_argument("--share", action="store_true", help="a few seconds' worth; times are not judged")
    options = parser.parse_args()
    if options.share:
        options.jobs, options.events, options.starts = 400, 8000, 1
    missed = []
    # What other tests or a sanitizer take of the machine is no fault of the server's.
    judged = not options.share and not build_has("fsanitize")
    options.require = lambda good, what: None if good or not judged else missed.append(what)
    place = tempfile.mkdtemp(prefix="proofd-many-")
    try:
        run(options, place)
    except Finding as finding:
        missed.append(str(finding))
    finally:
        shutil.rmtree(place, ignore_errors=True)
    for what in missed:
        print("FINDING: " + what)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
