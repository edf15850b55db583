"""Pictures of the page, made by Chromium from a real server: pictures.py BUILD_DIRECTORY OUT_DIRECTORY [NAME...]"""

import itertools
import os
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from chromium import Chromium  # noqa: E402
from page import RULES  # noqa: E402
from pyproofd import Server  # noqa: E402
from web import Public  # noqa: E402

SOLVED = (("mnk:3,3,3", {}), ("hex:3", {"detail": "full"}), ("connect4:5x4", {"detail": "full"}), ("othello:4", {}),
          ("antichess", {"position": "8/8/8/8/8/2k5/8/K7 w - - 0 1"}), ("dots:2x2", {}), ("nim:3,4,5", {}))
SLOW = {"knowledge": False}
RUNNING = (("connect4:7x6", {"options": SLOW, "priority": 3}), ("loa:6", {"group": "nightly", "priority": 2}),
           ("antichess", {"moves": ["e3"], "priority": 1}), ("hex:6", {"priority": -5, "group": "nightly"}))
TREE = "document.querySelectorAll('.tree [aria-level=\"2\"]').length"
NOTES = "document.querySelectorAll('.line button').length > 3"
STUDY = "(;GM[11]SZ[4]C[The centre wins.];B[b2]TE[1](;W[a1];B[c1]C[Both bridges stand.])(;W[c1]BM[1];B[a2]))"
WHY = "document.querySelector('.board .mark-text')"
ROWS = "document.querySelectorAll('.list-space [role=row]').length > 5"
POINTS = "document.querySelectorAll('.chart .point').length > 20"
SUITE = """{"suite":"small: three algorithms","nodes":300000,"cpu":3,"memory":"16M"}
{"variant":"pds-pn"}\n{"variant":"df-pn","algorithm":"df-pn"}\n{"variant":"pn2","algorithm":"pn2"}
""" + "\n".join('{"name":"%s %s","game":"%s","position":"%s"}' % (game, move, game, move)
                for game, moves in (("mnk:3,3,3", "a1 b2 a2 b1 c3"), ("connect4:4x4", "1 2 3 4 11 12 21 22"),
                                    ("hex:4", "a1 b2 c3 b3 a2 d2"), ("othello:4", "d3 c4")) for move in moves.split())
MOVES = "document.querySelector('tr[data-move]')"
LIVE = "document.querySelector('td.pn')?.textContent"
TILES = "document.querySelectorAll('.tile .board').length > 16"
POSITION = "position?game=hex:3"
TSUME = "4k4%2F9%2F4P4%2F9%2F9%2F9%2F9%2F9%2F4K4%20b%20G2r2b3g4s4n4l17p%201"
# Name, address, what is there when it is complete.
PICTURES = (
    ("home", "#/g", TILES),
    ("jobs", "#/", ROWS),
    ("job", "#/job/RUN", "document.querySelectorAll('.icicle rect').length > 20"),
    ("job-solved", "#/job/2", "document.querySelector('.result .line')"),
    ("job-tree", "#/job/RUN", TREE),
    ("submit", "#/submit?game=loa:6", "document.querySelector('.setup [data-place]')"),
    ("explorer-live", "#/g/connect4:7x6", LIVE),
    ("explorer-live-loa", "#/g/loa:6", LIVE),
    ("explorer-live-antichess", "#/g/antichess/m/e3", LIVE),
    ("explorer-connect4", "#/g/connect4:5x4/m/3/3", MOVES),
    ("explorer-hex", "#/g/hex:4", MOVES),
    ("explorer-othello", "#/g/othello:4/m/d3", MOVES),
    ("explorer-open", "#/g/checkers:6", MOVES),
    ("explorer-kings", "#/g/checkers:8/p/W:WK18,25:BK5,6", MOVES),
    ("explorer-tsume", "#/g/tsume/p/" + TSUME, MOVES),
    ("explorer-notes", "#/g/hex:4/m/b2/a1", NOTES),
    ("explorer-tree", "#/g/connect4:5x4", TREE),
    ("explorer-why", "#/g/mnk:5,5,5", WHY),
    ("campaigns", "#/campaign", "document.querySelector('.compare td')"),
    ("campaign", "#/campaign/openings", ROWS),
    ("server", "#/server", "document.querySelector('.server .hint')?.textContent"),
    ("compare", "#/compare/1/3", "document.querySelector('.compare td')"),
    ("experiments", "#/experiments", "document.querySelector('.experiments td')"),
    ("experiment", "#/experiment/1", POINTS),
    ("experiments-compared", "#/experiment/1/2", POINTS),
    ("nowhere", "#/nowhere", "document.querySelector('h1')"),
    ("wrong", "#/g/hex:5/p/z9", "document.querySelector('.problem:not(:empty)')"),
)
EMPTY = (
    ("empty-home", "#/g", TILES),
    ("empty-jobs", "#/", "document.querySelector('.filters p')?.textContent"),
    ("empty-campaigns", "#/campaign", "document.querySelector('main p')"),
    ("empty-experiments", "#/experiments", "document.querySelector('.experiments p')"),
)
SITE = (("site", "", "document.querySelector('img')"), ("site-results", "results", "document.querySelector('h1')"),
        ("site-position", POSITION, "document.querySelector('.board img')?.complete"))
