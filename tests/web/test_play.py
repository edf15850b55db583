"""The page of a proof: what proofctl web makes, its rules in Node against those of the server, games of visitors
against certificates in Node and in a browser that opens the page from disk."""

import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
sys.path.insert(0, os.path.join(HERE, "..", "support"))
from chromium import Chromium  # noqa: E402
from effort import EFFORT  # noqa: E402
from pyproofd import TIMEOUT, Server, program  # noqa: E402

WEB = os.path.join(os.path.abspath(ROOT), "clients", "web")
SEED = int(os.environ.get("SEED", "1"))
RULES = ("connect4:5x4", "connect4:7x6", "mnk:3,3,3", "mnk:5,4,3,exact", "mnk:4,4,4,2,1", "mnk:6,6,4", "hex:4",
         "hex:3x5", "domineering:4x5", "breakthrough:4x5", "breakthrough:5x5", "atari-go:3x4", "atari-go:4x4",
         "nogo:4x3", "nim:3,4,5")
PROOFS = (("connect4:5x4", "value"), ("mnk:3,3,3", "value"), ("mnk:4,4,3", "first-wins"), ("mnk:4,4,4,2,1", "value"),
          ("mnk:4,4,3,exact", "value"), ("hex:4", "first-wins"), ("domineering:5x5", "value"),
          ("breakthrough:4x5", "value"), ("atari-go:3x3", "value"), ("nogo:3x3", "value"), ("nim:3,4,5", "value"))
ROUNDS, CLICKED = 100, 100  # games of visitors in Node and in the browser
GOLDEN = os.path.join(ROOT, "tests", "data", "golden", "connect4-5x4.proof4")

# A game in the page: a random move of those that the table offers, until the page says that the game is over.
GAME = """new Promise((done, fail) => {
  const step = () => {
    const broken = document.querySelector(".broken");
    if (broken) return fail(new Error(broken.textContent));
    const turn = document.querySelector(".turn");
    if (turn.classList.contains("over")) return done(turn.textContent);
    const rows = [...document.querySelectorAll("tr[data-move]")];
    rows[Math.floor(Math.random() * rows.length)]?.click();
    setTimeout(step, 0);
  };
  document.querySelector(".steps button").click();
  setTimeout(step, 0);
})"""
OUTCOMES = {"connect4:5x4": {"A draw", "Red wins"}, "hex:4": {"Black wins"}}
PLACE = "document.activeElement.getAttribute('data-place')"


