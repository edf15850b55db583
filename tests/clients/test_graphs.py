"""Graphs as people write them (proto/GRAPH.md): the example's generator, solved and checked with its known answers; the
examples of the page; JSON and lines are one game."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import TIMEOUT, RpcError, Server, build_dir, data_dir, program  # noqa: E402

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
BIG = os.path.join(ROOT, "tests", "bench", "graph.py")
COINS = os.path.join(ROOT, "clients", "examples", "coins.py")


def run(name, *words, code=0):
    done = subprocess.run(
        [program(name), *words], capture_output=True, text=True, timeout=TIMEOUT, stdin=subprocess.DEVNULL
    )
    if done.returncode != code:
        raise AssertionError("%s: exit code %d\n%s%s" % (words, done.returncode, done.stdout, done.stderr))
    return done.stdout + done.stderr


def as_lines(text):
    """A JSON graph in the line format."""
    graph = json.loads(text)
    lines = ["values %d %d" % tuple(graph.get("values", [-1, 1])), "root " + graph["root"]]
    if "infinite" in graph:
        lines.insert(1, "infinite %d" % graph["infinite"])
    for name, node in graph["nodes"].items():
        ((kind, what),) = node.items()
        lines.append("%s = %d" % (name, what) if kind == "value" else "%s %s %s" % (name, kind, " ".join(what)))
    return "\n".join(lines) + "\n"


class Graphs(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="proofd-graphs-")
        self.addCleanup(shutil.rmtree, self.dir)
        self.data = os.path.join(self.dir, "data")
        self.here = ["--graphs", self.dir]

    def write(self, name, text):
        with open(os.path.join(self.dir, name), "w", encoding="utf-8") as file:
            file.write(text)

    def solve(self, game, *words):
        answer = json.loads(run("proofctl", "solve", game, *self.here, "--json", *words).splitlines()[-1])
        self.assertEqual(answer["value"]["lo"], answer["value"]["hi"])
        return answer

    def facts(self, game):
        """What is known of the root, without a search."""
        return json.loads(run("proofctl", "query", game, *self.here, "--data", self.data, "--json"))

    def verified(self, game):
        """The value that a certificate proves."""
        proof = os.path.join(self.dir, "proof")
        run("proofctl", "export", game, proof, *self.here, "--data", self.data)
        answer = json.loads(run("proofcheck", "--json", proof))
        self.assertEqual(answer["verdict"], "verified")
        self.assertEqual(answer["lo"], answer["hi"])
        return answer["lo"]

    def test_the_false_coin(self):
        """Dyson: W weighings suffice for 3 to (3^W - 3) / 2 coins."""
        for coins, left in (3, 2), (4, 2), (6, 3), (12, 3), (13, 3):
            with self.subTest(coins=coins, weighings=left):
                words = [sys.executable, COINS, str(coins), str(left)]
                made = subprocess.run(words, capture_output=True, text=True, check=True)
                self.write("c%d.graph" % coins, made.stdout)
                game = "andor:c%d" % coins
                known = 1 if 3 <= coins <= (3**left - 3) // 2 else -1
                answer = self.solve(game, "--data", self.data, "--detail", "full")
                self.assertEqual(answer["value"]["lo"], known)
                self.assertEqual(self.verified(game), known)

    def test_json_and_lines_are_one_game(self):
        """Facts found with one file answer questions about the other, without a search."""
        names = [name[:-5] for name in sorted(os.listdir(data_dir("andor"))) if name.endswith(".json")]
        names.remove("double-moves")  # it lists a child twice, which is refused
        self.assertGreater(len(names), 5)
        for name in names:
            with self.subTest(name), open(data_dir("andor", name + ".json"), encoding="utf-8") as file:
                text = file.read()
                self.write(name + ".json", text)
                game = "andor:" + name
                before = self.solve(game, "--data", self.data, "--detail", "full")
                os.unlink(os.path.join(self.dir, name + ".json"))
                self.write(name + ".graph", as_lines(text))
                found = self.facts(game)
                self.assertEqual((found["lo"], found["hi"]), (before["value"]["lo"], before["value"]["hi"]))
                if json.loads(text)["nodes"][json.loads(text)["root"]].get("value") is None:
                    self.assertEqual(self.verified(game), before["value"]["lo"])
                self.write(name + ".graph", as_lines(text) + "one-more = %d\n" % before["value"]["lo"])
                if found["source"] == "fact":
                    self.assertIn(self.facts(game)["source"], ("none", "rules"))  # another game

    def test_the_examples_of_the_page(self):
        with open(os.path.join(ROOT, "proto", "GRAPH.md"), encoding="utf-8") as file:
            page = file.read()
        first = re.search(r"^\$ cat graphs/first.graph\n(.*?)^\$", page, re.M | re.S).group(1)
        again = re.search(r"^```json\n(.*?)^```", page, re.M | re.S).group(1)
        self.write("first.graph", first)
        self.write("again.json", again)
        for name in "first", "again":
            self.assertEqual(self.solve("andor:" + name)["value"]["lo"], 0)
        printed = run("proofctl", "solve", "andor:first", *self.here)
        for line in re.search(r"first --graphs graphs\n(.*?)^```", page, re.M | re.S).group(1).splitlines():
            self.assertIn(line, printed)

    def test_a_layered_graph_is_worth_what_it_is_from_the_last_layer_back(self):
        """Two small ones of `./dev graph`, one of each value, from the file to the verdict."""
        for seed, value in ((1, 1), (2, -1)):
            where = os.path.join(self.dir, "big%d" % seed)
            words = [sys.executable, BIG, build_dir(), "--layers", "6", "--width", "200", "--memory", "16M"]
            done = subprocess.run(words + ["--seed", str(seed), "--keep", where], capture_output=True, text=True,
                                  timeout=TIMEOUT, stdin=subprocess.DEVNULL)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertIn(" value %d |" % value, done.stdout)
            self.assertIn(" value %d to %d |" % (value, value), done.stdout)
            self.assertIn(" VERIFIED |", done.stdout)

    def test_a_bad_file_says_where(self):
        self.write("bad.graph", "A or B\nB and C\n")
        printed = run("proofctl", "solve", "andor:bad", *self.here, code=2)
        self.assertIn("line 2 of the graph: 'C' is a child, but no line begins with it", printed)
        self.write("bad.json", "{}")
        self.assertIn("two graphs 'bad'", run("proofctl", "perft", "andor:bad", "1", *self.here, code=2))

    def test_many_clients_ask_for_a_graph_that_is_being_read(self):
        count = 200000
        nodes = ["n%d %s n%d n%d" % (i, "or" if i % 2 else "and", i + 1, i + 2) for i in range(count)]
        self.write("long.graph", "\n".join(nodes) + "\nn%d = 1\nn%d = -1\n" % (count, count + 1))
        with Server("--graphs", self.dir, "--threads", "1") as server:
            clients = [server.connect() for _ in range(8)]
            asked = [c.ask("fact.query", game="andor:long", positions=["n%d" % i]) for i, c in enumerate(clients)]
            for client, number in zip(clients, asked):
                self.assertEqual(len(client.reply(number)["facts"]), 1)
                client.close()
            shown = server.rpc("position.show", game="andor:long", position="n7")
            self.assertEqual(len(shown["moves"]), 2)
            with self.assertRaises(RpcError):
                server.rpc("position.show", game="andor:long", position="n%d" % (count + 2))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
