"""Compares the verdicts of all checkers on forged certificates: `./dev checkers`.

    checkers.py BUILD [--count N] [--seed S] [--dir DIR] [--kernel SHARE] [--only WORD]

Honest certificates of several games, with and without cards and strategies, are edited as texts in all kinds of ways.
They are judged by proofcheck, by minicheck.py and, one in SHARE of them (default 1), by proofkernel where it is built.
The differences that are known are counted by their reasons. Any other difference is printed and kept in DIR/found, as
is a certificate that is accepted and false; the value of the root, found by backward induction, decides that. A run
that was stopped is resumed by a call with the same DIR and seed. Exit status 1: something was found.
"""

import argparse
import collections
import copy
import functools
import glob
import io
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
import types

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "..", "clients", "minicheck"), os.path.join(HERE, "..", "support")]
import minicheck  # noqa: E402
import minigames  # noqa: E402
from certificates import certificate, run, with_cards  # noqa: E402
from pyproofd import build_dir, data_dir, program  # noqa: E402

minigames.named = functools.lru_cache(100)(minigames.named)
minicheck.time = types.SimpleNamespace(process_time=lambda: 0.0)  # a system call for each certificate
BATCH = 500
POSITIONS_MAX = 100000  # below a root whose value is computed
# Game, position, claim, whether with cards; a graph of tests/data/andor.
HONEST = [
    ("mnk:3,3,3", "a1 b1", "first>=1", False), ("mnk:3,3,3", "b2 a1", "value", True),
    ("mnk:3,3,2", "", "first-wins", False), ("mnk:4,3,3", "b2 a1 b1", "value", True),
    ("mnk:4,3,3,2,1", "", "value", False), ("mnk:3,3,3,1,2", "", "value", True), ("mnk:4,2,3,exact", "", "value", True),
    ("mnk:5,2,3,exact", "a1 e2", "value", False), ("mnk:4,3,4", "", "value", True),
    ("connect4:3x4", "121322", "value", False), ("connect4:4x4", "12132244", "value", True),
    ("connect4:4x4", "1213224133", "value", False), ("connect4:4x3", "1122", "value", True),
    ("hex:3", "", "value", False), ("hex:3", "a1", "value", True), ("hex:3x2", "", "value", True),
    ("nim:1,2,3", "", "value", False), ("nim:2,3", "", "first-wins", False), ("domineering:4x3", "", "value", True),
    ("domineering:3x3", "", "value", False), ("domineering:4x4", "a1a2", "value", True),
    ("breakthrough:2x4", "", "value", False), ("breakthrough:2x5", "", "value", True),
    ("mnk:4,3,3", "b2 a1", "value", True), ("mnk:4,4,4,2,1", "a1 b2 c3 d4 b1 c1 a3", "value", True)]
GRAPHS = [("cycle", "value"), ("ghi-first", "value"), ("ghi-second", "value"), ("ghi-two-circles", "value"),
          ("chain", "value"), ("scores", "value"), ("transpositions", "value"), ("survey-fig2", "value")]


# --- honest certificates --------------------------------------------------------------------


class Text:
    """The text of a certificate: the lines of its header, its graph, the lines of its records."""

    def copy(self):
        made = copy.copy(self)
        made.head, made.body = self.head[:], self.body[:]
        return made

    def __init__(self, text):
        head, rest = text.split("\n\n", 1)
        self.head = head.split("\n")
        size = int(self.value("graph"))
        self.graph, rest = (rest[:size], rest[size + 1 :]) if size else ("", rest)
        self.body = [line.split(" : ")[0] for line in rest.split("\n")[:-1]]

    def value(self, name):
        return next(line for line in self.head if line.startswith(name + ": ")).split(": ", 1)[1]

    def set(self, name, value):
        self.head = ["%s: %s" % (name, value) if line.startswith(name + ": ") else line for line in self.head]

    def places(self):
        return [i for i, line in enumerate(self.body) if " " in line]

    def count(self):
        """Makes the header say what there is."""
        records = [self.body[i] for i in self.places()]
        for name, number in (("positions", len(records)), ("reasons", sum(line.count(" ") for line in records)),
                             ("leaves", sum(line.count(",e") for line in records)),
                             ("cards", sum(line.count(",c") for line in records)),
                             ("blocks", self.body.count("block"))):
            self.set(name, number)

    def __str__(self):
        graph = self.graph + "\n" if self.graph else ""
        return "\n".join(self.head) + "\n\n" + graph + "\n".join(self.body) + "\n"


