"""Counts what the size and the order of the tree are judged by, and prints it: `./dev measure`.

    measure.py [COMMIT] [--list] [--draw N [--seed S]]

COMMIT: a commit instead of the files as they are. --list names each offender. --draw prints N static functions, and N
comments, errors and help texts, drawn by the seed (1), to be read aloud.

The product is server, solver, store, proto and clients.
"""

import argparse
import collections
import os
import random
import re
import subprocess
import sys
import tarfile
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PRODUCT = ("server/", "solver/", "store/", "proto/", "clients/")
SOURCES = tuple(".c .h .def .md .py .js .mjs .ts .css .html .cmake".split())
STRUCT_LIMITS = (25, 30)
# Prefixes of folders, which are not words of a name.
PREFIXES = "ck cl cw dm game nt pb pc pd pn pr proofd sc st sv wk".split()
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
STRING = re.compile(r'"(?:\\.|[^"\\\n])*"')
STATIC = re.compile(r"^static\s[^;=]*?\b(?!__attribute__)(\w+)\([^;{}]*\)\s*\n\{", re.M)
PUBLIC = re.compile(r"^(?!static\b|typedef\b|[#\s}])[^;{}=#()]*?\b(\w+)\([^;{}]*\)\s*\n\{", re.M)
DECLARED = re.compile(r"^(?!static\b|typedef\b|[#\s}])[^;{}=#()]*?\b(\w+)\([^;{}]*\)[^;{}()]*;", re.M)
STRUCT = re.compile(r"^(?:static |const |typedef )*(?:struct|union)(?: (\w+))? \{\n(.*?)^\}", re.M | re.S)


class Tree:
    """The files of a checkout: name -> text."""

    def __init__(self, root):
        done = subprocess.run(["git", "-C", root, "ls-files", "-z"], capture_output=True, check=False,
                              stdin=subprocess.DEVNULL)
        names = done.stdout.decode().split("\0") if done.returncode == 0 else []
        if not any(names):
            names = [os.path.relpath(os.path.join(folder, name), root) for folder, _, files in os.walk(root)
                     for name in files]
        self.text = {}
        for name in sorted(filter(None, names)):
            path = os.path.join(root, name)
            if os.path.isfile(path) and name.endswith(SOURCES + ("CMakeLists.txt",)) and not name.startswith("build/"):
                with open(path, encoding="utf-8", errors="replace") as file:
                    self.text[name] = file.read()

    def under(self, places, ends=("",)):
        return {n: t for n, t in self.text.items() if n.startswith(places) and n.endswith(tuple(ends))}

    def code(self, places=PRODUCT, ends=(".c", ".h")):
        """C without comments."""
        return {n: COMMENT.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), t)
                for n, t in self.under(places, ends).items()}


def lines(texts):
    return sum(text.count("\n") for text in texts.values())


def members(body):
    """How many a struct has, those of structs within it counted one by one."""
    body = STRING.sub('""', re.sub(r"^\s*#.*", "", body, flags=re.M))
    count = depth = 0
    for c in re.sub(r"\}[^;{}]*;", "", body):
        depth += (c in "([") - (c in ")]")
        count += c == ";" or (c == "," and not depth)
    return count


def structs(tree):
    return {"%s %s" % (name, match[1] or "(no name)"): members(match[2])
            for name, text in tree.code().items() for match in STRUCT.finditer(text)}


def statics(code):
    return [(name, match[1]) for name, text in code.items() for match in STATIC.finditer(text)]


def words(name):
    parts = [part for part in re.split(r"_+", name) if part]
    return len(parts) - (parts[0] in PREFIXES)


def outside(tree):
    """Public functions, and those that are not defined in the file named as their header: (all, [text])."""
    homes = {}
    for header, text in tree.code(ends=(".h",)).items():
        for match in DECLARED.finditer(text):
            homes.setdefault(match[1], header[:-2])
    defined = [(name, match[1]) for name, text in tree.code(ends=(".c",)).items() for match in PUBLIC.finditer(text)
               if match[1] in homes]
    return len(defined), ["%s: %s, of %s.h" % (name, function, homes[function]) for name, function in defined
                          if name[:-2] != homes[function]]


def rooms(tree):
    """Folders of server and their files, their arrows, and those of them on a way back: ({room: files}, {arrow},
    {arrow}). The main functions, which include everything, are a room of their own."""
    def room(name):
        return "main" if name.endswith("main.c") else os.path.dirname(name)

    arrows = set()
    code = tree.under(("server/",), (".c", ".h"))
    for name, text in code.items():
        for header in re.findall(r'^#include "(server/[^"]+)"', text, re.M):
            arrows.add((room(name), room(header)))
    arrows = {(a, b) for a, b in arrows if a != b}
    reach = collections.defaultdict(set)
    for a, b in arrows:
        reach[a].add(b)
    for k in list(reach):
        for a in list(reach):
            if k in reach[a]:
                reach[a] |= reach[k]
    sizes = collections.Counter(room(name) for name in code)
    return sizes, arrows, {(a, b) for a, b in arrows if a in reach[b]}


