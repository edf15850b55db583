"""Positions whose values others have published: each is solved, its proof exported, and the certificate checked.

Usage: known.py BUILD_DIRECTORY [--loa FILE] [--sets DIRECTORY] [--only NAME ...] [--algorithm NAME] [--nodes N]
       [--hardest N] [--limit N] [--keep DIRECTORY] [--seconds S] [--cgt FILE ...] [--boards FILE ...]
       [--tsume FILE] [--rows FILE]

The LOA, ultimate tic-tac-toe, tsume-shogi and crazyhouse positions lie in the tree; --hardest leaves out what took its
first solver more expansions. The other sets are not ours to distribute; --sets names a directory that has them:
antichess/{puzzles.tsv,openings.tsv,suicide-wdl.epd} and chess/mates.epd, each in the format of its origin.

--tsume reads a file of compositions (see `named_tsume`), --cgt and --boards files of boards of combinatorial games (see
`cgt` and `boards`), and nothing else is asked. The rules of
clobber are those of the plug-in in clients/plugins, which is compiled for it.

With --rows each position is a line of FILE once it was asked, and what FILE has of the same program and options is not
asked again: a long run that was stopped goes on from there.

Prints a table: positions, right, wrong (must be 0), unanswered within the nodes, certificates verified, nodes (all,
median, 90th percentile), seconds of search, bytes and positions of the certificates. Ends with 1 when anything was
wrong or a certificate was not verified.
"""

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
CHECKER = "checkers/clobber.so"


class Question:
    """One position: the claim to ask, and what the answer must be. `expected` is a status, a value or None (no verdict
    published)."""

    def __init__(self, game, position, claim, expected, note="", forbidden=None):
        self.game, self.position, self.claim, self.expected, self.note = game, position, claim, expected, note
        self.forbidden = forbidden  # called with the answer: true when it contradicts what was published


def loa_text(board, side):
    """Squares a1, b1, ... h8 with x and o, as rows from the top with b and w."""
    rows = [board[8 * r:8 * r + 8] for r in range(7, -1, -1)]
    text = "/".join(re.sub(r"\.+", lambda m: str(len(m.group())), row) for row in rows)
    return text.replace("x", "b").replace("o", "w") + (" b" if side == "x" else " w")


def loa(path):
    for line in open(path):
        if line.startswith("#"):
            continue
        _, _, board, side, plain, mover = line.rstrip("\n").split("\t")[:6]
        for game, result in (("loa:8", int(plain)), ("loa:8,simultaneous=mover", int(mover))):
            first = (side == "x") == (result > 0)
            claim = "first-wins" if first else "second-wins"
            if result:
                yield Question(game, loa_text(board, side), claim, ("proved", abs(result)))


def uttt_endgames(path):
    for line in open(path):
        if line.startswith("#"):
            continue
        fields = line.rstrip("\n").split("\t")
        value = {"win": 1, "draw": 0, "loss": -1}[fields[3]]
        yield Question("uttt", fields[1], "value", ("value", value if fields[1].startswith("X") else -value))


def uttt_positions(path, hardest):
    for line in open(path):
        if line.startswith("#"):
            continue
        fields = line.rstrip("\n").split("\t")
        if int(fields[4]) <= hardest:
            claim = "first-wins" if fields[2].startswith("X") else "second-wins"
            yield Question("uttt", fields[2], claim, ("proved" if fields[3] == "True" else "disproved", None))


def crazyhouse_mates(path):
    """Mates by checks alone or by any moves, none in fewer moves than the column of the latter says."""
    for line in open(path):
        if line.startswith("#"):
            continue
        position, checks, _, moves, searched = line.rstrip("\n").split("\t")[:5]
        if int(checks) or int(moves):
            yield Question("chess-variant:crazyhouse", position, "first-wins",
                           ("proved", 2 * (int(moves) or int(searched) + 1) - 1))


def antichess_puzzles(path):
    for line in open(path):
        if line.startswith("#"):
            continue
        fields = line.rstrip("\n").split("\t")
        verdict = re.match(r"mate (-?\d+)", fields[3])
        if not verdict:
            continue
        first = (fields[1] == "w") == (int(verdict.group(1)) > 0)
        yield Question("antichess", "%s %s - -" % (fields[0], fields[1]), "first-wins"
                       if first else "second-wins", ("proved", None))


def antichess_openings(path, wanted):
    for line in open(path):
        if line.startswith("#"):
            continue
        moves, fen, value = line.rstrip("\n").split("\t")[:3]
        if moves in wanted:
            yield Question("antichess", fen, value, ("proved", None), moves)