def add_strategies(text, rng):
    """Puts strategies of random weights in the place of reasons, where they are true."""
    text, game = text.copy(), minigames.named(text.value("game"), "1", b"")
    if text.value("lo") == "-" or not game.squares or text.head[1] != "proofd certificate 4":
        return None
    for i in text.places():
        key, *reasons = text.body[i].split(" ")
        for k, reason in enumerate(reasons):
            said = re.match(r"([<>])=(-?\d+),r(\d+)", reason)
            if rng.random() < 0.6:
                weights = bytes(rng.randrange(256) for _ in range(game.squares))
                play = minicheck.Play(game, said[1] == "<", int(said[2]), weights)
                try:
                    good = play.plies(game.position(bytes.fromhex(key))) <= int(said[3])
                except minigames.Wrong:
                    good = False
                reasons[k] = "%s,c100:01%s" % (said[0], weights.hex()) if good else reason
        text.body[i] = " ".join([key, *reasons])
    text.count()
    return text if any(",c100:" in line for line in text.body) else None


def honest(folder, rng):
    """The honest certificates, each with its name."""
    made, path = [], os.path.join(folder, "honest")
    for game, position, claim, cards in HONEST:
        (with_cards if cards else certificate)(path, game, position, claim)
        made.append((game + (" cards" if cards else ""), Text(run("--text", path).stdout)))
        if cards:
            run("--zones", path, path + ".zones")
            zones = Text(run("--text", path + ".zones").stdout)
            os.remove(path + ".zones")
            made += [(game + " zones", zones)] if any(",c103:" in line for line in zones.body) else []
        strategies = add_strategies(made[-1][1], rng)
        made += [(game + " strategies", strategies)] if strategies else []
    for example in sorted(glob.glob(data_dir("certificates", "accept", "zone*.text"))):
        with open(example, encoding="ascii") as file:
            made.append((os.path.basename(example)[:-5] + " zones", Text(file.read())))
    for graph, claim in GRAPHS:
        certificate(path, "andor:" + graph, "", claim, "0", data_dir("andor", graph + ".json"))
        made.append(("andor:" + graph, Text(run("--text", path).stdout)))
    return made


# --- edits ----------------------------------------------------------------------------------


def pick(text, rng, pattern):
    """A place in a record that matches: the line's number and the match; None: there is none."""
    found = [(i, m) for i in text.places() for m in re.finditer(pattern, text.body[i])]
    return rng.choice(found) if found else None


def put(text, i, match, new, group=0):
    text.body[i] = text.body[i][: match.start(group)] + str(new) + text.body[i][match.end(group) :]


def edit_number(pattern, low):
    def edit(text, rng):
        place = pick(text, rng, pattern)
        if place:
            number = int(place[1][1])
            put(text, *place, rng.choice((number + rng.choice((-2, -1, 1, 2)), low, number + rng.randrange(64))), 1)
        return place
    return edit


def edit_option(pattern, letter, most):
    """Takes a rank or a move away, or gives one."""
    def edit(text, rng):
        place = pick(text, rng, pattern if rng.randrange(2) else r"=-?\d+(?:,r\d+)?")
        if place:
            said = place[1][0]
            put(text, *place, "" if said.startswith(",") else "%s,%s%d" % (said, letter, rng.randrange(1, most)))
        return place
    return edit


def edit_side(text, rng):
    place = pick(text, rng, "[<>]")
    if place:
        put(text, *place, "<" if place[1][0] == ">" else ">")
    return place


def edit_key(text, rng):
    i = rng.choice(text.places())
    key, rest = text.body[i].split(" ", 1)
    data = bytearray.fromhex(key)
    how = rng.randrange(4)
    if how == 0:
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    elif how == 1:
        data.append(rng.randrange(3))
    elif how == 2:
        data = data[:-1]
    else:  # the key of another position that a game may reach
        key, rest = text.body[rng.choice(text.places())].split(" ", 1)
        data = bytearray.fromhex(key)
    text.body[i] = data.hex() + " " + rest
    if rng.randrange(2):  # in its place in the order
        text.body = ["block"] + sorted(text.body[k] for k in text.places()) + ["end"]
    return True


def edit_records(text, rng):
    i, k = rng.choice(text.places()), rng.choice(text.places())
    how = rng.randrange(4)
    if how == 0:
        del text.body[i]
    elif how == 1:
        text.body.insert(i, text.body[i])
    elif how == 2:
        text.body[i], text.body[k] = text.body[k], text.body[i]
    else:  # the reasons of another record
        text.body[i] = text.body[i].split(" ")[0] + " " + text.body[k].split(" ", 1)[1]
    return len(text.places()) > 0


