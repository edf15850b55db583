"""The page in a real browser: jobs, a solve that is watched, the explorer, keyboard, names, contrast, strangers."""

import http.server
import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import unittest
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
from chromium import Chromium  # noqa: E402
from pyproofd import TIMEOUT, FreePort, Server, package, program  # noqa: E402

sys.path.insert(0, package("python"))
from proofd import Client  # noqa: E402

HEADING = "document.querySelector('main h1')"  # the page that the address names is there
READY = "document.querySelector('#link').dataset.state === 'ready' && " + HEADING
GAME = "connect4:4x4"
LONG = "hex:9"  # a search that does not end by itself
JOBS = 900
FIRST_VIEW_MS, CLICK_MS = 200, 100  # what is wanted on an idle machine; the test allows ten times as much
STATUS = {(1, 1): "wins", (0, 1): "does not lose", (0, 0): "draws", (-1, 0): "does not win", (-1, -1): "loses"}
ROUNDS = 4  # of which one has to be as quick as that: the machine may be another's for a while
# What a screen reader must be able to name.
NAMED = {"button", "link", "textbox", "searchbox", "combobox", "listbox", "checkbox", "radio", "spinbutton", "grid",
         "tree", "treeitem", "row", "dialog", "image", "img", "figure", "navigation", "slider", "columnheader"}
UNNAMED_ROWS = ("row", "figure")  # rows of plain tables are named by their cells

# Plays the best move; how many milliseconds until the position behind it is shown.
CLICK = """new Promise((done) => {
  const shown = () => performance.getEntriesByName("explorer-shown").length;
  const begin = performance.now();
  const before = shown();
  const look = () => (shown() > before ? done(performance.now() - begin) : setTimeout(look, 0));
  document.querySelector("tr[data-move]").click();
  look();
})"""

with open(os.path.join(HERE, "page_foreign.html"), encoding="utf-8") as page:
    FOREIGN = page.read()  # of another origin; it tries everything
FOREIGN_REQUESTS = 7  # that are to be refused; the frame is one that may be asked for, and not be shown

# Rows of a list of that many items, while one goes through it by the keyboard.
LIST = """import(new URL("list.mjs", document.styleSheets[0].href).href).then(({ List }) => {
  const list = new List({ label: "Many", columns: ["Number"], height: () => 34, key: (item) => item.n, near() {},
    open() {}, draw: (item) => ({ cells: [item.n], label: `Row ${item.n}` }) });
  list.node.style.height = "600px";
  document.querySelector("main").append(list.node);
  list.show(Array.from({ length: COUNT }, (_, n) => ({ n })));
  const rows = () => list.space.children.length;
  const counts = [rows()];
  list.space.querySelector("[tabindex='0']").focus();
  for (const key of ["End", "PageUp", "ArrowDown", "Home", "PageDown"]) {
    document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    counts.push(rows());
  }
  const at = document.activeElement.getAttribute("aria-label");
  list.close();
  list.node.remove();
  return [counts, at];
})"""

# Two jobs are compared, then two others; the histories of the first ones come last. When those that are kept begin.
COMPARE = """import(new URL("compare.mjs", document.styleSheets[0].href).href).then(async ({ open }) => {
  const asked = [];
  const call = (method, { job }) => new Promise((done) => asked.push({ job, done }));
  const page = open({ jobs: [1, 2] }, { call, watch: () => () => {} });
  page.update({ jobs: [3, 4] });
  for (const { job, done } of asked.reverse())
    done({ points: [{ t: 1000 * job, event: "", nodes: 0, pn: 1, dn: 1, facts: 0, entries: 0 }] });
  await new Promise((done) => setTimeout(done));
  page.close();
  return page.past.map(([{ t }]) => t);
})"""
# Best play is asked for, stopped, and asked for again; once more, and another game is shown. The steps that are played.
PLAYER = """import(new URL("player.mjs", document.styleSheets[0].href).href).then(async ({ Player }) => {
  const asked = [], steps = [];
  const call = () => new Promise((done) => asked.push(done));
  const player = new Player({ call }, (moves) => steps.push(moves));
  const answer = async () => {
    asked.splice(0).forEach((done) => done({ line: ["a", "b"], complete: true }));
    await new Promise((done) => setTimeout(done));
  };
  player.at({ game: "g", position: "", moves: [] });
  for (let i = 0; i < 3; i++) player.turn();
  await answer();
  player.stop();
  player.turn();
  player.at({ game: "h", position: "", moves: [] });
  await answer();
  return steps;
})"""

