"""Sizes: of files, functions, lines and parameter lists; and how often the code asserts something.

`python3 tests/house/test_style.py --assertions` lists the assertions of each room.
"""

import os
import re
import sys
import unittest

from house import CODE, FILES, SCRIPTS, complain, read, without_comments

FILE_MAX = 700  # lines of a file
TABLE_MAX = 1000  # rows of a .def file
FUNCTION_MAX = 80  # lines of a function's body, braces included
WIDTH_MAX = 120  # columns, a tab being eight
PARAMETERS_MAX = 6  # of a function in solver/, store/ and server/
LINES_PER_ASSERTION = 120  # at most, lines that are not empty

ROOMS = [
    "solver",
    "solver/games",
    "store",
    "server",
    "server/common",
    "server/api",
    "server/jobs",
    "server/cluster",
    "server/cluster/nats",
    "server/worker",
    "server/proofs",
    "server/net",
    "server/daemon",
]
# What prints on the terminals of people, and how it would print text of others as it is: formats, and all but literals.
PEOPLE = ["clients", "clients/gametest", "clients/proofcheck"]
RAW = re.compile(r"(?<!\w)(?:v?f?printf\([^;]*%[-\d.*]*[sc]|f?puts\((?!\"))[^;]*")
ASSERTION = re.compile(r"\b(PD_ASSERT|PD_DEBUG_ASSERT|_Static_assert|assert)\s*\(")


def functions(text):
    """(line, lines, name, parameters) of each definition at file level, of text without comments."""
    for match in re.finditer(r"^(?![#\s}])[^;{}=#]*?\b(\w+)\(([^;{}]*)\)\s*\n\{\n", text, re.M):
        begin = text.count("\n", 0, match.end() - 1)  # the line of the closing parenthesis
        end = text.index("\n}", match.end() - 2)
        yield begin, text.count("\n", match.end() - 2, end) + 2, match[1], parameters(match[2])


def parameters(inside):
    depth, count = 0, 0 if inside.strip() in ("", "void") else 1
    for c in inside:
        depth += (c in "([") - (c in ")]")
        count += c == "," and depth == 0
    return count


def assertions(room):
    """(assertions, lines) of a folder without those below it."""
    texts = [read(n) for n in CODE if os.path.dirname(n) == room]
    lines = sum(bool(line.strip()) for text in texts for line in text.splitlines())
    return sum(len(ASSERTION.findall(without_comments(text))) for text in texts), lines


class Style(unittest.TestCase):
    def test_functions_are_found(self):
        text = "static int f(int a, void (*g)(int, int),\n\t     int c)\n{\n\treturn 0;\n}\n\nvoid h(void)\n{\n}\n"
        self.assertEqual(list(functions(text)), [(2, 3, "f", 3), (7, 2, "h", 0)])
        self.assertGreater(sum(1 for n in CODE for _ in functions(without_comments(read(n)))), 2000)

    def test_files_are_short(self):
        found = {}
        for name in CODE + SCRIPTS:
            lines = read(name).count("\n")
            generated = "do not edit." in read(name).split("\n", 1)[0]
            limit = TABLE_MAX if name.endswith(".def") else FILE_MAX
            if lines > limit and not generated:
                found[name] = "%s has %d lines, %d is the limit" % (name, lines, limit)
        complain(self, "file-length", found)

    def test_lines_are_short(self):
        found = {}
        for name in CODE + SCRIPTS + [n for n in FILES if n.endswith("CMakeLists.txt")]:
            for number, line in enumerate(read(name).splitlines(), 1):
                if len(line.expandtabs(8)) > WIDTH_MAX:
                    place = "%s:%d: %d columns" % (name, number, len(line.expandtabs(8)))
                    found[name] = found.get(name, "") + ("\n" if name in found else "") + place
        complain(self, "width", found)

    def test_functions_are_short(self):
        found = {}
        for name in CODE:
            for line, lines, function, _ in functions(without_comments(read(name))):
                if lines > FUNCTION_MAX:
                    found["%s %s" % (name, function)] = "%s:%d: %s has %d lines" % (name, line, function, lines)
        complain(self, "function-length", found)

    def test_functions_of_solver_store_and_server_have_few_parameters(self):
        found = {}
        for name in CODE:
            if not name.startswith(("solver/", "store/", "server/")):
                continue
            for line, _, function, count in functions(without_comments(read(name))):
                if count > PARAMETERS_MAX:
                    found["%s %s" % (name, function)] = "%s:%d: %s has %d parameters" % (name, line, function, count)
        complain(self, "parameters", found)

    def test_text_for_people_is_shown(self):
        """What comes from outside goes to a terminal through pd_print (proto/base/print.h) alone."""
        found = {}
        for name in CODE:
            if not name.endswith(".c") or os.path.dirname(name) not in PEOPLE:
                continue
            for match in RAW.finditer(without_comments(read(name))):
                found[name] = "%s: `%s` prints text as it is: pd_print" % (name, match[0])
        complain(self, "raw-text", found)

    def test_each_room_asserts_what_it_relies_on(self):
        found = {}
        for room in ROOMS:
            count, lines = assertions(room)
            if count * LINES_PER_ASSERTION < lines:
                wanted = (lines + LINES_PER_ASSERTION - 1) // LINES_PER_ASSERTION
                found[room] = "%s has %d assertions in %d lines, %d are wanted" % (room, count, lines, wanted)
        complain(self, "assertions", found)


if __name__ == "__main__":
    if "--assertions" in sys.argv:
        for folder in ROOMS:
            print("%-14s %3d assertions in %5d lines" % ((folder,) + assertions(folder)))
    else:
        unittest.main(argv=sys.argv[:1])