def edit_reasons(text, rng):
    i = rng.choice(text.places())
    key, *reasons = text.body[i].split(" ")
    other = rng.choice(text.body[rng.choice(text.places())].split(" ")[1:])
    how = rng.randrange(4)
    if how == 0:
        reasons.reverse()
    elif how == 1:
        del reasons[rng.randrange(len(reasons))]
    elif how == 2:
        reasons[rng.randrange(len(reasons))] = other
    else:
        reasons = sorted(reasons + [other], key=lambda r: (r[0] == "<", int(re.search(r"-?\d+", r)[0])))
    text.body[i] = " ".join([key, *reasons])
    return True


def edit_witness(text, rng):
    place = pick(text, rng, r"(?<=,c)(\d+):([0-9a-f]*)")
    if not place:
        return None
    theorem, data = place[1][1], bytearray.fromhex(place[1][2])
    how = rng.randrange(6)
    if how == 0:
        theorem = rng.choice((1, 2, 3, 5, 8, 9, 10, 11, 12, 13, 100, 103))
    elif how == 1:
        other = pick(text, rng, r"(?<=,c)(\d+):([0-9a-f]*)")[1]
        theorem, data = other[1], bytearray.fromhex(other[2])
    elif how == 2 or not data:
        data.append(rng.randrange(256))
    elif how == 3:
        data = data[: rng.randrange(len(data))]
    else:
        at = rng.randrange(len(data))
        data[at] = rng.choice((data[at] ^ 1 << rng.randrange(8), (data[at] + rng.choice((-1, 1))) % 256))
    put(text, *place, "%s:%s" % (theorem, data.hex()))
    return True


def edit_zone(text, rng):
    """Changes the list of answers of a zone, or its first answer."""
    place = pick(text, rng, r"(?<=,c103:)[0-9a-f]+")
    if not place:
        return None
    data, answers = bytearray.fromhex(place[1][0]), []
    while len(data) > 1 and len(answers) < 40:  # those of small boards have numbers of one byte
        answers.append(data[: 2 + data[1]])
        del data[: 2 + data[1]]
    if not answers:
        return None
    at, how = rng.randrange(len(answers)), rng.randrange(7)
    if how == 0:
        del answers[at]
    elif how == 1:
        answers[at][rng.randrange(2)] = rng.choice((0, 1, 5, 8, 11, 12, 100, 103, rng.randrange(256)))
    elif how == 2:
        answers = answers[at:] + answers[:at]
    elif how == 3:
        answers += [answers[at]] * rng.choice((1, 30, 33))
    elif how == 4:  # the answer of another zone
        other = bytearray.fromhex(pick(text, rng, r"(?<=,c103:)[0-9a-f]+")[1][0])
        answers[at] = other[: 2 + other[1]] if len(other) > 1 else other
    elif len(answers[at]) > 2:
        answers[at][rng.randrange(2, len(answers[at]))] ^= 1 << rng.randrange(8)
    put(text, *place, b"".join(answers).hex()[:1024])
    return True