# The explorer is at a position, goes to the list of games before its answers are there, and comes back.
EXPLORER = """import(new URL("explorer.mjs", document.styleSheets[0].href).href).then(async ({ open }) => {
  const asked = [];
  const answers = { "game.list": { games: [] }, "job.list": { jobs: [] }, "fact.probe": { answers: [{ moves: [] }] },
    "server.stats": { jobs: {}, quota: { text: null }, busy: 0, threads: 1, disk_free: 0 },
    "game.describe": { values: { min: -1, max: 1 } }, "fact.query": { facts: [{ source: "none", lo: -1, hi: 1 }] },
    "position.show": { game: "g", position: "", board: "", legal: [], first_to_move: true } };
  const rpc = { hello: { features: [], role: "query" }, addEventListener() {}, removeEventListener() {},
    call: (method) => new Promise((done) => asked.push(() => done(structuredClone(answers[method])))) };
  const settle = async () => {
    while (asked.length) {
      asked.pop()(); // the newest first
      await new Promise((done) => setTimeout(done));
    }
  };
  const seen = [];
  const see = () => seen.push([page.problem.textContent, page.parts.hidden, page.list === null]);
  const at = (game, ...moves) => ({ game, position: "", moves });
  const page = open(at("g"), rpc);
  page.update(at(""));
  await settle();
  see();
  page.update(at("g"));
  await settle();
  see();
  page.update(at("g", "a"));
  see();
  page.close();
  return seen;
})"""

