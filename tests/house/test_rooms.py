"""The rooms of the house: no cycle of files in any folder, and between the server's rooms, and the folders of a room
that is divided, the arrows of ARCHITECTURE.md, no others. No arrow leads back.

A file and its header are one node; an edge is an include of another node's header. The diagram is the block ```rooms of
ARCHITECTURE.md: a line "a -> b c" says that files of a include headers of b and of c."""

import os
import re
import subprocess
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# The rooms that the diagram speaks of, the first that fits. Files that lie in none (libraries, tests) are not drawn.
ROOMS = [
    ("core", r"server/core(_cluster)?\.[ch]"),
    ("daemon", r"server/daemon/"),
    ("net", r"server/net/"),
    ("api", r"server/api/"),
    ("experiments", r"server/experiments/"),
    ("proofs", r"server/proofs/"),
    ("jobs", r"server/jobs/"),
    ("common", r"server/common/"),
    ("cluster", r"server/cluster/"),
    ("worker", r"server/worker/"),
    ("clients", r"clients/(?!proofcheck/|libproofd/|probe/)"),
]
DIVIDED = re.compile(r"server/((?:jobs|proofs)/\w+)/")  # rooms whose folders are drawn as well


def code():
    """C files of the tree as git knows them; without git, all that are not built."""
    try:
        done = subprocess.run(
            ["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            capture_output=True,
            check=True,
            stdin=subprocess.DEVNULL,
        )
        names = done.stdout.decode().split("\0")
    except (OSError, subprocess.CalledProcessError):
        names = []
        for folder, folders, files in os.walk(ROOT):
            folders[:] = [f for f in folders if f not in (".git", "build", "__pycache__")]
            names += [os.path.relpath(os.path.join(folder, f), ROOT) for f in files]
    return sorted(n for n in names if n.endswith((".c", ".h")) and os.path.isfile(os.path.join(ROOT, n)))


def includes(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as file:
        return re.findall(r'^\s*#\s*include\s*"([^"]+)"', file.read(), re.M)


def room(name):
    return next((room for room, pattern in ROOMS if re.match(pattern, name)), None)


def part(name):
    """The folder of a divided room."""
    match = DIVIDED.match(name)
    return match and match[1]


def cycles(edges):
    """The strongly connected components of more than one node (Tarjan 1972)."""
    index, low, stack, out = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in sorted(edges[node]):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            at = stack.index(node)
            if len(stack) - at > 1:
                out.append(sorted(stack[at:]))
            del stack[at:]

    for node in sorted(edges):
        if node not in index:
            visit(node)
    return out


def drawn(text):
    """The arrows of the diagram."""
    block = re.search(r"^```rooms\n(.*?)^```", text, re.M | re.S)
    arrows = set()
    for line in block[1].splitlines() if block else []:
        begin, _, ends = line.partition("->")
        arrows |= {(begin.strip(), end) for end in ends.split()}
    return arrows


CODE = code()


class Rooms(unittest.TestCase):
    def test_cycles_are_seen(self):
        self.assertEqual(cycles({"a": {"b"}, "b": {"c"}, "c": {"b", "d"}, "d": set()}), [["b", "c"]])
        self.assertEqual(cycles({"a": {"b", "c"}, "b": {"c"}, "c": set()}), [])

    def test_no_cycle_of_files_in_any_folder(self):
        faults = []
        for folder in sorted({os.path.dirname(n) for n in CODE}):
            here = [n for n in CODE if os.path.dirname(n) == folder]
            edges = {n[:-2]: set() for n in here}
            for name in here:
                edges[name[:-2]] |= {
                    h[:-2]
                    for h in includes(name)
                    if h.endswith(".h") and os.path.dirname(h) == folder and h[:-2] != name[:-2]
                }
            faults += [
                "%s: %s include each other in a cycle" % (folder, ", ".join(os.path.basename(n) for n in cycle))
                for cycle in cycles(edges)
            ]
        self.assertFalse(faults, "\n" + "\n".join(faults))

    def test_the_diagram_is_what_files_include(self):
        with open(os.path.join(ROOT, "ARCHITECTURE.md"), encoding="utf-8") as file:
            arrows = drawn(file.read())
        self.assertTrue(arrows, "ARCHITECTURE.md has no block ```rooms")
        found = {}
        for name in CODE:
            for header in includes(name):
                for place in (room, part) if room(name) == room(header) else (room,):
                    begin, end = place(name), place(header)
                    if begin and end and begin != end:
                        found.setdefault((begin, end), "%s includes %s" % (name, header))
        faults = ["not drawn: %s -> %s (%s)" % (a, b, found[a, b]) for a, b in sorted(set(found) - arrows)]
        faults += ["drawn, but nothing includes so: %s -> %s" % arrow for arrow in sorted(arrows - set(found))]
        self.assertFalse(faults, "\n" + "\n".join(faults))
        nodes = {node: set() for arrow in arrows for node in arrow}
        for begin, end in arrows:
            nodes[begin].add(end)
        self.assertFalse(cycles(nodes))
        self.assertIn(("jobs/run", "jobs/model"), arrows)

    def test_every_file_of_a_divided_room_is_in_a_folder_of_it(self):
        self.assertFalse([n for n in CODE if room(n) in ("jobs", "proofs") and not part(n)])

    def test_the_diagram_of_run_phases_is_their_table(self):
        with open(os.path.join(ROOT, "server/jobs/model/run_phase.h"), encoding="utf-8") as file:
            header = file.read()
        with open(os.path.join(ROOT, "server/jobs/model/run_phase.c"), encoding="utf-8") as file:
            table = re.search(r"arrows\[\] = \{(.*?)\n\};", file.read(), re.S)[1]
        names = "|".join(name.lower() for name in re.findall(r"^\tSV_PHASE_(\w+)", header, re.M))
        diagram = set(re.findall(r"^ \*\t(%s) +(%s)\b" % (names, names), header, re.M))
        arrows = {
            (begin.lower(), end.lower())
            for begin, ends in re.findall(r"\[SV_PHASE_(\w+)\] = (.*)", table)
            for end in re.findall(r"BIT\((\w+)\)", ends)
        }
        self.assertEqual(diagram, arrows)
        self.assertGreater(len(arrows), 10)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
