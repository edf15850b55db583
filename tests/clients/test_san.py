"""SAN of both chess games against an oracle, on random games: python-chess where it is installed, and always a plain
second way to write a move, from the FEN and the list of legal moves. It knows no check, so marks are python-chess's."""

import os
import random
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from effort import EFFORT  # noqa: E402
from pyproofd import Server, build_dir  # noqa: E402

try:
    import chess
    import chess.variant
except ImportError:
    chess = None

GAMES = max(2, 8 * EFFORT // 100)
PLIES = 40
STARTS = {
    "chess-mate": [
        "",
        "r3k2r/8/8/8/1N3N2/8/8/R3K2R w KQkq -",
        "4k3/P1P3P1/K7/2q1q3/8/2q1q3/p1p3p1/8 b - -",
        "k7/8/8/2Q1Q3/8/2Q1Q3/8/K7 w - -",
        "8/8/8/K1pP3r/8/8/8/4k3 w - c6",
    ],
    "antichess": ["", "8/PK1K4/8/2K1K3/8/2kkk3/p7/8 w - -", "1n6/P1P5/8/8/8/8/p1p5/1N6 w - -"],
}


def men(fen):
    """Square: man, of a FEN."""
    board = {}
    for row, text in enumerate(fen.split()[0].split("/")):
        file = 0
        for c in text:
            if c.isdigit():
                file += int(c)
            else:
                board["abcdefgh"[file] + str(8 - row)] = c
                file += 1
    return board


def san(board, move, legal, castling):
    """A move as people write it, without marks of check."""
    start, end, promotion = move[:2], move[2:4], move[4:]
    man = board[start].upper()
    takes = end in board or (man == "P" and start[0] != end[0])
    if man == "K" and castling and abs(ord(start[0]) - ord(end[0])) == 2:
        return "O-O" if end[0] == "g" else "O-O-O"
    if man == "P":
        return (start[0] + "x" if takes else "") + end + ("=" + promotion.upper() if promotion else "")
    rivals = {m[:2] for m in legal if m[2:4] == end and m[:2] != start and board[m[:2]] == board[start]}
    origin = ""
    if rivals:
        origin = start
        if all(r[0] != start[0] for r in rivals):
            origin = start[0]
        elif all(r[1] != start[1] for r in rivals):
            origin = start[1]
    return man + origin + ("x" if takes else "") + end


def by_library(game, fen, legal):
    """The same by python-chess: list of texts. It writes # for every end of a game of antichess."""
    if game == "antichess":
        board = chess.variant.AntichessBoard(" ".join(fen.split()[:4]) + " 0 1")
        return [board.san(board.parse_uci(m)).rstrip("#+") for m in legal]
    board = chess.Board(" ".join(fen.split()[:4]) + " 0 1")
    return [board.san(board.parse_uci(m)) for m in legal]


class San(unittest.TestCase):
    def look_at(self, server, game, fen):
        """Compares all moves of a position; returns them."""
        own = server.rpc("position.show", game=game, position=fen, notation="uci")
        said = server.rpc("position.show", game=game, position=fen, notation="san")
        board, legal = men(own["position"]), own["moves"]
        self.assertEqual(
            [text.rstrip("+#") for text in said["moves"]],
            [san(board, move, legal, game == "chess-mate") for move in legal],
            fen,
        )
        self.assertEqual(len(set(said["moves"])), len(legal))
        if chess:
            self.assertEqual(said["moves"], by_library(game, own["position"], legal), fen)
        return list(zip(legal, said["moves"])), own

    def test_random_games(self):
        seed = int(os.environ.get("TEST_SEED", "5"))
        print("TEST_SEED=%d, python-chess: %s" % (seed, chess.__version__ if chess else "none"), file=sys.stderr)
        with self.subTest("python-chess"):
            if not chess:
                self.skipTest("there is no python-chess here (Debian: python3-chess)")
        dice = random.Random(seed)
        with Server("--threads", "1", "--log", "warn") as server:
            for game, starts in STARTS.items():
                for number in range(GAMES):
                    fen, played = starts[number % len(starts)], []
                    first, now = fen, fen
                    for _ in range(PLIES):
                        moves, shown = self.look_at(server, game, now)
                        if not moves:
                            break
                        move = dice.choice(moves)
                        played.append(move[dice.randrange(2)])
                        now = server.rpc("position.show", game=game, position=now, moves=[move[0]])["position"]
                    again = server.rpc("position.show", game=game, position=first, moves=" ".join(played))
                    self.assertEqual(again["position"], now)

    def test_marks(self):
        """Check, mate, promotion, castling with check, en passant; a row, or file and row, as origin."""
        cases = [
            ("chess-mate", "6k1/5ppp/8/8/8/8/8/R6K w - -", "a1a8", "Ra8#"),
            ("chess-mate", "7k/P7/8/8/8/8/8/7K w - -", "a7a8q", "a8=Q+"),
            ("chess-mate", "5k2/8/8/8/8/8/8/4K2R w K -", "e1g1", "O-O+"),
            ("chess-mate", "4k3/8/8/2pP4/8/8/8/4K3 w - c6", "d5c6", "dxc6"),
            ("chess-mate", "k7/8/8/2Q1Q3/8/2Q1Q3/8/K7 w - -", "c3d4", "Qc3d4"),
            ("chess-mate", "4k3/8/8/8/8/8/4P3/R3K2R w KQ -", "e1c1", "O-O-O"),
            ("chess-mate", "7k/8/8/R7/8/8/8/R5K1 w - -", "a1a3", "R1a3"),
            ("antichess", "8/P7/8/8/8/8/8/7k w - -", "a7a8k", "a8=K"),
            ("antichess", "8/8/8/8/8/8/Rp5K/8 w - -", "a2b2", "Rxb2"),
        ]
        with Server("--threads", "1", "--log", "warn") as server:
            for game, fen, uci, text in cases:
                with self.subTest(fen):
                    moves = dict(self.look_at(server, game, fen)[0])
                    self.assertEqual(moves.get(uci), text)


if __name__ == "__main__":
    build_dir()
    unittest.main(argv=sys.argv[:1])
