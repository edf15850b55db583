#!/usr/bin/env python3
"""Makes questions.jsonl (see SOURCE): make.py PROOFCTL OUT NODES [GAME...]

Writes a line for each candidate that the first search answers within NODES and on whose value a second search, or what
is published, agrees. A run that was interrupted goes on where it stopped. OUT.left has the candidates that were not
answered and the NODES they were given; they are asked again with more."""
import json
import os
import random
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.dirname(HERE)
EASY, MIDDLE = 10**5, 5 * 10**6  # nodes of the default options with seed 0
OWN = "two searches agree"


def run(proofctl, *words):
    end = subprocess.run([proofctl, *words, "--json"], capture_output=True, text=True, check=False)
    if not end.stdout.strip():
        raise RuntimeError(f"{words}: {end.stderr}")
    return json.loads(end.stdout.strip().splitlines()[-1])


def rows(path, separator=None):
    with open(os.path.join(DATA, path), encoding="utf-8") as file:
        return [line.rstrip("\n").split(separator) for line in file if not line.startswith("#")]


def boards():
    """Empty boards: (game, claim, value, source)."""
    published = {row[0]: "LDW".index(row[1]) - 1 for row in rows("connect4/values.tsv")}
    for size in "4x4 5x4 4x5 6x4 4x6 5x5 7x4 4x7 5x6 6x5 8x4 4x8 6x6 7x5".split():
        yield "connect4:" + size, None, published.get(size), "Tromp; connect4/values.tsv" if size in published else OWN
    published = {row[0]: "LDW".index(row[1]) - 1 for row in rows("mnk/values.tsv")}
    for size in "3,3,3 4,3,3 5,3,3 4,4,3 5,4,3 4,4,4 5,4,4 6,4,4 5,3,4 6,3,4 7,3,4 8,3,4 9,3,4".split():
        yield "mnk:" + size, None, published.get(size), "published; mnk/values.tsv" if size in published else OWN
    yield "mnk:5,5,5", "second-draws", True, OWN
    for sizes in ("hex:3 hex:4 hex:5 hex:4x3 hex:5x4 hex:6x5 hex:6x4 hex:6",
                  "breakthrough:3x4 breakthrough:4x4 breakthrough:3x5 breakthrough:3x6 breakthrough:4x5 "
                  "breakthrough:5x4 "
                  "breakthrough:3x7 breakthrough:5x5 breakthrough:2x8",
                  "domineering:4x4 domineering:5x4 domineering:5x5 domineering:6x5 domineering:5x6 "
                  "domineering:6x6 "
                  "domineering:7x6 domineering:6x7 domineering:7x7 domineering:8x6 domineering:8x7 "
                  "domineering:8x8",
                  "nogo:3x2 nogo:3x3 nogo:4x3 nogo:5x3 nogo:6x3 nogo:4x4 nogo:7x3 nogo:5x4 nogo:8x2 "
                  "nogo:10x2 nogo:15x1",
                  "atari-go:3x3 atari-go:4x3 atari-go:5x3 atari-go:4x4 atari-go:5x4 atari-go:6x3 "
                  "atari-go:6x4 atari-go:5x5",
                  "dots:1x3 dots:2x2 dots:1x4 dots:1x5 dots:1x6 dots:3x2 dots:1x7 dots:1x8",
                  "nim:3,4,5 nim:1,2,3 nim:7,9 nim:5,11,14 nim:5,11,15 nim:2,3,5,7 nim:3,5,9,15 nim:9,10,11,12 "
                  "nim:20,30,40",
                  "othello:4 othello:4,empties=none", "loa:4 loa:5"):
        for game in sizes.split():
            yield game, None, None, OWN
    for name, claim in (("survey-fig2", None), ("transpositions", None), ("scores", None), ("cycle", None),
                        ("ghi-first", None), ("ghi-long", None), ("draw", None)):
        yield "andor:" + name, claim, None, OWN


