"""A third, naive implementation of some small games: counts for the perft rows of tests/data/games, and values.

Usage: count_small.py GAME WxH PLIES      domineering, nogo, atari-go, dots
       count_small.py nim A,B,... PLIES

Prints the positions after 1, 2, ... plies (every order of moves counted; a game that is over counts no more) and, with
PLIES 0, what the first player gets. Sets of coordinates and plain recursion, nothing shared with the programs.
"""

import sys
from functools import lru_cache


def around(cell):
    x, y = cell
    return {(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)}


def block(stones, start):
    found, todo = {start}, [start]
    while todo:
        for near in around(todo.pop()) & stones - found:
            found.add(near)
            todo.append(near)
    return found


def breathes(mine, empty, start):
    return any(around(cell) & empty for cell in block(mine, start))


class Board:
    """Games of stones or dominoes: a position is (squares of the mover, of the other, number of moves made)."""

    def __init__(self, width, height):
        self.cells = frozenset((x, y) for x in range(width) for y in range(height))
        self.start = (frozenset(), frozenset(), 0)


class Domineering(Board):
    def children(self, position):
        mine, other, made = position
        free = self.cells - mine
        for x, y in free:
            second = (x, y + 1) if made % 2 == 0 else (x + 1, y)
            if second in free:
                yield (mine | {(x, y), second}, other, made + 1)

    def value(self, position):
        return lost(self, position)


class NoGo(Board):
    captures = False

    def children(self, position):
        mine, other, made = position
        for cell in self.cells - mine - other:
            with_it, empty = mine | {cell}, self.cells - mine - other - {cell}
            caught = any(not breathes(other, empty, near) for near in around(cell) & other)
            if self.captures and any(not breathes(mine, self.cells - mine - other, stone) for stone in mine):
                return
            if caught and self.captures or not caught and breathes(with_it, empty, cell):
                yield (other, with_it, made + 1)

    def value(self, position):
        return lost(self, position)


class AtariGo(NoGo):
    captures = True


class Dots:
    """A position: (lines drawn, side to move, boxes of the first less those of the second)."""

    def __init__(self, width, height):
        self.boxes = {(x, y): {("-", x, y), ("-", x, y + 1), ("|", x, y), ("|", x + 1, y)}
                      for x in range(width) for y in range(height)}
        self.lines = frozenset().union(*self.boxes.values())
        self.start = (frozenset(), 0, 0)

    def children(self, position):
        drawn, side, score = position
        for line in self.lines - drawn:
            after = drawn | {line}
            made = sum(line in box and box <= after for box in self.boxes.values())
            yield (after, side if made else 1 - side, score + (-made if side else made))

    def value(self, position):
        drawn, side, score = position
        if drawn == self.lines:
            return score
        return score + self.rest(drawn) * (-1 if side else 1)

    @lru_cache(None)
    def rest(self, drawn):
        """What the mover still gets more than the other."""
        best = None
        for after, side, made in self.children((drawn, 0, 0)):
            got = made + self.rest(after) * (-1 if side else 1)
            best = got if best is None or got > best else best
        return best or 0


class Nim:
    def __init__(self, heaps):
        self.start = (tuple(heaps), 0)

    def children(self, position):
        heaps, made = position
        for i, heap in enumerate(heaps):
            for left in range(heap):
                yield (heaps[:i] + (left,) + heaps[i + 1:], made + 1)

    def value(self, position):
        return lost(self, position)


WINS = {}


def wins(game, position):
    """Whether the player to move wins a game that the player without a move loses."""
    if position not in WINS:
        WINS[position] = any(not wins(game, child) for child in game.children(position))
    return WINS[position]


def lost(game, position):
    return 1 if wins(game, position) else -1


def perft(game, positions):
    """Positions one ply on, with how often each comes up."""
    out = {}
    for position, times in positions.items():
        for child in game.children(position):
            out[child] = out.get(child, 0) + times
    return out


def main():
    name, size, plies = sys.argv[1:4]
    kinds = {"domineering": Domineering, "nogo": NoGo, "atari-go": AtariGo, "dots": Dots}
    game = Nim(map(int, size.split(","))) if name == "nim" else kinds[name](*map(int, size.split("x")))
    if int(plies) == 0:
        sys.setrecursionlimit(10000)
        print(game.value(game.start))
        return
    positions = {game.start: 1}
    counts = []
    for _ in range(int(plies)):
        positions = perft(game, positions)
        counts.append(sum(positions.values()))
    print("\t".join(map(str, counts)))


if __name__ == "__main__":
    main()
