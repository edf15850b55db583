"""The explorer shows searches live: an opening map by presses, numbers of a running job, answers by best play."""

import json
import os
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
from page import PageTest, screens  # noqa: E402
from pyproofd import Server, build_dir  # noqa: E402

PRESSES_MAX = 5
BEHIND_MS = 1000  # what is wanted between two numbers of a running job; the test allows three times as much
LONG = "connect4:7x6"
NO_KNOWLEDGE = {"knowledge": False}  # or it is solved at once
KNOWN = "document.querySelectorAll('tr[data-move] .status:not(.open)').length"
FIGURES = "document.querySelector('.live .figures')?.textContent"
# Milliseconds between the changes of the job's figures, six of them.
GAPS = """new Promise((done) => {
  const node = document.querySelector(".live"), gaps = [];
  let text = node.textContent, last = performance.now();
  const look = () => {
    if (node.textContent !== text) {
      gaps.push(performance.now() - last);
      [text, last] = [node.textContent, performance.now()];
    }
    if (gaps.length < 7) setTimeout(look, 10);
    else done(gaps.slice(1));
  };
  look();
})"""
# The rows of the list of moves, each as move, pn, dn and the width of its bar.
ROWS = """[...document.querySelectorAll("tr[data-move]")].map((row) => [row.dataset.move,
  row.querySelector(".pn")?.textContent, row.querySelector(".dn")?.textContent,
  row.querySelector(".bar span")?.style.width])"""


