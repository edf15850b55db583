"""The pictures of the gallery are what proofctl draws today.

`./dev gallery` (this file with BUILD --write) draws them again. Those of the page are copied from ./dev pictures.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import TIMEOUT, build_dir, data_dir, program  # noqa: E402

CLIENTS = os.path.join(os.path.dirname(os.path.dirname(data_dir())), "clients")
GALLERY = os.path.join(CLIENTS, "gallery")
POSITIONS = {
    "antichess": ["antichess", "--moves", "e3 e5 Qh5 Nf6"],
    "atari-go": ["atari-go:5x5", "--moves", "c3 b3 c2 b2 b4"],
    "breakthrough": ["breakthrough:5x5"],
    "chess-mate": ["chess-mate", "6k1/5ppp/8/8/8/8/5PPP/4R1K1 w - -", "--moves", "Re8#"],
    "connect4": ["connect4:7x6", "--moves", "4444433"],
    "domineering": ["domineering:6x6", "--moves", "b2b3 d5e5 e1e2"],
    "dots": ["dots:3x3", "--moves", "a1b1 b1b2 b2a2 a2a1 c3d3"],
    "hex": ["hex:6", "--moves", "c3b4d2e3"],
    "loa": ["loa:8"],
    "mnk": ["mnk:5,5,4", "--moves", "c3 b2 d4"],
    "nim": ["nim:3,4,5"],
    "nogo": ["nogo:5x5", "--moves", "c3 b2 d4 b4"],
    "othello": ["othello:8", "--moves", "f5d6c3d3c4"],
    "uttt": ["uttt", "--moves", "ea ae ei"],
}


def proofctl(*words):
    done = subprocess.run(
        [program("proofctl"), *words], capture_output=True, text=True, timeout=TIMEOUT, stdin=subprocess.DEVNULL
    )
    if done.returncode:
        raise AssertionError("proofctl %s: %s" % (" ".join(words), done.stderr))
    return done.stdout


def drawings():
    """The text of each drawing by its name."""
    made = {name: proofctl("position", *words, "--svg", "-") for name, words in POSITIONS.items()}
    with tempfile.TemporaryDirectory(prefix="proofctl-test-") as place:
        data = os.path.join(place, "proofs")
        proofctl("solve", "hex:4", "--data", data)
        made["hex-line"] = proofctl("line", "hex:4", "--data", data, "--svg", "-")
    return made


class Gallery(unittest.TestCase):
    def test_the_drawings_are_those_of_today(self):
        for name, text in drawings().items():
            with self.subTest(name), open(os.path.join(GALLERY, name + ".svg"), encoding="utf-8") as file:
                self.assertEqual(file.read(), text, "run ./dev gallery")

    def test_it_has_every_game_with_a_board(self):
        games = {game["name"] for game in json.loads(proofctl("games", "--json"))["games"]}
        self.assertGreater(len(games), 10)
        self.assertEqual(set(POSITIONS), games - {"andor"})

    def test_the_page_shows_all_of_them(self):
        with open(os.path.join(CLIENTS, "GALLERY.md"), encoding="utf-8") as file:
            shown = set(re.findall(r"\(gallery/([^)]+)\)", file.read()))
        self.assertEqual(shown, set(os.listdir(GALLERY)))


if __name__ == "__main__":
    build_dir()
    if "--write" in sys.argv:
        for one, drawing in drawings().items():
            with open(os.path.join(GALLERY, one + ".svg"), "w", encoding="utf-8") as out:
                out.write(drawing)
    else:
        unittest.main(argv=sys.argv[:1])
