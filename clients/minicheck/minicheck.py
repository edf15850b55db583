#!/usr/bin/env python3
"""Checks a certificate of proofd in its text form (proto/CERTIFICATE.md), for people who read all the code they trust.

    proofcheck --text FILE | minicheck.py -        or        minicheck.py TEXT

VERIFIED (exit status 0): by the rules of minigames.py, the value of the position that is printed is within the bounds
that are printed. REJECTED (1): the text does not prove that. UNKNOWN (2): the proof needs what this program lacks.

Each reason of a record is checked by the rules of the game alone. It rests on ends of the game and on reasons of
smaller rank, so all hold, by induction over the ranks; reasons without a rank may support each other in a cycle,
because infinite play serves their player. A card is a strategy, played out below against every reply, or a theorem of
the game whose conditions minigames.py checks (proofs: solver/games/THEOREMS.md). Every record stays in memory.

The verdict is UNKNOWN for leaves with an effort, cards that cite a table, positions that no game reaches, and other
games. These lines are not read: `position` (that of the key `root` is printed), `digest` and, of graphs, `rules`, which
is a digest of the graph.
"""
import collections
import re
import sys
import time

import minigames
from minigames import Unknown, Wrong, need, within

Reason = collections.namedtuple("Reason", "upper bound rank theorem witness move effort")  # None: it has none
PLAYED_MAX = 65536  # positions with the other side to move that one strategy may need


class Play:
    """Strategies of one set of weights and one bound (cards of number 100), played out against every reply."""

    def __init__(self, game, upper, bound, weights):
        self.game, self.upper, self.bound, self.known, self.count = game, upper, bound, {}, 0
        self.weights = [weight - 256 if weight > 127 else weight for weight in weights]

    def good(self, value):
        return within(value, self.upper, self.bound)

    def answer(self, p):
        """The move of policy 1, and whether it ends the game within the bound."""
        game, ends = self.game, self.game.ends(p)
        reached = [m for m, value in ends.items() if self.good(value)]
        if reached:
            return min(reached), True
        quick = game.quick_answer(p, self.upper, self.weights)
        if quick is not None:
            return quick, False
        safe = {m: game.play(p, m) for m in sorted(set(game.moves(p)) - set(ends))}
        safe = {m: after for m, after in safe.items()
                if game.mover(after) == self.upper or all(map(self.good, game.ends(after).values()))}
        if not safe:
            raise Wrong("a strategy has no safe move in " + game.show(p))
        left = [m for m in safe if self.threatens_twice(safe[m])] or safe
        return max(left, key=lambda m: self.weights[game.square(p, m)]), False  # the first of several

    def threatens_twice(self, p):
        game, ends = self.game, self.game.ends(p)
        return game.mover(p) != self.upper and all(m in ends or self.wins(game.play(p, m)) for m in game.moves(p))

    def wins(self, p):
        return self.game.mover(p) == self.upper and any(map(self.good, self.game.ends(p).values()))

    def plies(self, p):
        """The length of the longest line of play from a position that is not over. Each must end within the bound."""
        if p in self.known:
            return self.known[p]
        game, found = self.game, 1
        if game.mover(p) == self.upper:
            move, over = self.answer(p)
            if not over:
                found += self.plies(game.play(p, move))
        else:
            ends, self.count = game.ends(p), self.count + 1
            if not all(map(self.good, ends.values())) or self.count > PLAYED_MAX:
                raise Wrong("a strategy loses, or needs more than %d positions, in %s" % (PLAYED_MAX, game.show(p)))
            found += max([self.plies(game.play(p, m)) for m in game.moves(p) if m not in ends], default=0)
        self.known[p] = found
        return found


# --- the form of a text ---------------------------------------------------------------------