class Explorer(PageTest):
    def running(self, **more):
        job = self.server.rpc("job.submit", game=LONG, memory="64M", options=NO_KNOWLEDGE, **more)["job"]
        self.addCleanup(self.server.rpc, "job.cancel", job=job)
        return job

    def test_the_opening_map_of_hex_by_the_page_alone(self):
        tab = self.open("#/g")
        presses = 0
        tab.until("document.querySelector('main .search input')")
        tab.js("document.querySelector('main .search input').focus()")
        tab.type("hex:5")
        tab.key("Enter")
        presses += 1
        self.press(tab, "Solve all moves")
        presses += 1
        tab.until(KNOWN + " === 25", seconds=240)
        tab.until("document.querySelector('.verbs button').textContent === 'All moves ✓'")
        self.assertLessEqual(presses, PRESSES_MAX)
        jobs = self.server.rpc("server.stats")["jobs"]["solved"]
        print("opening map of hex:5: %d presses, %d jobs" % (presses, jobs))
        shown = dict(tab.js("[...document.querySelectorAll('tr[data-move]')].map((row) => [row.dataset.move, "
                            "row.querySelector('.status').textContent])"))
        [fact] = self.server.rpc("fact.query", game="hex:5", each_move=True)["facts"]
        self.assertEqual(shown, {move["move"]: "wins" if move["lo"] > 0 else "loses" for move in fact["moves"]})
        self.assertEqual(sum(word == "wins" for word in shown.values()), 13)
        self.assertEqual(tab.errors, [])

    def test_the_first_page_opens_what_is_pasted_and_is_up_to_date(self):
        field = "document.querySelector('main .search input')"
        tab = self.open("#/g")
        tab.until(field)
        tab.key("/")
        tab.type("antichess 1. e3 zz9")
        tab.key("Enter")
        tab.until("document.querySelector('.home > .problem')?.textContent.length > 10")
        self.keeps_the_rules(tab)
        tab.js(field + ".value = ''")
        tab.type("antichess 1. e3 b5")
        tab.until("document.querySelector('.home > .hint')?.textContent === 'antichess, a position: First to move'")
        tab.key("Enter")
        tab.until("location.hash === '#/g/antichess/m/e3/b5' && document.querySelector('tr[data-move]')")
        self.assertEqual(tab.js("[document.querySelectorAll('.board path').length, "
                                "document.querySelectorAll('.board text').length]"), [32, 16])
        tab.js("location.hash = '#/g'")
        tab.until(field)
        self.solve("nim:1,2,3")
        tab.until("document.querySelector('[aria-label=\"Solved lately\"] [href=\"#/g/nim:1,2,3\"] .board')")
        job = self.running()
        tab.until("document.querySelector('[aria-label=Running] [href=\"#/g/%s\"]')" % LONG)
        tab.until("/^Not known yet/.test(document.querySelector('[aria-label=Running] .about > span')?.textContent)")
        tab.until("document.querySelectorAll('.spark .plot-line').length === 2")
        self.assertRegex(tab.js("document.querySelector('[aria-label=Running] h2').innerText"),
                         r"^Running 1 of 1 threads busy, \d[\d.]* .iB of disk free$")
        self.server.rpc("job.pause", job=job)
        tab.until("!document.querySelector('[aria-label=Running] [href=\"#/g/%s\"]')" % LONG)
        self.keeps_the_rules(tab)
        self.assertEqual(tab.errors, [])

    def test_the_browser_tells_that_a_job_is_over(self):
        job = self.running()
        tab = self.open("#/job/%d" % job)
        tab.js("window.Notification = class { constructor(...all) { window.told = all; } "
               "static requestPermission() { return Promise.resolve('granted'); } }")
        self.press(tab, "In this browser")
        tab.until("document.querySelector('.tell [aria-pressed=true]')")
        tab.js("location.hash = '#/'")
        self.server.rpc("job.pause", job=job)
        tab.until("window.told?.[0] === 'Job %d is paused'" % job)
        tab.js("location.hash = '#/job/%d'" % job)
        self.press(tab, "Resume")
        tab.until("document.querySelector('.tell:not([hidden]) [aria-pressed=false]')")
        tab.js("window.Notification = class { constructor() { throw new TypeError('Illegal constructor'); } "
               "static requestPermission() { return Promise.resolve('granted'); } }")  # as on phones
        self.press(tab, "In this browser")
        tab.until("document.querySelector('.tell [aria-pressed=true]')")
        self.server.rpc("job.pause", job=job)
        tab.until("document.querySelector('#notes .good')?.textContent.startsWith('Job %d is paused')" % job)
        self.assertEqual(tab.errors, [])

    def test_the_opening_map_by_one_command(self):
        with Server("--threads", "1", "--http", "127.0.0.1:0", "--log", "warn") as server:
            command = [os.path.join(build_dir(), "proofctl"), "submit", "hex:4", "--each-move", "--memory", "16M",
                       "--server", "%s:%d" % server.address]
            jobs = [int(line) for line in subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout.split()]
            self.assertEqual(len(jobs), 8)  # of sixteen moves: the others are mirror images
            for job in jobs:
                server.wait_job(job)
            [fact] = server.rpc("fact.query", game="hex:4", each_move=True)["facts"]
            self.assertTrue(all(move["lo"] == move["hi"] for move in fact["moves"]))
            self.assertEqual(len(fact["moves"]), 16)
            self.assertEqual(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout, b"")  # all are known

    def test_numbers_follow_a_running_job(self):
        job = self.running()
        tab = self.open("#/g/" + LONG)
        tab.until(FIGURES)
        gaps = tab.js(GAPS)
        print("numbers of a running job: every %.0f ms, at most %.0f ms (wanted: %d)" %
              (sum(gaps) / len(gaps), max(gaps), BEHIND_MS))
        self.assertLess(min(max(gaps[:3]), max(gaps[3:])), 3 * BEHIND_MS)
        self.assertEqual(tab.js("document.querySelector('.live a').hash"), "#/job/%d" % job)
        rows = {move: rest for move, *rest in tab.js(ROWS)}
        self.assertEqual(len(rows), 7)
        self.assertEqual({rest[0] == "" for rest in rows.values()}, {False})
        for move, twin in (("1", "7"), ("2", "6"), ("3", "5")):
            self.assertEqual(rows[move], rows[twin])
        # Below the job's position it is the same job; when it is paused, its table.
        tab.js("location.hash = '#/g/%s/m/4'" % LONG)
        tab.until("location.hash.endsWith('/m/4') && document.querySelectorAll('.path li').length === 2 && " + FIGURES)
        self.server.rpc("job.pause", job=job)
        tab.until("document.querySelector('.live').textContent.includes('is paused')")
        tab.until("document.querySelector('tr[data-move] .bar span').style.width !== '0%'")
        for scheme, size in screens(800, 390):
            tab = self.open("#/g/" + LONG, **size)
            tab.media(prefers_color_scheme=scheme, prefers_reduced_motion="reduce")
            tab.until("document.querySelector('tr[data-move] .bar')")
            self.keeps_the_rules(tab)
            if size["width"] > 1000:
                self.assertEqual(tab.js("[...document.querySelectorAll('.board, tr[data-move]')].filter((node) => "
                                        "node.getBoundingClientRect().bottom > innerHeight).length"), 0)

    def test_a_job_begins_here_with_a_limit(self):
        tab = self.open("#/g/%s/m/4/4/4" % LONG)
        tab.until("document.querySelector('.verbs select')")
        tab.js("(() => { const node = document.querySelector('.verbs select'); node.value = '10';"
               "node.dispatchEvent(new Event('change')); })()")
        self.press(tab, "Solve here")
        tab.until("document.querySelector('.live a')")
        job = self.server.rpc("job.get", job=int(tab.js("document.querySelector('.live a').hash.split('/')[2]")))
        self.assertEqual((job["budget"]["seconds"], job["label"]), (10, "4 4 4"))
        self.server.rpc("job.cancel", job=job["job"])

    def test_notes_are_kept_and_two_writers_are_told(self):
        saved = "document.querySelector('#live').textContent === '%s'"
        tab = self.open("#/g/hex:4/m/b2/c3")
        tab.until("document.querySelector('.notes-card .edit')?.getClientRects().length")
        tab.key("v")
        tab.until(saved % "The line was added")
        tab.until("document.querySelectorAll('.line button').length === 2")
        tab.key("n")
        tab.type("A note.")
        tab.key("Escape")
        tab.until(saved % "The comment was saved")
        tab.js("location.hash = '#/g/hex:4/m/b2/a1'")
        tab.until("location.hash.endsWith('a1') && !document.querySelector('.edit [title*=\"(v)\"]').disabled")
        tab.js("[...document.querySelectorAll('.marks button')].find((node) => node.textContent === '?').click()")
        tab.until(saved % "Marked ?")
        study = self.server.rpc("study.get", study=self.server.rpc("study.list", game="hex:4")["studies"][0]["study"])
        self.assertEqual(study["nodes"], [{"depth": 1, "move": "b2"}, {"depth": 2, "move": "c3", "text": "A note."},
                                          {"depth": 2, "move": "a1", "mark": "?"}])
        tab.key("ArrowUp")
        tab.until("location.hash.endsWith('b2/c3')")
        # Someone else is first: both versions are shown, and both can be kept.
        self.server.rpc("study.put", game="hex:4", study=study["study"], revision=study["revision"], text="Theirs.")
        tab.until("document.querySelector('.edit textarea').value === 'A note.'")
        tab.js("(() => { const node = document.querySelector('.edit textarea'); node.value = 'Mine.';"
               "node.dispatchEvent(new Event('change')); })()")
        tab.until("document.querySelector('.both')?.getClientRects().length")
        shown = tab.js("document.querySelector('.both').textContent")
        for words in ("was changed to revision %d" % (study["revision"] + 1), "Mine.", "Theirs."):
            self.assertIn(words, shown)
        self.press(tab, "Keep both")
        tab.until("document.querySelectorAll('.notes-card option').length === 3")
        texts = sorted(json.dumps(self.server.rpc("study.get", study=row["study"]))
                       for row in self.server.rpc("study.list", game="hex:4")["studies"])
        self.assertTrue("Theirs." in texts[0] and "Mine." in texts[1])
        for scheme, size in screens(800, 390):
            tab.size(size["width"], size["height"])
            tab.media(prefers_color_scheme=scheme, prefers_reduced_motion="reduce")
            self.keeps_the_rules(tab)
        self.assertEqual(tab.errors, [])

    def test_best_play_is_a_line_to_step_through(self):
        shown = "[...document.querySelectorAll('.best-line a')].map((link) => link.textContent)"
        at = "document.querySelector('.best-line [aria-current]')?.textContent"
        self.solve("connect4:4x4", detail="full")
        line = self.server.rpc("fact.line", game="connect4:4x4")["line"]
        tab = self.open("#/g/connect4:4x4")
        tab.until("document.querySelector('.best-line b')?.textContent === 'Best play'")
        self.assertEqual(tab.js(shown), line)
        tab.js("document.querySelectorAll('.best-line a')[2].focus()")
        tab.key("Enter")
        tab.until("location.hash.endsWith('/m/%s') && %s === '%s'" % ("/".join(line[:3]), at, line[2]))
        self.assertEqual(tab.js("document.activeElement.ariaCurrent"), "page")  # it keeps the focus
        self.assertEqual(tab.js(shown), line)
        self.keeps_the_rules(tab)
        # Another line begins with the move that leads to it.
        [fact] = self.server.rpc("fact.query", game="connect4:4x4", each_move=True)["facts"]
        other = next(move["move"] for move in fact["moves"] if move["move"] != line[0] and move["source"] == "fact")
        tab.js("location.hash = '#/g/connect4:4x4/m/%s'" % other)
        tab.until("%s === '%s'" % (at, other))
        self.assertEqual(tab.js(shown)[1:], self.server.rpc("fact.line", game="connect4:4x4", moves=[other])["line"])
        # Nothing is known: the line that the search has in work, with moves as players write them.
        job = self.server.rpc("job.submit", game="antichess", moves=["e2e3"], memory="64M")["job"]
        tab.js("location.hash = '#/g/antichess/m/e2e3'")
        tab.until("document.querySelector('.best-line b').textContent === 'In work' && %s === 'e3'" % at)
        self.assertEqual(tab.js("document.querySelector('.path [aria-current]').textContent"), "e3")
        names = tab.js("[...document.querySelectorAll('tr[data-move] th')].map((cell) => cell.textContent)")
        moves = self.server.rpc("position.show", game="antichess", moves=["e3"], notation="san")["moves"]
        self.assertEqual(sorted(name.replace(" ★", "") for name in names), sorted(moves))
        self.keeps_the_rules(tab)
        self.server.rpc("job.pause", job=job)
        tab.until("document.querySelector('.best-line b').textContent === 'Work so far'")
        self.server.rpc("job.cancel", job=job)
        tab.until("document.querySelector('.best-line').hidden")

    def test_the_board_shows_results_effort_or_nothing(self):
        marks = "document.querySelectorAll('.board .mark').length"
        legend = "document.querySelector('.overlay .legend').textContent"
        choose = "[...document.querySelectorAll('.overlay label')].find((one) => one.textContent === '%s')" \
                 ".firstChild.click()"
        self.solve("hex:3", detail="full")
        tab = self.open("#/g/hex:3")
        tab.until(marks)
        known = tab.js(marks)
        # The verdict has the sign that its move has in the list; the bars of the list are as long as the games.
        self.assertEqual(tab.js("[document.querySelector('.seal').dataset.letter, "
                                "document.querySelector('.seal').ariaHidden]"), ["W", "true"])
        rows = tab.js("""[...document.querySelectorAll("tr[data-move]")].map((row) =>
            [Number(row.querySelector(".number").textContent), row.querySelector(".length span span")?.style.width])
            .filter(([, width]) => width)""")
        for plies, width in rows:
            self.assertAlmostEqual(float(width.rstrip("%")), 100 * plies / max(rows)[0], 3)
        heads = tab.js("[...document.querySelectorAll('.moves thead th')].map((head) => head.textContent)")
        self.assertEqual(heads[:4], ["Move", "Mover", "Plies", "Length"])  # the value is what the mover's status says
        # By keyboard: the arrow keys choose, and play nothing.
        tab.js("document.querySelector('.overlay input').focus()")
        tab.key("ArrowRight")
        tab.until(legend + " === 'no search is at work here' && " + marks + " === 0")
        self.keeps_the_rules(tab)
        tab.key("ArrowRight")
        tab.until(legend + " === '' && " + marks + " === 0")
        self.assertTrue(tab.js("location.hash").endswith("/hex:3"))
        # The choice is kept for the tab; nothing is left of it when results are wanted again.
        tab.js("location.reload()")
        tab.until("document.querySelector('.overlay input:checked')?.parentElement.textContent === 'Off'")
        tab.until("document.querySelector('tr[data-move]')")
        tab.click(".overlay label:first-of-type input")
        tab.until(marks + " === %d" % known)
        tab.key("ArrowRight")  # plays the best move, since the switch was pressed by pointer
        tab.until("location.hash.includes('/m/')")
        # Moves from place to place are arrows: the best move, and those that have the work.
        self.solve("chess-mate", position="6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - -")
        tab.js("location.hash = '#/g/chess-mate/p/6k1%2F5ppp%2F8%2F8%2F8%2F8%2F5PPP%2F3R2K1%20w%20-%20-'")
        tab.until("document.querySelectorAll('.board .arrow.win').length === 1")
        self.assertEqual(tab.js(legend), "the best move known")
        job = self.server.rpc("job.submit", game="antichess", moves=["e2e3"], memory="64M")["job"]
        self.addCleanup(self.server.rpc, "job.cancel", job=job)
        tab.js("location.hash = '#/g/antichess/m/e2e3'")
        tab.js(choose % "Effort")
        tab.until("document.querySelectorAll('.board .arrow.work').length > 1")
        self.assertEqual(tab.js(legend), "where the work goes")
        widths = tab.js("[...document.querySelectorAll('.arrow.work [stroke-width]')]"
                        ".map((line) => Number(line.getAttribute('stroke-width')))")
        self.assertEqual(widths, sorted(widths, reverse=True))
        tab.until("document.querySelectorAll('.live .spark .plot-line').length === 2")
        for scheme, size in screens(800, 390):
            tab.size(size["width"], size["height"])
            tab.media(prefers_color_scheme=scheme, prefers_reduced_motion="reduce")
            self.keeps_the_rules(tab)
        tab.js(choose % "Off")
        self.assertEqual(tab.js(marks), 0)
        self.assertEqual(tab.errors, [])

    def test_the_first_page_opens_files(self):
        drop = """(() => {
          const data = new DataTransfer();
          data.items.add(new File([%s], %s));
          for (const type of ["dragover", "drop"])
            document.querySelector("main").dispatchEvent(new DragEvent(type, {
              dataTransfer: data, bubbles: true, cancelable: true }));
        })()"""
        tab = self.open("#/g", width=390, height=844)
        tab.until("document.querySelector('.tile .board')")
        self.assertLess(tab.js("document.querySelector('.tries').offsetHeight"), 60)  # a row
        tab.js(drop % (json.dumps("(;GM[11]SZ[4];B[b2]C[The centre];W[c1](;B[a3])(;B[c3]))"), "'centre.sgf'"))
        tab.until("location.hash.startsWith('#/g/hex:4?study=')")
        tab.until("document.querySelector('.comment')?.textContent === 'The centre'")
        kept = tab.js("location.hash")
        tab.js("location.hash = '#/g'")
        tab.until("document.querySelector('.tile .board')")
        tab.js(drop % (json.dumps("(;GM[11]SZ[4];B[b2]C[The centre];W[c1](;B[a3])(;B[c3]))"), "'centre.sgf'"))
        tab.until("location.hash.startsWith('#/g/hex:4?study=')")
        self.assertEqual(tab.js("location.hash"), kept)  # the same record is not kept twice
        tab.js("location.hash = '#/g'")
        tab.until("document.querySelector('.tile .board')")
        tab.js(drop % (json.dumps("what is this?"), "'odd.txt'"))
        tab.until("document.querySelector('.home > .problem')?.textContent.startsWith('odd.txt: Type the game')")
        tab.js(drop.replace("for (", "data.items.add(new File([], 'b'));\nfor (") % (json.dumps("a"), "'a'"))
        tab.until("document.querySelector('.home > .problem')?.textContent === 'Drop one file at a time, not 2.'")
        self.keeps_the_rules(tab)
        tab.js("document.querySelector('main .search input').value = 'connect4:4x4'")
        tab.js(drop % (json.dumps("44\n4\n"), "'lines.txt'"))
        self.press_dialog(tab, "Submit them")
        tab.until("location.hash === '#/campaign/lines'")
        self.assertEqual(self.server.rpc("campaign.list", tag="lines")["campaigns"][0]["jobs"], 2)
        self.assertEqual(tab.errors, [])

    def press_dialog(self, tab, text):
        button = "[...document.querySelectorAll('dialog button')].find((node) => node.textContent === '%s')" % text
        tab.until(button)
        tab.js(button + ".click()")

    def test_best_play_answers(self):
        self.server.wait_job(self.server.rpc("job.submit", game="mnk:3,3,3", memory="16M", detail="full")["job"])
        tab = self.open("#/g/mnk:3,3,3")
        tab.until("document.querySelector('tr[data-move]')")
        self.press(tab, "Best play answers")
        tab.js("document.querySelector('tr[data-move]').click()")
        tab.until("document.querySelectorAll('.path li').length === 3")
        self.press(tab, "Best play answers")
        tab.until("document.querySelector('tr[data-move]')")
        tab.js("document.querySelector('tr[data-move]').click()")
        tab.until("document.querySelectorAll('.path li').length === 4")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
