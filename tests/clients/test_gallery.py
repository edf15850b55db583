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
PAGE = os.path.join(CLIENTS, "GALLERY.md")
GAMES = os.path.join(data_dir(), "games")


def proofctl(*words):
    done = subprocess.run(
        [program("proofctl"), *words], capture_output=True, text=True, timeout=TIMEOUT, stdin=subprocess.DEVNULL
    )
    if done.returncode:
        raise AssertionError("proofctl %s: %s" % (" ".join(words), done.stderr))
    return done.stdout


def positions():
    """{name: (full name, position, moves, caption)} of the rows `draw`, in the order of the games."""
    rows = {}
    for game in json.loads(proofctl("games", "--json"))["games"]:
        with open(os.path.join(GAMES, game["name"] + ".tsv"), encoding="utf-8") as file:
            lines = [line.rstrip("\n").split("\t") for line in file]
        rows.update((game["name"], line[1:]) for line in lines if line[0] == "draw")
    return rows


def drawings():
    """The text of each drawing by its name."""
    made = {
        name: proofctl("position", game, position, "--moves", moves, "--svg", "-")
        for name, (game, position, moves, _) in positions().items()
    }
    with tempfile.TemporaryDirectory(prefix="proofctl-test-") as place:
        data = os.path.join(place, "proofs")
        proofctl("solve", "hex:4", "--data", data)
        made["hex-line"] = proofctl("line", "hex:4", "--data", data, "--svg", "-")
    return made


def page(text):
    """GALLERY.md with its table of boards."""
    cells = [
        "![%s](gallery/%s.svg) `%s` |" % (caption, name, game) for name, (game, _, _, caption) in positions().items()
    ]
    rows = ["| " + " ".join(cells[i : i + 3]) for i in range(0, len(cells), 3)]
    table = "## Boards\n\n| | | |\n| --- | --- | --- |\n%s\n\n" % "\n".join(rows)
    return re.sub(r"## Boards\n.*?(?=^## )", lambda _: table, text, flags=re.S | re.M)


class Gallery(unittest.TestCase):
    def test_the_drawings_are_those_of_today(self):
        for name, text in drawings().items():
            with self.subTest(name), open(os.path.join(GALLERY, name + ".svg"), encoding="utf-8") as file:
                self.assertEqual(file.read(), text, "run ./dev gallery")

    def test_the_page_shows_all_of_them(self):
        with open(PAGE, encoding="utf-8") as file:
            text = file.read()
        self.assertEqual(page(text), text, "run ./dev gallery")
        self.assertEqual(set(re.findall(r"\(gallery/([^)]+)\)", text)), set(os.listdir(GALLERY)))


if __name__ == "__main__":
    build_dir()
    if "--write" in sys.argv:
        for one, drawing in drawings().items():
            with open(os.path.join(GALLERY, one + ".svg"), "w", encoding="utf-8") as out:
                out.write(drawing)
        with open(PAGE, "r+", encoding="utf-8") as out:
            shown = page(out.read())
            out.seek(0)
            out.write(shown)
            out.truncate()
    else:
        unittest.main(argv=sys.argv[:1])