NUMBER, TEXT, BOUND = "0|[1-9][0-9]{0,19}", "[^\0-\x1f\x7f]{0,16384}", "0|-?[1-9][0-9]{0,4}"
LINES = (("game", TEXT), ("rules", NUMBER), ("plugin", "[0-9a-f]{16}"), ("engine", TEXT), ("position", TEXT),
         ("root", "(?:[0-9a-f]{2}){1,256}"), ("claim", "value|(?:first|second)-(?:wins|draws)|first>=(?:%s)" % BOUND),
         ("status", "solved|proved|disproved"), ("lo", "-|" + BOUND), ("hi", "-|" + BOUND), ("detail", "full|frontier"),
         ("positions", NUMBER), ("reasons", NUMBER), ("leaves", NUMBER), ("cards", NUMBER), ("blocks", NUMBER),
         ("graph", NUMBER), ("digest", "[0-9a-f]{32}"))
HEADER = re.compile("proofd certificate text 1\nproofd certificate (?P<format>%s)\n" % NUMBER + "".join(
    "(?:%s: (?P<%s>%s)\n)%s" % (name, name, what, "?" * (name in ("plugin", "cards"))) for name, what in LINES) + "\n")
REASON = re.compile("([<>])=(" + BOUND + ")(?:,r([1-9][0-9]{0,4}))?(?:,c([1-9][0-9]{0,4}):((?:[0-9a-f]{2}){0,512})"
                    "|(?:,m(0|[1-9][0-9]{0,4}))?(?:,e([1-9][0-9]{0,19}))?)")
RECORD = re.compile("((?:[0-9a-f]{2}){1,256})((?: %s)+)(?: : [^\0\n]*)?\n" %
                    re.sub(r"\((?!\?)", "(?:", REASON.pattern))


def read(file):
    """The header, the graph, and the text of the reasons by key."""
    head, records, last, room = "", {}, b"", 0
    while not head.endswith("\n\n") and len(head) < 1 << 20:
        head += file.readline() or "\n\n"
    h = HEADER.fullmatch(head)
    need(h, "the header is wrong")
    need(h["format"] in ("2", "4"), "format " + h["format"], Unknown)
    need((h["format"] == "4") == (h["cards"] is not None), "the line 'cards' belongs to format 4")
    graph = file.read(int(h["graph"])).encode("latin-1")
    need(len(graph) == int(h["graph"]) and (not graph or file.read(1) == "\n"), "the text ends within the graph")
    found = dict.fromkeys(("positions", "reasons", "leaves", "cards", "blocks"), 0)
    for line in iter(file.readline, "end\n"):
        if line == "block\n":
            need(room < 1024, "a block has no records")
            found["blocks"], room = found["blocks"] + 1, 1024
            continue
        m = RECORD.fullmatch(line)
        need(m and room, "this is no record in a block: %.80r" % line)
        key, reasons, room = bytes.fromhex(m[1]), m[2].encode(), room - 1
        need(key > last, "the keys do not ascend: " + m[1])
        records[key], last, found["positions"] = reasons, key, found["positions"] + 1
        for name, what in (("reasons", b" "), ("leaves", b",e"), ("cards", b",c")):
            found[name] += reasons.count(what)
    need(room < 1024 and not file.read(1), "a block has no records, or something follows the end")
    for name, number in found.items():
        need(int(h[name] or 0) == number, "the header says %s %s, but there are %d" % (h[name], name, number))
    return h, graph, records


def claimed(h):
    """The bounds of the header, which must be those that the claim needs: (upper, bound)."""
    lo, hi = (None if h[name] == "-" else int(h[name]) for name in ("lo", "hi"))
    if h["claim"] == "value":
        need(h["status"] == "solved" and lo is not None and lo == hi, "the claim 'value' needs equal lo and hi")
        return [(False, lo), (True, hi)]
    least = {"first-wins": 1, "second-wins": 0, "first-draws": 0, "second-draws": 1}.get(h["claim"])
    least = int(h["claim"][7:]) if least is None else least
    upper = (h["status"] == "disproved") != h["claim"].startswith("second")
    bound, other = (hi, lo) if upper else (lo, hi)
    need(h["status"] != "solved" and bound is not None and other is None, "the claim needs one of the bounds")
    need(within(bound, upper, least - upper), "the bound in the header is weaker than the claim")
    return [(upper, bound)]


