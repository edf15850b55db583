"""proof.tree: every node follows from the rules and the facts, what is missing is counted, and Graphviz can read
it."""

import os
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))

from effort import whole  # noqa: E402
from pyproofd import RpcError, Server, build_has, data_dir, program  # noqa: E402

WHOLE = {"depth": 1000, "nodes_max": 10000}
TOKEN = re.compile(r'\s*(?:(?P<word>[A-Za-z_][A-Za-z_0-9]*|[0-9]+|"(?:[^"\\]|\\.)*")|(?P<sign>->|[{}\[\];,=]))')


def dot_tokens(text):
    at, out = 0, []
    text = text.rstrip()
    while at < len(text):
        found = TOKEN.match(text, at)
        if not found:
            raise AssertionError("no token of DOT: %r" % text[at:at + 40])
        out.append(found.group("word") or found.group("sign"))
        at = found.end()
    return out


def read_dot(text):
    """The names of nodes with a label of their own, and the edges; an AssertionError when it is no graph."""
    tokens = dot_tokens(text)
    if tokens[:3] != ["digraph", "proof", "{"] or tokens[-1] != "}":
        raise AssertionError("no digraph")
    nodes, edges, at = set(), [], 3
    while at < len(tokens) - 1:
        end = tokens.index(";", at)
        statement, at = tokens[at:end], end + 1
        name, rest = statement[0], statement[1:]
        if rest[:1] == ["->"]:
            edges.append((name, rest[1]))
            rest = rest[2:]
        elif name not in ("graph", "node", "edge"):
            nodes.add(name)
        if rest[0] != "[" or rest[-1] != "]":
            raise AssertionError("no attributes: %r" % statement)
        for attribute in range(1, len(rest) - 1, 4):
            if rest[attribute + 1] != "=" or rest[attribute + 3] not in (",", "]"):
                raise AssertionError("no attribute: %r" % statement)
    return nodes, edges


