"""The page Server: what the server did, as plots over a day, a week, a month and a year, in both themes and widths, by
mouse and by keyboard; what it says when there is nothing yet, and where nothing is kept."""

import ctypes
import ctypes.util
import math
import os
import struct
import sys
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
from page import PageTest, screens  # noqa: E402
from pyproofd import Server  # noqa: E402

SCREENS = screens(1000, 390)
ROOM, MINUTES, HOURS = 24, 1440, 366 * 24  # of the file (store/FORMAT.md, "Series")
RANGES = ("day", "week", "month", "year")
PLOTS = "[...document.querySelectorAll('.server .plot')].filter((node) => node.getClientRects().length)"
LINES = "document.querySelectorAll('.server .plot-line[d^=M]').length"
CHOOSE = "document.querySelector('input[name=range][value=%s]').click()"
READING = PLOTS + "[0].querySelector('.plot-reading').textContent"
XXHASH = ctypes.util.find_library("xxhash")


def checksum(data):
    xxh3 = ctypes.CDLL(XXHASH).XXH3_64bits
    xxh3.restype = ctypes.c_uint64
    xxh3.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
    return xxh3(data, len(data))


def record(number, values):
    data = struct.pack("<q%dd" % ROOM, number, *values, *[math.nan] * (ROOM - len(values)))
    return data + struct.pack("<Q", checksum(data))


def history(now, gap):
    """The file of a server that has run for a year, except for `gap` minutes, the last of them an hour ago."""
    minutes, hours = [b""] * MINUTES, [b""] * HOURS
    for age in range(MINUTES):  # with the present minute, which may end before this is written
        minute = now // 60 - age
        wave = 1 + math.sin(minute / 90)
        values = [3e6 * wave, 2, 1.9, 2, 5, 1, 2e7 - age, 4e9, 9e9 + age, 3e11, 8e8, 6e8, 40 * wave, 30 * wave, 0.01, 3,
                  1.5, 4 * wave]
        minutes[minute % MINUTES] = bytes(208) if 60 <= age < 60 + gap else record(minute, values)
    for age in range(HOURS):
        hour = now // 3600 - age
        values = [3e6 * (1 + math.sin(hour / 40)), 2, 1.9, 2, age % 9, 1, 2e7 - 1000 * age, 4e9, 9e9, 3e11, 8e8, 6e8,
                  40, 30, 0.01, 3, 1.5, 4]
        hours[hour % HOURS] = record(hour, values)
    minutes = [one or bytes(208) for one in minutes]
    return b"proofd-s" + struct.pack("<II", 1, ROOM) + b"".join(minutes + hours)


@unittest.skipUnless(XXHASH, "the shared library xxhash is not there")
class ServerPage(PageTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.now = int(time.time())
        series = history(cls.now, gap=120)
        with open(os.path.join(cls.server.data, "series"), "wb") as file:
            file.write(series)

    def test_ranges_as_plots_in_both_themes_and_widths(self):
        for scheme, size in SCREENS:
            tab = self.open("#/server", **size)
            tab.media(prefers_color_scheme=scheme, prefers_reduced_motion="reduce")
            tab.until(LINES + " >= 17")
            self.assertEqual(tab.js("document.querySelector('nav [aria-current]').textContent"), "Server")
            self.assertEqual(tab.js(PLOTS + ".length"), 10)  # it has no workers on other machines
            self.assertRegex(tab.js("document.querySelector('.server .hint').textContent"),
                             r"^Version .*, started .* ago\. Jobs: 0 running, 0 queued\. "
                             r"Search threads: 0 of 1 busy\.$")
            seen = set()
            for name in RANGES:
                tab.js(CHOOSE % name)
                tab.until("%s >= 17 && ![%s].includes(%s[0].querySelector('.plot-line').getAttribute('d'))" %
                          (LINES, ",".join("'%s'" % path for path in seen), PLOTS))
                seen.add(tab.js(PLOTS + "[0].querySelector('.plot-line').getAttribute('d')"))
                self.keeps_the_rules(tab)
            self.assertEqual(len(seen), len(RANGES))

    def test_hours_without_the_server_are_a_gap_and_values_are_read_by_keyboard_and_pointer(self):
        tab = self.open("#/server", width=1280, height=1000)
        tab.until(LINES + " >= 17")
        self.assertEqual(tab.js(PLOTS + "[0].querySelector('.plot-line').getAttribute('d').split('M').length"), 3)
        self.assertRegex(tab.js(READING), r"^nodes [\d.,]+ ?[kM]?$")
        tab.js(PLOTS + "[0].querySelector('svg').focus()")
        tab.key("ArrowLeft")
        tab.key("ArrowLeft")
        self.assertRegex(tab.js(READING), r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d: nodes [\d.,]+ ?[kM]?$")
        self.assertEqual(tab.js(PLOTS + "[0].querySelector('.plot-reading').getAttribute('aria-live')"), "polite")
        tab.js(PLOTS + "[3].querySelector('svg').dispatchEvent(new PointerEvent('pointermove', {clientX: 0}))")
        self.assertRegex(tab.js(PLOTS + "[3].querySelector('.plot-reading').textContent"),
                         r": jobs and tables 3\.73 GiB, facts 8\.38 GiB$")
        tab.js("document.querySelector('input[name=range]').focus()")
        before = tab.js(PLOTS + "[0].querySelector('.plot-line').getAttribute('d')")
        tab.key("ArrowRight")
        tab.until("document.querySelector('input[name=range]:checked').value === 'week' && "
                  "%s[0].querySelector('.plot-line').getAttribute('d') !== '%s'" % (PLOTS, before))
        tab.js("document.activeElement.blur(); location.hash = '#/'")
        tab.until("document.querySelector('main h1').textContent === 'Jobs'")
        tab.key("5")
        tab.until(LINES + " >= 17")

    def test_what_there_is_before_the_first_sample_and_without_a_directory(self):
        with Server("--threads", "0", "--http", "127.0.0.1:0") as new, \
             Server("--threads", "0", "--http", "127.0.0.1:0", data=False) as memory:
            for server, words in ((new, "within a minute after its start"), (memory, "keeps its data in memory")):
                self.assertEqual(server.rpc("server.series", range="week")["points"], [])
                self.assertEqual("series" in server.rpc("server.hello")["features"], server is new)
                for scheme, size in SCREENS:
                    tab = self.browser.tab("http://%s/#/server" % server.ready["http"], **size)
                    tab.media(prefers_color_scheme=scheme, prefers_reduced_motion="reduce")
                    tab.until("document.querySelector('.server .card:not([hidden])')")
                    self.assertIn(words, tab.js("document.querySelector('.server .card').textContent"))
                    self.assertEqual(tab.js(PLOTS + ".length"), 0)
                    self.keeps_the_rules(tab)
                    self.browser.call("Target.closeTarget", targetId=tab.target)

    def test_a_year_is_answered_from_the_file(self):
        told = self.server.rpc("server.series", range="year")
        self.assertEqual((told["step"], len(told["points"])), (12 * 3600 * 1000, 732))
        self.assertEqual(told["points"][-1]["t"], told["last"])
        self.assertAlmostEqual(told["points"][-1]["facts"], 2e7, delta=2e4)
        day = self.server.rpc("server.series")
        self.assertEqual(day["step"], 60000)
        self.assertAlmostEqual(len(day["points"]), MINUTES - 120, delta=10)  # minutes pass while the test runs
        self.assertEqual(day["points"][0]["memory"], 8e8)
        self.assertNotIn("workers", day["points"][0])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
