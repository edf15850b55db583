"""A checker of text certificates of nim and mnk, written from proto/CERTIFICATE.md and the rules alone.

    text_checker.py TEXT

It knows nothing of the programs of this tree, and shows that the page says all that a checker needs. Certificates with
leaves (efforts) are beyond it. Prints VERIFIED, or REJECTED and why; exit status 0 or 1.
"""

import re
import sys


class Wrong(Exception):
    pass


class Nim:
    """A position: (counters of each heap, 1 when Second moves). The player who cannot move loses."""

    def __init__(self, params):
        self.start = (tuple(sorted(int(n) for n in params.split(","))), 0)

    def decode(self, key):
        heaps, turn = tuple(key[:-1]), key[-1]
        if len(heaps) != len(self.start[0]) or list(heaps) != sorted(heaps) or turn > 1:
            raise Wrong("no key of this game")
        return heaps, turn

    def encode(self, position):
        return bytes(sorted(position[0])) + bytes([position[1]])

    def over(self, position):
        return None if any(position[0]) else (1 if position[1] else -1)

    def first_moves(self, position):
        return position[1] == 0

    def moves(self, position):
        """The position after each move, by its code."""
        heaps, turn = position
        return {64 * i + left: (heaps[:i] + (left,) + heaps[i + 1 :], 1 - turn)
                for i in range(len(heaps)) for left in range(heaps[i])}


class Mnk:
    """A position: (squares, row by row from the bottom left: 0 empty, 1 First, 2 Second). One stone a turn."""

    def __init__(self, params):
        self.width, self.height, self.line = (int(n) for n in params.split(","))
        self.squares = self.width * self.height
        self.start = (0,) * self.squares

    def images(self, board):
        w, h = self.width, self.height
        for how in range(8 if w == h else 4):
            image = [0] * self.squares
            for i, stone in enumerate(board):
                x, y = i % w, i // w
                x, y = (w - 1 - x if how & 1 else x), (h - 1 - y if how & 2 else y)
                image[x * w + y if how & 4 else y * w + x] = stone
            yield image

    def encode(self, board):
        numbers = min([sum(1 << i for i, stone in enumerate(image) if stone == kind) for kind in (1, 2)]
                      for image in self.images(board))
        return (numbers[0] | numbers[1] << self.squares).to_bytes((2 * self.squares + 7) // 8, "little")

    def decode(self, key):
        number = int.from_bytes(key, "little")
        board = tuple((number >> i & 1) + 2 * (number >> self.squares + i & 1) for i in range(self.squares))
        if number >> 2 * self.squares or 3 in board or not 0 <= board.count(1) - board.count(2) <= 1:
            raise Wrong("no key of this game")
        if self.encode(board) != key:
            raise Wrong("the key is not the canonical one")
        return board

    def over(self, board):
        w, h = self.width, self.height
        for i, stone in enumerate(board):
            for right, up in ((1, 0), (0, 1), (1, 1), (-1, 1)):
                x, y = i % w + right * (self.line - 1), i // w + up * (self.line - 1)
                if stone and 0 <= x < w and y < h and all(
                        board[i + k * (up * w + right)] == stone for k in range(self.line)):
                    return 1 if stone == 1 else -1
        return None if 0 in board else 0

    def first_moves(self, board):
        return board.count(1) == board.count(2)

    def moves(self, board):
        stone = 1 if self.first_moves(board) else 2
        return {i: board[:i] + (stone,) + board[i + 1 :] for i in range(self.squares) if not board[i]}


def read(path):
    """The header as a dictionary, and the reasons of each key: (upper, bound, rank, move)."""
    with open(path, encoding="ascii") as file:
        lines = file.read().split("\n")
    if lines[0] != "proofd certificate text 1" or lines[1] != "proofd certificate 2":
        raise Wrong("no text certificate")
    end = lines.index("")
    header = dict(line.split(": ", 1) for line in lines[2:end])
    if header["graph"] != "0" or lines[-2:] != ["end", ""]:
        raise Wrong("a graph, or no end")
    records, last = {}, b""
    for line in lines[end + 1 : -2]:
        if line == "block":
            continue
        words = line.split(" : ")[0].split(" ")
        key = bytes.fromhex(words[0])
        if key <= last:
            raise Wrong("keys do not ascend")
        last = key
        records[key] = []
        for word in words[1:]:
            match = re.fullmatch(r"(<=|>=)(-?\d+)(?:,r(\d+))?(?:,m(\d+))?", word)
            if not match:
                raise Wrong("a reason that this checker does not know: " + word)
            records[key].append((match[1] == "<=", int(match[2]), *(n and int(n) for n in (match[3], match[4]))))
    return header, records


def has(game, records, position, upper, bound, below):
    """Whether the position has the bound, by a reason with a rank below that, or any when it is None."""
    if bound >= 1 if upper else bound <= -1:
        return True
    value = game.over(position)
    if value is not None:
        return value <= bound if upper else value >= bound
    return any(side == upper and (n <= bound if upper else n >= bound) and (below is None or (rank and rank < below))
               for side, n, rank, _ in records.get(game.encode(position), []))


def check(path):
    header, records = read(path)
    name, params = header["game"].split(":")
    game = {"nim": Nim, "mnk": Mnk}[name](params)
    for key, reasons in records.items():
        position = game.decode(key)
        if game.over(position) is not None:
            raise Wrong("a record of a position that is over")
        moves = game.moves(position)
        for upper, bound, rank, move in reasons:
            if not rank or bound not in (-1, 0, 1) or (name == "nim" and not bound):
                raise Wrong("a reason without a rank, or a bound that is no value")
            if game.first_moves(position) != upper:
                if move not in moves or not has(game, records, moves[move], upper, bound, rank):
                    raise Wrong("%s: the move %s does not give the bound" % (key.hex(), move))
            elif move is not None or not all(has(game, records, p, upper, bound, rank) for p in moves.values()):
                raise Wrong("%s: not every move leaves the bound" % key.hex())
    root = game.decode(bytes.fromhex(header["root"]))
    for upper, line in ((False, "lo"), (True, "hi")):
        if header[line] != "-" and not has(game, records, root, upper, int(header[line]), None):
            raise Wrong("the root lacks the bound " + line)
    if int(header["positions"]) != len(records):
        raise Wrong("another number of positions")
    proved(header)


def proved(header):
    """Whether the header's bounds are enough for its claim."""
    claim, status = header["claim"], header["status"]
    lo, hi = (int(header[n]) if header[n] != "-" else None for n in ("lo", "hi"))
    if claim == "value":
        good = status == "solved" and lo is not None and lo == hi
    else:
        least = {"first-wins": 1, "second-wins": 0, "first-draws": 0, "second-draws": 1}.get(claim)
        least = int(claim[7:]) if least is None else least
        lower = (status == "proved") != claim.startswith("second")
        good = lo is not None and lo >= least if lower else hi is not None and hi < least
    if not good:
        raise Wrong("the bounds are not what the claim needs")


def verdict(path):
    """The exit status and what to print."""
    try:
        check(path)
    except (Wrong, KeyError, ValueError, IndexError) as why:
        return 1, "REJECTED %s" % why
    return 0, "VERIFIED"


if __name__ == "__main__":
    STATUS, TEXT = verdict(sys.argv[1])
    print(TEXT)
    sys.exit(STATUS)
