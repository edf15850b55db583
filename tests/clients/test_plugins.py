"""Plug-ins as their authors meet them: `proofctl game-test` names each law that is broken, and the templates of
clients/plugins compile outside the tree against an installed proofd, are solved, and checked by `proofcheck
--rules`."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from effort import whole  # noqa: E402
from pyproofd import TIMEOUT, build_dir, build_has, data_dir, program  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(data_dir()))
PLUGINS = os.path.join(build_dir(), "tests", "plugins")
WRONG = os.path.join(PLUGINS, "wrong")

# Game of tests/plugins/wrong.c: a law that it breaks, and what is said of it.
BROKEN = {
    "limits": ("limits", "opens as"),
    "start": ("start", "different bytes"),
    "moves": ("moves", "twice"),
    "terminal": ("moves", "terminal says that the game is over"),
    "value": ("moves", "not on its scale"),
    "many": ("moves", "moves_max"),
    "play": ("play", "played twice"),
    "pure": ("pure", "kept between calls"),
    "ends": ("ends", "plies_max = 3"),
    "keys": ("keys", "unkey(key)"),
    "one-key": ("one-key", "have the same key"),
    "canon": ("canon", "not a move of the canonical position"),
    "bytes": ("bytes", "another key"),
    "text": ("text", "another position"),
    "long": ("text", "print says that its text has"),
    "move-text": ("move-text", "another position"),
    "refusals": ("refusals", "has written to the state"),
    "count": ("count", "count says 4 moves"),
    "many-count": ("count", "count of wrong-many-count gives 99 moves; its moves_max is 9"),
    "unique": ("count", "unique_moves lists"),
    "immediate-win": ("immediate-win", "no move ends the game"),
    "initial-numbers": ("initial-numbers", "initial_numbers"),
    "edge-costs": ("edge-costs", "edge_costs of wrong-edge-costs gives 65535"),
    "irreversible": ("irreversible", "irreversible is true"),
    "dominance": ("dominance", "has no counterpart there"),
    "board": ("board", "diagram puts piece"),
    "solves": ("solves", "the analysis finds"),
    "theorem": ("solves", "the analysis finds"),
    "number": ("solves", "the number is none of 100 to 103"),
    "crash": ("moves", "crashed (SIGSEGV)"),
    "abort": ("moves", "crashed (SIGABRT)"),
    "loop": ("irreversible", "did not return"),
}
SANITIZED = build_has("fsanitize=address")


def run(*words, env=None):
    mine = {k: v for k, v in os.environ.items() if k not in ("PROOFD_SERVER", "PROOFD_GAME_DIR")}
    mine.update(env or {})
    done = subprocess.run(
        words, capture_output=True, text=True, timeout=4 * TIMEOUT, stdin=subprocess.DEVNULL, env=mine
    )
    return done.returncode, done.stdout, done.stderr


def proofctl(*words, env=None):
    return run(program("proofctl"), *words, env=env)


class Laws(unittest.TestCase):
    def broken(self, game):
        code, out, err = proofctl("game-test", game, "--game-dir", WRONG, "--json")
        self.assertTrue(out, err)
        told = json.loads(out)
        broken = {law["law"]: law for law in told["laws"] if not law["holds"]}
        self.assertEqual((code, told["broken"]), (1 if broken else 0, len(broken)))
        return broken

    def test_right_rules_break_none(self):
        for game in "right", "right-cyclic", "right-variant", "right-variant:2":
            self.assertEqual(self.broken(game), {})

    def test_each_law_is_named_when_it_is_broken(self):
        for game, (law, words) in list(BROKEN.items())[::1 if whole() else 4]:
            if SANITIZED and game in ("crash", "loop"):
                continue  # a sanitizer ends the process in its own way, and finds the loop that does nothing
            with self.subTest(game):
                broken = self.broken("wrong-" + game)
                self.assertIn(law, broken)
                self.assertIn(words, broken[law]["what"])

    def test_it_says_at_which_position_after_which_moves(self):
        code, out, _ = proofctl("game-test", "wrong-count", "--game-dir", WRONG)
        self.assertEqual(code, 1)
        self.assertRegex(out, r"BROKEN  count +the law: count, unique_moves and replies agree with moves\n"
                              r"  broken    count says 4 moves, but moves lists 3\n"
                              r"  position  \d,\d [xo]\n"
                              r"  after     [ab]\d")

    def test_keys_of_every_length_that_is_allowed(self):
        checker = os.path.join(build_dir(), "tests", "plugins", "checker", "checker.so")
        place = tempfile.mkdtemp(prefix="proofd-keys-")
        self.addCleanup(shutil.rmtree, place, True)
        proof, text = os.path.join(place, "proof"), os.path.join(place, "text")
        for size in range(129, 257, 1 if whole() else 127):
            game = "right-long:%d" % size
            local = ["--game-dir", WRONG, "--data", os.path.join(place, str(size))]
            self.assertEqual(self.broken(game), {})
            self.assertEqual(proofctl("solve", game, *local)[0], 0)
            for detail in "full", "frontier":
                code, out, err = proofctl("export", game, proof, "--detail", detail, *local)
                self.assertEqual((code, err), (0, ""), out)
                code, out, err = run(program("proofcheck"), "--json", "--rules", checker, proof)
                self.assertEqual((code, json.loads(out)["verdict"]), (0, "verified"), out + err)
            with open(text, "w") as file:
                file.write(run(program("proofcheck"), "--rules", checker, "--text", proof)[1])
            self.assertEqual(run(program("proofcheck"), "--rules", checker, "--from-text", text, proof + "2")[0], 0)
            self.assertEqual(run(program("proofcheck"), "--rules", checker, proof + "2")[0], 0)

    def test_cards(self):
        """Theorems of a plug-in, put to proofcheck with its rules: right ones, ones that know no theorem, ones that
        believe everything."""
        said = {}
        for checker in "checker", "checker-old", "checker-lax":
            rules = os.path.join(build_dir(), "tests", "plugins", checker, checker + ".so")
            out = proofctl("game-test", "right-long:129", "--game-dir", WRONG, "--json", "--rules", rules)[1]
            (said[checker],) = [law for law in json.loads(out)["laws"] if law["law"] == "cards"]
        self.assertEqual([said[name]["holds"] for name in said], [True, False, False], said)
        self.assertRegex(said["checker"]["note"], r"^12 cards, each accepted; of [1-9]\d edited ones [1-9]\d refused")
        self.assertIn("does not accept the card of theorem 1", said["checker-old"]["what"])
        self.assertRegex(said["checker-lax"]["what"], "accepts a card of theorem 1 that was edited")
        out = proofctl("game-test", "right-long:129", "--game-dir", WRONG)[1]
        self.assertIn("not tried: --rules names the file", out)
        out = proofctl("game-test", "mnk:3,3,3")[1]
        self.assertIn("12 cards, each accepted", out)

    def test_longer_keys_are_refused_with_the_limit(self):
        for words in ["game-test"], ["solve"]:
            code, _, err = proofctl(*words, "right-long:257", "--game-dir", WRONG)
            self.assertEqual(code, 2)
            self.assertIn("key_size_max from 1 to 256 (GAME_KEY_MAX)", err)

    def test_values_that_no_search_could_bear_are_refused_at_once(self):
        code, _, err = proofctl("game-test", "wrong-scale", "--game-dir", WRONG)
        self.assertEqual(code, 2)
        self.assertIn("value_step", err)

    def test_built_in_games_break_none(self):
        for game in "connect4:4x4", "mnk:3,3,3", "hex:3":
            self.assertEqual(proofctl("game-test", game)[0], 0)

    def test_the_environment_names_the_directory(self):
        self.assertEqual(proofctl("games", "right", env={"PROOFD_GAME_DIR": "/nonexistent:" + WRONG})[0], 1)
        code, out, _ = proofctl("games", "right", "--json", env={"PROOFD_GAME_DIR": WRONG})
        told = json.loads(out)
        self.assertEqual((code, told["plugin"]["file"], told["plugin"]["author"]), (0, "wrong.so", "tests/plugins"))


class OneHome(unittest.TestCase):
    """What people see of a game stands in its rules: a plug-in has records, drawings, `--show` and completion, too."""

    def setUp(self):
        self.place = tempfile.mkdtemp(prefix="proofd-fill-")
        self.addCleanup(shutil.rmtree, self.place, True)
        self.local = ["--game-dir", PLUGINS + "/fill", "--data", os.path.join(self.place, "data")]

    def proofctl(self, *words):
        code, out, err = proofctl(*words)
        self.assertEqual((code, err), (0, ""), out)
        return out

    def solved(self, game):
        self.proofctl("solve", game, *self.local)
        proof = os.path.join(self.place, "proof")
        self.proofctl("export", game, proof, "--detail", "full", *self.local)
        return proof

    def test_help_completion_and_drawing(self):
        local = ["--game-dir", PLUGINS + "/fill"]
        self.proofctl("game-test", "fill:4", *local)
        self.assertIn("Fill the row", self.proofctl("games", *local))
        self.assertRegex(self.proofctl("games", "fill", *local), r"records +moves, sgf\n")
        self.assertEqual(json.loads(self.proofctl("games", "fill-old", "--json", *local))["records"], ["moves"])
        self.assertIn("<svg", self.proofctl("position", "fill:3", "..o x", "--svg", "-", *local))
        self.assertRegex(self.proofctl("position", "fill:3", "..o x", *local), r"\. \. o")

    def test_records(self):
        self.solved("fill:3")
        record = self.proofctl("line", "fill:3", "--sgf", *self.local)
        self.assertIn("GM[99]SZ[3:1]GN[fill:3]", record)
        shown = json.loads(self.proofctl("position", "fill:3", "--moves", record, "--json", *self.local[:2]))
        self.assertTrue(shown["terminal"])
        code, _, err = proofctl("line", "fill:3", "--pgn", *self.local)
        self.assertEqual(code, 1)
        self.assertIn("has no records in the form `pgn`", err)

    def test_the_checker_shows_it(self):
        proof = self.solved("fill:3")
        for checker, board, move in ("checker", "   1 . . .\n     a b c\n", "a1"), ("checker-old", "", "#0"):
            rules = ["--rules", "%s/%s/%s.so" % (PLUGINS, checker, checker)]
            self.assertEqual(run(program("proofcheck"), *rules, proof)[0], 0)
            code, out, err = run(program("proofcheck"), *rules, "--show", proof)
            self.assertEqual((code, err), (0, ""))
            self.assertIn(board, out)
            self.assertRegex(out, r"(?m)^ *[*>]? *%s " % move)
            self.assertEqual(run(program("proofcheck"), *rules, "--show", proof, "--moves", move)[0], 0)


    def test_checkers_of_older_headers_read_all_formats(self):
        """Whose struct ends before the members for theorems: they work, and know no theorem."""
        proof, text, made = self.solved("fill:3"), os.path.join(self.place, "text"), os.path.join(self.place, "cards")
        for checker in ("checker", "checker-old", "checker-without-cards"):
            rules = ["--rules", "%s/%s/%s.so" % (PLUGINS, checker, checker)]
            lines = run(program("proofcheck"), *rules, "--text", proof)[1]
            self.assertIn("certificate 4\n", lines)
            for given, code, words in ((lines, 0, "VERIFIED"),
                                       (re.sub(r"(?m)^([0-9a-f]+ [<>]=-?1,r\d+)(,m\d+)?", r"\1,c5:", lines, count=1)
                                        .replace("cards: 0", "cards: 1"), 1, "knows no theorems of fill")):
                with open(text, "w", encoding="utf-8") as file:
                    file.write(given)
                done = run(program("proofcheck"), *rules, "--from-text", "--no-digest", text, made)
                self.assertEqual(done[0], 0, done)
                done = run(program("proofcheck"), *rules, made)
                self.assertEqual(done[0], code, done)
                self.assertIn(words, done[1])


class Templates(unittest.TestCase):
    """What a user does who follows clients/plugins/README.md."""

    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.mkdtemp(prefix="proofd-plugins-")
        cls.addClassCleanup(shutil.rmtree, cls.place, True)
        cls.prefix = os.path.join(cls.place, "prefix")
        cls.games = os.path.join(cls.place, "games")
        os.mkdir(cls.games)
        code, out, err = run("cmake", "--install", build_dir(), "--prefix", cls.prefix)
        if code:
            raise AssertionError(out + err)
        pc = [os.path.join(folder, "pkgconfig") for folder, folders, _ in os.walk(cls.prefix) if "pkgconfig" in folders]
        cls.env = {"PKG_CONFIG_PATH": pc[0]}
        examples = os.path.join(cls.prefix, "share", "doc", "proofd", "plugins")
        for game in "kayles", "clobber":
            source = os.path.join(cls.place, "copy of " + game)
            shutil.copytree(os.path.join(examples, game), source)
            cls.make(source, game)

    @classmethod
    def make(cls, source, game):
        built = os.path.join(source, "build")
        for words in (["cmake", "-B", built, "-S", source, "-DCMAKE_BUILD_TYPE=Release",
                       "-DCMAKE_C_FLAGS=-Wall -Wextra -Werror"], ["cmake", "--build", built]):
            code, out, err = run(*words, env=cls.env)
            if code:
                raise AssertionError(out + err)
        shutil.copy(os.path.join(built, game + ".so"), cls.games)
        shutil.copy(os.path.join(built, game + "-checker.so"), cls.place)

    def installed(self, name):
        return os.path.join(self.prefix, "bin", name)

    def test_the_small_one_is_small(self):
        lines = 0
        for name in "game.c", "CMakeLists.txt":
            with open(os.path.join(self.place, "copy of kayles", name)) as file:
                lines += len(file.readlines())
        self.assertLess(lines, 150)

    def test_they_keep_the_laws(self):
        for game in "kayles:9", "kayles:1", "clobber:4x3", "clobber:3x3", "clobber:1x5", "clobber:70x1":
            code, out, err = run(self.installed("proofctl"), "game-test", game, "--game-dir", self.games)
            self.assertEqual((code, err), (0, ""), out)

    def test_they_are_solved_and_checked(self):
        for game, value in ("kayles:9", 1), ("clobber:3x2", -1), ("clobber:4x4", 1), ("clobber:5x3", 1):
            data = os.path.join(self.place, "data")
            proof = os.path.join(self.place, "proof")
            local = ["--data", data, "--game-dir", self.games]
            code, out, err = run(self.installed("proofctl"), "solve", game, "--json", *local)
            self.assertEqual((code, err), (0, ""))
            self.assertEqual(json.loads(out)["value"]["lo"], value, game)
            code, out, err = run(self.installed("proofctl"), "play", game, *local)
            self.assertEqual((code, err), (0, ""))
            self.assertIn("you are %s" % ("Second" if value > 0 else "First"), out)
            for detail in "full", "frontier":
                code, _, err = run(self.installed("proofctl"), "export", game, proof, "--detail", detail, *local)
                self.assertEqual((code, err), (0, ""))
                rules = os.path.join(self.place, game.split(":")[0] + "-checker.so")
                code, out, err = run(self.installed("proofcheck"), "--json", "--rules", rules, proof)
                told = json.loads(out)
                self.assertEqual((code, told["verdict"], err), (0, "verified", ""), out)
                self.assertEqual((told["checker"]["file"], told["checker"]["author"]), (rules, "the proofd project"))
                self.assertEqual(len(told["plugin"]), 16)
                code, out, _ = run(self.installed("proofcheck"), "--json", proof)
                self.assertEqual((code, json.loads(out)["verdict"]), (2, "unknown"))
                self.assertIn("--rules", json.loads(out)["reason"])
            code, out, _ = run(self.installed("proofctl"), "check", data, "--game-dir", self.games)
            self.assertEqual((code, out.split("\n")[0]), (0, "clean"))
            code, out, _ = run(self.installed("proofctl"), "check", data)
            self.assertEqual(code, 3, "without the plug-in its facts are skipped")
            shutil.rmtree(data)

    def test_the_checker_refuses_what_is_no_plug_in(self):
        text = os.path.join(self.place, "text.so")
        with open(text, "w") as file:
            file.write("no code\n")
        game = os.path.join(self.games, "kayles.so")
        for file, why in (text, "text.so"), (game, "proofd_checker_plugin"), (self.place + "/none.so", "No such file"):
            code, out, err = run(self.installed("proofcheck"), "--rules", file, text)
            self.assertEqual((code, out), (2, ""))
            self.assertIn(why, err)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