def core_users(tree):
    """Files that include the header which says what struct sv_core has."""
    homes = [n for n, t in tree.under(("server/",), (".h",)).items() if re.search(r"^struct sv_core \{", t, re.M)]
    return [n for n, t in tree.under(PRODUCT, (".c", ".h")).items()
            if any('#include "%s"' % home in t for home in homes)]


def dependencies(tree):
    found = set()
    for name, text in tree.text.items():
        if name == "CMakeLists.txt" or name.endswith(".cmake"):
            found |= set(re.findall(r"pkg_check_modules\(\w+[^)]*?([\w.-]+)\)", text))
    return sorted(found - {"check"})


def stems(tree):
    """Names that C files of several folders have: name -> folders."""
    places = collections.defaultdict(set)
    for name in tree.under(PRODUCT, (".c", ".h")):
        if not name.endswith("main.c"):
            places[os.path.basename(name)[:-2]].add(os.path.dirname(name))
    return {stem: sorted(folders) for stem, folders in sorted(places.items()) if len(folders) > 1}


def sentences(tree):
    """Comments, errors and help texts, each with its place."""
    out = []
    for name, text in tree.under(PRODUCT, (".c", ".h", ".def")).items():
        for match in COMMENT.finditer(text):
            comment = re.sub(r"\s+\*?\s*", " ", match[0].strip("/* \n"))
            if comment.count(" ") >= 3 and not comment.startswith("---"):
                out.append("%s: %s" % (name, comment))
        plain = COMMENT.sub("", text)
        for match in re.finditer(r'"(?:\\.|[^"\\\n])*"(?:\s*"(?:\\.|[^"\\\n])*")*', plain):
            said = "".join(part[1:-1] for part in STRING.findall(match[0]))
            if len(re.findall(r"[A-Za-z]{2,} ", said)) >= 3 and "\\\"" not in said:
                out.append('%s: "%s"' % (name, said))
    return out


def measure(tree):
    """All counts: what -> (figure, offenders)."""
    sizes = structs(tree)
    found = {
        "product lines": (lines(tree.under(PRODUCT)), []),
        "C lines of the product": (lines(tree.under(PRODUCT, (".c", ".h", ".def"))), []),
        "test lines": (lines(tree.under(("tests/",))), []),
    }
    for limit in STRUCT_LIMITS:
        many = sorted("%s has %d members" % row for row in sizes.items() if row[1] > limit)
        found["structs over %d members" % limit] = (len(many), many)
    for what, functions in (("product", statics(tree.code())), ("tests", statics(tree.code(("tests/",))))):
        short = ["%s: %s" % row for row in functions if words(row[1]) < 2]
        found["static functions, %s" % what] = (len(functions), [])
        found["one-word static functions, %s" % what] = (len(short), short)
    count, others = outside(tree)
    found["public functions"] = (count, [])
    found["public functions outside their header's file"] = (len(others), others)
    folders, arrows, back = rooms(tree)
    found["rooms of server"] = (len(folders), sorted("%s has %d files" % row for row in folders.items()))
    found["files in the largest of them"] = (max(folders.values()), [])
    found["arrows between them"] = (len(arrows), [])
    found["arrows on a way back"] = (len(back), sorted("%s -> %s" % arrow for arrow in back))
    for what, offenders in (("files that include the core's struct", core_users(tree)),
                            ("dependencies", dependencies(tree)),
                            ("file stems in several folders",
                             ["%s: %s" % (k, " ".join(v)) for k, v in stems(tree).items()])):
        found[what] = (len(offenders), offenders)
    return found


def report(tree, options):
    for what, (figure, offenders) in measure(tree).items():
        print("%8d  %s" % (figure, what))
        if options.list:
            print("".join("            %s\n" % row for row in offenders), end="")
    if options.draw:
        draw = random.Random(options.seed)
        for what, all_of_them in (("static functions", ["%s: %s" % row for row in statics(tree.code())]),
                                  ("comments, errors and help texts", sentences(tree))):
            print("\n%d of %d %s (seed %d):" % (options.draw, len(all_of_them), what, options.seed))
            print("\n".join(draw.sample(all_of_them, options.draw)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("commit", nargs="?")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--draw", type=int, default=0, metavar="N")
    parser.add_argument("--seed", type=int, default=1, metavar="S")
    options = parser.parse_args()
    if not options.commit:
        report(Tree(ROOT), options)
        return
    with tempfile.TemporaryDirectory() as scratch:
        archive = subprocess.Popen(["git", "-C", ROOT, "archive", options.commit], stdout=subprocess.PIPE)
        with tarfile.open(fileobj=archive.stdout, mode="r|") as tar:
            tar.extractall(scratch)
        if archive.wait():
            sys.exit(1)
        report(Tree(scratch), options)


if __name__ == "__main__":
    main()
