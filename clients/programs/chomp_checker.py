"""Chomp for proofcheck, written a second time from the comment in chomp.py: here a position is a set of squares."""
import proofd_game


class Chomp:
    title, author, version, values, step = "Chomp", "the proofd project", 1, (-1, 1), 2

    def __init__(self, parameters):
        sides = (parameters if parameters else "4x3").split("x")
        if len(sides) != 2 or any(s not in "123456789" or len(s) != 1 for s in sides):
            raise ValueError("WxH, 1 to 9 each")
        self.width, self.height = map(int, sides)
        self.params = "x".join(sides)
        self.moves_max = self.plies_max = self.width * self.height
        self.size = len(self.write(self.start()))

    def start(self):
        return frozenset((x, y) for x in range(self.width) for y in range(self.height)), True

    def read(self, text):
        wanted = text.split(" ")
        if len(wanted) != 2 or wanted[1] not in ("1", "2"):
            raise ValueError("heights and a side")
        heights = wanted[0].split(",")
        if any(h not in [str(n) for n in range(self.height + 1)] for h in heights) or len(heights) != self.width:
            raise ValueError("heights of columns")
        squares = frozenset((x, y) for x in range(self.width) for y in range(int(heights[x])))
        for x, y in squares:
            if x and (x - 1, y) not in squares:
                raise ValueError("a square without the one to its left")
        return squares, wanted[1] == "1"

    def write(self, position):
        squares, first = position
        heights = [sum((x, y) in squares for y in range(self.height)) for x in range(self.width)]
        return ",".join(str(h) for h in heights) + (" 1" if first else " 2")

    def over(self, position):
        if position[0]:
            return None
        return 1 if position[1] else -1

    def first(self, position):
        return position[1]

    def moves(self, position):
        return sorted("abcdefghi"[x] + str(y + 1) for x, y in position[0])

    def play(self, position, move):
        column, row = "abcdefghi".index(move[0]), int(move[1:]) - 1
        return frozenset(s for s in position[0] if s[0] < column or s[1] < row), not position[1]


if __name__ == "__main__":
    proofd_game.run(Chomp)
