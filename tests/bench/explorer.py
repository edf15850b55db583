"""How long the explorer takes in the browser, on the proof of a game that has more than a million positions.

    explorer.py BUILD [--game GAME] [--rounds N] [--json FILE]

First views in turns of two kinds: cold, after the browser's cache was emptied, and warm, with the files in it. A view
is there when board, verdict and moves are in the document (shown), and when the frame with them is drawn (painted);
times count from the beginning of the navigation. Then clicks, along best play. Prints the medians.
"""

import argparse
import json
import os
import statistics
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "support"), os.path.join(HERE, "..", "web")]
from chromium import Chromium  # noqa: E402
from pyproofd import Server, build_dir  # noqa: E402
from test_page import CLICK, CLICK_MS, FIRST_VIEW_MS  # noqa: E402

FACTS_MIN = 1000000
PAINTED = """new PerformanceObserver((list, observer) => {
  if (!list.getEntriesByName("explorer-shown").length) return;
  observer.disconnect();
  requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => performance.mark("painted");
    port2.postMessage(0);
  });
}).observe({ type: "mark", buffered: true })"""
TIMES = """(() => {
  const at = (name) => performance.getEntriesByName(name)[0].startTime;
  const files = performance.getEntriesByType("resource").filter((file) => file.transferSize > 0);
  return { shown: at("explorer-shown"), painted: at("painted"), files: files.length };
})()"""


def view(tab, address, cold):
    tab.goto("about:blank")
    if cold:
        tab.call("Network.clearBrowserCache")
    tab.goto(address)
    tab.until("performance.getEntriesByName('painted').length")
    return tab.js(TIMES)


def clicks(tab):
    """Plays the best move until the game is over."""
    times = []
    while tab.js("document.querySelector('tr[data-move]') !== null"):
        times.append(tab.js(CLICK))
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--game", default="connect4:5x6")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--json")
    options = parser.parse_args()
    build_dir()
    views, figures = {"cold": [], "warm": []}, {}
    with Server("--threads", "2", "--http", "127.0.0.1:0", "--log", "warn") as server, Chromium() as browser:
        job = server.rpc("job.submit", game=options.game, memory="512M", detail="full")["job"]
        facts = server.wait_job(job)["facts"]
        if facts < FACTS_MIN:
            sys.exit("%s has %d facts only" % (options.game, facts))
        address = "http://%s/#/g/%s" % (server.ready["http"], options.game)
        tab = browser.tab("about:blank")
        tab.call("Page.addScriptToEvaluateOnNewDocument", source=PAINTED)
        for _ in range(options.rounds):
            for kind in views:
                views[kind].append(view(tab, address, kind == "cold"))
        played = clicks(tab)
    print("%s, %d facts; load %.1f" % (options.game, facts, os.getloadavg()[0]))
    for kind, times in views.items():
        figures[kind] = {name: statistics.median(time[name] for time in times) for name in times[0]}
        print("first view, %s: %.0f ms, painted %.0f ms, %d files fetched (%d views, wanted %d ms)" %
              (kind, *figures[kind].values(), len(times), FIRST_VIEW_MS))
    figures["click"] = statistics.median(played)
    print("a click: %.0f ms (%d clicks, wanted %d ms)" % (figures["click"], len(played), CLICK_MS))
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"game": options.game, "facts": facts, "views": views, "clicks": played, **figures}, file)


if __name__ == "__main__":
    main()