def edit_weights(text, rng):
    place = pick(text, rng, r"(?<=,c100:01)[0-9a-f]+")
    if place:
        data = bytearray.fromhex(place[1][0])
        for _ in range(rng.randrange(1, 4)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        put(text, *place, data.hex())
    return place


def edit_card(text, rng):
    """Puts a card in the place of a rank and a move."""
    place = pick(text, rng, r"(?<=,r)(\d+)(,m\d+)?(?= |$)")
    if place:
        size = minigames.named(text.value("game"), "1", text.graph.encode()).squares
        witness = "01" + bytes(rng.randrange(256) for _ in range(size)).hex()
        theorem, data = (100, witness) if rng.randrange(2) else (rng.choice((1, 2, 5, 8, 9, 10, 11, 12)), "")
        put(text, *place, "%s,c%d:%s" % (place[1][1], theorem, data))
    return place


def edit_header(text, rng):
    i = rng.randrange(len(text.head))
    line = text.head[i]
    how = rng.randrange(4)
    numbers = list(re.finditer(r"\d+", line))
    if how == 0 and numbers:
        place = rng.choice(numbers)
        text.head[i] = line[: place.start()] + str(int(place[0]) + rng.choice((-1, 1, 2))) + line[place.end() :]
    elif how == 1:
        text.head[i] = line[:-1] if rng.randrange(2) else line + rng.choice("0a -")
    elif how == 2:
        text.head[rng.randrange(len(text.head))] = line
    else:
        del text.head[i]
    return True


def edit_claim(text, rng):
    name = rng.choice(("claim", "status", "lo", "hi", "detail"))
    values = {"claim": ("value", "first-wins", "second-wins", "first-draws", "second-draws", "first>=0", "first>=2"),
              "status": ("solved", "proved", "disproved"), "lo": ("-", "-1", "0", "1", "3"),
              "hi": ("-", "-3", "-1", "0", "1"), "detail": ("full", "frontier")}[name]
    text.set(name, rng.choice(values))
    if rng.randrange(2):
        edit_claim(text, rng)
    return True


def edit_form(text, rng):
    i = rng.randrange(len(text.body))
    how = rng.randrange(4)
    if how == 0:
        text.body.insert(i, rng.choice(("block", "end", "", "blocks")))
    elif how == 1:
        del text.body[i]
    else:
        line = text.body[i]
        at = rng.randrange(len(line) + 1)
        text.body[i] = line[:at] + rng.choice(" ,:-0f\0r") + line[at + rng.randrange(2) :]
    return True


EDITS = {
    "bound": edit_number(r"[<>]=(-?\d+)", 0), "rank": edit_number(r",r(\d+)", 1), "move": edit_number(r",m(\d+)", 0),
    "no rank": edit_option(r",r\d+", "r", 9), "no move": edit_option(r",m\d+", "m", 9),
    "effort": edit_option(r",e\d+", "e", 9), "side": edit_side, "key": edit_key, "records": edit_records,
    "reasons": edit_reasons, "witness": edit_witness, "zone": edit_zone, "weights": edit_weights, "card": edit_card,
    "claim": edit_claim, "header": edit_header, "form": edit_form}
LAST = ("header", "form")  # after the others, and the header's counts are left as they are


# --- what is true ---------------------------------------------------------------------------


class TooLarge(Exception):
    """The value of a root is not computed."""


def search_truth(game, upper, bound, known, p):
    """Whether the bound holds, in a game without repetition."""
    if p not in known:
        if len(known) > POSITIONS_MAX:
            raise TooLarge
        value, any_or_all = game.value(p), any if game.mover(p) == upper else all
        known[p] = minigames.within(value, upper, bound) if value is not None else any_or_all(
            search_truth(game, upper, bound, known, game.play(p, m)) for m in game.moves(p))
    return known[p]


def induce_truth(game, upper, bound, start):
    """The same of a graph with cycles: `who` forces an end that he wants: one within the bound, or, where infinite play
    is within it, one that is not."""
    infinite = minigames.within(game.infinite, upper, bound)
    who, known = int(upper) ^ int(infinite), set()
    for _ in game.nodes:
        for p in game.nodes:
            value = game.value(p)
            if value is not None:
                good = minigames.within(value, upper, bound) != infinite
            else:
                good = (any if game.mover(p) == who else all)(game.play(p, m) in known for m in game.moves(p))
            known |= {p} if good else set()
    return (start in known) != infinite


@functools.lru_cache(None)
def truth(name, graph, root, upper, bound):
    """Whether the bound holds at the root; None: there are too many positions below it."""
    game = minigames.named(name, "1", graph)
    if minigames.within(game.values[-1 if upper else 0], upper, bound):
        return True
    try:
        return (induce_truth(game, upper, bound, game.position(root)) if game.repeats else
                search_truth(game, upper, bound, {}, game.position(root)))
    except TooLarge:
        return None


def is_true(text):
    """Whether what a certificate claims is true. None: it claims nothing, or its game is too large to tell."""
    try:
        h, graph, _ = minicheck.read(io.StringIO(text))
        values = [truth(h["game"], graph, bytes.fromhex(h["root"]), *bound) for bound in minicheck.claimed(h)]
        return False if False in values else None if None in values else True
    except (minigames.Wrong, minigames.Unknown):
        return None


# --- the checkers ---------------------------------------------------------------------------


class Checkers:
    def __init__(self, folder):
        self.folder, test = folder, os.path.join(build_dir(), "tests", "test_proofcheck")
        self.proofcheck = self.start([test, "judge_texts"])
        kernel = os.path.join(build_dir(), "clients", "kernel", "proofkernel")
        self.kernel = self.start([kernel, "--list"]) if os.path.exists(kernel) else None
        # a file system in memory, where there is one: proofcheck makes sure that what it writes is on the disk
        self.memory = tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None)

    @staticmethod
    def start(words):
        return subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="latin-1",
                                stderr=subprocess.DEVNULL,
                                env={**os.environ, "PROOFCHECK": program("proofcheck")})

    @staticmethod
    def send(process, paths):
        process.stdin.write("".join(path + "\n" for path in paths))
        process.stdin.flush()

    def told(self):
        """What the kernel says of one file: word and reason. It prints first what it has proved."""
        while True:
            line = self.kernel.stdout.readline()
            if not line or line.startswith(("VERIFIED", "REJECTED", "UNKNOWN", "FAILED")):
                return tuple((line.strip().split(": ", 1) + [""])[:2])

    def close(self):
        for process in filter(None, (self.proofcheck, self.kernel)):
            process.communicate()
        self.memory.cleanup()

    def ask(self, texts, share, rng):
        """The verdicts on each text: word and reason of each checker; None for the kernel where it is not asked.
        The checkers work in parallel: answers are read when all have been asked."""
        paths = [os.path.join(self.memory.name, "text%d" % i) for i in range(len(texts))]
        for path, text in zip(paths, texts):
            with open(path, "w", encoding="latin-1", newline="") as file:
                file.write(text)
        asked = [i for i in range(len(texts)) if share and self.kernel and rng.randrange(share) == 0]
        self.send(self.proofcheck, paths)
        if asked:
            self.send(self.kernel, [paths[i] for i in asked])
        mini = [tuple((minicheck.judge(io.StringIO(text))[1].split("\n") + [""])[:2]) for text in texts]
        ours = [tuple(self.proofcheck.stdout.readline().strip().split(" ", 1) + [""])[:2] for _ in texts]
        kernel = {i: self.told() for i in asked}
        return [(ours[i], mini[i], kernel.get(i)) for i in range(len(texts))]


