"""Chomp (Gale 1974): a bar of chocolate of W columns and H rows. A move bites off a square with everything above and to
the right of it; whoever takes the last square, a1, loses. A position lists the heights of the columns from the left,
which never grow, then the side to move: `3,3,2 1`. A move is the square that is bitten, such as b2."""
import proofd_game


class Chomp:
    title = "Chomp"
    parameters = "WxH: columns and rows, 1 to 9 each; the default is 4x3"
    notation = "a position is the heights of the columns and the side to move, as in 3,3,2 1; a move is a square"
    example, author, version = "chomp:4x3", "the proofd project", 1
    values, step = (-1, 1), 2

    def __init__(self, parameters):
        width, _, height = (parameters or "4x3").partition("x")
        if not (width + height).isascii() or not (width + height).isdigit() or not 1 <= int(width or 0) <= 9 or \
                not 1 <= int(height or 0) <= 9:
            raise ValueError("chomp takes WxH, 1 to 9 each, not '%s'" % parameters)
        self.width, self.height = int(width), int(height)
        self.params = "%dx%d" % (self.width, self.height)
        self.moves_max = self.plies_max = self.width * self.height
        self.size = 2 * self.width + 1

    def start(self):
        return (self.height,) * self.width, 1

    def read(self, text):
        columns, _, side = text.partition(" ")
        heights = columns.split(",")
        if side not in ("1", "2") or len(heights) != self.width or \
                any(len(h) != 1 or h not in "0123456789" or int(h) > self.height for h in heights):
            raise ValueError("%d heights of at most %d and a side, 1 or 2, such as %s" %
                             (self.width, self.height, self.write(self.start())))
        heights = tuple(int(h) for h in heights)
        if any(a < b for a, b in zip(heights, heights[1:])):
            raise ValueError("no column is higher than the one to its left")
        return heights, int(side)

    def write(self, position):
        return ",".join(map(str, position[0])) + " %d" % position[1]

    def over(self, position):
        heights, side = position
        return None if heights[0] else 1 if side == 1 else -1  # the other side took the last square

    def first(self, position):
        return position[1] == 1

    def moves(self, position):
        return ["%c%d" % (ord("a") + x, y + 1) for x, height in enumerate(position[0]) for y in range(height)]

    def play(self, position, move):
        heights, side = position
        x, y = ord(move[0]) - ord("a"), int(move[1]) - 1
        return tuple(min(h, y) if i >= x else h for i, h in enumerate(heights)), 3 - side

    def picture(self, position):
        return "\n".join(" ".join("#" if h > y else "." for h in position[0])
                         for y in reversed(range(self.height)))


if __name__ == "__main__":
    proofd_game.run(Chomp)