def antichess_endings(path, game):
    """Values by the rule that a stalemated side with fewer men wins; where the other rule is asked, nothing is
    expected."""
    for line in open(path):
        fen, verdict = line.split("dtz")
        wdl = int(re.search(r"wdl (-?\d+)", verdict).group(1))
        fen = " ".join(fen.split()[:4])
        value = (wdl > 0) - (wdl < 0)
        yield Question(game, fen, "value", ("value", value if " w " in fen else -value))


def chess_mates(path, longest):
    for line in open(path):
        found = re.match(r"(.*) bm #(\d+);", line)
        if found and int(found.group(2)) <= longest:
            yield Question("chess-mate", found.group(1), "first-wins", ("proved", None))


def tsume(path):
    for line in open(path):
        position, verdict = line.split("\t")[:2]
        if not line.startswith("#"):
            yield Question("tsume", position, "first-wins", ("proved" if verdict == "mate" else "disproved", None))


def named_tsume(path):
    """Compositions: a name, their published length, the position. Each is a mate, and a row of its own."""
    for line in open(path):
        if not line.startswith("#"):
            name, _, position = line.split("\t")[:3]
            yield name, [Question("tsume", position, "first-wins", ("proved", None), name)]


def cgt(path):
    """Boards of a game that is lost by the player without a move, from files of the MCGS test suite: who wins if Black
    begins, who if White. Several boards are a sum; they stand side by side, with covered squares between."""
    for line in open(path):
        game, text, verdict = (line.rstrip("\n").split("\t") + ["", ""])[:3]
        if game not in ("domineering", "nogo", "clobber", "clobber_1xn"):
            continue
        game = game.partition("_")[0]
        boards = [board.split("|") for board in text.split()]
        height = max(map(len, boards))
        for board in boards:
            board.extend(["#" * len(board[0])] * (height - len(board)))
        rows = ["#".join(parts) for parts in zip(*boards)]
        shown = "/".join(re.sub(r"\.+", lambda m: str(len(m.group())), row).lower() for row in rows)
        shown += "/" if height == 1 and game != "clobber" else ""
        for who, result in re.findall(r"([BW]) (win|loss)", verdict):
            side = "vh"[who == "W"] if game == "domineering" else "xo"[who == "W"]
            proved = (who == "B") == (result == "win")
            yield Question("%s:%dx%d" % (game, len(rows[0]), height), shown + " " + side, "first-wins",
                           ("proved" if proved else "disproved", None))


def boards(path):
    """Empty boards of the table of known values. W, D, L are First's; V, H, N, P a win for the vertical player, the
    horizontal one, the player who begins, for the other."""
    for line in open(path):
        game, size, position, verdict = (line.rstrip("\n").split("\t") + [""] * 4)[:4]
        verdict = re.match(r"[WDLVHNP]\b", verdict)
        if verdict and position.startswith("start"):
            yield from board(game, size, verdict[0])


def board(game, size, verdict):
    found = re.match(r"(\d+)(?: rows )?x(\d+)\b", size)
    if game == "mnk" and re.fullmatch(r"\d+,\d+,\d+", size):
        yield Question("mnk:" + size, "", "value", ("value", "LDW".index(verdict) - 1))
    if not found:
        return
    first, second = int(found[1]), int(found[2])
    turned = "%dx%d" % (second, first)  # we write columns x rows
    if game == "connect4":
        yield Question("connect4:%dx%d" % (first, second), "", "value", ("value", "LDW".index(verdict) - 1))
    elif game == "breakthrough":
        yield Question("breakthrough:" + turned, "", "first-wins", ("proved" if verdict == "W" else "disproved", None))
    elif game == "clobber" and first * second <= 128:
        yield Question("clobber:" + turned, "", "first-wins", ("proved" if verdict == "N" else "disproved", None))
    elif game in ("domineering", "nogo") and first * second <= 64 and second < 64:
        yield Question("%s:%s" % (game, turned), "", "first-wins", ("proved" if verdict in "VN" else "disproved", None))
        if game == "domineering":
            rows = "/".join([str(second)] * first) + ("/" if first == 1 else "")
            yield Question("domineering:" + turned, rows + " h", "first-wins",
                           ("proved" if verdict in "VP" else "disproved", None))