def explain(proofcheck, mini):
    """Why two verdicts may differ: a short name. None: they should not."""
    if proofcheck[0] == mini[0]:
        return "same"
    if mini[0] == "UNKNOWN":
        for words, name in (("effort", "efforts are not searched"), ("format", "formats that texts do not have"),
                            ("no game reaches", "positions that no game reaches"), ("", "games and boards")):
            if words in mini[1] and (words or proofcheck[0] != "VERIFIED"):
                return name
    for words in ("the position in the header", "the root in the header is not the key of its position"):
        if words in proofcheck[1]:
            return "the line `position` is not read"
    if "'rules' in the header" in proofcheck[1] or (
            "the rules are version" in proofcheck[1] and "graph's" in proofcheck[1]):
        return "the version of a graph is not computed"
    return None


def explain_kernel(text, reason):
    """A short name for what the kernel does not check, when it accepts what proofcheck refuses for that reason."""
    try:
        h, _, _ = minicheck.read(io.StringIO(text))
    except (minigames.Wrong, minigames.Unknown, OverflowError):
        return "form"
    try:
        minicheck.claimed(h)
    except minigames.Wrong:
        return "bounds that the claim needs"
    for words, name in (("canonical", "canonical keys"), ("in order", "order of reasons"),
                        ("should have a rank", "ranks"), ("is not the key of its position", "the line `position`"),
                        ("the position in the header", "the line `position`")):
        if words in reason:
            return name
    head, body = text.split("\nblocks: ", 1)
    later = text if h["cards"] else head.replace("certificate 2", "certificate 4") + "\ncards: 0\nblocks: " + body
    if minicheck.judge(io.StringIO(later))[0] == 0:
        return "records where a player wins at once"
    return "other: " + re.sub(r"\d+", "N", reason.split("'")[0])[:60]


def forge(made, rng):
    """An edited certificate: the name of the honest one, the kinds of edits, the text."""
    while True:
        name, base = rng.choice(made)
        text, kinds = base.copy(), []
        for kind in sorted(rng.sample(list(EDITS), 1 if rng.random() < 0.7 else 3), key=LAST.count):
            if text.places() and EDITS[kind](text, rng):
                kinds.append(kind)
        if kinds:
            if kinds[-1] not in LAST and rng.random() < 0.9:
                text.count()
            return name, "+".join(kinds) if len(kinds) == 1 else "several", str(text)