def listed():
    """Positions of files in the tree, and openings: (game, position, claim, value, source)."""
    for which in ("easy-end", "easy-middle", "medium-end", "easy-begin", "medium-middle"):
        for moves, score in rows(f"connect4/{which}.txt")[:14]:
            sign = (int(score) > 0) - (int(score) < 0)
            yield ("connect4:7x6", moves, None, sign * (1 - 2 * (len(moves) % 2)), f"Pons; connect4/{which}.txt")
    for moves in ("444444", "4444", "4435", "44441", "44443"):
        yield "connect4:7x6", moves, "first-draws", None, OWN
    for row in rows("uttt/endgames.tsv", "\t")[::2]:
        mover = 1 if row[1][0] == "X" else -1
        yield "uttt", row[1], None, {"win": mover, "loss": -mover, "draw": 0}[row[3]], "ultimattt; uttt/endgames.tsv"
    for row in rows("uttt/positions.tsv", "\t"):
        claim = "first-wins" if row[2][0] == "X" else "second-wins"
        yield "uttt", row[2], claim, None, OWN
    for game, position, claim, *_ in rows("loa/selfplay.tsv", "\t")[:60]:
        yield game, position, claim, True, "self-play; loa/selfplay.tsv"
    start = "rnbqkbnr/pppppppp/8/8/8/4P3/PPPP1PPP/RNBQKBNR"
    for reply in ("rnbqkb1r/pppppppp/5n2", "rnbqkbnr/1ppppppp/p7", "rnbqkbnr/ppp1pppp/8/3p4",
                  "rnbqkbnr/pppp1ppp/8/4p3",
                  "rnbqkbnr/ppppp1pp/5p2", "rnbqkbnr/pppppp1p/6p1", "rnbqkbnr/ppppppp1/7p",
                  "r1bqkbnr/pppppppp/n7",
                  "rnbqkbnr/ppppp1pp/8/5p2", "rnbqkbnr/1ppppppp/8/p7", "rnbqkbnr/pppppp1p/8/6p1",
                  "rnbqkbnr/ppppppp1/8/7p"):
        board = "/".join(reply.split("/") + start.split("/")[len(reply.split("/")):])
        yield "antichess", board + " w - -", "first-wins", True, "published (Watkins: 1. e3 wins)"
    for move in ("3P4/8/PPP1PPPP/RNBQKBNR", "8/4P3/8/PPPP1PPP/RNBQKBNR", "8/3P4/8/PPP1PPPP/RNBQKBNR",
                 "8/5P2/8/PPPPP1PP/RNBQKBNR",
                 "5N2/PPPPPPPP/RNBQKB1R", "2N5/PPPPPPPP/R1BQKBNR"):
        rank = "/".join(["8"] * (6 - len(move.split("/"))))
        yield "antichess", f"rnbqkbnr/pppppppp/{rank}/{move} b - -", "second-wins", True, "published (Andrejić)"
    for cell in "a1 b2 c3 d2 c2 e1 a3 b3 d4".split():
        yield "hex:5", cell, None, None, OWN
    for cell in "c4 b5 b2 c3 a4 b4 a1 b1 d5 f1 e2 c1 a6 d1".split():
        yield "hex:6", cell, None, None, OWN
    for moves in ("d4 c3", "d4 d2", "c3 b4 d2", "a7 d4", "d4 b5 c3"):
        yield "hex:7", moves, None, None, OWN


def played(proofctl, game, plies, number):
    """A position after so many random moves, by a generator seeded with the words of the question."""
    rng = random.Random(f"{game} {plies} {number}")
    moves = []
    for _ in range(plies):
        seen = run(proofctl, "position", game, "--moves", " ".join(moves)) if moves else run(proofctl, "position", game)
        if seen["terminal"]:
            return None
        moves.append(rng.choice(sorted(seen["moves"])))
    seen = run(proofctl, "position", game, "--moves", " ".join(moves))
    return None if seen["terminal"] else seen["position"]


RANDOM = (  # game, plies, how many, claim
    ("dots:3x3", 10, 4, None), ("nogo:5x5", 10, 4, None), ("atari-go:6x6", 8, 4, None),
    ("mnk:5,5,4", 6, 3, None),
    ("breakthrough:5x5", 8, 4, None), ("domineering:8x8", 10, 3, None), ("othello:6", 20, 4, None),
    ("hex:7", 8, 4, None),
    ("dots:3x3", 8, 3, None), ("nogo:5x5", 6, 3, None), ("atari-go:7x7", 12, 3, None),
    ("mnk:7,7,5,2,1", 9, 3, None),
    ("othello:6", 18, 3, None), ("breakthrough:6x6", 16, 4, None), ("loa:5", 6, 4, None),
    ("antichess", 12, 4, "first-wins"),
    ("antichess", 13, 4, "second-wins"), ("domineering:8x8", 6, 3, None), ("othello:8", 50, 3, None),
    ("othello:8", 48, 3, None), ("connect4:8x8", 24, 3, None),
)


