"""Experiments on the page: started by the form, followed to their end, read, compared, in both themes and widths, by
mouse and by keyboard; suites and titles are text, whatever they hold."""

import json
import os
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
from page import PageTest, screens  # noqa: E402
from pyproofd import Server  # noqa: E402

SCREENS = screens(1000, 390)
QUESTIONS = [{"name": "ttt", "game": "mnk:3,3,3", "value": 0}, {"name": "c4", "game": "connect4:4x4", "value": 0},
             {"name": "hex", "game": "hex:3", "claim": "first-wins", "value": True}]
EVIL = "<img src=x onerror=alert(1)>"
DONE = "document.querySelector('.experiment .pill')?.textContent === 'done' && document.querySelector('.figures td')"
HEADS = "[...document.querySelectorAll('.figures tbody th')].map((node) => node.textContent)"


class Experiments(PageTest):
    @classmethod
    def setUpClass(cls):
        cls.suites = tempfile.TemporaryDirectory(prefix="proofd-suites-")
        cls.addClassCleanup(cls.suites.cleanup)
        with open(os.path.join(cls.suites.name, "small.jsonl"), "w", encoding="utf-8") as file:
            file.write("\n".join(json.dumps(line) for line in QUESTIONS))
        cls.options = ("--experiments", cls.suites.name)
        super().setUpClass()

    def ended(self, text, title=""):
        told = self.server.rpc("experiment.start", suites=["small"], text=text, title=title)
        while told["state"] in ("waiting", "running"):
            told = self.server.rpc("experiment.read", experiment=told["experiment"])
        self.assertEqual(told["state"], "done")
        return told["experiment"]

    def test_the_form_starts_one_that_is_followed_and_read(self):
        tab = self.open("#/experiments", width=1280, height=1000)
        tab.until("document.querySelector('input[name=suite]')")
        self.assertEqual(tab.js("document.querySelector('nav [aria-current]').textContent"), "Experiments")
        self.press(tab, "Start")
        tab.until("document.querySelector('.problem').textContent")
        self.assertIn("no questions", tab.js("document.querySelector('.problem').textContent"))
        tab.js("document.querySelector('input[name=suite][value=small]').click()")
        for name in ("pds-pn", "df-pn"):
            tab.js("document.querySelector('input[name=algorithm][value=%s]').click()" % name)
        self.press(tab, "Start")
        tab.until(DONE)
        self.assertEqual(tab.js(HEADS)[:2], ["pds-pn", "df-pn"])
        tab.until("document.querySelectorAll('.point').length === 6")  # three of them in the key
        self.assertEqual(tab.js("document.querySelectorAll('.chart path[fill=none]').length"), 2)
        self.assertIn("is ahead by PAR-2", tab.js("document.querySelector('.lead').textContent"))
        tab.js("document.querySelector('[data-unit=positions]').click()")
        rows = [json.loads(line) for line in self.server.rpc("experiment.report", experiment=int(
            tab.js("location.hash").rsplit("/", 1)[1]))["text"].splitlines()]
        best = min((row for row in rows if "costs" in row and row["unit"] == "positions"), key=lambda row: row["par2"])
        self.assertIn(best["variant"] + " is ahead", tab.js("document.querySelector('.lead').textContent"))
        self.keeps_the_rules(tab)
        self.assertEqual(tab.errors, [])

    def test_two_are_compared_and_text_stays_text(self):
        evil = json.dumps({"variant": EVIL}) + "\n" + json.dumps({"name": EVIL, "game": "mnk:3,3,3"})
        first = self.ended(evil, title=EVIL)
        second = self.ended(json.dumps({"variant": "df", "algorithm": "df-pn"}))
        for scheme, size in SCREENS:
            tab = self.open("#/experiment/%d/%d" % (first, second), **size)
            tab.media(prefers_color_scheme=scheme, prefers_reduced_motion="reduce")
            tab.until("document.querySelectorAll('.point').length > 3")
            self.assertEqual(tab.js(HEADS)[:2], ["%d: %s" % (first, EVIL), "%d: df" % second])
            self.assertEqual(tab.js("document.querySelectorAll('main img').length"), 0)
            self.keeps_the_rules(tab)
            tab.js("location.hash = '#/experiments'")
            tab.until("document.querySelector('.experiments td')")
            self.keeps_the_rules(tab)
            self.assertEqual(tab.errors, [])

    def test_one_is_stopped_continued_and_removed_by_keyboard(self):
        told = self.server.rpc("experiment.start", title="long", text=json.dumps({"name": "h", "game": "connect4:7x6"}))
        number = told["experiment"]
        tab = self.open("#/experiment/%d" % number, width=390, height=844)

        def press(action):
            tab.until("document.querySelector('[data-action=\"%s\"]')" % action)
            tab.js("document.querySelector('[data-action=\"%s\"]').focus()" % action)
            tab.key("Enter")

        press("Stop")
        press("Go on")
        press("Stop")
        press("Remove…")
        tab.until("document.querySelector('dialog[open] .danger')")
        tab.key("Tab")
        tab.key("Enter")
        tab.until("location.hash === '#/experiments'")
        self.assertNotIn(number, [row["experiment"] for row in self.server.rpc("experiment.list")["experiments"]])
        tab.js("location.hash = '#/experiment/%d'" % number)
        tab.until("document.querySelector('main h1')?.textContent === 'No such experiment'")
        self.assertEqual(tab.errors, [])

    def test_a_reader_is_not_asked_to_start_one(self):
        with tempfile.NamedTemporaryFile("w", suffix=".tokens") as file:
            file.write("".join("%s the-token-of-%s-1234\n" % (role, role) for role in ("submit", "query")))
            file.flush()
            with Server("--threads", "1", "--http", "127.0.0.1:0", *self.options, "--token-file", file.name) as server:
                for role in "submit", "query":
                    tab = self.browser.tab("http://%s/#/experiments" % server.ready["http"])
                    self.addCleanup(self.browser.call, "Target.closeTarget", targetId=tab.target)
                    tab.until("document.querySelector('dialog.token')")
                    tab.type("the-token-of-%s-1234" % role)
                    tab.key("Enter")
                    tab.until("document.querySelector('.experiments p.card')")
                    told = tab.js("document.querySelector('.experiments').innerText")
                    self.assertIn("No experiment yet.", told)
                    self.assertEqual("Start" in told, role == "submit", told)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