def judge_batch(number, seed, made, checkers, share, tally, found):
    rng = random.Random("%d %d" % (seed, number))
    forged = [forge(made, rng) for _ in range(BATCH)]
    judged = checkers.ask([text for _, _, text in forged], share, rng)
    for (name, kind, text), (ours, mini, kernel) in zip(forged, judged):
        game = name.split(":")[0]
        tally["game %s: %s" % (game, ours[0])] += 1
        tally["edit %s: %s" % (kind, ours[0])] += 1
        why = explain(ours, mini)
        tally["proofcheck and minicheck: " + (why or "DISAGREE")] += 1
        bad = None if why else "disagree"
        if kernel:
            if kernel[0] == ours[0]:
                tally["proofcheck and proofkernel: same"] += 1
            elif kernel[0] == "UNKNOWN":
                tally["proofcheck and proofkernel: unknown to the kernel"] += 1
            elif kernel[0] == "VERIFIED":
                tally["proofcheck and proofkernel: the kernel does not ask for " + explain_kernel(text, ours[1])] += 1
            elif ours[0] == "UNKNOWN":
                tally["proofcheck and proofkernel: unknown to proofcheck"] += 1
            elif re.search(",c11:[ \n]", text):
                tally["proofcheck and proofkernel: the kernel asks for a first square in T11"] += 1
            else:
                tally["proofcheck and proofkernel: DISAGREE"] += 1
                bad = bad or "disagree"
        if "VERIFIED" in (ours[0], mini[0], kernel and kernel[0]):
            true = is_true(text)
            tally["accepted by one of them: %s" % {True: "true", False: "FALSE", None: "not decided"}[true]] += 1
            bad = "false" if true is False else bad
        if bad:
            found.append("%s, %s: %s %s %s" % (name, kind, ours, mini, kernel))
            os.makedirs(os.path.join(checkers.folder, "found"), exist_ok=True)
            with open(os.path.join(checkers.folder, "found", "%d-%d-%d" % (seed, number, len(found))), "w",
                      encoding="latin-1", newline="") as file:
                file.write(text)


def compare_checkers(folder, count, seed, share, show=print, only=""):
    """Judges that many forged certificates, in all; returns the counts and what was found."""
    os.makedirs(folder, exist_ok=True)
    state, done = os.path.join(folder, "state-%d.json" % seed), {"batches": 0, "seconds": 0, "tally": {}, "found": []}
    if os.path.exists(state):
        with open(state, encoding="ascii") as file:
            done = json.load(file)
    tally, checkers, began = collections.Counter(done["tally"]), Checkers(folder), time.process_time()
    made = [(name, text) for name, text in honest(folder, random.Random(seed)) if only in name]
    honestly = [] if done["batches"] else checkers.ask([str(text) for _, text in made], int(share > 0), random)
    for (name, _), judged in zip(made, honestly):
        words = [verdict[0] for verdict in judged if verdict and verdict[0] != "UNKNOWN"]
        if len(words) < 2 or set(words) != {"VERIFIED"}:
            done["found"].append("honest %s: %s" % (name, judged))
        tally["honest: " + " ".join(verdict[0] for verdict in judged if verdict)] += 1
    while done["batches"] * BATCH < count:
        judge_batch(done["batches"], seed, made, checkers, share, tally, done["found"])
        seconds = done["seconds"] + time.process_time() - began
        done.update(batches=done["batches"] + 1, tally=tally)
        with open(state + ".part", "w", encoding="ascii") as file:
            json.dump({**done, "seconds": seconds}, file)
        os.replace(state + ".part", state)
        if done["batches"] % 20 == 0:
            show("%d forged, %d found, %.0f CPU seconds of this process" %
                 (done["batches"] * BATCH, len(done["found"]), seconds))
    checkers.close()
    return tally, done["found"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("build")
    parser.add_argument("--count", type=int, default=100000, help="forged certificates in all; default 100,000")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--dir", help="where the state and what is found go; default BUILD/checkers")
    parser.add_argument("--kernel", type=int, default=1, metavar="SHARE",
                        help="ask proofkernel of one in SHARE; 0: never")
    parser.add_argument("--only", default="", metavar="WORD",
                        help="forge only honest certificates whose names contain it: zones, cards, strategies, a game")
    options = parser.parse_args()
    folder = options.dir or os.path.join(options.build, "checkers")
    tally, found = compare_checkers(folder, options.count, options.seed, options.kernel,
                                    lambda line: print(line, flush=True), options.only)
    for name in sorted(tally):
        print("%9d  %s" % (tally[name], name))
    print("\n".join(found[:20]) if found else "nothing was found")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
