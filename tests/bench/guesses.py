"""How often `proofctl guess` is right: guesses.py BUILD COSTS [--degree N].

The questions are those of tests/data/suite that a search of a million nodes does not answer, and some that are known to
take long. COSTS is a file with a line `NAME NODES` for each question that was solved; what it lacks is solved now, for
two minutes at most, and added. A guess and the truth are compared by class, both at the rate of the guess.
"""

import collections
import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DATA = os.path.join(ROOT, "tests", "data")
CLASSES = ((60, "seconds"), (3600, "minutes"), (86400, "hours"), (float("inf"), "days"))
# Nodes of RESULTS.md, and games that no search of this kind has solved in days.
LONG = {"connect4:7x6": 1.1e10, "connect4:8x5": 4.2e9, "connect4:8x4": 1.7e9, "breakthrough:6x5": 5.8e8,
        "breakthrough:4x6": 3.6e8, "domineering:7x7": 1.0e9, "dots:3x3": 1.5e8}
ENDLESS = ("othello:8 othello:6 breakthrough:8x8 breakthrough:6x6 dots:5x5 uttt loa:8 antichess checkers chess-mate "
           "hex:9 connect4:9x7 nogo:6x5 atari-go:7x7").split()


def ask(program, command, question, *more):
    words = [program, command, question["game"], "--json", "--graphs", os.path.join(DATA, "andor"), *more]
    for name in ("position", "claim"):
        if question.get(name):
            words += ["--" + name, question[name]]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return json.loads(done.stdout or done.stderr)


def class_of(seconds):
    return next(name for limit, name in CLASSES if seconds <= limit)


def main():
    program, path = os.path.join(sys.argv[1], "proofctl"), sys.argv[2]
    with open(os.path.join(DATA, "suite", "questions.jsonl"), encoding="utf-8") as file:
        questions = [one for one in map(json.loads, file) if one["degree"] > 1]
    questions += [{"name": game, "game": game} for game in (*LONG, *ENDLESS)]
    costs = dict(LONG, **{game: float("inf") for game in ENDLESS})
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            costs.update((name, float(nodes)) for name, nodes in map(str.split, file))
    table = collections.Counter()
    for question in questions:
        name = question["name"]
        if name not in costs:
            answer = ask(program, "solve", question, "--seconds", "120", "--memory", "2G")
            if answer["status"] == "unsolved":
                continue
            costs[name] = answer["nodes"]["level1"] + answer["nodes"]["level2"]
            with open(path, "a", encoding="utf-8") as file:
                file.write("%s %d\n" % (name, costs[name]))
        if costs[name] < 1e6:  # answered by a short search
            continue
        guess = ask(program, "guess", question)
        true = class_of(costs[name] / guess["rate"])
        table[true, guess["guess"]] += 1
        print("%-28s %-8s %-8s true %.2g guessed %.2g" % (name, true, guess["guess"], costs[name],
                                                          guess.get("nodes", 0)), flush=True)
    columns = [name for _, name in CLASSES] + ["unknown"]
    print("\n| true | questions | " + " | ".join("guessed " + one for one in columns) + " |")
    for _, true in CLASSES:
        row = [table[true, one] for one in columns]
        print("| %s | %d | %s |" % (true, sum(row), " | ".join(map(str, row))))


if __name__ == "__main__":
    main()