def sets_of(options):
    for path in options.cgt:
        yield os.path.basename(path), list(cgt(path))
    for path in options.boards:
        questions = list(boards(path))
        for game in sorted({question.game.partition(":")[0] for question in questions}):
            yield game, [question for question in questions if question.game.startswith(game + ":")]
    if options.tsume:
        yield from named_tsume(options.tsume)
    if options.cgt or options.boards or options.tsume:
        return
    yield "loa tails", list(loa(options.loa))
    yield "uttt endgames", list(uttt_endgames(os.path.join(HERE, "..", "data", "uttt", "endgames.tsv")))
    yield "uttt positions", list(uttt_positions(os.path.join(HERE, "..", "data", "uttt", "positions.tsv"),
                                                options.hardest))
    yield "crazyhouse mates", list(crazyhouse_mates(os.path.join(HERE, "..", "data", "crazyhouse", "mates.tsv")))
    yield "tsume", list(tsume(os.path.join(HERE, "..", "data", "shogi", "tsume_long.tsv")))
    if not options.sets:
        return
    at = lambda *names: os.path.join(options.sets, *names)
    yield "antichess puzzles", list(antichess_puzzles(at("antichess", "puzzles.tsv")))
    yield "antichess openings", list(antichess_openings(at("antichess", "openings.tsv"),
                                                        ("1.d3", "1.d4", "1.e4", "1.e3 d5")))
    yield "antichess endings, fewer", list(antichess_endings(at("antichess", "suicide-wdl.epd"),
                                                             "antichess:stalemate=fewer"))
    yield "antichess endings", list(antichess_endings(at("antichess", "suicide-wdl.epd"), "antichess"))
    yield "chess mates to 4", list(chess_mates(at("chess", "mates.epd"), 4))


