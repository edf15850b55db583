"""Perft of the chess games against other generators: Debian's stockfish and fairy-stockfish, or published counts.

    perft.py BUILD [--games antichess,chess-mate,...] [--count N] [--depth D] [--seed S]
    perft.py BUILD --games GAME --epd FILE [--most LEAVES]

The first form takes positions of random games and counts with the engine as well. The second reads a file of records
with the lines `epd POSITION` and `perft DEPTH COUNT`, or lines `POSITION ;D1 COUNT ;D2 COUNT`, and compares all counts
up to LEAVES. Exit 1 when a count differs.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys

ENGINES = {"antichess": ("fairy-stockfish", "antichess"), "chess-mate": ("stockfish", None)}
ENGINES.update({"chess-variant:" + name: ("fairy-stockfish", name)
                for name in ("crazyhouse", "3check", "kingofthehill", "racingkings", "horde", "atomic")})


class Engine:
    """An engine that speaks UCI, set to one variant."""

    def __init__(self, name, variant):
        path = shutil.which(name) or shutil.which("/usr/games/" + name)
        if not path:
            sys.exit("perft.py: there is no %s; on Debian: apt-get install %s" % (name, name))
        self.process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.say("uci")
        lines = self.until("uciok")
        if variant:
            # A variant that the engine does not know would silently be chess.
            known = next((line.split() for line in lines if line.startswith("option name UCI_Variant ")), [])
            if variant not in known:
                sys.exit("perft.py: this %s does not know the variant %s" % (name, variant))
            self.say("setoption name UCI_Variant value " + variant)
        self.say("isready")
        self.until("readyok")

    def say(self, line):
        self.process.stdin.write(line + "\n")

    def until(self, word):
        """The lines up to the one that begins with the word, which is the last."""
        lines = []
        for line in self.process.stdout:
            lines.append(line.rstrip())
            if line.startswith(word):
                return lines
        sys.exit("perft.py: the engine has ended")

    def perft(self, fen, depth):
        self.say("position fen %s" % fen)
        self.say("go perft %d" % depth)
        return int(self.until("Nodes searched")[-1].split()[-1])

    def close(self):
        self.say("quit")
        self.process.wait(timeout=10)


def ours(build, game, fens, depth):
    """For each position the counts after 1..depth plies."""
    done = subprocess.run([os.path.join(build, "tests/bench"), "perft", game, str(depth)], input="\n".join(fens) + "\n",
                          capture_output=True,
                          text=True, check=True)
    return [[int(word) for word in line.split(" ; ")[1:]] for line in done.stdout.splitlines()]


def random_positions(build, game, count, seed):
    done = subprocess.run([os.path.join(build, "tests/bench"), "perft", game, str(count), "--walk", str(seed)],
                          capture_output=True, text=True,
                          check=True, stdin=subprocess.DEVNULL)
    return done.stdout.splitlines()


def against_engine(build, game, options):
    """The number of positions that differ. Counters are added, and First taken off, since an engine asks for the one
    and knows nothing of the other."""
    name, variant = ENGINES[game]
    engine = Engine(name, variant)
    fens = [re.sub(r" first=[wb]$", "", text) for text in random_positions(build, game, options.count, options.seed)]
    bad = leaves = 0
    for fen, counts in zip(fens, ours(build, game, fens, options.depth)):
        theirs = [engine.perft(fen + " 0 1", depth) for depth in range(1, options.depth + 1)]
        leaves += sum(counts)
        if counts != theirs:
            bad += 1
            print("%s: %s: %s, but %s counts %s" % (game, fen, counts, name, theirs))
    engine.close()
    print("%s: %d positions to depth %d, %d leaves: %d differ from %s" %
          (game, len(fens), options.depth, leaves, bad, name), flush=True)
    return bad


def records(path):
    """(position, {depth: count}) of each record of a file."""
    fen, counts = None, {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            words = line.split()
            if ";D1" in line:
                yield line.split(";")[0].strip(), {int(d): int(n) for d, n in re.findall(r";D(\d+) (\d+)", line)}
            elif words[:1] == ["epd"]:
                if fen:
                    yield fen, counts
                fen, counts = line.split(None, 1)[1].strip(), {}
            elif words[:1] == ["perft"]:
                counts[int(words[1])] = int(words[2])
    if fen:
        yield fen, counts


def against_file(build, game, path, most):
    bad = compared = positions = leaves = 0
    for fen, counts in records(path):
        wanted = {depth: count for depth, count in counts.items() if count <= most}
        if not wanted:
            continue
        got = ours(build, game, [fen], max(wanted))[0]
        differing = {depth: got[depth - 1] for depth, count in wanted.items() if got[depth - 1] != count}
        positions += 1
        compared += len(wanted)
        leaves += sum(wanted.values())
        if differing:
            bad += 1
            print("%s: %s: %s, published %s" % (game, fen, differing, {depth: wanted[depth] for depth in differing}))
    print("%s: %d positions of %s, %d counts, %d leaves: %d positions differ" %
          (game, positions, path, compared, leaves, bad), flush=True)
    if not positions:
        sys.exit("perft.py: %s has no counts" % path)
    return bad


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--games", default="antichess,chess-mate", help="separated by commas")
    parser.add_argument("--count", type=int, default=20, help="random positions a game")
    parser.add_argument("--depth", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--epd", help="a file of published counts instead of an engine")
    parser.add_argument("--most", type=int, default=10000000, help="leaves of one count")
    options = parser.parse_args()
    games = options.games.split(",")
    for game in games:
        if game not in ENGINES:
            parser.error("--games takes some of %s, not '%s'" % (", ".join(ENGINES), game))
    if options.epd and len(games) != 1:
        parser.error("--epd wants one game, as in --games antichess")
    bad = 0
    for game in games:
        bad += against_file(options.build, game, options.epd,
                            options.most) if options.epd else against_engine(options.build, game, options)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