def run(*words, code=0):
    done = subprocess.run([program("proofctl"), *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=TIMEOUT)
    if done.returncode != code:
        raise AssertionError("%s: %d\n%s" % (words, done.returncode, done.stdout))
    return done.stdout


def made(folder, game, claim, *more, name=None):
    """A certificate."""
    title = re.sub(r"\W", "-", "%s-%s" % (game, claim))
    data, cert = os.path.join(folder, title + ".data"), os.path.join(folder, (name or title) + ".cert")
    if not os.path.isdir(data):
        run("solve", game, "--claim", claim, "--detail", "full", "--data", data)
    run("export", game, cert, "--claim", claim, "--data", data, *more)
    return cert


def played(server, game, choice):
    """Positions of a random game, as the rules of the server have them."""
    moves, shown = [], None
    out = []
    while shown is None or shown["legal"]:
        if shown:
            moves.append(choice.choice(shown["legal"])["move"])
        shown = server.rpc("position.show", game=game, moves=moves, data=True)
        out.append({"move": moves[-1] if moves else None, "legal": [legal["move"] for legal in shown["legal"]],
                    "on": shown["diagram"]["on"], "side": shown["diagram"]["side"], "key": shown["key"],
                    "end": shown["value"] if shown["terminal"] else None})
    return [place["name"] for place in shown["geometry"]["places"]], out


class Play(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.dir = tempfile.mkdtemp(prefix="proofd-test-")
        cls.addClassCleanup(shutil.rmtree, cls.dir)
        cls.pages = []
        for game, claim in PROOFS:
            cert = made(cls.dir, game, claim)
            folder = cert[:-len(".cert")] + ".web"
            run("web", cert, folder)
            cls.pages.append(os.path.join(folder, "index.html"))

    def test_rules_and_games(self):
        choice = random.Random(SEED)
        games = []
        with Server("--threads", "1", data=False) as server:
            for game in RULES:
                found = [played(server, game, choice) for _ in range(max(2, EFFORT // 5))]
                games.append({"game": game, "names": found[0][0], "played": [positions for _, positions in found]})
        given = {"web": WEB, "games": games, "pages": self.pages, "rounds": ROUNDS, "seed": SEED}
        done = subprocess.run(["node", os.path.join(HERE, "play.mjs")], input=json.dumps(given), stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=TIMEOUT)
        self.assertEqual(done.returncode, 0, done.stdout)
        print(re.sub(r"(?m)^(?!# ).*\n", "", done.stdout))


    def test_a_strategy_plays(self):
        """The golden certificate is one strategy."""
        folder = os.path.join(self.dir, "strategy")
        told = json.loads(run("web", GOLDEN, folder, "--json"))
        self.assertEqual((told["game"], told["positions"]), ("connect4:5x4", 1))
        self.pages.append(told["page"])
        with Chromium() as browser:
            tab = self.opened(browser, told["page"])
            self.assertIn("the longest line has", tab.js("document.querySelector('main').textContent"))
            self.assertEqual(tab.js("document.querySelectorAll('.weights td').length"), 20)
            for _ in range(10):
                tab.js(GAME)
            self.assertEqual(tab.errors, [])

    def opened(self, browser, page):
        tab = browser.tab()
        tab.media(prefers_reduced_motion="reduce")
        tab.goto("file://" + page)
        tab.until("document.querySelector('.board, .broken')")
        return tab

    def test_in_a_browser_from_disk(self):
        with Chromium() as browser:
            for (game, _), page in zip(PROOFS, self.pages):
                tab = self.opened(browser, page)
                ends = {tab.js(GAME).split(",")[0] for _ in range(CLICKED if game in OUTCOMES else 3)}
                self.assertTrue(ends <= OUTCOMES.get(game, ends), ends)
                self.assertEqual(tab.js("performance.getEntriesByType('resource').length"), 0)
                self.assertEqual(tab.errors, [])

    def test_keys_and_the_saved_certificate(self):
        page = self.pages[0]
        with Chromium() as browser, tempfile.TemporaryDirectory() as saved:
            browser.downloads(saved)
            tab = self.opened(browser, page)
            moves = "document.querySelectorAll('.line-moves li').length"
            tab.js("document.querySelector('[data-place][tabindex=\"0\"]').focus()")
            before = tab.js(PLACE)
            tab.key("ArrowRight")
            self.assertNotEqual(tab.js(PLACE), before)
            tab.key("Enter")
            tab.until(moves + " === 3")
            tab.js("document.activeElement.blur()")
            tab.key("h")
            tab.until("document.querySelectorAll('.mark-text').length > 1")
            tab.key("ArrowLeft")
            tab.until("document.querySelector('.line-moves [aria-current]').textContent.startsWith('1.')")
            tab.key("ArrowRight")
            tab.until("document.querySelector('.line-moves [aria-current]').textContent.startsWith('3.')")
            unnamed = [role for role, name in tab.accessible() if role in ("button", "row", "table") and not name]
            self.assertNotIn("button", unnamed)
            tab.click("#save")
            name = browser.downloaded()
            with open(os.path.join(saved, name), "rb") as one, open(page.replace("index.html", name), "rb") as other:
                self.assertEqual(one.read(), other.read())
            for width in (390, 1280):
                tab.size(width, 800)
                self.assertLessEqual(tab.js("document.documentElement.scrollWidth"), width)
            self.assertEqual(tab.errors, [])

    def test_a_damaged_page_says_so(self):
        with open(self.pages[0], encoding="utf-8") as file:
            text = file.read()
        at = text.index('"certificate":"') + 5000
        broken = os.path.join(self.dir, "broken.html")
        with open(broken, "w", encoding="utf-8") as file:
            file.write(text[:at] + ("A" if text[at] != "A" else "B") + text[at + 1:])
        with Chromium() as browser:
            tab = self.opened(browser, broken)
            self.assertIn("SHA-256", tab.js("document.querySelector('.broken').textContent"))
            self.assertFalse(tab.js("document.querySelector('.board') !== null"))
            self.assertEqual(tab.errors, [])

    def test_the_explorer_saves_a_page(self):
        with Server("--threads", "1", "--http", "127.0.0.1:0") as server, Chromium() as browser, \
                tempfile.TemporaryDirectory() as saved:
            server.wait_job(server.rpc("job.submit", game="connect4:5x4", detail="full", memory="32M")["job"])
            browser.downloads(saved)
            explorer = browser.tab("http://%s/#/g/connect4:5x4/m/2" % server.ready["http"])
            pressed = "[...document.querySelectorAll('.saving button')].find((b) => b.textContent.startsWith('Page'))"
            explorer.until(pressed)
            explorer.js(pressed + ".click()")
            tab = self.opened(browser, os.path.join(saved, browser.downloaded()))
            self.assertTrue(tab.js("document.querySelector('h1').textContent").startswith("Connect Four 5×4: "))
            for _ in range(5):
                tab.js(GAME)
            self.assertEqual(explorer.errors + tab.errors, [])

    def test_what_is_made(self):
        small = made(self.dir, *PROOFS[0], "--compress", name="small")
        plain = made(self.dir, *PROOFS[0])
        folder = os.path.join(self.dir, "small")
        told = json.loads(run("web", small, folder, "--json"))
        self.assertEqual(sorted(os.listdir(folder)), ["index.html", "small.cert"])
        with open(os.path.join(folder, "small.cert"), "rb") as one, open(plain, "rb") as other:
            self.assertEqual(one.read(), other.read())
        self.assertLess(told["page_bytes"] - told["bytes"] * 4 / 3, 101000)
        with open(told["page"], "rb") as one:
            page = one.read()
        again = os.path.join(self.dir, "again")
        made(self.dir, *PROOFS[0], "--web", again, name="small")
        with open(os.path.join(again, "index.html"), "rb") as other:
            self.assertEqual(page, other.read())
        self.assertIn("name another folder", run("web", told["certificate"], folder, code=2))
        with open(plain, "rb") as file:
            data = bytearray(file.read())
        data[-1] ^= 1
        bad = os.path.join(self.dir, "bad.cert")
        with open(bad, "wb") as file:
            file.write(data)
        self.assertIn("does not verify it", run("web", bad, os.path.join(self.dir, "bad"), code=1))
        self.assertEqual(os.listdir(os.path.join(self.dir, "bad")), [])
        full = os.path.join(self.dir, "full")
        os.mkdir(full)
        os.symlink("/dev/full", os.path.join(full, "index.html"))
        self.assertIn("No space left", run("web", small, full, code=1))
        self.assertEqual(os.listdir(full), [])
        run("web", small, folder)  # takes the place of the first
        frontier, data = os.path.join(self.dir, "frontier.cert"), os.path.join(self.dir, "frontier.data")
        run("solve", "hex:4", "--data", data, "-O", "knowledge=no")
        run("export", "hex:4", frontier, "--data", data, "--detail", "frontier", "--cards", "no")
        self.assertIn("--detail full", run("web", frontier, os.path.join(self.dir, "frontier"), code=2))
        other = made(self.dir, "dots:1x1", "value")
        self.assertIn("does not know the rules of dots:1x1", run("web", other, os.path.join(self.dir, "dots"), code=2))
        self.assertIn("is not a certificate", run("web", __file__, os.path.join(self.dir, "none"), code=2))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
