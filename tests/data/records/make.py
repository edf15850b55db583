"""Writes the corpus of records: random games as different programs write them, and the position that each leads to.

    python3 tests/data/records/make.py BUILD_DIRECTORY

The games are walks by a server's rules, with moves in each game's own notation, one by one; the positions of Connect
Four, k in a row and Othello are compared with those of the small rules in this file. records.tsv has a row for each
game of a file: file, game, number of the game in the file (0: it is the only one), moves, position."""

import os
import random
import sys
import textwrap

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "support"))
from pyproofd import Server  # noqa: E402

RNG = random.Random(17)
ROWS = []
FIGURES = {"K": "\u2654", "Q": "\u2655", "R": "\u2656", "B": "\u2657", "N": "\u2658"}
NAMES = ["Aronson, E", "Bell", "Cho, M", "de Vries, A", "Egede", "Ferro, L", "Grau, \\\"P\\\"", "H\u00e4berle"]


class Walk:
    """A random game: moves in the game's own notation and in SAN, the legal moves before each, the position reached."""

    def __init__(self, server, game, plies, start=""):
        self.game, self.start, self.own, self.san, self.others = game, start, [], [], []
        chess = game.split(":")[0] in ("chess-mate", "antichess")
        for _ in range(plies):
            params = {"game": game, "position": start, "moves": self.own}
            legal = server.rpc("position.show", **params)["moves"]
            if not legal:
                break
            san = server.rpc("position.show", notation="san", **params)["moves"] if chess else legal
            pick = RNG.randrange(len(legal))
            self.own.append(legal[pick])
            self.san.append(san[pick])
            self.others.append(san)
        self.position = server.rpc("position.show", game=game, position=start, moves=self.own)["position"]
        own = {"connect4": drop, "mnk": put, "othello": turn}.get(game.split(":")[0])
        if own and not start:
            assert own(game, self.own) == self.position.split()[0], (game, self.own)


# --- small rules ----------------------------------------------------------------------------------


def rows_text(cells, width, height):
    """The board form: rows from the top, x and o, numbers for empty squares."""
    rows = []
    for row in reversed(range(height)):
        text, run = "", 0
        for column in range(width):
            stone = cells.get((column, row))
            run += not stone
            if stone or column == width - 1:
                text += (str(run) if run else "") + (stone or "")
                run = 0
        rows.append(text)
    return "/".join(rows)


def drop(game, moves):
    width, height = map(int, game.split(":")[1].split("x"))
    cells = {}
    for ply, move in enumerate(moves):
        column = "123456789abc".index(move)
        cells[column, sum((column, row) in cells for row in range(height))] = "xo"[ply % 2]
    return rows_text(cells, width, height)


def put(game, moves):
    width, height = map(int, game.split(":")[1].split(",")[:2])
    return rows_text({(ord(m[0]) - 97, int(m[1:]) - 1): "xo"[ply % 2] for ply, m in enumerate(moves)}, width, height)


def turn(game, moves):
    n = int(game.split(":")[1])
    half, cells, side = n // 2, {}, "X"
    for dx, dy, disc in ((0, 0, "O"), (-1, -1, "O"), (0, -1, "X"), (-1, 0, "X")):
        cells[half + dx, half + dy] = disc
    for move in moves:
        if move != "pass":
            x, y = ord(move[0]) - 97, int(move[1:]) - 1
            cells[x, y] = side
            for dx, dy in ((a, b) for a in (-1, 0, 1) for b in (-1, 0, 1) if a or b):
                line = []
                while 1:
                    at = (x + dx * (len(line) + 1), y + dy * (len(line) + 1))
                    if cells.get(at, side) == side:
                        break
                    line.append(at)
                if cells.get(at) == side:
                    cells.update((one, side) for one in line)
        side = "XO"[side == "X"]
    return "".join(cells.get((x, y), "-") for y in range(n) for x in range(n))


# --- files ----------------------------------------------------------------------------------------


