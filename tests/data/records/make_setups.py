"""Writes the records with set-up stones, swaps and large boards: setup-*.sgf, and what each leads to, in setups.tsv.

    python3 tests/data/records/make_setups.py

The positions are worked out here, on a plain board, as the game prints them. setups.tsv has a row for each file: file,
game, number of the game in the file (0: it is the only one), moves, position."""

import os
import random

HERE = os.path.dirname(os.path.abspath(__file__))
RNG = random.Random(18)
ROWS = []


def name_of(column, row):
    return "%s%d" % (chr(97 + column), row + 1)


def rows_of(stones, width, height, top_down):
    """A board as text; stones: {(column, row): 'x' or 'o'}."""
    lines = []
    for row in range(height):
        line, run = "", 0
        for column in range(width):
            stone = stones.get((column, row))
            if stone:
                line += (str(run) if run else "") + stone
            run = 0 if stone else run + 1
        lines.append(line + (str(run) if run else ""))
    return "/".join(lines if top_down else lines[::-1])


def hex_text(stones, width, height, turn):
    """What moves can reach is a list of moves, by number of the cell; anything else a board."""
    sides = {s: sorted((row, column) for (column, row), t in stones.items() if t == s) for s in "xo"}
    if len(sides["x"]) - len(sides["o"]) != (turn == "o"):
        return rows_of(stones, width, height, True) + " " + turn
    order = [sides["xo"[i % 2]][i // 2] for i in range(len(stones))]
    return " ".join(name_of(column, row) for row, column in order)


def other(side):
    return "o" if side == "x" else "x"


def written(count, text, game, moves, position):
    name = "setup-%s-%d.sgf" % (game.split(":")[0], count)
    with open(os.path.join(HERE, name), "w", newline="") as file:
        file.write(text)
    ROWS.append([name, game, "0", str(moves), position])


def hex_record(count):
    """Few stones on few cells, so that no chain can come up."""
    side = RNG.choice([7, 8, 9, 11, 13, 13, 14, 15, 17, 19, 19])
    width, height = (side, side) if RNG.random() < 0.75 else (side, RNG.choice([7, 10, 12, 19]))
    size = "SZ[%d]" % width if width == height else "SZ[%d:%d]" % (width, height)
    game = "hex:%d" % width if width == height else "hex:%dx%d" % (width, height)
    text = RNG.choice(["(;FF[4]AP[HexGui:0.9.6]GM[11]", "(;FF[4]EV[hex.mc2010]PB[Anna]PW[Ben]GM[11]",
                       "(;GM[11]"]) + size
    cells = RNG.sample([(c, r) for c in range(width) for r in range(height)], 12)
    stones, turn, moves = {}, "x", 0
    shown = (lambda n: n.upper()) if count % 5 == 0 else (lambda n: n)
    kind = count % 4
    if kind == 3 and width == height:
        word = RNG.choice(["swap-pieces", "swap", "swap-sides", "Swap-Pieces"])
        column, row = cells.pop()
        text += "\n;B[%s];W[%s]" % (shown(name_of(column, row)), word)
        stones[(row, column) if word != "swap-sides" else (column, row)] = "x" if word == "swap-sides" else "o"
        turn, moves = "o" if word == "swap-sides" else "x", 2
        cells = [(c, r) for c, r in cells if (c, r) not in stones]
    elif kind != 2:
        black, white = RNG.randrange(1, 5), RNG.randrange(0, 4)
        for name, mark, n in (("AB", "x", black), ("AW", "o", white)):
            taken = [cells.pop() for _ in range(n)]
            stones.update((cell, mark) for cell in taken)
            one = "][" if RNG.random() < 0.6 else "]" + name + "["
            text += (name + "[" + one.join(shown(name_of(*cell)) for cell in taken) + "]") if taken else ""
        if RNG.random() < 0.3:
            gone = RNG.choice(sorted(stones))
            del stones[gone]
            text += "\n;AE[%s]" % name_of(*gone)
        turn = RNG.choice("xo")
        text += "PL[%s]" % {"x": RNG.choice(["B", "black"]), "o": RNG.choice(["W", "white"])}[turn]
        if RNG.random() < 0.3:
            text += "C[White to move \\[and win\\]]"
    for cell in cells[:RNG.randrange(0 if stones else 1, 6)]:
        text += ";%s[%s]" % ("B" if turn == "x" else "W", shown(name_of(*cell)))
        if RNG.random() < 0.2:
            text += RNG.choice(["C[a bridge]", "N[fork]", "LB[b2:1]", "\n"])
        stones[cell] = turn
        turn = other(turn)
        moves += 1
    if RNG.random() < 0.2:
        text += ";%s[resign]" % ("B" if turn == "x" else "W")
    written(count, text + ")\n", game, moves, hex_text(stones, width, height, turn))


def go_record(count):
    """Stones far from each other, so that none is without a liberty; letters from the top left."""
    game, width, height = RNG.choice([("nogo", 7, 7), ("atari-go", 8, 8), ("atari-go", 7, 5), ("nogo", 8, 6),
                                      ("mnk", 15, 15), ("mnk", 19, 19)])
    full = "mnk:%d,%d,5" % (width, height) if game == "mnk" else "%s:%dx%d" % (game, width, height)
    number = 4 if game == "mnk" else 1
    text = "(;FF[4]GM[%d]SZ[%s]" % (number, width if width == height else "%d:%d" % (width, height))
    cells = [(c, r) for c in range(0, width, 2) for r in range(0, height, 2)]
    RNG.shuffle(cells)
    black, white = RNG.randrange(1, 4), RNG.randrange(0, 4)
    stones, moves, turn = {}, 0, RNG.choice("xo")
    point = lambda cell: chr(97 + cell[0]) + chr(97 + height - 1 - cell[1])  # noqa: E731
    for name, mark, n in (("AB", "x", black), ("AW", "o", white)):
        taken = [cells.pop() for _ in range(n)]
        stones.update((cell, mark) for cell in taken)
        text += name + "".join("[%s]" % point(cell) for cell in taken) if taken else ""
    if count % 3:
        text += "PL[%s]" % ("B" if turn == "x" else "W")
    for cell in cells[:RNG.randrange(1, 5)]:
        text += "\n;%s[%s]" % ("B" if turn == "x" else "W", point(cell))
        stones[cell] = turn
        turn = other(turn)
        moves += 1
    position = rows_of(stones, width, height, False)
    counts = [list(stones.values()).count(s) for s in "xo"]
    if game != "mnk" or counts[0] - counts[1] != (turn == "o"):
        position += " " + turn
    written(count, text + ")\n", full, moves, position)


def main():
    for count in range(60):
        hex_record(count)
    for count in range(20):
        go_record(count)
    with open(os.path.join(HERE, "setups.tsv"), "w") as file:
        file.write("# file, game, number of the game in the file (0: the only one), moves, position; "
                   "see make_setups.py\n")
        file.writelines("\t".join(row) + "\n" for row in ROWS)


main()
