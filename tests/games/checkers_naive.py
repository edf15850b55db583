"""Checkers from the text of the rules, slow and plain: a position is (side, {square: piece}), squares are (row, column)
with Black's first row 0, a piece is b, w, or B, W for kings. `solve` finds the values of all positions that can arise
from some positions, by retrograde analysis. Run alone, it prints perft of the small boards."""
import itertools
import sys


def number_of(n, square):
    return square[0] * (n // 2) + square[1] // 2 + 1


def square_of(n, number):
    row, i = divmod(number - 1, n // 2)
    return row, 2 * i + (1 - row % 2)


def read(n, text):
    side, *rest = text.split(":")
    pieces = {}
    for part in rest:
        for word in filter(None, part[1:].split(",")):
            king = word[0] == "K"
            letter = part[0] if king else part[0].lower()
            pieces[square_of(n, int(word[king:]))] = letter
    return side, pieces


def write(n, position):
    side, pieces = position
    text = side
    for letter in "WB":
        numbers = sorted((number_of(n, s), p.isupper()) for s, p in pieces.items() if p.upper() == letter)
        text += ":" + letter + ",".join("K" * king + str(number) for number, king in numbers)
    return text


def start(n):
    men = (n // 2) * (n // 2 - 1)
    pieces = {square_of(n, i + 1): "b" for i in range(men)}
    pieces |= {square_of(n, n * n // 2 - i): "w" for i in range(men)}
    return "B", pieces


def ways(piece):
    return {"b": [1], "w": [-1]}.get(piece, [1, -1])


def crowned(n, piece, row):
    return piece.upper() if row == {"b": n - 1, "w": 0}.get(piece) else piece


def captures(n, pieces, at, piece, path, taken):
    """Paths of captures by a piece that is lifted from the board while it moves."""
    longer = []
    for down, right in itertools.product(ways(piece), (-1, 1)):
        over, to = (at[0] + down, at[1] + right), (at[0] + 2 * down, at[1] + 2 * right)
        if (pieces.get(over, piece).upper() != piece.upper() and over not in taken and to not in pieces
                and 0 <= to[0] < n and 0 <= to[1] < n):
            longer += captures(n, pieces, to, piece, path + [to], taken | {over})
    return longer or ([(path, taken)] if taken else [])


def moves(n, position):
    """Pairs of a text and the position after the move."""
    side, pieces = position
    other = "BW"[side == "B"]
    found = []
    for take in (True, False):
        for at, piece in pieces.items():
            if piece.upper() != side:
                continue
            rest = {s: p for s, p in pieces.items() if s != at}
            paths = captures(n, rest, at, piece, [at], frozenset()) if take else [
                ([at, (at[0] + down, at[1] + right)], frozenset())
                for down, right in itertools.product(ways(piece), (-1, 1))
                if 0 <= at[0] + down < n and 0 <= at[1] + right < n and (at[0] + down, at[1] + right) not in pieces]
            for path, taken in paths:
                after = {s: p for s, p in rest.items() if s not in taken}
                after[path[-1]] = crowned(n, piece, path[-1][0])
                found.append(("-x"[take].join(str(number_of(n, s)) for s in path), (other, after)))
        if found:
            break
    return found


def perft(n, position, depth):
    after = moves(n, position)
    return len(after) if depth == 1 else sum(perft(n, p, depth - 1) for _, p in after)


def solve(n, positions):
    """{text: plies to the end with best play, even for a lost side to move, odd for a won one}; draws are left out."""
    successors, todo = {}, [write(n, p) for p in positions]
    while todo:
        text = todo.pop()
        if text not in successors:
            successors[text] = {write(n, p) for _, p in moves(n, read(n, text))}
            todo += successors[text]
    before = {}
    for text, after in successors.items():
        for child in after:
            before.setdefault(child, []).append(text)
    open_moves = {text: len(after) for text, after in successors.items()}
    plies = {text: 0 for text, after in successors.items() if not after}
    layer, depth = list(plies), 0
    while layer:
        depth += 1
        following = []
        for child in layer:
            for text in before.get(child, ()):
                open_moves[text] -= 1
                if text not in plies and (depth % 2 or not open_moves[text]):
                    plies[text] = depth
                    following.append(text)
        layer = following
    return plies, successors


if __name__ == "__main__":
    for size, depth in ((4, 12), (6, 8)):
        print(size, [perft(size, start(size), i + 1) for i in range(depth)])
    sys.exit(0)
