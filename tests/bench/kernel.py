"""proofkernel, the checker that is proved correct: records a second and memory a record, beside proofcheck.

    kernel.py BUILD [CERTIFICATE...]

Judges the given certificates, or else those of games that it solves first. CPU seconds are those of checking alone:
certificates are translated into their text form before. Ends with 1 when a certificate is not accepted.
"""

import os
import re
import subprocess
import sys
import tempfile

GAMES = [("connect4:6x6", "first-draws"), ("connect4:7x6", "first-wins"), ("mnk:6,6,4", "first-wins"),
         ("mnk:5,5,4", "value"), ("mnk:7,7,5", "second-draws")]


def judge(*words):
    """Output, CPU seconds and peak memory in bytes of a checker."""
    with subprocess.Popen(words, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True) as process:
        said = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return said, used.ru_utime + used.ru_stime, 1024 * used.ru_maxrss


def certificate(build, game, claim, folder):
    """Solves a game and exports its certificate."""
    proofctl, file, data = [os.path.join(*place) for place in
                            ((build, "proofctl"), (folder, "certificate"), (folder, "data"))]
    subprocess.run([proofctl, "solve", game, "--claim", claim, "--data", data], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([proofctl, "export", game, file, "--claim", claim, "--data", data, "--detail", "full", "--cards",
                    "yes"], check=True, stdout=subprocess.DEVNULL)
    return file


def row(build, name, file, folder):
    """Judges one certificate by both checkers, and prints a line."""
    proofcheck, text = os.path.join(build, "proofcheck"), os.path.join(folder, "text")
    with open(text, "wb") as out:
        subprocess.run([proofcheck, "--text", file], check=True, stdout=out)
    said, seconds, memory = judge(os.path.join(build, "clients", "kernel", "proofkernel"), text)
    theirs = judge(proofcheck, file)
    counts = re.search(r"VERIFIED: (\d+) records, (\d+) facts", said)
    if not counts or "VERIFIED" not in theirs[0]:
        print("%-16s not accepted: %s%s" % (name, said, theirs[0]))
        return False
    with open(text, encoding="ascii") as lines:
        cards = sum(line.count(",c") for line in lines)
    records, facts = int(counts[1]), int(counts[2])
    print("%-16s %9d %9d %8d %8.2f %9.0f %8.0f %10.2f" % (
        name, records, facts, cards, seconds, records / max(seconds, 0.01), memory / records, theirs[1]), flush=True)
    return True


def main():
    build, files = sys.argv[1], sys.argv[2:]
    print("%-16s %9s %9s %8s %8s %9s %8s %10s" % ("", "records", "facts", "cards", "CPU s", "records/s", "B/record",
                                                  "proofcheck"))
    good = True
    for name, claim in [(file, None) for file in files] or GAMES:
        with tempfile.TemporaryDirectory(prefix="proofd-kernel-") as folder:
            file = certificate(build, name, claim, folder) if claim else name
            good = row(build, os.path.basename(name), file, folder) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
