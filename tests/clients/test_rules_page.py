"""solver/games/RULES.md: every built-in game has its section, and what its examples show is what they print.

`test_rules_page.py BUILD_DIRECTORY --write` fills in the output behind each command."""

import json
import os
import re
import shlex
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import TIMEOUT, build_dir, data_dir, program  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(data_dir()))
PAGE = os.path.join(ROOT, "solver", "games", "RULES.md")
PARTS = ("Name", "Position", "Move", "Decided here", "Source")


def page():
    with open(PAGE, encoding="utf-8") as file:
        return file.read()


def proofctl(*words):
    env = {k: v for k, v in os.environ.items() if not k.startswith("PROOFD_")}
    done = subprocess.run([program("proofctl"), *words], capture_output=True, text=True, cwd=ROOT, env=env,
                          stdin=subprocess.DEVNULL, timeout=TIMEOUT)
    if done.returncode:
        raise AssertionError("%s: %s" % (" ".join(words), done.stderr))
    return done.stdout


def sections():
    """{name: text}, in the order of the page."""
    parts = re.split(r"^## (.*)\n", page(), flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def examples(text):
    """(command, lines shown behind it) of the fenced blocks."""
    for block in re.findall(r"^```\n(.*?)^```", text, re.M | re.S):
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, shown = part.partition("\n")
            yield command, shown


def first_lines(command):
    """A position in one line, an answer and its best move: what the page shows of the output."""
    words = shlex.split(command)
    out = proofctl(*words[1:]).splitlines()
    return "".join(line.rstrip() + "\n" for line in out[:1])


class RulesPage(unittest.TestCase):
    def test_every_game_has_its_section(self):
        games = [game["name"] for game in json.loads(proofctl("games", "--json"))["games"]]
        self.assertEqual(list(sections()), games)

    def test_sections_are_complete(self):
        for name, text in sections().items():
            with self.subTest(name):
                self.assertEqual(tuple(re.findall(r"^\* \*\*(.*?):\*\* ", text, re.M)), PARTS)
                self.assertIn("`%s" % name, text)
                commands = [shlex.split(command)[1] for command, _ in examples(text)]
                self.assertIn("position", commands)

    def test_parameters_are_named(self):
        """What the name of a game may have behind it in words is on the page."""
        for game in json.loads(proofctl("games", "--json"))["games"]:
            for word in re.findall(r"\b[a-z]+=[a-z]+\b|\bexact\b", game["params"]):
                self.assertIn(word, sections()[game["name"]], game["name"])

    def test_the_examples_print_what_is_shown(self):
        for name, text in sections().items():
            for command, shown in examples(text):
                with self.subTest(command):
                    words = shlex.split(command)
                    self.assertEqual(words[0], "proofctl")
                    self.assertEqual(words[2].partition(":")[0], name)
                    self.assertTrue(shown)
                    self.assertEqual(shown, first_lines(command))


def write():
    def fill(match):
        return "```\n" + "".join("$ %s\n%s" % (c, first_lines(c)) for c, _ in examples(match[0])) + "```"

    text = re.sub(r"^```\n.*?^```", fill, page(), flags=re.M | re.S)
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    if sys.argv[2:] == ["--write"]:
        write()
    else:
        build_dir()
        unittest.main(argv=sys.argv[:1])
