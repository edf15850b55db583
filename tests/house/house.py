"""What the tests of the house share: the files of the tree, and the list of violations that are still allowed.

allowed.txt has one violation a line, `CHECK ITEM`. A test fails for a violation that is not listed there, and prints
what is listed without being violated any more, so that the line can go. The list only shrinks; the aim is an empty one.
`python3 tests/house/house.py BUILD` writes it again, with the violations of today.
"""

import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ALLOWED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "allowed.txt")


def tracked():
    """Files of the tree as git knows them; without git, all that are not built."""
    try:
        command = ["git", "-C", ROOT, "ls-files", "-z"]
        done = subprocess.run(command, capture_output=True, check=True, stdin=subprocess.DEVNULL)
        names = done.stdout.decode().split("\0")
    except (OSError, subprocess.CalledProcessError):
        names = []
        for folder, folders, files in os.walk(ROOT):
            folders[:] = [f for f in folders if f not in (".git", "build", "__pycache__")]
            names += [os.path.relpath(os.path.join(folder, f), ROOT) for f in files]
    return sorted(n for n in names if n and os.path.isfile(os.path.join(ROOT, n)))


def read(name):
    with open(os.path.join(ROOT, name), encoding="utf-8", errors="replace") as file:
        return file.read()


FILES = tracked()
CODE = [n for n in FILES if n.endswith((".c", ".h", ".def"))]
SCRIPTS = [n for n in FILES if n.endswith((".py", ".js", ".mjs", ".ts", ".sh", ".bash")) or n == "dev"]


def allowed(check):
    """The items that allowed.txt lists for a check."""
    with open(ALLOWED, encoding="utf-8") as file:
        rows = [line.rstrip("\n").split(" ", 1) for line in file if line.strip() and not line.startswith("#")]
    return {row[1] for row in rows if row[0] == check}


def complain(test, check, found):
    """Fails for what is found and not allowed. `found`: item -> what to print."""
    if os.environ.get("HOUSE_LIST"):  # for making the list
        for item in sorted(found):
            print("%s %s" % (check, item))
        return
    known = allowed(check)
    for item in sorted(known - set(found)):
        print("tests/house/allowed.txt: '%s %s' can go" % (check, item), file=sys.stderr)
    faults = [found[item] for item in sorted(found) if item not in known]
    if faults:
        test.fail("\n" + "\n".join(faults))


def update(build):
    """Writes allowed.txt again, with what is violated today."""
    rows = []
    for name in ("style", "symbols"):
        script = os.path.join(os.path.dirname(ALLOWED), "test_%s.py" % name)
        done = subprocess.run([sys.executable, script, build], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              env=dict(os.environ, HOUSE_LIST="1"), universal_newlines=True)
        rows += done.stdout.splitlines()
    with open(ALLOWED, "w", encoding="utf-8") as file:
        file.write("# Violations of the rules of the house that are still there (house.py): `CHECK ITEM` a line. "
                   "Only to be shortened.\n")
        file.write("".join(row + "\n" for row in rows))


def without_comments(text):
    """C text with comments, strings and character constants blanked; lines stay where they are."""
    pattern = r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''

    def blank(match):
        first = match[0][0]
        inner = re.sub(r"[^\n]", " ", match[0])
        return first + inner[1:-1] + first if first in "\"'" else inner

    return re.sub(pattern, blank, text, flags=re.S)


if __name__ == "__main__":
    update(sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "build", "release"))
