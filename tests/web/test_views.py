"""What the page shows: nothing of the last game after a bad name, graphs with long names, efforts, plots."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
from page import PageTest, screens  # noqa: E402
from pyproofd import build_dir  # noqa: E402

SCREENS = screens(1000, 360)
CHILDREN = 24
NAME = "%s-%02d"
LONG = "the-name-of-a-position-that-is-as-long-as-names-may-be-in-gra"  # 64 bytes with its number

# The heads and the last cells of a table of two moves with these efforts, and what the last head says of itself.
EFFORTS = """import(new URL("move_table.mjs", document.styleSheets[0].href).href).then(({ MoveTable }) => {
  const status = { kind: "win", word: "wins" };
  const table = new MoveTable(() => {});
  const moves = EFFORTS.map((effort, i) => ({ move: `m${i}`, status, text: "first wins", rank: 3, effort }));
  table.show(moves, "m0", new Map(), true);
  const heads = [...table.node.querySelectorAll("thead th")];
  const last = [...table.node.querySelectorAll("tbody tr")].map((row) => row.lastChild.textContent);
  return [heads.map((head) => head.textContent), last, heads.at(-1).title];
})"""

# How wide the bars of plies are: of a win, of a bound, whose plies are not those of the game, and of a loss.
LENGTHS = """import(new URL("move_table.mjs", document.styleSheets[0].href).href).then(({ MoveTable }) => {
  const table = new MoveTable(() => {});
  const moves = [["win", 3], ["half", 300], ["loss", 6]].map(([kind, rank]) =>
    ({ move: kind, status: { kind, word: kind }, text: "", rank, effort: 0 }));
  table.show(moves, "win");
  return [...table.node.querySelectorAll("td.length")].map((cell) => cell.querySelector("span span")?.style.width);
})"""

# Draws a plot of bytes from some kinds of sizes and of times; the labels stand in the page until it is closed.
PLOTS = """import(new URL("plot.mjs", document.styleSheets[0].href).href).then(async ({ Plot }) => {
  const { bytes } = await import(new URL("format.mjs", document.styleSheets[0].href).href);
  const frame = document.createElement("div");
  frame.className = "plots";
  document.querySelector("main").append(frame);
  const marks = [];
  for (const most of [900, 1e6, 1023 * 1024, 3.9e6, 1e9, 1.1e12])
    for (const seconds of [0.2, 4, 700, 5e4, 2.9e5, 1e7]) {
      const plot = new Plot({ title: "Disk", lines: ["disk"], format: bytes });
      frame.append(plot.node);
      plot.show([{ t: 1.8e12, v: [most / 2] }, { t: 1.8e12 + 1000 * seconds, v: [most] }]);
      marks.push(plot);
    }
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  return [...frame.querySelectorAll(".plot-text[text-anchor=end]")].map((text) => text.textContent)
    .filter((text) => text.includes("B"));
})"""

# How the lines of each plot of the page are drawn: its colour and whether it is dashed, in the legend and in the plot.
LOOKS = """[...document.querySelectorAll(".plot")].map((plot) => [
  [...plot.querySelectorAll(".plot-key")].map((key) => {
    const { borderTopColor, borderTopStyle } = getComputedStyle(key, "::before");
    return [key.textContent, borderTopColor, borderTopStyle === "dashed"];
  }),
  [...plot.querySelectorAll(".plot-line")].map((line) => {
    const { stroke, strokeDasharray } = getComputedStyle(line);
    return [stroke, strokeDasharray !== "none"];
  })])"""

# What the page of a job says of it when its history began three hours ago.
TREND = """import(new URL("job.mjs", document.styleSheets[0].href).href).then(async ({ open }) => {
  const points = [[180, 1, 1], [60, 100, 50]].map(([ago, pn, dn]) =>
    ({ t: Date.now() - ago * 60e3, event: "checkpoint", nodes: 0, pn, dn, entries: 0, facts: 0 }));
  const replies = { "job.history": { points }, "job.explain": { text: "one thread works on it" } };
  const page = open({ job: 1 }, {
    state: "ready", hello: { features: [], role: "query" }, addEventListener() {}, removeEventListener() {},
    watch: (_, then) => (queueMicrotask(() => then(STATE)), () => {}),
    call: async (method) => replies[method] ?? Promise.reject(new Error(method)),
  });
  await new Promise((done) => setTimeout(done, 100));
  page.close();
  return [page.why, page.trend].map((one) => one.textContent);
})"""

# On how many lines proof and disproof number of a job are while they are long.
LINES = """[...document.querySelectorAll(".strip div")].map((box) => [...box.children])
  .filter(([name]) => /pn|dn/.test(name.textContent)).map(([name, value]) => {
    value.textContent = value.textContent.replaceAll(/[\\d∞]+/g, "9,999 k");
    const range = document.createRange();
    range.selectNodeContents(value);
    return [name.textContent, range.getClientRects().length];
  })"""


class Views(PageTest):
    @classmethod
    def setUpClass(cls):
        cls.graphs = tempfile.mkdtemp(prefix="proofd-test-")
        cls.addClassCleanup(shutil.rmtree, cls.graphs, True)
        names = [NAME % (LONG, i) for i in range(CHILDREN)]
        with open(os.path.join(cls.graphs, "wide.json"), "w", encoding="utf-8") as file:
            json.dump({"root": "root", "nodes": dict({name: {"value": 1} for name in names}, root={"or": names})}, file)
        cls.options = ("--graphs", cls.graphs, "--game-dir", os.path.join(build_dir(), "tests", "plugins", "fill"))
        super().setUpClass()

    def test_the_explorer_shows_nothing_of_the_last_position_after_an_error(self):
        tab = self.open("#/g/hex:4/p/b2")
        inputs = "document.querySelector('.search input').value"
        for bad, wanted in (("hex:99", "hex:99"), ("hex:4/p/z9", "hex:4 z9"), ("nothing", "nothing")):
            tab.js("location.hash = '#/g/hex:4/p/b2'")
            tab.until("document.querySelector('.explorer').getClientRects().length && "
                      "document.querySelector('.problem').textContent === ''")
            self.assertEqual(tab.js(inputs), "hex:4 b2")
            tab.js("location.hash = '#/g/%s'" % bad)
            tab.until("document.querySelector('.problem:not(:empty)')")
            self.assertEqual(tab.js(inputs), wanted)
            self.assertFalse(tab.js("document.querySelector('.explorer').getClientRects().length > 0"), bad)
            for key in (" ", "ArrowRight"):
                tab.key(key)
            self.assertEqual(tab.js("location.hash"), "#/g/" + bad)
            self.keeps_the_rules(tab)

    def test_the_form_shows_nothing_of_the_last_game_after_an_error(self):
        tab = self.open("#/submit?game=hex:4")
        put = "(() => { const input = document.querySelectorAll('main form input')[%d]; input.value = '%s';" \
              "input.dispatchEvent(new Event('input')); })()"
        board = "document.querySelector('.setup').getClientRects().length > 0"
        notation = "document.querySelectorAll('main form input')[1].parentElement.querySelector('.hint').textContent"
        fault = "document.querySelectorAll('main form input')[%d].getAttribute('aria-invalid') === 'true'"
        for bad in ("hex:99", "nothing"):
            tab.until(board + " && " + notation)
            tab.js(put % (0, bad))
            tab.until(fault % 0)
            self.assertEqual((tab.js(board), tab.js(notation)), (False, ""))
            tab.js(put % (0, "hex:4"))
        tab.until(board + " && " + notation)
        tab.js(put % (1, "z9"))
        tab.until(fault % 1)
        self.assertFalse(tab.js(board))
        self.assertTrue(tab.js(notation))
        tab.js(put % (1, "b2"))
        tab.until(board)
        self.assertFalse(tab.js(fault % 1))

    def test_long_names_of_a_graph_are_read_whole(self):
        job = self.solve("andor:wide", detail="full")
        for scheme, size in SCREENS:
            tab = self.open("#/g/andor:wide", **size)
            tab.media(prefers_color_scheme=scheme, prefers_reduced_motion="reduce")
            tab.until("document.querySelectorAll('tr[data-move]').length === %d" % CHILDREN)
            self.assertEqual(tab.js("[...document.querySelectorAll('.explorer .picture, .explorer .right .scroll')]"
                                    ".map((node) => node.scrollWidth > node.clientWidth)"), [False, False])
            self.keeps_the_rules(tab)
            tab.js("location.hash = '#/job/%d'" % job)
            tab.until("document.querySelector('.result .line')")
            self.keeps_the_rules(tab)

    def test_a_plug_in_has_board_records_and_form(self):
        self.solve("fill:3")
        tab = self.open("#/g/fill:3")
        tab.until("document.querySelectorAll('tr[data-move]').length === 3")
        self.assertEqual(tab.js("document.querySelectorAll('.explorer svg.board [data-place]').length"), 3)
        self.assertEqual(tab.js("[...document.querySelectorAll('.saving button')].map((node) => node.textContent)"
                                ".filter((text) => text.startsWith('Best play'))"),
                         ["Best play as moves", "Best play as SGF"])
        tab = self.open("#/submit?game=fill:3")
        tab.until("[...document.querySelectorAll('.submit option')].some((node) => node.value === 'fill')")
        hello = self.server.rpc("server.hello")
        self.assertEqual(tab.js("[...document.querySelectorAll('.submit option')].map((node) => node.value)"
                                ".filter((name) => %s.includes(name))" % json.dumps(
                                    [row["name"] for row in hello["algorithms"]])),
                         [row["name"] for row in hello["algorithms"]])

    def test_why_a_theorem_decides_a_position(self):
        there = "document.querySelector('.why button')?.getClientRects().length > 0"
        marks = "[...document.querySelectorAll('.board .mark-text')].map((mark) => mark.textContent).join('')"
        tab = self.open("#/g/connect4:5x4/p/2215511224")
        tab.until(there)
        shown = self.server.rpc("position.show", game="connect4:5x4", position="2215511224")
        [theorem] = shown["theorems"]
        text = tab.js("document.querySelector('.why').textContent")
        self.assertIn("Theorem T1 (follow-up): second wins or draw within 10 plies", text)
        self.assertIn("no fact has it", text)
        self.assertEqual(tab.js(marks), "")
        tab.js("document.querySelector('.why button').click()")
        self.assertEqual(tab.js("document.querySelector('#why p').textContent"), theorem["text"])
        self.assertEqual(tab.js("document.querySelector('#live').textContent"), theorem["text"])
        self.assertEqual(tab.js("document.querySelector('.groups').textContent"), "1 1.4 4.2")
        self.assertEqual(tab.js(marks), "11")
        self.assertEqual(tab.js("document.querySelector('[data-place=\"15\"]').getAttribute('aria-label')"),
                         "place 16, empty, group 1")
        for scheme in ("light", "dark"):
            tab.media(prefers_color_scheme=scheme, prefers_reduced_motion="reduce")
            self.keeps_the_rules(tab)
        # The key does what the button does; what is open stays open from position to position.
        tab.js("document.activeElement.blur()")
        tab.key("w")
        self.assertEqual(tab.js("[document.querySelector('.why button').ariaExpanded, document.querySelector('#why')"
                                ".hidden, %s]" % marks), ["false", True, ""])
        tab.key("w")
        tab.js("location.hash = '#/g/mnk:5,5,5'")
        tab.until("document.querySelector('#why p').textContent.startsWith('Each line')")
        self.assertGreater(len(tab.js(marks)), 0)
        self.keeps_the_rules(tab)
        # Where nothing is known by a theorem there is nothing to open.
        tab.js("location.hash = '#/g/nogo:3x3'")
        tab.until("document.querySelector('.why').hidden")
        tab.key("w")
        self.assertEqual(tab.js("document.querySelector('#live').textContent"),
                         "No theorem of the game decides this position")

    def test_efforts_are_said_where_there_are_any(self):
        tab = self.open("#/nowhere")
        heads = ["Move", "Mover", "Value", "Plies", "Length"]
        self.assertEqual(tab.js(EFFORTS.replace("EFFORTS", "[0, 0]"))[:2], [heads, ["", ""]])
        shown, last, title = tab.js(EFFORTS.replace("EFFORTS", "[0, 1234]"))
        self.assertEqual((shown, last), (heads + ["Effort"], ["", "1,234"]))
        self.assertIn("search that finds the value again", title)
        self.assertEqual(tab.js(LENGTHS), ["50%", None, "100%"])

    def test_labels_of_plots_are_whole_and_round(self):
        for scheme, size in SCREENS:
            tab = self.open("#/nowhere", **size)
            tab.media(prefers_color_scheme=scheme, prefers_reduced_motion="reduce")
            ticks = tab.js(PLOTS)
            self.keeps_the_rules(tab)
            leading = {text.split()[0].replace(".", "").rstrip("0") for text in ticks}
            self.assertLessEqual(leading, {"", "1", "2", "3", "4", "5", "6", "25", "512"})
            self.assertGreater(len(ticks), 100)

    def test_plots_of_a_job_have_one_axis_and_one_cursor(self):
        job = self.server.rpc("job.submit", game="hex:9", memory="16M")["job"]
        self.addCleanup(self.server.rpc, "job.cancel", job=job)
        tab = self.open("#/job/%d" % job)
        cursors = "[...document.querySelectorAll('.stack .plot-cursor')].map((line) => line.getAttribute('x1'))"
        tab.until("document.querySelectorAll('.stack .plot:not([hidden]) .plot-line').length === 6")
        self.server.rpc("job.pause", job=job)
        tab.until("document.querySelector('.stack .plot-event')?.textContent.startsWith('paused')")
        self.assertEqual(tab.js("document.querySelectorAll('.stack .axis').length"), 1)
        self.assertEqual(tab.js(cursors), [])
        for scheme, size in SCREENS:
            tab.size(size["width"], size["height"])
            tab.media(prefers_color_scheme=scheme, prefers_reduced_motion="reduce")
            tab.js("document.querySelectorAll('.stack .plot-picture')[1].focus()")
            for _ in range(3):
                tab.key("ArrowLeft")
            tab.until(cursors + ".length === 5")
            self.assertEqual(len(set(tab.js(cursors))), 1)
            self.assertRegex(tab.js("document.querySelector('.stack h2 small').textContent"), r"^at \d{4}-")
            self.assertRegex(tab.js("document.querySelectorAll('.plot-reading')[2].textContent"), r"^facts \d")
            self.keeps_the_rules(tab)
            tab.js("document.activeElement.blur()")
            tab.until(cursors + ".length === 0")
            self.keeps_the_rules(tab)

    def test_a_job_is_named_and_copied_as_a_command(self):
        heading = "document.querySelector('h1').textContent"
        asked = {"position": "4k4/9/4P4/9/9/9/9/9/4K4 b G2r2b3g4s4n4l17p 1", "claim": "first-wins", "memory": 3 << 20,
                 "options": {"epsilon": 0.5, "knowledge": False}, "detail": "full", "threads": 1, "seed": 7,
                 "budget": {"nodes": 1000, "cpu": 2.5}, "priority": -2, "group": "night", "tags": ["one", "two"]}
        job = self.server.rpc("job.submit", game="tsume", **asked, label="the last gold")["job"]
        tab = self.open("#/job/%d" % job, width=390, height=844)
        tab.until(heading + " === 'tsume, the last gold: does First win?'")
        tab.js("navigator.clipboard.writeText = (text) => Promise.resolve(window.copied = text)")
        self.press(tab, "Copy as command")
        tab.until("document.querySelector('#notes .good')?.textContent.startsWith('The command was copied.')")
        self.keeps_the_rules(tab)
        env = dict(os.environ, PATH=build_dir() + ":" + os.environ["PATH"],
                   PROOFD_SERVER="%s:%d" % self.server.address)
        told = subprocess.run(["sh", "-c", tab.js("window.copied") + " --key again"], check=True, env=env,
                              stdout=subprocess.PIPE).stdout
        self.assertNotEqual(int(told), job)
        jobs = [self.server.rpc("job.get", job=number) for number in (job, int(told))]
        for name in ("game", "algorithm", "budget", *asked):
            self.assertEqual(jobs[0].get(name), jobs[1].get(name), name)
        self.assertEqual(jobs[0]["position"], asked["position"])
        tab.js("navigator.clipboard.writeText = () => Promise.reject(new Error())")
        self.press(tab, "Copy as command")
        tab.until("document.querySelector('#notes .bad')?.textContent.includes('--claim first-wins')")
        # A position that is a few moves is named by them, any other by its board alone.
        job = self.solve("hex:4", position="b2 c3")
        tab.js("location.hash = '#/job/%d'" % job)
        tab.until(heading + " === 'hex:4, b2 c3: what is its value?'")

    def test_a_job_that_runs_tells_its_trend(self):
        job = self.server.rpc("job.submit", game="hex:9", memory="16M")["job"]
        self.addCleanup(self.server.rpc, "job.cancel", job=job)
        state = dict(self.server.rpc("job.get", job=job), state="running", pn=100, dn=600)
        tab = self.open("#/nowhere")
        said = "One thread works on it."
        self.assertEqual(tab.js(TREND.replace("STATE", json.dumps(state))),
                         [said, "In the last hour pn has hardly changed and dn has grown by a factor of 12."])
        state["value"]["text"] = "first wins or draw"  # the numbers of then are of another threshold
        self.assertEqual(tab.js(TREND.replace("STATE", json.dumps(state))), [said, ""])

    def test_letters_of_a_game_with_hands_are_letters(self):
        """Only men of shogi are drawn as wedges."""
        tab = self.open("#/nowhere")
        drawn = tab.js("""import(new URL("board.mjs", document.styleSheets[0].href).href).then(({ Board }) =>
          ["black lance", "black box"].map((name) => {
            const piece = { letter: "L", name, side: 0, look: "letter" };
            const place = { x: 0, y: 0, shape: "square", shade: 0, name: "a1" };
            const board = new Board();
            board.show({ geometry: { sides: [{}, {}], hands: true, places: [place], pieces: [piece], strokes: [],
              labels: [] }, diagram: { on: "L", hands: "/", last: [], playable: [] } });
            return board.node.querySelectorAll("path").length;
          }))""")
        self.assertEqual(drawn, [1, 0])

    def test_a_job_that_is_compared_has_one_colour(self):
        jobs = [self.solve("connect4:4x4", algorithm=name) for name in ("pds-pn", "df-pn")]
        for scheme, size in SCREENS:
            tab = self.open("#/compare/%d/%d" % tuple(jobs), **size)
            tab.media(prefers_color_scheme=scheme, prefers_reduced_motion="reduce")
            tab.until("document.querySelectorAll('.plot-line').length === 8")
            looks = tab.js(LOOKS)
            colours = {"left": set(), "right": set()}
            for keys, lines in looks:
                self.assertEqual([key[1:] for key in keys], lines)
                for name, colour, dashed in keys:
                    colours[name.split()[0]].add(colour)
                    self.assertEqual(dashed, name.endswith("dn"))
            self.assertEqual([len(of) for of in colours.values()], [1, 1], looks)
            self.assertNotEqual(colours["left"], colours["right"])
            self.keeps_the_rules(tab)

    def test_places_on_a_phone_have_icons(self):
        shown = "[...document.querySelectorAll('.top nav a:not([hidden])')].map((place) => " \
                "[place.offsetHeight >= 44, place.querySelector('svg').clientHeight > 18])"
        tab = self.open("#/", width=360, height=740)
        self.assertEqual(tab.js(shown), 4 * [[True, True]])  # large enough to press
        self.keeps_the_rules(tab)
        tab.size(1280, 800)
        self.assertEqual([icon for _, icon in tab.js(shown)], 4 * [False])

    def test_a_number_is_on_one_line(self):
        job = self.solve("connect4:4x4")
        for _, size in SCREENS[:2]:
            tab = self.open("#/job/%d" % job, **size)
            tab.until("document.querySelector('.job-head .pill')?.textContent === 'solved'")
            self.assertEqual(tab.js(LINES), [[name, 1] for name in ("pn", "dn")])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
