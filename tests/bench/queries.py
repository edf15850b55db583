"""How quickly queries are answered over TCP, first idle and then while jobs search on all threads. The load client is bench_queries.

    queries.py BUILD [--seconds S] [--game NAME]
"""

import argparse
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import Server, program  # noqa: E402


def load(server, game, seconds):
    subprocess.run([program("tests/bench_queries"), "%s:%d" % server.address, game, str(seconds)], check=True, stdin=subprocess.DEVNULL)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--seconds", type=float, default=5, help="of each measurement")
    parser.add_argument("--game", default="connect4:6x5", help="solved first, so that there are facts to find")
    options = parser.parse_args()
    threads = os.cpu_count()
    with Server("--threads", str(threads), "--log", "warn") as server:
        server.wait_job(server.rpc("job.submit", game=options.game)["job"])
        print("idle, %d facts" % server.rpc("server.stats")["facts"], flush=True)
        load(server, options.game, options.seconds)
        for i in range(threads):
            server.rpc("job.submit", game="connect4:7x6", memory="256M", key=str(i))
        while server.rpc("server.stats")["busy"] < threads:
            pass
        before = server.rpc("server.stats")["nodes"]
        print("\n%d jobs on %d threads" % (threads, threads), flush=True)
        load(server, options.game, options.seconds)
        print("meanwhile the jobs searched %d nodes" % (server.rpc("server.stats")["nodes"] - before))


if __name__ == "__main__":
    main()
