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
MARK = '<script type="application/json" id="proof">'

# A game in the page: a random move of those that the table offers, until the board says that the game is over.
GAME = """new Promise((done, fail) => {
  const step = () => {
    const turn = document.querySelector(".turn");
    const rows = [...document.querySelectorAll("tr[data-move]")];
    if (document.querySelector(".broken")) return fail(new Error(document.querySelector(".broken").textContent));
    if (turn.classList.contains("over")) return done(turn.textContent);
    if (rows.length) rows[Math.floor(Math.random() * rows.length)].click();
    setTimeout(step, 0);
  };
  step();
})"""


def run(*words, code=0):
    done = subprocess.run([program("proofctl"), *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=TIMEOUT)
    if done.returncode != code:
        raise AssertionError("%s: %d\n%s" % (words, done.returncode, done.stdout))
    return done.stdout


def made(folder, game, claim, *more):
    """A certificate."""
    name = re.sub(r"\W", "-", "%s-%s" % (game, claim))
    data, cert = os.path.join(folder, name + ".data"), os.path.join(folder, name + ".cert")
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


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
