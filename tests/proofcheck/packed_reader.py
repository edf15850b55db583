"""A reader of packed certificates (format 6), written from proto/CERTIFICATE.md alone; the rules are minicheck.py's.

    packed_reader.py FILE

It prints a line for each record: key, bound, rank, and the move or card, as in the text form. The rank is a question
mark where it depends on a card, whose theorem this reader does not ask; of zones it does.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "clients", "minicheck"))
import minicheck  # noqa: E402
import minigames  # noqa: E402
from minigames import Wrong  # noqa: E402


class Rules:
    """A game by the rules of minicheck.py."""

    def __init__(self, header):
        self.game = minigames.named(header["game"], header["rules"], b"")
        self.decode, self.encode, self.over = self.game.position, self.game.key, self.game.value

    def first_moves(self, position):
        return self.game.mover(position) == 0

    def moves(self, position):
        """The position after each move, by its code."""
        return {move: self.game.play(position, move) for move in self.game.moves(position)}


class Chance:
    def __init__(self):
        self.p, self.n = 32768, 0


class Table(dict):
    """Chances by their contexts."""

    def __missing__(self, context):
        self[context] = Chance()
        return self[context]


class Bits:
    def __init__(self, data):
        self.data, self.low, self.high, self.shifted = data, 0, 0xFFFFFFFF, 0
        self.code = int.from_bytes((data + bytes(4))[:4], "big")

    def bit(self, chance, learns=True):
        middle = self.low + ((self.high - self.low) * chance.p >> 16)
        bit = int(self.code <= middle)
        if bit:
            self.high, p = middle, chance.p + (65536 - chance.p) // (chance.n + 2)
        else:
            self.low, p = middle + 1, chance.p - chance.p // (chance.n + 2)
        if learns:
            chance.p, chance.n = min(max(p, 32), 65504), min(chance.n + 1, 30)
        while self.low >> 24 == self.high >> 24:
            at = self.shifted + 4
            self.low = self.low << 8 & 0xFFFFFFFF
            self.high = (self.high << 8 & 0xFFFFFFFF) | 255
            self.code = (self.code << 8 & 0xFFFFFFFF) | (self.data[at] if at < len(self.data) else 0)
            self.shifted += 1
        if self.shifted >= len(self.data):
            raise Wrong("the symbols end before the proof")
        return bit

    def tree(self, table, context, bits):
        i = 1
        for _ in range(bits):
            i = 2 * i + self.bit(table[context, i])
        return i - (1 << bits)


class Answers:
    def __init__(self, data):
        self.bits, self.table = Bits(data), {}
        self.kind_at, self.kind_of, self.move_at = [0] * 64, [0, 0], [65535] * 64
        self.slots, self.recent, self.fresh = ({}, {}), [], 0

    def chances(self, name):
        return self.table.setdefault(name, Table())

    def answer(self, depth, wants, moves, safe):
        """("all",), ("move", code) or ("card", theorem, witness)."""
        d, side = min(depth, 63), int(wants)
        card = self.bits.bit(self.chances("leaf")[side, d, self.kind_at[d], self.kind_of[side]])
        self.kind_at[d] = self.kind_of[side] = 1 + card
        if card:
            return self.card()
        return ("move", self.move(depth, moves, safe)) if wants else ("all",)

    def move(self, depth, moves, safe):
        d, above = min(depth, 63), self.move_at[min(depth - 2, 63)] if depth >= 2 else 65535
        found = moves[-1]
        for i, move in enumerate(moves[:-1]):
            context = ("alone",) if not i and safe == 1 else (
                move % 1024, i < safe, move == above, move == self.move_at[d])
            if self.bits.bit(self.chances("move")[context]):
                found = move
                break
        self.move_at[d] = found
        return found

    def card(self):
        theorem = 256 * self.bits.tree(self.chances("high"), 0, 8) + self.bits.tree(self.chances("low"), 0, 8)
        if theorem == 100:
            return "card", theorem, self.strategy()
        size, witness = self.bits.tree(self.chances("size"), theorem % 64, 10), b""
        if not theorem or size > 512:
            raise Wrong("no such card")
        for _ in range(size):
            witness += bytes([self.byte(theorem, witness)])
        return "card", theorem, witness

    def byte(self, theorem, witness):
        guesses, found = [], None
        for table, count in enumerate((8, 3)):
            h = theorem
            for byte in witness[-count:]:
                h = (h + byte + 1) * 0x9E3779B1 % (1 << 32)
            guesses.append((table, (h ^ h >> 15) % (1 << 18)))
        for table, slot in guesses:
            byte, right = self.slots[table].get(slot, (0, 0))
            first = self.slots[0].get(guesses[0][1], (0, 0))
            if found is not None or not right or (table and first[1] and first[0] == byte):
                continue
            if self.bits.bit(self.chances("right")[table, right]):
                found = byte
        if found is None:
            x = witness[-1] if witness else 0
            y = witness[-2] if len(witness) > 1 else 0
            found = self.bits.tree(self.chances("byte"), (0, x) if x else (1, y), 8)
        for table, slot in guesses:
            byte, right = self.slots[table].get(slot, (0, 0))
            self.slots[table][slot] = (found, min(right + 1, 8) if right and byte == found else 1)
        return found

    def place(self):
        k, v = 0, 1
        while k < 14 and self.bits.bit(self.chances("longer")[k]):
            k += 1
        for i in range(k):
            v = 2 * v + (self.bits.bit(Chance(), False) if i else self.bits.bit(self.chances("second")[k]))
        return v - 1

    def strategy(self):
        self.fresh = self.bits.bit(self.chances("fresh")[self.fresh])
        if not self.fresh:
            witness = self.recent.pop(self.place())
        else:
            last, witness = self.recent[0] if self.recent else b"", b""
            for i in range(self.bits.tree(self.chances("size"), 36, 10)):
                x = last[i] if i < len(last) else 0
                same = self.bits.bit(self.chances("same")[i, x != 0])
                witness += bytes([x if same else self.bits.tree(self.chances("weight"), x, 8)])
            del self.recent[16383:]
        self.recent.insert(0, witness)
        return witness


class Walk:
    """The walk for one bound. `found`: for each key the rank (None: it depends on a card) and the answer."""

    def __init__(self, game, answers, upper, bound):
        self.game, self.answers, self.upper, self.bound, self.found = game, answers, upper, bound, {}

    def within(self, value):
        return value <= self.bound if self.upper else value >= self.bound

    def is_safe(self, position):
        value = self.game.over(position)
        if value is not None or self.game.first_moves(position) != self.upper:
            return value is None or self.within(value)
        ends = [self.game.over(child) for child in self.game.moves(position).values()]
        return all(end is None or self.within(end) for end in ends)

    def visit(self, position, depth=0):
        """The rank."""
        game = self.game
        if (self.bound >= 1 if self.upper else self.bound <= -1) or game.over(position) is not None:
            return 0
        wants = game.first_moves(position) != self.upper
        ends = [game.over(child) for child in game.moves(position).values()]
        if wants and depth and any(end is not None and self.within(end) for end in ends):
            return 1
        key = game.encode(position)
        if key not in self.found:
            self.found[key] = self.read(game.decode(key), depth, wants)
        return self.found[key][0]

    def read(self, position, depth, wants):
        moves = self.game.moves(position)
        codes, safe = sorted(moves), len(moves)
        if wants and len(moves) <= 16:
            good = [code for code in codes if self.is_safe(moves[code])]
            codes, safe = good + [code for code in codes if code not in good], len(good)
        answer = self.answers.answer(depth, wants, codes, safe)
        if answer[:2] == ("card", 103):
            return self.zone(moves, codes, depth, answer[2]), answer
        if answer[0] == "card":
            return None, answer
        ranks = [self.visit(moves[code], depth + 1) for code in (codes if answer[0] == "all" else answer[1:])]
        return None if None in ranks else 1 + max(ranks), answer


    def zone(self, moves, codes, depth, witness):
        """The rank of a zone: what its answers do not cover is visited."""
        ask, ranks, left = object.__new__(minicheck.Check), [0], []
        ask.game = self.game.game
        reason = minicheck.Reason(self.upper, self.bound, None, 103, witness.hex(), None, None)
        for child in (moves[code] for code in codes if self.game.over(moves[code]) is None):
            ends = map(self.game.over, self.game.moves(child).values())
            plies = [ask.plies(child, *answer) for answer in ask.answers(reason)]
            if self.game.first_moves(child) != self.upper and any(e is not None and self.within(e) for e in ends):
                ranks.append(1)
            else:
                ranks += [n for n in plies if n][:1]
                left += [] if any(plies) else [child]
        ranks += [self.visit(child, depth + 1) for child in left]
        return None if None in ranks else 1 + max(ranks)


def unpack(path):
    """The header as a dictionary, and the lines of all records in order."""
    with open(path, "rb") as file:
        head, symbols = file.read().split(b"\n\n", 1)
    lines = head.decode().split("\n")
    if lines[0] != "proofd certificate 6":
        raise Wrong("not packed")
    header = dict(line.split(": ", 1) for line in lines[1:])
    game, answers = Rules(header), Answers(symbols)
    root, records = game.decode(bytes.fromhex(header["root"])), {}
    for upper, line in ((False, "lo"), (True, "hi")):
        if header[line] == "-":
            continue
        walk = Walk(game, answers, upper, int(header[line]))
        walk.visit(root)
        for key, (rank, answer) in walk.found.items():
            how = {"all": "", "move": ",m%s", "card": ",c%d:%s"}[answer[0]]
            values = (answer[1], answer[2].hex()) if answer[0] == "card" else answer[1:]
            records.setdefault(key, []).append("%s%s,r%s%s" % (
                "<=" if upper else ">=", header[line], "?" if rank is None else rank, how % values))
    if answers.bits.shifted + 1 != len(symbols):
        raise Wrong("bytes follow the symbols")
    return header, [" ".join([key.hex(), *records[key]]) for key in sorted(records)]


if __name__ == "__main__":
    print("\n".join(unpack(sys.argv[1])[1]))
