"""Hex: positions whose winner others have published, each asked with a limit of time.

Usage: hex.py BUILD_DIRECTORY FILE [--seconds S] [--memory SIZE] [--size WxH ...] [--only MOVE|ID ...] [--algorithm
NAME] [--seed N] [--threads N] [--check]

FILE is one of two kinds of table, fields separated by tabs, lines that begin with # left out:

  size first_move winner          6x6  a1  white: who wins after Black opens there. A first line with these words is the
  heading. suite id sgf moveno query side answer size black white
                                  a puzzle: the winner, or all winning moves of the side to move (none: it loses); both
                                  sides' stones

Black joins the top and the bottom, and is First. Puzzles are set up as they are, whatever their stones.

Prints a line a question as it is answered, and at the end: right, wrong (must be 0), unanswered. With --check
every answer's proof is exported and checked by proofcheck. Ends with 1 when anything was wrong or a certificate was not
verified.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile


class Question:
    """A position and what must come out: whether First wins; and the moves of which the answer's must be one, when they
    are known."""

    def __init__(self, name, size, position, first_wins, winning=None):
        self.name, self.size, self.position, self.first_wins, self.winning = name, size, position, first_wins, winning

    def game(self):
        columns, rows = self.size
        return "hex:%d" % columns if columns == rows else "hex:%dx%d" % self.size


def opening(fields):
    columns, rows = fields[0].split("x")
    return Question("%s %s" % (fields[0], fields[1]), (int(columns), int(rows)), fields[1], fields[2] == "black")


def board(size, black, white, side):
    """A set-up position as text: rows from the top, and who is to move."""
    rows = []
    for row in range(1, size + 1):
        line, run = "", 0
        for column in range(size):
            cell = "%c%d" % (ord("a") + column, row)
            stone = "x" if cell in black else "o" if cell in white else ""
            line += (str(run) if stone and run else "") + stone
            run = 0 if stone else run + 1
        rows.append(line + (str(run) if run else ""))
    return "/".join(rows) + ("/" if size == 1 else "") + (" x" if side == "black" else " o")


def puzzle(fields):
    suite, number, _, _, query, side, answer, size, black, white = (fields + [""])[:10]
    winning = None if query == "solve-state" else answer.split()
    mover_wins = answer == side if winning is None else bool(winning)
    name = "%s %s %sx%s" % (suite, number, size, size)
    return Question(name, (int(size), int(size)), board(int(size), black.split(","), white.split(","), side),
                    mover_wins == (side == "black"), winning or None)


def read(path):
    questions = []
    for line in open(path):
        fields = line.rstrip("\n").split("\t")
        if line.startswith("#") or fields[0] in ("", "size"):
            continue
        questions.append(opening(fields) if len(fields) == 3 else puzzle(fields))
    return questions


def certified(program, question, data):
    """None, or what is wrong with the certificate of an answer."""
    path = os.path.join(data, "answer.cert")
    for command in ([program("proofctl"), "export", question.game(), path, "--position", question.position, "--claim",
                     "first-wins", "--data", data],
                    [program("proofcheck"), path]):
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
        if done.returncode:
            return done.stdout.strip()
    return None


def ask(question, options):
    """(right, wrong or unanswered; the rest of the line)"""
    program = lambda name: os.path.join(options.build, name)
    with tempfile.TemporaryDirectory() as data:
        command = [program("proofctl"), "solve", question.game(), "--position", question.position, "--claim",
                   "first-wins", "--seconds",
                   str(options.seconds), "--memory", options.memory, "--algorithm", options.algorithm, "--seed",
                   str(options.seed), "--threads",
                   str(options.threads), "--json"]
        if options.check:
            command += ["--data", data]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
        if done.returncode not in (0, 3):
            return "wrong", done.stderr.strip()
        answer = json.loads(done.stdout)
        figures = "%14d nodes %9.2f s" % (answer["nodes"]["level1"] + answer["nodes"]["level2"], answer["seconds"])
        if done.returncode == 3:
            return "unanswered", figures
        wins = answer["status"] == "proved"
        figures += "  %s wins%s" % ("First" if wins else "Second", " by " + answer["move"] if answer["move"] else "")
        if wins != question.first_wins:
            return "wrong", figures + ", published is the opposite"
        if question.winning is not None and answer["move"] not in question.winning:
            return "wrong", figures + ", published are " + " ".join(question.winning)
        problem = certified(program, question, data) if options.check else None
        return ("wrong", figures + ", certificate: " + problem) if problem else ("right", figures)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("build")
    parser.add_argument("file")
    parser.add_argument("--seconds", type=float, default=300, help="of search, for each question")
    parser.add_argument("--memory", default="256M")
    parser.add_argument("--size", nargs="*", help="boards to ask, as in 6x6 (columns and rows)")
    parser.add_argument("--only", nargs="*", help="opening moves, or numbers of puzzles")
    parser.add_argument("--algorithm", default="pds-pn")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--check", action="store_true", help="export and check the proofs")
    options = parser.parse_args()
    questions = read(options.file)
    total = {"right": 0, "wrong": 0, "unanswered": 0}
    for question in questions:
        if options.size and "%dx%d" % question.size not in options.size:
            continue
        if options.only and question.name.split()[1] not in options.only:
            continue
        outcome, figures = ask(question, options)
        total[outcome] += 1
        print("%-22s %-10s %s" % (question.name, outcome, figures), flush=True)
    print("right %(right)d, wrong %(wrong)d, unanswered %(unanswered)d" % total)
    if not sum(total.values()):
        sys.exit("hex.py: %s has no such question" % options.file)
    return 1 if total["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
