"""page: a test of the page: a server, a browser, and tabs whose faults the test sees."""

import os
import unittest

from chromium import Chromium
from pyproofd import Server

HERE = os.path.dirname(os.path.abspath(__file__))
READY = "document.querySelector('#link').dataset.state === 'ready' && document.querySelector('main h1')"
# A button with this text that can be pressed.
BUTTON = ("[...document.querySelectorAll('main button')].find((node) => node.textContent === '%s' && !node.disabled && "
          "node.getClientRects().length)")

with open(os.path.join(HERE, "..", "web", "page_rules.js"), encoding="utf-8") as file:
    RULES = file.read()


def screens(height, narrow):
    """Both themes, wide and narrow."""
    return [(scheme, size) for scheme in ("light", "dark")
            for size in ({"width": 1280, "height": height}, {"width": narrow, "height": 844})]


class PageTest(unittest.TestCase):
    options = ()  # of the server, besides one search thread

    @classmethod
    def setUpClass(cls):
        cls.server = Server("--threads", "1", "--http", "127.0.0.1:0", "--log", "warn", *cls.options)
        cls.addClassCleanup(cls.server.__exit__, None)
        cls.browser = Chromium()
        cls.addClassCleanup(cls.browser.__exit__)

    def open(self, fragment, **size):
        tab = self.browser.tab("http://%s/%s" % (self.server.ready["http"], fragment), **size)
        tab.until(READY)
        self.addCleanup(self.browser.call, "Target.closeTarget", targetId=tab.target)
        return tab

    def press(self, tab, text):
        tab.until(BUTTON % text)
        tab.js("(%s).click()" % (BUTTON % text))

    def solve(self, game, **more):
        return self.server.wait_job(self.server.rpc("job.submit", game=game, memory="16M", **more)["job"])["job"]

    def keeps_the_rules(self, tab):
        self.assertEqual(tab.js(RULES), [])