def write(name, text, *walks):
    """A file and its rows in the table."""
    with open(os.path.join(HERE, name), "w", encoding="utf-8", newline="") as file:
        file.write(text)
    for number, walk in enumerate(walks, 1):
        ROWS.append((name, walk.game, number if len(walks) > 1 else 0, len(walk.own), walk.position))


def tags(walk, extra):
    white, black = RNG.sample(NAMES, 2)
    pairs = [("Event", "Club [open] %d" % RNG.randrange(1900, 2020)), ("Site", "?"),
             ("Date", "2019.0%d.??" % RNG.randrange(1, 9)),
             ("Round", "-"), ("White", white), ("Black", black), ("Result", "*")]
    if walk.start:
        pairs += [("SetUp", "1"), ("FEN", walk.start)]
    return "".join('[%s "%s"]\n' % pair for pair in pairs + extra)


def pgn(walk, move=lambda san: san, glue="", marks=(), words=(), clock=False, options=False, extra=(), head=True,
        black=False, number=1, result="*"):
    """Tags and movetext."""
    out, after = [], True
    for ply, san in enumerate(walk.san):
        at = ply + black
        if at % 2 == 0 or after:
            out.append("%d%s%s" % (at // 2 + number, "." if at % 2 == 0 else "...", glue or " ") + "\x00")
        text, after = move(san), False
        if marks and RNG.random() < 0.3:
            text += RNG.choice(marks)
        out.append(text + " ")
        if clock:
            out.append("{ [%%clk 0:0%d:%02d] } " % (RNG.randrange(5), RNG.randrange(60)))
            after = True
        elif words and RNG.random() < 0.25:
            out.append(RNG.choice(words) + " ")
            after = True
        if options and RNG.random() < 0.3:
            other = RNG.choice(walk.others[ply])
            out.append("(%d%s %s {or so}) " % (at // 2 + number, "." if at % 2 == 0 else "...", move(other)))
            after = True
    text = "".join(out).replace(". \x00", ". ").replace("\x00", "") + result
    lines = "\n".join(textwrap.wrap(text, 79, break_long_words=False, break_on_hyphens=False))
    return (tags(walk, list(extra)) + "\n" if head else "") + lines + "\n"


def figurine(san):
    return "".join(FIGURES.get(c, c) if i == 0 else c for i, c in enumerate(san))


def long_form(walk):
    """A walk whose SAN is long: e2-e4, Ng1-f3."""
    for ply, (own, san) in enumerate(zip(walk.own, walk.san)):
        if san[0] != "O":
            man = san[0] if san[0] in "KQRBN" else ""
            walk.san[ply] = man + own[:2] + ("x" if "x" in san else "-") + own[2:4] + (
                "=" + own[4].upper() if len(own) > 4 else "")
    return walk


def rook_castling(walk):
    rooks = {"e1g1": "e1h1", "e1c1": "e1a1", "e8g8": "e8h8", "e8c8": "e8a8"}
    return [rooks[own] if san[0] == "O" else own for own, san in zip(walk.own, walk.san)]


GLYPHS = ["!", "?", "!!", "??", "!?", "?!",
          " $1", " $6", "$14", " \u00b1", "\u00b1", " \u2213", " +=", "=+", " +-", " -+", " N"]
WORDS = ["{with the idea Nf6}", "{a long remark (with brackets [and more]) that goes on over the end of its line}",
         "{\u00fcber alles}", "{ }"]
FEN_WHITE = "r3k2r/pppq1ppp/2np1n2/2b1p1B1/2B1P1b1/2NP1N2/PPPQ1PPP/R3K2R w KQkq - 6 8"
FEN_BLACK = "r1bqkb1r/pp3ppp/2n1pn2/2pp4/3P4/2PBPN2/PP3PPP/RNBQK2R b KQkq - 1 6"


def chess(server):
    def walk(plies=0, start="", game="chess-mate"):
        return Walk(server, game, plies or RNG.randrange(6, 60), start)

    for i in range(6):
        w = walk()
        write("scid-%d.pgn" % i, pgn(w, marks=GLYPHS, words=WORDS, options=True), w)
        w = walk()
        write("server-%d.pgn" % i, pgn(w, clock=True, extra=[("UTCDate", "2019.01.01"), ("Variant", "Standard"),
              ("ECO", "A00")]), w)
        w = walk()
        text = pgn(w, glue="\x01", marks=["\u00b1", "!", "\u2213"], options=i % 2 == 0).replace("\x01", "")
        write("base-%d.pgn" % i, "\ufeff" + text.replace("\n", "\r\n"), w)
        w = walk(start=FEN_WHITE)
        write("white-%d.pgn" % i, pgn(w, number=8, words=WORDS), w)
        w = walk(start=FEN_BLACK)
        write("black-%d.pgn" % i, pgn(w, number=6, black=True, marks=GLYPHS, extra=[("Variant", "From Position")]), w)
        w = walk()
        write("figurine-%d.pgn" % i, pgn(w, move=figurine, marks=[" +=", "\u00b1", "!?"]), w)
        w = long_form(walk())
        write("long-%d.pgn" % i, pgn(w, words=["; to the end of the line\n" if i % 2 else "{so}"]) if i % 2 == 0 else
              tags(w, []) + "% an escaped line\n\n" + "".join(
                  "%d. %s %s ; a remark\n" % (n // 2 + 1, w.san[n], w.san[n + 1] if n + 1 < len(w.san) else "")
                  for n in range(0, len(w.san), 2)) + "*\n", w)
        w = walk()
        write("bare-%d.pgn" % i, pgn(w, head=False, glue=["", "\x01"][i % 2]).replace("\x01", ""), w)
        w = walk()
        write("san-%d.txt" % i, " ".join(w.san) + "\n", w)
        w = walk(start="")
        write("uci-%d.txt" % i, " ".join(rook_castling(w)), w)
        w = walk(game="antichess")
        write("anti-%d.pgn" % i, pgn(w, clock=i % 2 == 0, extra=[("Variant", "Antichess")]), w)
    w = Walk(server, "antichess:stalemate=fewer", 30)
    write("suicide.pgn", pgn(w, extra=[("Variant", "suicide")], words=["{x resigns}"]), w)
    w = Walk(server, "chess-mate", 60, "4k2r/6r1/8/8/8/8/3R4/R3K3 w Qk - 0 1")
    write("castling.pgn", pgn(w), w)
    for own in (["e2e4", "a7a6", "e4e5", "d7d5", "e5d6", "e7d6"],
                ["g1f3", "g8f6", "g2g3", "g7g6", "f1g2", "f8g7", "e1g1", "e8g8"]):
        w = Walk(server, "chess-mate", 0)
        w.own = own
        w.position = server.rpc("position.show", game=w.game, moves=own)["position"]
        if own[0] == "e2e4":
            for i, san in enumerate(("exd6", "exd6e.p.", "exd6 e.p.", "exd6ep", "e5xd6 ep")):
                write("passant-%d.pgn" % i, tags(w, []) + "\n1. e4 a6 2. e5 d5 3. %s exd6 *\n" % san, w)
        else:
            write("castle-0.pgn", tags(w, []) + "\n1.Nf3 Nf6 2.g3 g6 3.Bg2 Bg7 4.0-0 0-0 *\n", w)
            write("castle-1.txt", "g1f3 g8f6 g2g3 g7g6 f1g2 f8g7 e1h1 e8h8", w)
    three = [walk(20) for _ in range(3)]
    write("three.pgn", "\n".join(pgn(w, words=WORDS) for w in three), *three)
    three = [walk(12), walk(30, FEN_BLACK)]
    text = "\n".join(pgn(w, number=6 if w.start else 1, black=bool(w.start), options=True) for w in three)
    write("two.pgn", "\ufeff" + text.replace("\n", "\r\n"), *three)
    w = walk(60)
    remark = "{" + "a remark of some length, as annotators make them; " * 20 + "}"
    write("annotated.pgn", pgn(w, words=[remark], options=True, marks=GLYPHS), w)
    write("large.pgn", pgn(w, clock=False, words=["{" + "a whole page of remarks " * 160 + "}"] * 2, options=True), w)
    positions = [Walk(server, "chess-mate", 0, start) for start in (FEN_WHITE, FEN_BLACK, "8/P6k/8/8/8/8/8/K7 w - -")]
    bare = [" ".join(w.start.split()[:4]) for w in positions]
    write("one.epd", bare[0] + ' bm Nf3; id "WAC.001";\n', positions[0])
    operations = ("bm O-O; c0 \"a; b\";", "acd 12; ce 35;", "dm 5;")
    write("three.epd", "\n".join("%s %s" % pair for pair in zip(bare, operations)), *positions)
    write("fen.txt", FEN_BLACK, positions[1])
    write("fen-crlf.txt", "\ufeff" + FEN_WHITE + "\r\n", positions[0])


def other_pgn(server):
    for i in range(5):
        w = Walk(server, "breakthrough:%s" % ("6x6", "8x8", "5x5")[i % 3], 24)
        w.san = [own[2:] if own[0] == own[2] else own[0] + own[2:] if i % 2 else own for own in w.own]
        write("breakthrough-%d.pgn" % i, pgn(w, extra=[("Variant", "breakthrough")], words=["{good}"]), w)
        w.san = w.own
        write("breakthrough-list-%d.txt" % i, " ".join(w.own), w)
        w = Walk(server, "loa:%d" % (6, 8)[i % 2], 20)
        write("loa-%d.pgn" % i, pgn(w, extra=[("Variant", "LOA")]), w)
        write("loa-%d.txt" % i, ", ".join(w.own) + "\n", w)
        write("loa-%d.sgf" % i, "(;FF[4]GM[9]SZ[%s];%s)\n" % (w.game[4:], ";".join(
            "%s[%s]" % ("BW"[ply % 2], own) for ply, own in enumerate(w.own))), w)
    w = Walk(server, "breakthrough:5x5", 12, "ppppp/ppppp/5/PPPPP/PPPPP w")
    w.san, w.start = w.own, w.start + " - - 0 1"
    write("breakthrough-fen.pgn", pgn(w), w)
    w.own = []
    w.position = w.start[:-8]
    write("breakthrough.fen", w.start + "\n", w)


def point(own, rows, upward=True):
    """A place as letters of column and row from the top left."""
    row = int(own[1:]) - 1
    return own[0] + chr(97 + (rows - 1 - row if upward else row))


def sgf(server):
    sizes = {"hex:5": 11, "hex:8": 11, "hex:11": 11, "mnk:9,9,5": 4, "mnk:15,15,5": 4, "nogo:5x5": 1, "atari-go:6x6": 1}
    for i, (game, number) in enumerate(sorted(sizes.items()) * 3):
        w = Walk(server, game, RNG.randrange(5, 24))
        name, rows = game.split(":")[0], int(game.split(":")[1].split(",")[0].split("x")[0])
        letters = name != "hex" or i % 3 == 1
        nodes = []
        for ply, own in enumerate(w.own):
            vertex = point(own, rows, name != "hex") if letters else own
            node = ";%s[%s]" % (("B", "W")[ply % 2] if i % 4 else ("Black", "White")[ply % 2], vertex)
            if RNG.random() < 0.2:
                node += RNG.choice(["C[a (good) move: \\[5\\]]", "BL[299.1]", "N[x\\\\]", "LB[aa:1][bb:2]", "TR[cc]"])
            nodes.append(node + ("\n" if ply % 8 == 7 else ""))
        head = "FF[4]CA[UTF-8]AP[board:%d]GM[%d]SZ[%d]PB[%s]PW[%s]" % (i, number, rows, NAMES[i % 6], NAMES[5 - i % 6])
        text = "(;" + head + ("\n" if i % 2 else "") + "".join(nodes)
        if i % 3 == 2 and len(nodes) > 2:  # variations: the first is played
            text = "(;" + head + "".join(nodes[:2]) + "(" + "".join(nodes[2:]) + ")(;B[%s]C[another]))" % "a1"
        else:
            text += ";%s[resign])" % ("BW"[len(nodes) % 2]) if i % 5 == 0 and name == "hex" else ")"
        if i % 4 == 3:
            text = "\ufeff" + text.replace("\n", "\r\n") + "\r\n"
        write("%s-%d.sgf" % (name, i), text, w)
    two = [Walk(server, "hex:5", 8), Walk(server, "hex:5", 11)]
    write("two-hex.sgf", "\n".join("(;GM[11]SZ[5]%s)" % "".join(";%s[%s]" % ("BW"[ply % 2], own) for ply, own in
                                                                enumerate(w.own)) for w in two), *two)


def othello(server):
    def moves(w, seconds):
        side, out = 0, ""
        for own in w.own:
            text = ("pa", "PA")[side] if own == "pass" else own.upper() if seconds else own
            behind = RNG.choice(["", "//%.2f" % RNG.random(), "/%.1f/1.5" % RNG.uniform(-9, 9)])
            out += "%s[%s%s]" % ("BW"[side], text, behind)
            side = 1 - side
        return out

    def ggf(w, seconds=True):
        board = "-------- " * 3 + "---O*--- ---*O--- " + "-------- " * 3 + "*"
        if w.game == "othello:6":
            board = "------ " * 2 + "--O*-- --*O-- " + "------ " * 2 + "*"
        head = "GM[Othello]PC[GGS/os]DT[2003-12-15 13:24:03.%d]PB[a]PW[b]RB[2197.01]RW[2199]" % RNG.randrange(100)
        return "(;%sTI[05:00//02:00]TY[%s]RE[+2.00]BO[%s %s]%s;)" % (
            head, w.game[8:], w.game[8:], board, moves(w, seconds))

    for i in range(8):
        w = Walk(server, ("othello:8", "othello:6")[i % 2], RNG.randrange(20, 70))
        write("othello-%d.ggf" % i, ("1 " if i % 3 else "") + ggf(w, i % 2) + "\n", w)
        words = [own if own != "pass" else ("pa", "ps", "--", "pass")[i % 4] for own in w.own]
        write("othello-%d.txt" % i, "".join(words).upper() if i % 4 > 1 else " ".join(words), w)
        write("othello-%d.sgf" % i, "(;FF[4]GM[2]SZ[%s]%s)" % (w.game[8:], "".join(
            ";%s[%s]" % ("BW"[ply % 2], own if i % 2 else own if own == "pass" else point(own, 0, False))
            for ply, own in enumerate(w.own))), w)
    two = [Walk(server, "othello:8", 30), Walk(server, "othello:8", 44)]
    write("pair.ggf", "2 " + "".join(ggf(w) for w in two) + "\n", *two)
    write("archive.ggf", "".join("1 " + ggf(w) + "\n" for w in two), *two)


def lists(server):
    games = ["connect4:7x6", "connect4:5x4", "connect4:10x5", "hex:6", "hex:11", "mnk:3,3,3", "mnk:12,5,4", "uttt",
             "domineering:5x5", "dots:2x2", "nogo:4x4"]
    for i, game in enumerate(games * 2):
        w = Walk(server, game, RNG.randrange(4, 20))
        between = [" ", ", ", "\n", ""][i % 4] if not game.startswith(("domineering", "dots")) else " "
        text = between.join(w.own)
        upper = game.split(":")[0] in ("hex", "mnk") and i % 3 == 0
        write("list-%s-%d.txt" % (game.split(":")[0], i), (text.upper() if upper else text) + "\n" * (i % 2), w)


def main():
    with Server("--threads", "0", "--log", "warn") as server:
        for part in (chess, other_pgn, sgf, othello, lists):
            part(server)
    ROWS.sort()
    with open(os.path.join(HERE, "records.tsv"), "w", encoding="utf-8") as file:
        file.write("# file, game, number of the game in the file (0: the only one), moves, position; see make.py\n")
        file.writelines("%s\t%s\t%d\t%d\t%s\n" % row for row in ROWS)
    print("%d files, %d games" % (len({row[0] for row in ROWS}), len(ROWS)))


if __name__ == "__main__":
    main()