# The pages Jobs and Job while calls fail that they make by themselves: the notes about it, the jobs that are listed.
FAILING = """Promise.all(["jobs", "job"].map((name) =>
  import(new URL(`${name}.mjs`, document.styleSheets[0].href).href)))
.then(async ([jobs, job]) => {
  const rpc = { state: "ready", hello: { features: [], role: "query" }, addEventListener() {}, removeEventListener() {},
    watch: (_, then) => (queueMicrotask(() => then(STATE)), () => {}),
    call: async (method, { limit } = {}) => {
      if (["job.get", "job.explain"].includes(method)) throw new Error(`${method} went wrong`);
      return { "job.history": { points: [] }, "server.stats": STATS }[method] ?? list(limit);
    } };
  const list = (limit) => (limit === 50 ? { jobs: [{ ...STATE, job: 9 }], next: 9 } :
    { jobs: [9, 1].map((job) => ({ ...STATE, job })) });
  const pages = [jobs.open({ query: new URLSearchParams() }, rpc), job.open({ job: 1 }, rpc)];
  document.querySelector("main").append(pages[0].node); // job 1 is in view, and asked for by itself
  await new Promise((done) => setTimeout(done));
  pages.forEach((page) => page.close());
  pages[0].node.remove();
  const notes = [...document.querySelectorAll(".note.bad")];
  notes.forEach((note) => note.remove());
  return [...notes.map((note) => note.dataset.text).sort(), ...pages[0].jobs.keys()];
})"""


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server("--threads", "1", "--http", "127.0.0.1:0", "--log", "warn")
        cls.address = cls.server.ready["http"]
        cls.url = "http://%s/" % cls.address
        job = cls.server.rpc("job.submit", game=GAME, memory="16M", detail="full", group="first")["job"]
        cls.solved = cls.server.wait_job(job)
        cls.browser = Chromium()
        with open(os.path.join(HERE, "page_rules.js"), encoding="utf-8") as file:
            cls.rules = file.read()

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__()
        cls.server.__exit__(None)

    def open(self, fragment="#/", **size):
        tab = self.browser.tab(self.url + fragment, **size)
        tab.until(READY)
        self.addCleanup(self.finish, tab)
        return tab

    def visit(self, url):
        """A tab of a server that ends before the test does: left open, it would go on trying to reach its port."""
        tab = self.browser.tab(url)
        self.addCleanup(self.browser.call, "Target.closeTarget", targetId=tab.target)
        return tab

    def finish(self, tab):
        errors = tab.errors + tab.js("[...document.querySelectorAll('.note.bad')].map((note) => note.textContent)")
        tab.browser.call("Target.closeTarget", targetId=tab.target)
        self.assertEqual(errors, [])

    def turned_away(self):
        """How many requests the server has refused as those of strangers."""
        with urllib.request.urlopen(self.url + "metrics", timeout=TIMEOUT) as reply:
            found = re.search(rb'proofd_connections_ended_total\{reason="protocol"\} (\d+)', reply.read())
        return int(found[1])

    def look(self, tab, where):
        """The rules of the page, and a name for each control."""
        self.assertEqual(tab.js(self.rules), [], where)
        nameless = [role for role, name in tab.accessible() if role in NAMED and role not in UNNAMED_ROWS and not name]
        self.assertEqual(nameless, [], where)

    def verified(self, path):
        done = subprocess.run([program("proofcheck"), path], capture_output=True, text=True, timeout=TIMEOUT,
                              stdin=subprocess.DEVNULL)
        self.assertIn("VERIFIED", done.stdout + done.stderr)

    @staticmethod
    def press(tab, where, text):
        """Presses the button with that text, once it is there."""
        found = "[...document.querySelectorAll(%s)].find((button) => button.textContent === %s)" % (
            json.dumps(where + " button"), json.dumps(text))
        tab.until(found)
        tab.js(found + ".click()")

    # --- jobs

    def test_a_job_is_submitted_and_watched_to_its_end(self):
        tab = self.open("#/submit")
        tab.until("document.querySelector('.setup .board [data-place]')")
        self.look(tab, "submit")
        tab.js("document.querySelector('form select').focus()")
        tab.js("(() => { const kind = document.querySelector('form select'); kind.value = 'mnk';"
               "kind.dispatchEvent(new Event('change')); })()")
        tab.until("document.querySelector('.setup [aria-label^=b2]')")
        tab.click(".setup [aria-label^='b2']")
        tab.until("document.querySelector('.setup [aria-label^=b2]') === null")
        position = tab.js("[...document.querySelectorAll('main form input')][1].value")
        self.assertIn("x", position)
        tab.click(".setup [value=put]")
        tab.click(".setup [name=piece][value=o]")
        tab.click(".setup [aria-label^='a1']")
        tab.until("[...document.querySelectorAll('main form input')][1].value !== %s" % json.dumps(position))
        position = tab.js("[...document.querySelectorAll('main form input')][1].value")
        self.look(tab, "pieces")
        tab.click("form button.main")
        tab.until("location.hash.startsWith('#/job/')")
        tab.until("document.querySelector('.job-head .pill')?.textContent === 'solved'")
        self.assertIn("draw", tab.js("document.querySelector('.result').textContent"))
        number = int(tab.js("location.hash.split('/')[2]"))
        self.assertEqual(self.server.rpc("job.get", job=number)["position"], position)
        self.look(tab, "job")
        tab.click("nav a[href='#/']")
        tab.until("document.querySelectorAll('.list-space [role=row]').length >= 2")
        self.assertIn("Job %d, solved, mnk:3,3,3" % number,
                      tab.js("document.querySelector('.list-space [role=row]').getAttribute('aria-label')"))
        self.look(tab, "jobs")

    def test_a_running_job_is_paused_changed_resumed_and_cancelled(self):
        job = self.server.rpc("job.submit", game=LONG, memory="16M")["job"]
        tab = self.open("#/job/%d" % job)
        tab.until("document.querySelector('.job-head .pill')?.textContent === 'running'")
        tab.until("document.querySelectorAll('.plot-line')[0]?.getAttribute('d').includes('L')")
        tab.click("details:has(.tree) summary")
        tab.until("document.querySelectorAll('.tree [role=treeitem]').length > 5")
        tab.until("document.querySelectorAll('.icicle rect').length > 5", seconds=15)
        widths = tab.js("[...document.querySelectorAll('.icicle rect')].map((e) => e.width.baseVal.value)")
        self.assertEqual(widths[0], max(widths))
        self.assertRegex(tab.js("document.querySelector('.icicle').getAttribute('aria-label')"), r"^Where.*: \d+ % on ")
        self.look(tab, "running job")
        tab.click("[data-action=set]")
        tab.until("document.querySelector('dialog')")
        self.look(tab, "dialog")
        tab.js("document.activeElement.blur()")
        tab.key("?")  # one is enough
        self.assertEqual(tab.js("document.querySelectorAll('dialog').length"), 1)
        # It goes with its page, and does not change the next job.
        tab.js("location.hash = '#/job/%d'" % self.solved["job"])
        tab.until("!document.querySelector('dialog')")
        tab.js("history.back()")
        tab.until("document.querySelector('.job-head .pill')?.textContent === 'running'")
        tab.click("[data-action=set]")
        tab.until("document.querySelector('dialog')")
        tab.js("document.querySelector('dialog input').value = 7")
        tab.click("dialog button.main")
        tab.until("!document.querySelector('dialog')")
        tab.click("[data-action=pause]")
        tab.until("document.querySelector('.job-head .pill')?.textContent === 'paused'")
        self.assertEqual(self.server.rpc("job.get", job=job)["priority"], 7)
        tab.click("[data-action=resume]")
        tab.until("document.querySelector('.job-head .pill')?.textContent === 'running'")
        tab.click("[data-action=cancel]")
        tab.click("dialog button.danger")
        tab.until("document.querySelector('.job-head .pill')?.textContent === 'cancelled'")
        self.assertEqual(self.server.rpc("job.get", job=job)["state"], "cancelled")

    def test_hundreds_of_jobs_are_a_few_rows(self):
        with Server("--threads", "0", "--http", "127.0.0.1:0", "--log", "warn", data=False) as server:
            with server.connect() as client:
                for call in [client.ask("job.submit", game="mnk:3,3,3", memory="1M", group="g%d" % (i % 7))
                             for i in range(JOBS)]:
                    client.reply(call)
            tab = self.visit("http://%s/#/" % server.ready["http"])
            tab.until("document.querySelector('.list-space [role=row]')")
            tab.js("document.querySelector('.list-space [tabindex=\"0\"]').focus()")
            while "Job 1," not in tab.js("document.activeElement.getAttribute('aria-label') ?? ''"):
                tab.key("End")
                tab.until("document.activeElement.matches('.list-space [role=row]')")
            self.assertLess(tab.js("document.querySelectorAll('.list-space [role=row]').length"), 60)
            tab.js("document.querySelector('[type=search]').focus()")
            tab.type("g3")
            tab.until("document.querySelector('.filters p').textContent === '%d shown'" % len(range(3, JOBS, 7)))

    def test_a_list_has_the_rows_in_view_however_long_it_is(self):
        tab = self.open("#/nowhere")
        (few, there), (many, same) = [tab.js(LIST.replace("COUNT", str(count))) for count in (100, 10000)]
        self.assertEqual((many, same), (few, there))
        self.assertTrue(17 < min(few) <= max(few) < 40, few)

    def test_plots_of_a_job_end_with_it(self):
        finished = self.solved["finished"]
        tab = self.open("#/")
        tab.until("Date.now() > %d" % (finished + 3000))
        tab.goto("about:blank")
        tab.goto(self.url + "#/job/%d" % self.solved["job"])
        tab.until("document.querySelector('.plot-picture')?.getAttribute('aria-label').includes(' to ')")
        tab.until("document.querySelector('.events li')")  # and its history
        tab.until("document.querySelector('.job-head .pill')?.textContent === 'solved'")
        end = tab.js("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(Date.parse("
                     "document.querySelector('.plot-picture').getAttribute('aria-label')"
                     ".match(/ to (.*?);/)[1].replace(' ', 'T'))))))")
        self.assertLessEqual(end, finished + 1000)  # a plot is a second wide at least

    def test_errors_are_said_at_the_field(self):
        tab = self.open("#/submit?game=hex:4")
        tab.until("document.querySelector('.setup .board [data-place]')")
        tab.js("(() => { const [game] = document.querySelectorAll('main form input'); game.value = 'hex:99';"
               "game.dispatchEvent(new Event('input')); })()")
        tab.until("document.querySelector('[aria-invalid=true]')")
        self.assertIn("hex", tab.js("document.querySelector('.field .problem').textContent"))
        self.look(tab, "submit with an error")
        tab.goto("about:blank")
        tab.goto(self.url + "#/g/hex:99")
        tab.until("document.querySelector('.problem:not(:empty)')")
        tab.goto("about:blank")
        tab.goto(self.url + "#/job/4000000")
        tab.until("document.querySelector('.problem')?.textContent.includes('4000000')")

    # --- the explorer

    def test_the_explorer_is_quick_and_agrees_with_the_facts(self):
        tab = self.open("#/")
        cold, warm = (self.in_time("first view", 10 * FIRST_VIEW_MS, lambda: [self.view(tab, kind) for _ in range(5)])
                      for kind in (True, False))
        fact = self.server.rpc("fact.query", game=GAME, each_move=True)["facts"][0]
        self.assertIn(fact["text"], tab.js("document.querySelector('.verdict').textContent").lower())
        rows = tab.js("[...document.querySelectorAll('tr[data-move]')].map((row) => [row.dataset.move, "
                      "row.cells[1].textContent, row.cells[2].textContent])")
        self.assertEqual({row[0]: row[1:] for row in rows},
                         {move["move"]: ["open" if move["source"] == "none" else STATUS[move["lo"], move["hi"]],
                                         "" if move["rank"] is None else str(move["rank"])] for move in fact["moves"]})
        self.assertEqual(tab.js("document.querySelectorAll('.board .mark').length"),
                         len([move for move in fact["moves"] if move["source"] != "none"]))
        clicks = self.in_time("a click", 10 * CLICK_MS, lambda: self.play_on(tab))
        print("explorer: first view %.0f ms, %.0f ms with its files in the cache, a click %.0f ms (wanted: %d and %d)" %
              (cold, warm, clicks, FIRST_VIEW_MS, CLICK_MS))

    def in_time(self, what, limit, measure):
        """The median of the times that `measure` takes, which is below the limit in one of a few rounds."""
        medians = []
        while not medians or (medians[-1] >= limit and len(medians) < ROUNDS):
            medians.append(statistics.median(measure()))
        self.assertLess(medians[-1], limit, "%s: %s ms" % (what, medians))
        return medians[-1]

    def view(self, tab, cold=False):
        """Opens the explorer, `cold` with the browser's cache emptied; how many milliseconds until it is shown."""
        tab.goto("about:blank")
        if cold:
            tab.call("Network.clearBrowserCache")
        tab.goto(self.url + "#/g/" + GAME)
        shown = tab.until("performance.getEntriesByName('explorer-shown')[0]?.startTime")
        fetched = tab.js("performance.getEntriesByType('resource').map((file) => file.transferSize > 0)")
        self.assertGreater(len(fetched), 15)
        self.assertEqual(set(fetched), {cold})  # what is known is not asked for
        return shown

    def play_on(self, tab):
        """Plays best moves from the start; how many milliseconds each takes."""
        self.view(tab)
        moves, clicks = [], []
        while tab.js("document.querySelector('tr[data-move]') !== null") and len(moves) < 12:
            moves.append(tab.js("document.querySelector('tr[data-move]').dataset.move"))
            clicks.append(tab.js(CLICK))
        self.assertEqual(tab.js("decodeURIComponent(location.hash)"), "#/g/%s/m/%s" % (GAME, "/".join(moves)))
        return clicks

    def test_the_tree_and_best_play(self):
        tab = self.open("#/g/" + GAME)
        tab.until("document.querySelector('tr[data-move]')")
        tab.js("document.querySelector('.explorer .right details summary').click()")
        tab.until("document.querySelectorAll('.tree [role=treeitem]').length > 1")
        tab.js("document.querySelector('.tree [role=treeitem]').focus()")
        for key in ("ArrowDown", "ArrowRight"):
            tab.key(key)
        tab.until("document.querySelectorAll('.tree [aria-level=\"3\"]').length > 0")
        self.look(tab, "explorer with its tree")
        chosen = tab.js("document.activeElement.getAttribute('aria-label')").split()[0]
        tab.key("Enter")
        tab.until("location.hash.endsWith('/m/%s') && document.querySelectorAll('.path li').length === 2" % chosen)
        self.assertTrue(tab.js("document.querySelector('.tree [aria-level=\"3\"]') !== null"), "the tree is gone")
        tab.click(".path a")
        tab.until("document.querySelectorAll('.path li').length === 1")
        line = self.server.rpc("fact.line", game=GAME)["line"]
        tab.js("document.querySelector('.explorer .player button').click()")
        tab.until("location.hash.split('/m/')[1]?.split('/').length >= 2")
        self.assertEqual(tab.js("location.hash.split('/m/')[1].split('/')")[:2], line[:2])
        tab.key(" ")
        tab.until("document.querySelector('.player button').getAttribute('aria-pressed') === 'false'")

    def test_nothing_of_a_position_goes_on_behind_the_list_of_games(self):
        tab = self.open("#/g/" + GAME)
        tab.until("document.querySelector('tr[data-move]')")
        # The player's steps are taken when the test says so.
        tab.js("(() => { const real = setTimeout; window.steps = []; window.setTimeout = (action, ms) =>"
               "ms === 900 ? steps.push(action) : real(action, ms); })()")
        tab.js("document.querySelector('.player button').click()")
        tab.until("steps.length === 1")
        tab.until("document.querySelectorAll('.path li').length === 2")
        tab.js("location.hash = '#/g'")
        tab.until("document.querySelector('h1').textContent === 'Explorer' && document.querySelector('section h2')")
        tab.js("steps[0]()")
        tab.js("document.activeElement.blur()")
        for key in ("ArrowRight", "ArrowLeft", "Home", " "):
            tab.key(key)
        self.assertEqual(tab.js("location.hash"), "#/g")
        self.assertEqual(tab.js("document.querySelector('.player button').getAttribute('aria-pressed')"), "false")
        self.assertFalse(tab.js("document.querySelector('.explorer').getClientRects().length > 0"))
        tab.js("location.hash = '#/g/%s'" % GAME)
        tab.until("document.querySelector('.explorer').getClientRects().length > 0")

    def test_the_certificate_is_saved_and_verified(self):
        folder = tempfile.mkdtemp(prefix="proofd-test-")
        self.addCleanup(shutil.rmtree, folder, True)
        self.browser.downloads(folder)
        tab = self.open("#/g/" + GAME)
        self.press(tab, ".saving", "Certificate")
        name = self.browser.downloaded()
        self.verified(os.path.join(folder, name))

    def test_a_verdict_a_record_and_a_graph(self):
        folder = tempfile.mkdtemp(prefix="proofd-test-")
        self.addCleanup(shutil.rmtree, folder, True)
        self.browser.downloads(folder)
        tab = self.open("#/g/" + GAME)
        tab.js("document.querySelectorAll('.explorer details').forEach((node) => { node.open = true; })")
        saved = {}
        for text in ("Best play as moves", "Save as JSON", "Save for Graphviz", "Drawing (SVG)"):
            self.press(tab, ".saving", text)
            name = self.browser.downloaded()
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                saved[name.rsplit(".", 1)[1]] = file.read()
        self.assertEqual(saved["txt"].split(), self.server.rpc("fact.line", game=GAME)["line"])
        self.assertEqual(json.loads(saved["json"]), self.server.rpc("proof.tree", game=GAME, depth=3))
        self.assertTrue(saved["dot"].startswith("digraph"), saved["dot"][:100])
        self.assertTrue(saved["svg"].startswith("<svg"), saved["svg"][:100])
        self.press(tab, ".saving", "Verify")
        tab.until("document.querySelector('.saving .status')?.textContent === 'verified'")
        self.look(tab, "verdict")

    def test_two_jobs_are_compared(self):
        other = self.server.rpc("job.submit", game=GAME, memory="16M", algorithm="df-pn")["job"]
        self.server.wait_job(other)
        tab = self.open("#/compare/%d/%d" % (self.solved["job"], other))
        tab.until("document.querySelector('.compare')?.textContent.includes('df-pn')")
        tab.until("document.querySelector('.plot-picture .plot-line')")
        texts = tab.js("[...document.querySelectorAll('.plot-text')].map((text) => text.textContent)")
        self.assertIn("0.0 s", texts)
        self.assertFalse([text for text in texts if ":" in text], "a time of the day is the clock of one job")
        self.look(tab, "compare")

    def test_answers_that_come_late_are_of_no_use(self):
        tab = self.open("#/nowhere")
        self.assertEqual(tab.js(COMPARE), [3000, 4000])
        self.assertEqual(tab.js(PLAYER), [["a"]])
        self.assertEqual(tab.js(EXPLORER), [["", True, True], ["", False, False], ["", False, True]])

    def test_what_goes_wrong_by_itself_is_told(self):
        tab = self.open("#/nowhere")
        state = dict(self.server.rpc("job.get", job=self.solved["job"]), state="paused")
        stats = self.server.rpc("server.stats")
        self.assertEqual(tab.js(FAILING.replace("STATE", json.dumps(state)).replace("STATS", json.dumps(stats))),
                         ["Job.explain went wrong.", "Job.get went wrong.", 9, 1])

    # --- people without a mouse, without good sight, with a phone

    def test_a_walk_by_keyboard_alone(self):
        tab = self.open("#/")
        tab.until("document.querySelector('.list-space [role=row]')")
        seen = []
        while not (seen and seen[-1].startswith("Job ")) and len(seen) < 40:
            tab.key("Tab")
            seen.append(tab.js("(({ activeElement: e }) => e.getAttribute('aria-label') ?? e.textContent)(document)"))
            visible = tab.js("(() => { const style = getComputedStyle(document.activeElement);"
                             "return style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2; })()")
            self.assertTrue(visible, "the focus is not seen at %s" % seen[-1])
        self.assertTrue(seen[-1].startswith("Job "), seen)
        tab.key("End")
        tab.key("Enter")
        tab.until("location.hash.startsWith('#/job/') && document.querySelector('.job-head a')")
        tab.key("x")
        tab.until("location.hash.startsWith('#/g/') && document.querySelector('tr[data-move]')")
        tab.key("m")
        tab.key("ArrowDown")
        move = tab.js("document.activeElement.dataset.move")
        tab.key("Enter")
        tab.until("location.hash.endsWith('/m/%s') && document.querySelector('.path li:nth-child(2)')" % move)
        tab.js("document.querySelector('.board [tabindex=\"0\"]').focus()")
        before = tab.js("document.activeElement.dataset.place")
        tab.key("ArrowRight")
        self.assertNotEqual(tab.js("document.activeElement.dataset.place"), before)
        tab.key("Enter")
        tab.until("document.querySelectorAll('.path li').length === 3")
        tab.js("document.activeElement.blur()")
        tab.key("ArrowLeft")
        tab.until("document.querySelectorAll('.path li').length === 2")
        tab.key("?")
        tab.until("document.querySelector('dialog')?.textContent.includes('Keyboard shortcuts')")
        self.look(tab, "shortcuts")
        tab.key("Escape")
        tab.until("!document.querySelector('dialog')")

    def test_phones_and_dark_screens(self):
        tab = self.open("#/", width=360, height=740)
        for scheme in ("light", "dark"):
            tab.media(prefers_color_scheme=scheme)
            for fragment, there in (("#/", ".list-space [role=row]"),
                                    ("#/job/%d" % self.solved["job"], ".result .line"),
                                    ("#/g/%s/m/1" % GAME, "tr[data-move]"), ("#/submit", ".setup [data-place]"),
                                    ("#/nowhere", "main h1")):
                tab.js("location.hash = %s" % json.dumps(fragment))
                tab.until("document.querySelector(%s)" % json.dumps(there))
                self.assertEqual(tab.js(self.rules), [], "%s %s" % (scheme, fragment))

    # --- servers that go, tokens, strangers

    def test_it_connects_again_by_itself(self):
        with FreePort() as port, Server("--threads", "1", "--http", port.address, "--log", "warn") as server:
            tab = self.visit("http://%s/#/g/mnk:3,3,3" % port.address)
            tab.until("document.querySelector('tr[data-move]')")
            server.kill()
            tab.until("document.querySelector('#link').dataset.state === 'lost'")
            server.start()
            tab.until(READY)
            tab.click("tr[data-move]")
            tab.until("document.querySelectorAll('.path li').length === 2")

    def test_files_of_another_version_are_not_there(self):
        """A page that is still open when a server of another version has come has no part of that one."""
        tab = self.open("#/")
        tab.call("Fetch.enable", patterns=[{"urlPattern": "*/submit.mjs"}])
        tab.js("location.hash = '#/submit'")
        self.browser.read(lambda: tab.paused)
        tab.call("Fetch.fulfillRequest", requestId=tab.paused.pop()["requestId"], responseCode=404)
        tab.until("document.querySelector('main h1').textContent === 'Not loaded'")
        self.look(tab, "not loaded")
        tab.call("Fetch.disable")
        tab.errors.clear()  # the browser has told of the file
        loaded = tab.loaded
        self.press(tab, "main", "Load the page again")
        self.browser.read(lambda: tab.loaded > loaded)
        tab.until("document.querySelector('.setup .board [data-place]')")

    def test_a_story_of_a_script_a_crash_and_the_page(self):
        """A Python script submits three positions, the server is killed and started again, the script has its
        answers; the explorer shows them, and the certificate from the page is verified."""
        questions = {"mnk:3,3,3": "", "connect4:5x4": "", "hex:4": "b2"}
        folder = tempfile.mkdtemp(prefix="proofd-test-")
        self.addCleanup(shutil.rmtree, folder, True)
        self.browser.downloads(folder)
        with FreePort() as port, FreePort() as http_port, Server(
                "--threads", "1", "--http", http_port.address, "--listen", port.address, "--log", "warn") as server:
            with Client(port.address) as client:
                jobs = {client.job.submit(game, position=position, memory="16M", key=game)["job"]: game
                        for game, position in questions.items()}
                server.kill()
                server.start()
                answers = {jobs[job]: client.wait(job)["result"]["value"]["text"] for job in jobs}
            self.assertEqual(answers["mnk:3,3,3"], "draw")
            tab = self.visit("http://%s/" % server.ready["http"])
            for game, position in questions.items():
                tab.js("location.hash = '#/g/%s%s'" % (game, "/p/" + position if position else ""))
                shown = answers[game].replace("second", "white")
                tab.until("document.querySelector('h1').textContent === '%s' && document.querySelector('.verdict')"
                          ".textContent.toLowerCase().includes('%s')" % (game, shown))
            self.press(tab, ".saving", "Certificate")
            name = self.browser.downloaded()
        self.verified(os.path.join(folder, name))

    def test_a_token_is_asked_for(self):
        tokens = tempfile.NamedTemporaryFile("w", prefix="proofd-test-", suffix=".tokens")
        self.addCleanup(tokens.close)
        tokens.write("query abcdefgh12345678\n")
        tokens.flush()
        with Server("--threads", "1", "--http", "127.0.0.1:0", "--token-file", tokens.name, "--log", "warn") as server:
            tab = self.visit("http://%s/" % server.ready["http"])
            tab.until("document.querySelector('dialog.token') && " + HEADING)
            self.look(tab, "token")
            tab.type("wrong")
            tab.key("Enter")
            tab.until("document.querySelector('dialog.token .problem:not(:empty)')")
            tab.type("abcdefgh12345678")
            tab.key("Enter")
            tab.until(READY)
            tab.until("!document.querySelector('dialog')")
            self.assertIn("reading only", tab.js("document.querySelector('#link').textContent"))
            self.look(tab, "with a token")
            tab.click("#logout")
            tab.until("document.querySelector('dialog.token')")

    def test_a_token_that_is_withdrawn_is_asked_for_again(self):
        tokens = tempfile.NamedTemporaryFile("w", prefix="proofd-test-", suffix=".tokens")
        self.addCleanup(tokens.close)

        def write(text):
            tokens.seek(0)
            tokens.truncate()
            tokens.write(text)
            tokens.flush()

        write("submit first-token-12345\n")
        with Server("--threads", "1", "--http", "127.0.0.1:0", "--token-file", tokens.name, "--log", "warn") as server:
            tab = self.visit("http://%s/" % server.ready["http"])
            tab.until("document.querySelector('dialog.token')")
            tab.type("first-token-12345")
            tab.key("Enter")
            tab.until(READY)
            job = server.admin("job.submit", game=LONG, memory="16M")["job"]
            tab.js("location.hash = '#/job/%d'" % job)
            tab.until("document.querySelector('.job-head .pill')?.textContent === 'running'")
            write("query second-token-1234\n")
            server.process.send_signal(signal.SIGHUP)
            tab.until("document.querySelector('dialog.token .problem:not(:empty)')")
            tab.type("second-token-1234")
            tab.key("Enter")
            tab.until(READY + " && !document.querySelector('dialog')")
            tab.until("!document.querySelector('[data-action]')")  # this one only reads
            before = server.admin("job.get", job=job)["nodes"]
            tab.until("Number([...document.querySelectorAll('.strip div')].find((item) => item.textContent.startsWith("
                      "'Nodes')).title.replaceAll(/ of level 1.*|,/g, '')) > %d" % before["level1"])

    def test_a_token_given_while_the_server_is_away(self):
        tokens = tempfile.NamedTemporaryFile("w", prefix="proofd-test-", suffix=".tokens")
        self.addCleanup(tokens.close)
        tokens.write("query abcdefgh12345678\n")
        tokens.flush()
        with FreePort() as port, Server("--threads", "1", "--http", port.address, "--token-file", tokens.name,
                                        "--log", "warn") as server:
            tab = self.visit("http://%s/" % server.ready["http"])
            tab.until("document.querySelector('dialog.token')")
            server.kill()
            tab.until("document.querySelector('#link').dataset.state === 'lost'")
            server.start()
            tab.until("document.querySelector('#link').dataset.state === 'locked'")
            self.assertEqual(tab.js("document.querySelector('dialog.token .problem').textContent"), "")
            server.kill()
            tab.until("document.querySelector('#link').dataset.state === 'lost'")
            tab.type("abcdefgh12345678")
            tab.key("Enter")
            server.start()
            tab.until(READY + " && !document.querySelector('dialog')")
            self.assertEqual(tab.js("document.querySelectorAll('.note.bad').length"), 0)
            self.assertFalse([error for error in tab.errors if "ERR_CONNECTION" not in error], tab.errors)

    def test_a_page_of_another_origin_can_do_nothing(self):
        body = FOREIGN.replace("SERVER", self.address).encode()

        class Stranger(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        stranger = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Stranger)
        thread = threading.Thread(target=stranger.serve_forever)
        thread.start()
        try:
            before, refused = self.server.rpc("job.list", limit=1)["jobs"][0]["job"], self.turned_away()
            tab = self.browser.tab("http://127.0.0.1:%d/" % stranger.server_port)
            told = json.loads(tab.until("document.title !== 'working' && document.title"))
            # That a page cannot read an answer is the browser's doing; that there is none, the server's.
            for name in ("socket", "socket jsonrpc"):
                self.assertEqual(told[name], "refused", told)
            self.assertEqual(self.turned_away() - refused, FOREIGN_REQUESTS, told)
            self.assertIn("a request by a web page of another origin: http://127.0.0.1:%d;" %
                          stranger.server_port, self.server.log())
            self.browser.read(lambda: any("frame-ancestors" in error for error in tab.errors))
            self.assertEqual(self.server.rpc("job.list", limit=1)["jobs"][0]["job"], before)
        finally:
            stranger.shutdown()
            thread.join()
            stranger.server_close()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
