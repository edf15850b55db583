"""Dodgem for proofcheck, written a second time from the comment in dodgem.js, in another language. Cars are lists of
squares (column, row), rows counted from the bottom."""
import proofd_game

SQUARES = [(x, y) for y in (2, 1, 0) for x in (0, 1, 2)]  # in the order of the text
WAYS = {"u": (0, 1), "d": (0, -1), "l": (-1, 0), "r": (1, 0)}


class Dodgem:
    title, author, version = "Dodgem", "the proofd project", 1
    values, step, infinite, repeats = (-1, 1), 1, 0, True
    moves_max, plies_max, size = 6, 0, 11

    def __init__(self, parameters):
        if parameters != "":
            raise ValueError("no parameters")

    def start(self):
        return {(1, 0), (2, 0)}, {(0, 1), (0, 2)}, 1

    def read(self, text):
        if len(text) != 11 or text[9] != " " or text[10] not in "12" or set(text[:9]) - set("fs."):
            raise ValueError("nine squares and a side")
        first = {s for s, c in zip(SQUARES, text) if c == "f"}
        second = {s for s, c in zip(SQUARES, text) if c == "s"}
        if len(first) > 2 or len(second) > 2 or not first | second:
            raise ValueError("at most two cars a side, at least one in all")
        return first, second, int(text[10])

    def write(self, position):
        first, second, side = position
        return "".join("f" if s in first else "s" if s in second else "." for s in SQUARES) + " %d" % side

    def steps(self, position):
        """The legal moves: name, square, where to (None: off the board)."""
        first, second, side = position
        for x, y in first if side == 1 else second:
            for way in ("u", "l", "r") if side == 1 else ("r", "u", "d"):
                to = (x + WAYS[way][0], y + WAYS[way][1])
                leaves = to[1] == 3 if side == 1 else to[0] == 3
                if leaves or (to in SQUARES and to not in first and to not in second):
                    yield "abc"[x] + str(y + 1) + way, (x, y), None if leaves else to

    def over(self, position):
        first, second, side = position
        if not first:
            return 1
        if not second:
            return -1
        if not list(self.steps(position)):
            return 1 if side == 1 else -1
        return None

    def first(self, position):
        return position[2] == 1

    def moves(self, position):
        return [name for name, _, _ in self.steps(position)]

    def play(self, position, move):
        for name, square, to in self.steps(position):
            if name == move:
                cars = [set(position[0]), set(position[1])]
                mine = cars[position[2] - 1]
                mine.remove(square)
                if to:
                    mine.add(to)
                return cars[0], cars[1], 3 - position[2]
        raise ValueError(move)


if __name__ == "__main__":
    proofd_game.run(Dodgem)
