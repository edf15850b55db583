"""The page of a campaign: 10,000 jobs in a table, filtered, cancelled."""

import os
import statistics
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from page import PageTest  # noqa: E402
from pyproofd import Server  # noqa: E402

JOBS, BATCH, LOADS = 10000, 250, 7
BOUND_MS = 3000  # for a busy machine; wanted: 300
# Milliseconds from the address to the table of all jobs, with its rows in the document.
LOAD = """new Promise((done) => {
  const begin = performance.now();
  const look = () => {
    const there = document.querySelectorAll(".list-space [role=row]").length > 5 &&
      document.querySelector("main .hint")?.textContent === "10,000 shown";
    if (there) requestAnimationFrame(() => done(performance.now() - begin));
    else setTimeout(look, 2);
  };
  location.hash = "#/campaign/many";
  look();
})"""


# What the chips of results say, with the letters before them.
CHIPS = """[...new Set([...document.querySelectorAll(".list .status")].map((chip) =>
  `${getComputedStyle(chip, "::before").content.replaceAll('"', "")} ${chip.textContent}`))].sort()"""


class Campaign(PageTest):
    options = ("--keep-jobs", "0")

    def test_a_press_begins_the_first(self):
        with Server("--threads", "1", "--http", "127.0.0.1:0", "--log", "warn") as server:
            tab = self.browser.tab("http://%s/#/campaign" % server.ready["http"], width=390, height=844)
            self.press(tab, "Solve all openings of Hex 5×5")
            tab.until("document.querySelector('.campaign-bar')?.ariaLabel === '13 Black wins, 12 White wins'",
                      seconds=150)
            tab.until("document.querySelector('h1').textContent === 'Every opening of Hex 5×5'")
            tab.until("document.querySelectorAll('.list .thumb .board').length > 8")
            self.keeps_the_rules(tab)
            self.assertEqual(tab.js("[...document.querySelectorAll('.matrix .letter')].map((cell) => cell.textContent)"
                                    ".sort().join('')"), 13 * "B" + 12 * "W")
            self.assertEqual(tab.js(CHIPS), ["B Black wins", "W White wins"])
            self.assertEqual(tab.js("document.querySelectorAll('.matrix .win').length"), 13)
            tab.js("document.querySelector('.matrix [data-at=\"3 c\"]').dispatchEvent("
                   "new MouseEvent('click', { bubbles: true }))")
            tab.until("document.querySelector('.peek h3').textContent === 'c3' && "
                      "document.querySelector('.peek .board')")
            tab.js("document.querySelector('.matrix [tabindex=\"0\"]').focus()")
            tab.key("ArrowRight")
            tab.key("Enter")
            tab.until("document.querySelector('.peek h3').textContent === 'd3'")
            self.assertEqual(tab.js("document.querySelector('.matrix [aria-pressed=\"true\"]').dataset.at"), "3 d")
            tab.js("location.hash = '#/campaign'")
            tab.until("document.querySelector('.compare td')")
            self.keeps_the_rules(tab)
            self.assertEqual(tab.errors, [])
            self.browser.call("Target.closeTarget", targetId=tab.target)

    def test_a_map_of_several_games_names_them(self):
        for game in ("connect4:4x4", "connect4:4x5", "connect4:5x4", "connect4:5x5"):
            self.server.rpc("campaign.submit", game=game, tags=["sizes"], memory="8M", priority=9, questions=[{}],
                            budget={"nodes": 1000})
        tab = self.open("#/campaign/sizes", width=390, height=844)
        tab.until("document.querySelector('.matrix [data-at=\"4 5\"]')?.ariaLabel.startsWith('connect4:5x4 ')")
        tab.until("/^connect4:.x. /.test(document.querySelector('.peek h3').textContent)")
        self.keeps_the_rules(tab)

    def test_a_map_may_be_wider_than_a_phone(self):
        label = "a rather long name of a line of play, as people write them into files,"
        self.server.rpc("campaign.submit", game="connect4:7x6", tags=["long"], memory="8M", budget={"nodes": 1000},
                        questions=[{"position": a + b, "label": "%s %s %s" % (label, a, b)}
                                   for a in "123" for b in "1234567"])
        tab = self.open("#/campaign/long", width=390, height=844)
        tab.until("document.querySelectorAll('.matrix [data-at]').length === 21")
        self.keeps_the_rules(tab)

    def test_a_map_of_lines_tells_what_has_come_of_each(self):
        jobs = self.server.rpc("campaign.submit", game="connect4:4x4", tags=["lines"], memory="8M", priority=9,
                               questions=[{"position": a + b, "label": a + " " + b} for a in "1234" for b in "1234"],
                               budget={"nodes": 400}, options={"knowledge": False})["jobs"]
        for job in jobs:
            self.server.wait_job(job)
        tab = self.open("#/campaign/lines", width=390, height=844)
        words = "[...document.querySelectorAll('.matrix .total')].map((one) => one.ariaLabel)"
        tab.until(words + ".length === 4 && !document.querySelector('.campaign-bar').ariaLabel.includes('waiting')")
        rows = self.server.rpc("campaign.table", tag="lines")["rows"]
        for label, number in zip(tab.js(words), tab.js("[...document.querySelectorAll('.matrix .total text')]"
                                                       ".map((one) => Number(one.textContent))")):
            line, told = label.split(": ")
            of = [row for row in rows if row["label"].startswith(line)]
            self.assertEqual(sum(int(part.split()[0]) for part in told.split(", ")), len(of), label)
            self.assertEqual(sum(row["state"] == "solved" for row in of), number, label)
            self.assertIn("%d gave up" % (len(of) - number), label if number < len(of) else label + "0 gave up")
        self.keeps_the_rules(tab)

    def test_what_gave_up_for_other_reasons_is_not_begun_again(self):
        asked = {"game": "connect4:7x6", "tags": ["small"], "memory": "1M", "priority": 9,
                 "options": {"knowledge": False}, "questions": [{"position": "1", "label": "1"}]}
        [job] = self.server.rpc("campaign.submit", budget={"nodes": 5000}, **asked)["jobs"]
        self.server.wait_job(job)
        self.server.rpc("job.set", job=job, budget={"nodes": 0})
        tab = self.open("#/campaign/small")
        self.press(tab, "Again with 10 × the budget")
        tab.until("document.querySelector('#notes .bad')?.textContent.includes('no budget to raise')")
        self.assertEqual(self.server.rpc("job.get", job=job)["state"], "exhausted")

    def test_what_gave_up_is_tried_again_with_more(self):
        asked = {"game": "connect4:7x6", "tags": ["short"], "memory": "4M", "priority": 9,
                 "budget": {"nodes": 5000, "cpu": 60},
                 "options": {"knowledge": False}, "questions": [{"position": move, "label": move} for move in "1234"]}
        jobs = self.server.rpc("campaign.submit", **dict(asked, questions=asked["questions"][:1],
                                                         budget={"nodes": 500}))["jobs"]
        jobs += self.server.rpc("campaign.submit", **dict(asked, questions=asked["questions"][1:]))["jobs"]
        for job in jobs:
            self.server.wait_job(job)
        tab = self.open("#/campaign/short")
        tab.until("document.querySelector('.next b')?.textContent === '4 gave up. '")
        shown = "[...document.querySelectorAll('.campaign [aria-label=Actions] button')].filter((one) => !one.hidden)"
        self.assertEqual(tab.js(shown + ".map((one) => one.textContent)"), ["Resume"])  # what can be done
        self.keeps_the_rules(tab)
        self.press(tab, "Again with 10 × the budget")
        tab.until("document.querySelector('.campaign-bar').ariaLabel === '4 gave up' && "
                  "parseFloat(document.querySelectorAll('.strip dd')[2].textContent) > 100")  # thousand nodes
        # Ten times the budget of the last of them; the first had less.
        for job in jobs:
            now = self.server.rpc("job.get", job=job)
            self.assertEqual((now["budget"]["nodes"], now["budget"]["cpu"]), (50000, 600))
            self.assertGreater(now["nodes"]["level1"] + now["nodes"]["level2"], 5000)

    def test_the_table_of_ten_thousand_jobs(self):
        # The one search thread has a job of its own, so that the others wait.
        long = self.server.rpc("job.submit", game="connect4:7x6", memory="64M", priority=9,
                               options={"knowledge": False})["job"]
        self.addCleanup(self.server.rpc, "job.cancel", job=long)
        moves = ["abcde"[i % 5] + "12345"[i // 5] for i in range(25)]
        lines = [[a, b, c] for a in moves for b in moves for c in moves if len({a, b, c}) == 3][:JOBS]
        for at in range(0, JOBS, BATCH):
            self.server.rpc("campaign.submit", game="mnk:5,5,4", memory="4M", tags=["many"],
                            questions=[{"moves": line, "label": " ".join(line)} for line in lines[at:at + BATCH]])
        tab = self.open("#/campaign")
        took = []
        for _ in range(LOADS):
            took.append(tab.js(LOAD))
            tab.js("location.hash = '#/campaign'")
            tab.until("document.querySelector('main h1')?.textContent === 'Campaigns'")
        print("table of %d jobs beside a search: median %.0f ms, longest %.0f ms" %
              (JOBS, statistics.median(took), max(took)))
        self.assertLess(statistics.median(took), BOUND_MS)
        tab.js(LOAD)
        self.keeps_the_rules(tab)
        tab.js("document.querySelector('input[type=search]').focus()")
        tab.type(" ".join(lines[7]))
        tab.until("document.querySelector('main .hint').textContent === '1 shown'")
        self.server.rpc("campaign.change", action="cancel", tag="many")
        tab.until("document.querySelector('.campaign-bar').ariaLabel.startsWith('%d failed or cancelled')" % BATCH)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