def chess_endings():
    """White to mate a bare or nearly bare king; pieces are put down at random."""
    for pieces, count in (("Qk", 3), ("Rk", 2), ("QRk", 3), ("RRkp", 3), ("QNkp", 3), ("QBkn", 3),
                          ("QRkr", 4), ("RRkb", 3)):
        for number in range(count):
            rng = random.Random(f"{pieces} {number}")
            squares = rng.sample(range(8, 56), len(pieces) + 1)
            board = ["1"] * 64
            for square, piece in zip(squares, "K" + pieces):
                board[square] = piece
            text = "/".join("".join(board[i:i + 8]) for i in range(0, 64, 8))
            yield "chess-mate", text + " w - -", "first-wins", None, OWN


def legal(proofctl, game, position):
    return subprocess.run([proofctl, "position", game, position], capture_output=True, check=False).returncode == 0


def candidates(proofctl, wanted):
    for game, claim, value, source in boards():
        yield game, "", claim, value, source
    yield from listed()
    for ending in chess_endings():
        if legal(proofctl, ending[0], ending[1]):
            yield ending
    for game, plies, count, claim in RANDOM:
        for number in range(count if wanted(game) else 0):
            position = played(proofctl, game, plies, number)
            if position is not None:
                yield game, position, claim, None, "random moves; " + OWN


def ask(proofctl, question, nodes, *options):
    game, position, claim = question
    words = ["solve", game, "--position", position] if position else ["solve", game]
    if claim:
        words += ["--claim", claim]
    if game.startswith("andor"):
        words += ["--graphs", os.path.join(DATA, "andor")]
    answer = run(proofctl, *words, "--nodes", str(nodes), "--threads", "1", *options)
    used = answer["nodes"]["level1"] + answer["nodes"]["level2"]
    if answer["status"] not in ("solved", "proved", "disproved"):
        return None, used
    return (answer["status"] == "proved" if claim else answer["value"]["lo"]), used


def settle(proofctl, question, known, most):
    """The value, once two searches agree, and the degree; None when one of them did not end."""
    value, nodes = ask(proofctl, question, most)
    if value is None:
        return None, None
    degree = 1 + (nodes >= EASY) + (nodes >= MIDDLE)
    if known is None:
        known, _ = ask(proofctl, question, 4 * nodes, "--algorithm", "dfpn-pn", "--seed", "1")
        if known is None:
            known, _ = ask(proofctl, question, 4 * nodes, "--seed", "2")
        if known is None:
            return None, None
    if value != known:
        raise RuntimeError(f"{question}: {value}, but {known} is right")
    return value, degree


def name_of(question, taken):
    base = question[0].replace(":", "-").replace(",", "-").replace("=", "-")
    if question[1] and len(question[1]) <= 12:
        base += "-" + question[1].replace(" ", "-").replace(",", "-")
    elif question[1]:
        base += "-p"
    name, number = base, 1
    while name in taken or (question[1] and base.endswith("-p") and name == base):
        name = f"{base}{number}"
        number += 1
    return name


def read(path):
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def main():
    proofctl, out, most, only = sys.argv[1], sys.argv[2], int(float(sys.argv[3])), sys.argv[4:]
    done = read(out)
    asked = {(line["game"], line.get("position", ""), line.get("claim")) for line in done}
    asked |= {(*line["left"],) for line in read(out + ".left") if line["nodes"] >= most}
    taken = {line["name"] for line in done}

    def wanted(game):
        return not only or game.split(":")[0] in only

    for game, position, claim, known, source in candidates(proofctl, wanted):
        question = (game, position, claim)
        if question in asked or not wanted(game):
            continue
        asked.add(question)
        value, degree = settle(proofctl, question, known, most)
        if value is None:
            path, line = out + ".left", {"left": question, "nodes": most}
        else:
            path, line = out, {"name": name_of(question, taken), "game": game}
            if position:
                line["position"] = position
            if claim:
                line["claim"] = claim
            line.update(value=value, degree=degree, source=source)
            taken.add(line["name"])
        with open(path, "a", encoding="utf-8") as file:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")


main()