def number_at(data):
    """A number of seven bits a byte, lowest first, in as few bytes as possible; and what follows it."""
    size = 1 + next((i for i, byte in enumerate(data) if byte < 128), 3)
    need(size <= min(len(data), 3) and (size == 1 or data[size - 1]), "a number of a zone is wrong")
    return sum((byte & 127) << 7 * i for i, byte in enumerate(data[:size])), data[size:]


# --- what it says ---------------------------------------------------------------------------


class Check:
    """Judges a certificate. Raises Wrong or Unknown, unless it is true."""

    def __init__(self, file):
        self.header, graph, self.records = read(file)
        self.bounds, self.unknown, self.strategies = claimed(self.header), None, {}
        self.wins_at_once = self.header["format"] == "4"
        self.game = minigames.named(self.header["game"], self.header["rules"], graph)
        self.root = self.game.position(bytes.fromhex(self.header["root"]))

    def run(self):
        need(not self.records or self.game.value(self.root) is None, "the game is over at the root, which has records")
        for upper, bound in self.bounds:
            need(bound in self.game.values, "a bound of the header is no value of the game")
            need(self.has(self.root, upper, bound), "the root lacks the bound of the header")
        for key in self.records:
            self.check_record(key)
        for (upper, bound, weights), places in self.strategies.items():
            play = Play(self.game, upper, bound, weights)
            for key, rank in places:
                play.count, plies = 0, play.plies(self.game.position(key))
                need(plies <= rank, "the strategy at %s needs %d plies, its rank is %d" % (key.hex(), plies, rank))
        need(not self.unknown, self.unknown, Unknown)

    def reasons(self, key):
        def number(text):
            return None if text is None else int(text)
        return [Reason(m[1] == "<", int(m[2]), number(m[3]), number(m[4]), m[5], number(m[6]), number(m[7]))
                for m in REASON.finditer(self.records.get(key, b"").decode())]

    def has(self, p, upper, bound, below=None):
        """Whether a position has a bound: by the scale, by its end, or by a reason (`below`: whose rank is smaller)."""
        value = self.game.value(p)
        if within(self.game.values[-1 if upper else 0], upper, bound) or value is not None:
            return value is None or within(value, upper, bound)
        return any(r.upper == upper and within(r.bound, upper, bound) and (below is None or r.rank and r.rank < below)
                   for r in self.reasons(self.game.key(p)))

    def supports(self, p, r, zone=()):
        """Whether the position after a move has the bound of a reason; perhaps by an answer of its zone."""
        return self.has(p, r.upper, r.bound, r.rank) or (
            self.wins_at_once and r.rank != 1 and self.game.value(p) is None and self.game.mover(p) == r.upper and
            any(within(value, r.upper, r.bound) for value in self.game.ends(p).values())) or (
            self.game.value(p) is None and any((self.plies(p, *answer) or r.rank) < r.rank for answer in zone))

    def check_record(self, key):
        p, last = self.game.position(key), (-1, 0)
        try:
            need(self.game.value(p) is None, "the game is over")
            for r in self.reasons(key):
                need((r.upper, r.bound) > last, "the reasons are not in order")
                last = r.upper, r.bound
                self.check_reason(key, p, r)
        except Wrong as why:
            raise Wrong("the record %s, %s: %s" % (key.hex(), self.game.show(p), why)) from None

    def check_reason(self, key, p, r):
        game = self.game
        if r.theorem == 101:
            self.unknown = self.unknown or "it cites a table, and tables are not checked here"
            return
        need(r.bound in game.values, "the bound is no value of the game")
        ranked = not game.repeats or not within(game.infinite, r.upper, r.bound) or r.effort or r.theorem
        need(r.rank is None or r.rank < 65535, "the rank is too great")
        need(r.rank or not ranked, "there should be a rank")
        zone = self.answers(r) if r.theorem == 103 else ()
        if r.theorem and not zone:
            self.check_card(key, p, r)
        elif r.effort:
            need(r.move is None and self.header["detail"] == "frontier", "an effort with a move, or in detail 'full'")
            self.unknown = self.unknown or "an effort needs a search: export with --detail full"
        elif game.mover(p) == r.upper:
            need(r.move in game.moves(p), "the player of the bound is to move, and there is no legal move here")
            need(self.supports(game.play(p, r.move), r), "move %d does not give the bound" % r.move)
        else:
            need(r.move is None, "the other side is to move, so there should be no move")
            for m in game.moves(p):
                need(self.supports(game.play(p, m), r, zone), "the bound does not hold after move %d" % m)

    def check_card(self, key, p, r):
        game, data = self.game, bytes.fromhex(r.witness)
        if r.theorem == 100:
            need(game.squares and len(data) == 1 + game.squares and data[0] == 1, "this is not a strategy of policy 1")
            self.strategies.setdefault((r.upper, r.bound, data[1:]), []).append((key, r.rank))
            return
        plies = self.plies(p, r, data)
        need(plies is not None and plies <= r.rank, "theorem T%d does not give the bound within the rank" % r.theorem)

    def plies(self, p, r, data):
        """The plies that a theorem of the game needs with that witness; None: it does not give the bound."""
        groups = []
        while data:
            size = 1 + 2 * data[0]
            groups.append([data[i] + 256 * data[i + 1] for i in range(1, min(size, len(data) - 1), 2)])
            if not 0 < 2 * len(groups[-1]) == size - 1 or max(groups[-1]) >= self.game.squares:
                return None
            data = data[size:]
        return self.game.card(p, r, groups)

    def answers(self, r):
        """The theorems that the zone (T103) of a reason lists, with their witnesses."""
        data, found = bytes.fromhex(r.witness), []
        while data:
            theorem, data = number_at(data)
            size, data = number_at(data)
            need(0 < theorem < 65536 and not 100 <= theorem <= 103 and size <= len(data), "a zone has a wrong answer")
            found, data = found + [(r._replace(theorem=theorem), data[:size])], data[size:]
        need(0 < len(found) <= 32, "a zone has 1 to 32 answers")
        return found


