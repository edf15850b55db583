"""Pictures of the page, made by Chromium from a real server: pictures.py BUILD_DIRECTORY OUT_DIRECTORY [NAME...]"""

import os
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from chromium import Chromium  # noqa: E402
from pyproofd import Server  # noqa: E402

SOLVED = (("mnk:3,3,3", {}), ("hex:3", {"detail": "full"}), ("connect4:5x4", {"detail": "full"}), ("othello:4", {}),
          ("antichess", {"position": "8/8/8/8/8/2k5/8/K7 w - - 0 1"}), ("dots:2x2", {}), ("nim:3,4,5", {}))
RUNNING = (("connect4:7x6", {}), ("loa:6", {"group": "nightly"}), ("hex:6", {"priority": -5, "group": "nightly"}))
TREE = "document.querySelectorAll('.tree [aria-level=\"2\"]').length"
NOTES = "document.querySelectorAll('.line button').length > 3"
STUDY = "(;GM[11]SZ[3]C[The centre wins.];B[b2]TE[1](;W[a1];B[c1]C[Both bridges stand.])(;W[c1]BM[1];B[a2]))"
WHY = "document.querySelector('.board .mark-text')"
ROWS = "document.querySelectorAll('.list-space [role=row]').length > 5"
POINTS = "document.querySelectorAll('.chart .point').length > 20"
SUITE = """{"suite":"small: three algorithms","nodes":300000,"cpu":3,"memory":"16M"}
{"variant":"pds-pn"}\n{"variant":"df-pn","algorithm":"df-pn"}\n{"variant":"pn2","algorithm":"pn2"}
""" + "\n".join('{"name":"%s %s","game":"%s","position":"%s"}' % (game, move, game, move)
                for game, moves in (("mnk:3,3,3", "a1 b2 a2 b1 c3"), ("connect4:4x4", "1 2 3 4 11 12 21 22"),
                                    ("hex:4", "a1 b2 c3 b3 a2 d2"), ("othello:4", "d3 c4")) for move in moves.split())
# Name, address, what is there when it is complete, width, height, dark.
PICTURES = (
    ("jobs", "#/", ROWS, 1280, 800, False),
    ("job", "#/job/RUN", "document.querySelector('.plot-line')?.getAttribute('d').length > 60", 1280, 1100, False),
    ("job-tree", "#/job/RUN", TREE, 1280, 1500, False),
    ("submit", "#/submit?game=loa:6", "document.querySelector('.setup [data-place]')", 1280, 900, False),
    ("home", "#/g", "document.querySelectorAll('.tile .board').length > 18", 1280, 1400, False),
    ("dark-phone-home", "#/g", "document.querySelectorAll('.tile .board').length > 18", 390, 1400, True),
    ("explorer-live", "#/g/loa:6", "document.querySelector('td.pn')", 1280, 800, False),
    ("dark-phone-live", "#/g/loa:6", "document.querySelector('td.pn')", 390, 1200, True),
    ("explorer", "#/g/connect4:5x4/m/3/3", "document.querySelector('tr[data-move]')", 1280, 900, False),
    ("explorer-hex", "#/g/hex:3", "document.querySelector('tr[data-move]')", 1280, 900, False),
    ("explorer-notes", "#/g/hex:3/m/b2/a1", NOTES, 1280, 800, False),
    ("dark-phone-notes", "#/g/hex:3/m/b2/a1", NOTES, 390, 1900, True),
    ("explorer-tree", "#/g/connect4:5x4", TREE, 1280, 1300, False),
    ("explorer-why", "#/g/mnk:5,5,5", WHY, 1280, 900, False),
    ("dark-explorer-why", "#/g/connect4:5x4/p/552451533", WHY, 360, 1300, True),
    ("campaign", "#/campaign/openings", ROWS, 1280, 900, False),
    ("dark-phone-campaign", "#/campaign/openings", ROWS, 390, 844, True),
    ("compare", "#/compare/1/3", "document.querySelector('.compare td')", 1280, 1200, False),
    ("experiments", "#/experiments", "document.querySelector('.experiments td')", 1280, 900, False),
    ("dark-phone-experiments", "#/experiments", "document.querySelector('.experiments td')", 390, 1500, True),
    ("experiment", "#/experiment/1", POINTS, 1280, 1280, False),
    ("dark-phone-experiment", "#/experiment/1", POINTS, 390, 2000, True),
    ("dark-experiments-compared", "#/experiment/1/2", POINTS, 1280, 1280, True),
    ("phone-jobs", "#/", ROWS, 360, 740, False),
    ("phone-explorer", "#/g/connect4:5x4/m/3", "document.querySelector('tr[data-move]')", 360, 1500, False),
    ("dark-explorer", "#/g/othello:4/m/d3", "document.querySelector('tr[data-move]')", 1280, 900, True),
    ("dark-jobs", "#/", ROWS, 1280, 800, True),
)
OPEN_TREE = "document.querySelectorAll('details:has(.tree)').forEach((node) => { node.open = true; })"


def main(out, names):
    os.makedirs(out, exist_ok=True)
    with (tempfile.TemporaryDirectory() as suites, Chromium() as browser,
          Server("--threads", "1", "--http", "127.0.0.1:0", "--log", "warn", "--experiments", suites) as server):
        for game, more in SOLVED:
            server.wait_job(server.rpc("job.submit", game=game, memory="32M", **more)["job"])
        server.rpc("study.put", game="hex:3", title="Centre", moves=STUDY)
        server.rpc("campaign.submit", game="connect4:5x5", memory="16M", tags=["openings"], budget={"nodes": 20000},
                   questions=[{"position": a + b, "label": a + b} for a in "12345" for b in "12345"])
        jobs = [server.rpc("job.submit", game=game, memory="32M", **more)["job"] for game, more in RUNNING]
        for text in (SUITE, SUITE.replace('"pds-pn"}', '"epsilon","options":{"epsilon":1}}', 1)):
            server.rpc("experiment.start", text=text)
        while any(row["state"] != "done" for row in server.rpc("experiment.list")["experiments"]):
            time.sleep(0.2)
        for name, address, there, width, height, dark in PICTURES:
            if names and name not in names:
                continue
            run = next((job for job in jobs if server.rpc("job.get", job=job)["state"] == "running"), jobs[0])
            tab = browser.tab(width=width, height=height)
            tab.media(prefers_color_scheme="dark" if dark else "light")
            tab.goto("http://%s/%s" % (server.ready["http"], address.replace("RUN", str(run))))
            if there == TREE:
                tab.until("document.querySelector('.tree') && document.querySelector('h1 ~ *')")
                tab.until("document.querySelector('tr[data-move], .job-head .pill')")
                tab.js(OPEN_TREE)
            if there == WHY:
                tab.until("document.querySelector('tr[data-move]')")
                tab.key("w")
            tab.until(there)
            tab.js("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
            tab.picture(os.path.join(out, name + ".png"))
            for error in tab.errors:
                print("%s: %s" % (name, error))
            print(os.path.join(out, name + ".png"))


if __name__ == "__main__":
    main(sys.argv[2], sys.argv[3:])
