"""Clicks and keys at random over ten games and all pages, in both themes and widths: no error on the console, and the
rules of the page hold wherever it leads. CLICKS_SECONDS sets how long; half of the time the keyboard alone is used."""

import os
import random
import sys
import tempfile
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
from effort import EFFORT  # noqa: E402
from page import READY, RULES, PageTest, screens  # noqa: E402

SECONDS = float(os.environ.get("CLICKS_SECONDS", 0)) or 0.6 * EFFORT
GAMES = ("hex:4", "connect4:5x4", "mnk:3,3,3", "antichess", "othello:4", "dots:2x2", "nim:3,4,5", "breakthrough:4x4",
         "nogo:3x3", "checkers:6")
PAGES = ("#/g", "#/", "#/submit", "#/compare", "#/job/1", "#/g/loa:6", "#/experiments", "#/experiment/1",
         "#/campaign", "#/campaign/openings", "#/server")
STEPS = 40  # on one page, unless a link leads away
KEYS = (["Tab"] * 12 + ["Enter"] * 6 + [" "] * 2 + ["ArrowDown", "ArrowRight", "ArrowLeft", "ArrowUp"] * 3 +
        ["Escape"] * 3 + ["Home", "End"] + list("?/bmnvxwct"))
TEXTS = ("hex:3", "b2", "mnk:3,3,3", "no such game", "1", "A note.\nOf two lines.")
# The middle of the n-th control that can be clicked.
CONTROL = """((n) => {
  const area = document.querySelector("dialog[open]") ?? document.body;
  const all = [...area.querySelectorAll(
    "a[href^='#'], button, summary, tr[data-move], input, select, [data-place], [data-at]")]
    .filter((e) => !e.disabled && e.getClientRects().length && !e.closest(".skip") && e.id !== "logout");
  const node = all[n %% all.length];
  node?.scrollIntoView({ block: "center", behavior: "instant" });
  const r = node?.getBoundingClientRect();
  return node ? [r.x + r.width / 2, r.y + r.height / 2] : null;
})(%d)"""
WHAT = "location.hash + ' ' + (document.activeElement?.outerHTML ?? '').slice(0, 120)"


class Clicks(PageTest):
    @classmethod
    def setUpClass(cls):
        suites = tempfile.TemporaryDirectory(prefix="proofd-suites-")
        cls.addClassCleanup(suites.cleanup)
        cls.options = ("--jobs-max", "60", "--experiments", suites.name)
        super().setUpClass()

    def visit(self, tab, where, scheme, size):
        tab.size(size["width"], size["height"])
        tab.media(prefers_color_scheme=scheme, prefers_reduced_motion="reduce")
        tab.js("document.querySelector('dialog[open]')?.close(); location.hash = %r" % where)
        tab.until(READY)

    def close_others(self, tab):
        """Closes the windows that Shift and Enter have opened; they would go on following jobs."""
        for target in self.browser.call("Target.getTargets")["targetInfos"]:
            if target["type"] == "page" and target["targetId"] != tab.target and target["url"] != "about:blank":
                self.browser.call("Target.closeTarget", targetId=target["targetId"])

    def act(self, tab, keyboard):
        """One thing that a person does."""
        if self.random.random() < 0.03:
            if tab.js("document.activeElement?.matches('input[type=text], textarea') === true"):
                tab.type(self.random.choice(TEXTS))
        elif keyboard:
            tab.key(self.random.choice(KEYS), shift=self.random.random() < 0.1)
        else:
            at = tab.js(CONTROL % self.random.randrange(1 << 20))
            for kind in ("mousePressed", "mouseReleased") if at else ():
                tab.call("Input.dispatchMouseEvent", type=kind, x=at[0], y=at[1], button="left", clickCount=1)

    def test_nothing_fails_wherever_it_is_clicked(self):
        seed = int(os.environ.get("TEST_SEED") or random.randrange(1 << 32))
        print("TEST_SEED=%d" % seed)
        self.random = random.Random(seed)
        for game in ("hex:4", "mnk:3,3,3", "nim:3,4,5"):
            self.solve(game)
        self.server.rpc("job.submit", game="loa:6", memory="32M")
        self.server.rpc("campaign.submit", game="connect4:5x5", memory="16M", tags=["openings"],
                        budget={"nodes": 20000},
                        questions=[{"position": a + b, "label": a + " " + b} for a in "12345" for b in "123"])
        self.server.rpc("study.put", game="hex:4", title="A study", moves="(;GM[11]SZ[4];B[b2]C[x](;W[c3])(;W[a1]))")
        self.browser.call("Browser.setDownloadBehavior", behavior="deny")
        tab = self.open("#/g")
        tab.call("Page.setInterceptFileChooserDialog", enabled=True)
        end, done, visits = time.monotonic() + SECONDS, {True: 0, False: 0}, 0
        while time.monotonic() < end:
            keyboard = visits % 2 == 1
            where = self.random.choice(["#/g/" + game for game in GAMES] + list(PAGES))
            scheme, size = self.random.choice(screens(800, 390))
            self.visit(tab, where, scheme, size)
            for _ in range(STEPS):
                self.act(tab, keyboard)
                done[keyboard] += 1
            visits += 1
            tab.until("document.querySelector('main h1')")
            self.assertEqual(tab.errors, [], "%s, then %s" % (where, tab.js(WHAT)))
            self.close_others(tab)
            self.assertEqual(tab.js(RULES), [], "%s, then %s, %s %s" % (where, tab.js(WHAT), scheme, size))
        print("%.0f s, %d pages, %d clicks, %d keys: no error" % (SECONDS, visits, done[False], done[True]))
        self.assertGreater(min(done.values()), 0 if SECONDS > 10 else -1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