def judge(file):
    """The exit status, and what to print, for the text in a file."""
    began, check = time.process_time(), None
    sys.setrecursionlimit(10000)  # a strategy may be played for as many plies as a board has squares
    try:
        check = Check(file)
        check.run()
        status, word, why = 0, "VERIFIED", ""
    except Wrong as error:
        status, word, why = 1, "REJECTED", str(error)
    except Unknown as error:
        status, word, why = 2, "UNKNOWN", str(error)
    except (AttributeError, LookupError, OverflowError, TypeError, ValueError) as error:
        status, word, why = 1, "REJECTED", "the text is not understood: %r" % error
    lines = [word] + (["  reason     " + why] if why else [])
    if status == 0:
        told = ["at %s %d" % ("most" if upper else "least", bound) for upper, bound in check.bounds]
        size = sys.getsizeof(check.records) + sum(map(sys.getsizeof, [*check.records, *check.records.values()]))
        lines += ["  game       " + check.header["game"], "  position   " + check.game.show(check.root),
                  "  value      " + ", ".join(told),
                  "  records    %d, %d bytes each in memory" % (len(check.records), size // max(1, len(check.records))),
                  "  time       %.2f CPU seconds" % (time.process_time() - began)]
    return status, "\n".join(lines)


def main():
    if len(sys.argv) != 2 or sys.argv[1] in ("-h", "--help"):
        print(__doc__)
        return 2
    try:
        with open(0 if sys.argv[1] == "-" else sys.argv[1], encoding="latin-1", newline="\n") as file:
            status, text = judge(file)
    except OSError as error:
        print("minicheck: %s" % error, file=sys.stderr)
        return 2
    print(text)
    return status


if __name__ == "__main__":
    sys.exit(main())