SCREENS = ((1280, 800), (390, 844))
OPEN_TREE = "document.querySelectorAll('details:has(.tree)').forEach((node) => { node.open = true; })"


def fill(server):
    """Everything that pages show; the jobs that run or wait."""
    for game, more in SOLVED:
        server.wait_job(server.rpc("job.submit", game=game, memory="32M", **more)["job"])
    hex4 = server.rpc("position.show", game="hex:4")["moves"]
    for move in hex4:
        server.wait_job(server.rpc("job.submit", game="hex:4", moves=[move], memory="16M")["job"])
    server.rpc("study.put", game="hex:4", title="Centre", moves=STUDY)
    for text in (SUITE, SUITE.replace('"pds-pn"}', '"epsilon","options":{"epsilon":1}}', 1)):
        server.rpc("experiment.start", text=text)
    while any(row["state"] != "done" for row in server.rpc("experiment.list")["experiments"]):
        time.sleep(0.2)
    firsts = server.rpc("position.show", game="antichess")["moves"][:8]
    replies = server.rpc("position.show", game="antichess", moves=["e3"])["moves"][:8]
    server.rpc("campaign.submit", game="antichess", memory="16M", tags=["openings"], budget={"nodes": 200000},
               questions=[{"moves": [a, b], "label": a + " " + b} for a in firsts for b in replies])
    while server.rpc("campaign.list")["campaigns"][0]["states"]["queued"] > 12:
        time.sleep(0.02)
    jobs = [server.rpc("job.submit", game=game, memory="32M", threads=1, **more)["job"] for game, more in RUNNING]
    while server.rpc("job.get", job=jobs[0])["state"] != "running":
        time.sleep(0.1)
    return jobs


def take(browser, server, out, pictures, jobs=()):
    for name, address, there in pictures:
        running = [job for job in jobs if server.rpc("job.get", job=job)["state"] == "running"]
        tab = browser.tab()
        for (width, height), scheme in itertools.product(SCREENS, ("light", "dark")):
            tab.size(width, height)
            tab.media(prefers_color_scheme=scheme, prefers_reduced_motion="reduce")
            tab.goto("about:blank")
            tab.goto("http://%s/%s" % (server.ready["http"], address.replace("RUN", str((running or [1])[0]))))
            if there == TREE:
                tab.until("document.querySelector('.tree') && document.querySelector('h1 ~ *, .job-head')")
                tab.until("document.querySelector('tr[data-move], .job-head .pill')")
                tab.js(OPEN_TREE)
            if there == WHY:
                tab.until(MOVES)
                tab.key("w")
            tab.until(there)
            tab.js("new Promise((done) => setTimeout(() => requestAnimationFrame(done), 400))")
            path = os.path.join(out, "%s-%d-%s.png" % (name, width, scheme))
            tab.picture(path, whole=True)
            faults = tab.errors + (tab.js(RULES) if "#" in address else [])
            tab.errors.clear()
            print(path, *faults, sep="\n  ", flush=True)
        browser.call("Target.closeTarget", targetId=tab.target)


def main(out, names):
    os.makedirs(out, exist_ok=True)
    some = [[row for row in group if not names or row[0] in names] for group in (PICTURES, EMPTY, SITE)]
    with tempfile.TemporaryDirectory() as suites, Chromium() as browser:
        options = ("--threads", "3", "--http", "127.0.0.1:0", "--log", "warn", "--experiments", suites)
        if some[0] or some[2]:
            with Server(*options) as server:
                take(browser, server, out, some[0], fill(server))
                with Public("--log", "warn", data=server.data) as site:  # of the same data
                    take(browser, site, out, some[2])
        if some[1]:
            with Server(*options) as server:
                take(browser, server, out, some[1])


if __name__ == "__main__":
    main(sys.argv[2], sys.argv[3:])