class Tree(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server("--threads", "1", "--graphs", data_dir("andor"))

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__(None)

    def solve(self, game, **more):
        told = self.server.wait_job(self.server.rpc("job.submit", game=game, memory="16M", **more)["job"])
        self.assertEqual(told["state"], "solved")

    def tree(self, game, **more):
        return self.server.rpc("proof.tree", game=game, **more)

    def known(self, game, positions):
        facts = []
        for at in range(0, len(positions), 500):
            facts += self.server.rpc("fact.query", game=game, positions=positions[at:at + 500], each_move=True)["facts"]
        return facts

    def has_bound(self, node, side, below):
        if below["kind"] == "end":
            return below["lo"] >= node[side] if side == "lower" else below["hi"] <= node[side]
        if below[side] is None:
            return False
        return below[side] >= node[side] if side == "lower" else below[side] <= node[side]

    def check_bounds(self, node, below):
        """The children of the proof have what their parent rests on: where the mover wants the bound one of them, else
        all; with smaller ranks where ranks are needed."""
        own = "lower" if node["first_to_move"] else "upper"
        for side in ("lower", "upper"):
            if node[side] is not None and not node["more"] and not node["effort"]:
                has = [self.has_bound(node, side, child) for child in below]
                self.assertTrue(any(has) if side == own else all(has), (node, side))
        if node["rank"] is not None and (node["lower"] is None or node["upper"] is None):
            for child in below:
                if child["kind"] != "end":
                    self.assertIsNotNone(child["rank"])
                    self.assertLess(child["rank"], node["rank"])

    def check_moves(self, game, node, fact, nodes):
        """The moves of a node against those of the rules, and what fact.query knows of them."""
        legal = {move["move"]: move for move in fact["moves"]}
        shown = {move["move"] for move in node["moves"]}
        self.assertEqual(len(shown), len(node["moves"]))
        self.assertLessEqual(shown, set(legal))
        proof = [move for move in node["moves"] if move["proof"]]
        if node["kind"] == "replies":
            self.assertEqual(len(proof) + node["more"], len(legal))
        elif node["kind"] == "move":
            self.assertEqual(len(proof) + node["more"], 1)
            own = "lower" if node["first_to_move"] else "upper"
            self.assertIsNotNone(node[own])
        else:
            self.assertEqual((proof, node["more"]), ([], 0))
        if proof:
            self.check_bounds(node, [nodes[move["to"]] for move in proof])
        for move in node["moves"]:
            below = nodes[move["to"]]
            known = legal[move["move"]]
            self.assertEqual([below[name] for name in ("lo", "hi", "text", "source")],
                             [known[name] for name in ("lo", "hi", "text", "source")])
            self.assertLessEqual(below["depth"], node["depth"] + 1)

    def check_places(self, game, nodes):
        """The moves lead to the positions that they are said to lead to."""
        for node in nodes[:40]:
            for move in node["moves"]:
                there = self.server.rpc("position.show", game=game, position=node["position"], moves=[move["move"]])
                self.assertEqual(there["position"], nodes[move["to"]]["position"])

    def check(self, game, **more):
        tree = self.tree(game, dot="positions", **more)
        nodes = tree["nodes"]
        self.assertEqual([node["id"] for node in nodes], list(range(len(nodes))))
        self.assertEqual(tree["more"], sum(node["more"] for node in nodes))
        facts = self.known(game, [node["position"] for node in nodes])
        depth = {0: 0}
        for node, fact in zip(nodes, facts):
            self.assertEqual([node[name] for name in ("lo", "hi", "text", "source")],
                             [fact[name] for name in ("lo", "hi", "text", "source")])
            self.assertEqual(node["kind"] == "end", node["source"] == "rules")
            self.assertEqual(node["kind"] == "leaf", node["effort"] > 0 and node["kind"] != "aside" and
                             not any(move["proof"] for move in node["moves"]) and not node["more"])
            self.check_moves(game, node, fact, nodes)
            for move in node["moves"]:
                depth.setdefault(move["to"], depth[node["id"]] + 1)
        self.assertEqual([node["depth"] for node in nodes], [depth[node["id"]] for node in nodes])
        names = [(node["position"], node["lower"], node["upper"], node["rank"])
                 for node in nodes if node["kind"] != "end"]
        self.assertEqual(len(set(names)), len(names))
        self.check_places(game, nodes)
        shown, edges = read_dot(tree["dot"])
        self.assertEqual(len([name for name in shown if name[0] == "n"]), len(nodes))
        self.assertEqual(len([name for name in shown if name[0] == "m"]), len([node for node in nodes if node["more"]]))
        self.assertTrue(all(a in shown and b in shown for a, b in edges))
        return tree

    def test_whole_proofs(self):
        self.solve("mnk:4,3,3", detail="full")
        for claim in (None, "first-wins", "value", "first-at-least-0"):
            tree = self.check("mnk:4,3,3", **WHOLE, **({"claim": claim} if claim else {}))
            self.assertEqual(tree["more"], 0)
            self.assertNotIn("leaf", [node["kind"] for node in tree["nodes"]])
        self.assertEqual(tree["claim"], "first>=0")

    def test_a_draw_has_two_proofs(self):
        self.solve("mnk:3,3,3", detail="full")
        both = self.check("mnk:3,3,3", depth=3)
        self.assertEqual((both["claim"], both["status"]), ("value", "solved"))
        self.assertEqual((both["nodes"][0]["lower"], both["nodes"][0]["upper"]), (0, 0))
        one = self.check("mnk:3,3,3", depth=3, claim="first-draws")
        self.assertEqual((one["nodes"][0]["lower"], one["nodes"][0]["upper"]), (0, None))
        self.assertLess(len(one["nodes"]), len(both["nodes"]))
        other = self.check("mnk:3,3,3", depth=3, claim="first-wins")
        self.assertEqual((other["status"], other["nodes"][0]["kind"]), ("disproved", "replies"))

    def test_what_is_cut_off_is_counted(self):
        self.solve("mnk:4,3,3", detail="full")
        whole = self.tree("mnk:4,3,3", **WHOLE)
        for limit in ({"depth": 0}, {"depth": 1}, {"depth": 2}, {"nodes_max": 1}, {"nodes_max": 2}, {"nodes_max": 17}):
            tree = self.check("mnk:4,3,3", **limit)
            self.assertGreater(tree["more"], 0)
            self.assertLess(len(tree["nodes"]), len(whole["nodes"]))
            self.assertLessEqual(len(tree["nodes"]), limit.get("nodes_max", 10000))
        self.assertEqual(self.tree("mnk:4,3,3", depth=0)["nodes"][0]["more"], 1)

    def test_moves_besides_the_proof(self):
        self.solve("mnk:4,3,3", detail="full")
        bare = self.tree("mnk:4,3,3", depth=2)
        tree = self.check("mnk:4,3,3", depth=2, all=True)
        kinds = [node["kind"] for node in tree["nodes"]]
        self.assertEqual(len(kinds) - kinds.count("aside"), len(bare["nodes"]))
        self.assertGreater(len(tree["nodes"][0]["moves"]), 1)

    def test_leaves_end_it(self):
        for game in ("breakthrough:3x6", "othello:4") if whole() else ("othello:4",):
            self.solve(game, detail="frontier")
            tree = self.check(game, **WHOLE)
            self.assertEqual(tree["more"], 0)
            self.assertIn("leaf", [node["kind"] for node in tree["nodes"]])

    def test_a_leaf_tells_the_theorem_that_decides_it(self):
        said = 0
        for game in ("mnk:4,4,4", "mnk:5,5,5"):
            self.solve(game, detail="frontier")
            tree = self.tree(game, **WHOLE, dot="positions")
            for node in tree["nodes"]:
                theorems = node.get("theorems", [])
                said += len(theorems)
                self.assertTrue(not theorems or node["effort"])
                shown = self.server.rpc("position.show", game=game, position=node["position"])
                for theorem in theorems:
                    self.assertIn(theorem, shown["theorems"])
                    bound = theorem["value"]
                    self.assertTrue((node["lower"] is not None and node["lower"] <= bound["lo"]) or
                                    (node["upper"] is not None and node["upper"] >= bound["hi"]), node)
            self.assertIn("theorem ", tree["dot"])
            # Every position of the facts that a theorem speaks of: the facts do not say otherwise.
            facts = self.server.rpc("fact.query", game=game, theorems=True,
                                    positions=[node["position"] for node in tree["nodes"]])["facts"]
            for fact in facts:
                for theorem in fact.get("theorems", []):
                    self.assertLessEqual(theorem["value"]["lo"], fact["hi"])
                    self.assertGreaterEqual(theorem["value"]["hi"], fact["lo"])
        self.assertGreaterEqual(said, 2)

    def test_games_with_cycles(self):
        for name in ("cycle", "ghi-first", "ghi-second", "ghi-long", "ghi-serves-first"):
            self.solve("andor:" + name, detail="full")
            self.assertEqual(self.check("andor:" + name, **WHOLE)["more"], 0)

    def test_other_scales_and_starts(self):
        self.solve("nim:3,4,5", detail="full")
        self.check("nim:3,4,5", **WHOLE)
        self.solve("hex:3", detail="full")
        self.check("hex:3", **WHOLE, moves=["b2"])

    @unittest.skipIf(build_has("fsanitize"), "a sanitizer shows nothing more in a large tree than in small ones")
    def test_a_large_reply_is_within_its_limit(self):
        self.solve("connect4:5x4", detail="full")
        tree = self.tree("connect4:5x4", **WHOLE, all=True, dot="boards")
        self.assertGreater(len(tree["nodes"]), 1000)
        read_dot(tree["dot"])

    def test_what_is_wrong_is_named(self):
        self.solve("mnk:4,3,3", detail="full")
        for wrong, slug, field in (
            ({"claim": "first-wins-soon"}, "bad-claim", "claim"),
            ({"claim": "second-wins", "position": "nonsense"}, "bad-position", "position"),
            ({"moves": ["a1", "a1"]}, "bad-move", "moves"),
            ({"notation": "san"}, "invalid-params", "notation"),
            ({"dot": "svg"}, "invalid-params", "dot"),
            ({"depth": 1001}, "invalid-params", "depth"),
            ({"nodes_max": 0}, "invalid-params", "nodes_max"),
            ({"nodes_max": 10001}, "invalid-params", "nodes_max"),
            ({"game": "mnk:0,0,0"}, "bad-game", "game"),
            ({"game": "mnk:5,4,4"}, "no-fact", "position"),
        ):
            with self.assertRaises(RpcError) as refused:
                self.server.rpc("proof.tree", **dict({"game": "mnk:4,3,3"}, **wrong))
            self.assertEqual((refused.exception.slug, refused.exception.field), (slug, field), wrong)
        self.solve("connect4:4x4", claim="first-wins", detail="full")
        with self.assertRaises(RpcError) as refused:
            self.tree("connect4:4x4", claim="value")
        self.assertEqual((refused.exception.slug, refused.exception.field), ("wrong-state", "position"))

    def test_the_command(self):
        self.solve("mnk:4,3,3", detail="full")

        def run(*words):
            where = ["--socket", self.server.socket_path]
            done = subprocess.run([program("proofctl"), "proof-tree", "mnk:4,3,3", *words] + where,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
            return done.returncode, done.stdout, done.stderr

        code, text, _ = run("--depth", "3")
        self.assertEqual(code, 0)
        self.assertRegex(text, r"is solved\n|is proved\n")
        self.assertRegex(text, r"\n  \S+  #1  first wins, \d+")
        self.assertRegex(text, r"\d+ more")
        code, dot, _ = run("--depth", "3", "--dot", "-")
        self.assertEqual(code, 0)
        read_dot(dot)
        with self.subTest("dot"):
            if not shutil.which("dot"):
                self.skipTest("there is no dot here (Debian: graphviz)")
            subprocess.run(["dot", "-Tsvg"], input=dot, stdout=subprocess.DEVNULL, check=True, universal_newlines=True)
        self.assertEqual(run("--dot", "-", "--json")[0], 2)
        self.assertEqual(run("--claim", "nonsense")[0], 2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