def run(build, question, options, scratch):
    """Solves, exports, checks. Returns a dictionary for the sum."""
    data = tempfile.mkdtemp(dir=scratch)
    out = {"right": 0, "wrong": 0, "unanswered": 0, "verified": 0, "rejected": 0, "nodes": 0, "seconds": 0.0,
           "bytes": 0, "records": 0, "differ": 0}
    solve = [os.path.join(build, "proofctl"), "solve", question.game, "--position", question.position, "--claim",
             question.claim, "--nodes",
             str(options.nodes), "--memory", options.memory, "--data", data, "--json"]
    solve += ["--algorithm", options.algorithm] if options.algorithm else []
    solve += ["--seconds", str(options.seconds)] if options.seconds else []
    done = subprocess.run(solve, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
    if done.returncode == 3:
        answer = json.loads(done.stdout)
        out["unanswered"] = 1
    elif done.returncode:
        out["wrong"] = 1
        out["problem"] = "%s %s: %s" % (question.game, question.position, done.stderr.strip())
        return out
    else:
        answer = json.loads(done.stdout)
        kind, wanted = question.expected
        if kind == "value":
            good = answer["value"]["lo"] == answer["value"]["hi"] == wanted
        else:
            good = answer["status"] == kind and (wanted is None or answer["plies"] >= wanted)
        if not good and question.game == "antichess" and question.claim == "value":
            out["differ"] = 1  # the other rule of stalemate: no verdict was published
        else:
            out["right" if good else "wrong"] = 1
            if not good:
                out["problem"] = "%s %s %s: %s" % (question.game, question.position, question.claim,
                                                   done.stdout.strip()[:200])
    out["nodes"] = answer["nodes"]["level1"] + answer["nodes"]["level2"]
    out["seconds"] = answer["seconds"]
    if not done.returncode:
        check(build, question, options, data, out)
    subprocess.run(["rm", "-rf", data])
    return out


class Rows:
    """What a file has of earlier runs; the last line may be cut off."""

    def __init__(self, options):
        self.path, self.rows = options.rows, {}
        with open(os.path.join(options.build, "proofctl"), "rb") as file:
            digest = hashlib.sha256(file.read()).hexdigest()[:12]
        self.run = [digest, options.nodes, options.seconds, options.memory, options.algorithm]
        if self.path and os.path.exists(self.path):
            with open(self.path) as file:
                lines = [line for line in file if line.endswith("\n")]
            self.rows = {json.dumps(row["asked"]): row["out"] for row in map(json.loads, lines)}
            with open(self.path, "w") as file:
                file.writelines(lines)

    def ask(self, question, options, scratch):
        asked = [*self.run, question.game, question.position, question.claim]
        out = self.rows.get(json.dumps(asked)) or run(options.build, question, options, scratch)
        if self.path and json.dumps(asked) not in self.rows:
            with open(self.path, "a") as file:
                file.write(json.dumps({"asked": asked, "note": question.note, "out": out}) + "\n")
        return out


def check(build, question, options, data, out):
    name = os.path.join(options.keep
                        or data, "%08x.cert" % (hash((question.game, question.position, question.claim)) & 0xffffffff))
    export = subprocess.run([os.path.join(build, "proofctl"), "export", question.game, name, "--position",
                             question.position, "--claim",
                             question.claim, "--data", data, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            universal_newlines=True)
    if export.returncode:
        out["rejected"] = 1
        out["problem"] = "%s %s is not exported: %s" % (question.game, question.position, export.stderr.strip())
        return
    told = json.loads(export.stdout)
    out["bytes"], out["records"] = told["bytes"], told["positions"]
    rules = ["--rules", os.path.join(options.plugins, CHECKER)] if question.game.startswith("clobber") else []
    checked = subprocess.run([os.path.join(build, "proofcheck"), "--json", *rules, name], stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE,
                             universal_newlines=True)
    out["verified" if checked.returncode == 0 else "rejected"] = 1
    if checked.returncode:
        out["problem"] = "%s %s: %s%s" % (question.game, question.position, checked.stdout.strip(),
                                          checked.stderr.strip())


def compile_plugins(options, place):
    """The game and, in a directory of its own, its checker, with the headers of the build."""
    options.plugins = place
    source = os.path.join(HERE, "..", "..", "clients", "plugins", "clobber")
    for file, name in (("game.c", "games/clobber.so"), ("checker.c", CHECKER)):
        os.makedirs(os.path.join(place, os.path.dirname(name)), exist_ok=True)
        subprocess.run(["cc", "-O2", "-fPIC", "-shared", "-I", os.path.join(options.build, "include"),
                        os.path.join(source, file), "-o", os.path.join(place, name)], check=True)
    os.environ["PROOFD_GAME_DIR"] = os.path.join(place, "games")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build")
    parser.add_argument("--loa", default=os.path.join(HERE, "..", "data", "loa", "tails.tsv"))
    parser.add_argument("--sets")
    parser.add_argument("--cgt", nargs="*", default=[],
                        help="files of domineering, nogo and clobber boards, and nothing else")
    parser.add_argument("--boards", nargs="*", default=[], help="tables of values of empty boards, and nothing else")
    parser.add_argument("--tsume", help="compositions of tsume-shogi, and nothing else")
    parser.add_argument("--memory", default="256M", help="of each search")
    parser.add_argument("--seconds", type=int, default=0, help="of search, for each position")
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--algorithm")
    parser.add_argument("--nodes", type=int, default=100000000)
    parser.add_argument("--hardest", type=int, default=2000000, help="expansions; see above")
    parser.add_argument("--limit", type=int, default=0, help="positions of each set")
    parser.add_argument("--keep", help="directory for the certificates")
    parser.add_argument("--rows", help="keeps what was asked in this file, and does not ask it again")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        if options.cgt or options.boards:
            compile_plugins(options, place)
        return ask(options)


def ask(options):
    bad, rows = False, Rows(options)
    if options.keep:
        os.makedirs(options.keep, exist_ok=True)
    print("%-26s %9s %6s %6s %11s %9s %9s %14s %9s %9s %9s %12s %10s %7s" %
          ("set", "positions", "right", "wrong", "unanswered", "verified", "rejected", "nodes", "median", "90 %",
           "search s", "cert. pos.", "bytes/pos", "wall s"))
    for name, questions in sets_of(options):
        if options.only and not any(word in name for word in options.only):
            continue
        if options.limit:
            questions = questions[:options.limit]
        begin = time.time()
        total, nodes = {}, []
        with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(os.cpu_count()) as pool:
            for out in pool.map(lambda q: rows.ask(q, options, scratch), questions):
                nodes.append(out["nodes"])
                for key, value in out.items():
                    if key == "problem":
                        print("  " + value, file=sys.stderr)
                    else:
                        total[key] = total.get(key, 0) + value
        total = {**dict.fromkeys(("right", "wrong", "unanswered", "verified", "rejected", "nodes", "seconds", "bytes",
                                  "records", "differ"), 0), **total}
        nodes.sort()
        bad |= total["wrong"] > 0 or total["rejected"] > 0
        print("%-26s %9d %6d %6d %11d %9d %9d %14d %9d %9d %9.1f %12d %10.1f %7.1f%s" % (
            name, len(questions), total["right"], total["wrong"], total["unanswered"], total["verified"],
            total["rejected"], total["nodes"], nodes[len(nodes) // 2], nodes[len(nodes) * 9 // 10],
            total["seconds"], total["records"], total["bytes"] / max(total["records"], 1), time.time() - begin,
            "  (%d differ by the rule of stalemate)" % total["differ"] if total["differ"] else ""), flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
