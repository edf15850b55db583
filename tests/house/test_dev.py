"""./dev: what its help lists is what it takes, and the other way round."""

import os
import re
import subprocess
import sys
import tempfile
import unittest

from house import ROOT, read

UNKNOWN = "no-such-thing"


def dev(*words):
    """Exit code, standard output and error of a call that builds nothing."""
    done = subprocess.run([os.path.join(ROOT, "dev"), *words], capture_output=True, text=True, timeout=600,
                          stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout, done.stderr


def functions(prefix):
    return set(re.findall(r"^%s_(\w+)\(\) \{" % prefix, read("dev"), re.M))


def commands():
    """What the help says of each, in one line."""
    said, name = {}, None
    for line in dev("help")[1].splitlines()[2:]:
        begins = re.match(r"  ([a-z][a-z0-9]*)\s+(\S.*)", line)
        name = begins[1] if begins else name
        said[name] = said.get(name, "") + " " + (begins[2] if begins else line.strip())
    return said


def listed(text, begin, end):
    """The names with commas between them, from one word of a text to another."""
    inside = re.sub(r"\([^)]*\)", "", text.partition(begin)[2].partition(end)[0])
    return [name.strip() for name in inside.split(",")]


class Dev(unittest.TestCase):
    def test_it_has_the_commands_of_its_help(self):
        said = commands()
        self.assertGreater(len(said), 25)
        self.assertEqual(set(said), functions("cmd"))
        code, _, error = dev(UNKNOWN)
        self.assertEqual((code, "there is no '%s'" % UNKNOWN in error), (1, True))
        # The script itself, whose commands only say their names.
        mute = 'for f in $(compgen -A function cmd_); do eval "$f() { echo $f \\"\\$@\\"; }"; done\n'
        script, cut, end = read("dev").partition("command=${1:-help}")
        for name in said:
            done = subprocess.run(["bash", "-c", script + mute + cut + end, os.path.join(ROOT, "dev"), name, "a word"],
                                  capture_output=True, text=True, timeout=600, stdin=subprocess.DEVNULL)
            self.assertEqual((done.returncode, done.stdout), (0, "cmd_%s a word\n" % name), done.stderr)

    def test_it_takes_the_benchmarks_of_its_help(self):
        names = listed(commands()["bench"], "build/bench/NAME.json:", ". Built")
        self.assertGreater(len(names), 15)
        self.assertEqual(set(names), functions("bench"))
        for name in names:
            code, _, error = dev("bench", name, UNKNOWN)  # is told before anything is built
            self.assertEqual((code, error), (1, "./dev: there is no benchmark '%s'; ./dev help lists them\n" % UNKNOWN))

    def test_it_has_the_laboratories_of_its_help(self):
        names = listed(commands()["lab"], "README.md):", ";")
        files = {name.partition(".")[0] for name in os.listdir(os.path.join(ROOT, "tests", "lab"))
                 if name.endswith((".c", ".py")) and "_" not in name}
        self.assertEqual(set(names), files | {"fuzz"})

    def test_few_failures_are_forgiven(self):
        """What may run again alone: up to three tests of live programs, and nothing that a sanitizer spoke of."""
        script = read("dev").partition("command=${1:-help}")[0]
        ctest = "ctest() { for t in server.a server.b web.c clients.d; do echo \"  Test  #1: $t\"; done; }\n"
        with tempfile.TemporaryDirectory() as place:
            preset = os.path.relpath(place, os.path.join(ROOT, "build"))
            log, said = os.path.join(place, "Testing", "Temporary"), os.path.join(place, "said")
            os.makedirs(log)
            os.makedirs(os.path.join(ROOT, "build"), exist_ok=True)
            for failed, text, again in (
                    ("server.a", "", True), ("server.a web.c clients.d", "FAIL: Assertion 'x' failed", True),
                    ("server.a server.b web.c clients.d", "", False), ("store.tt", "", False), ("server", "", False),
                    ("server.a store.tt", "", False), ("server.a", "WARNING: ThreadSanitizer: data race", False),
                    ("web.c", "a.c:1:2: runtime error: shift", False), ("web.c", "killed by signal 11", False),
                    ("server.a", "proofd: a.c:1: assertion failed: x", False)):
                with open(os.path.join(log, "LastTestsFailed.log"), "w", encoding="utf-8") as file:
                    file.writelines("1:%s\n" % name for name in failed.split())
                with open(said, "w", encoding="utf-8") as file:
                    file.write(text)
                done = subprocess.run(["bash", "-c", script + ctest + 'may_run_again "$1" "$2"',
                                       os.path.join(ROOT, "dev"), preset, said], capture_output=True, text=True,
                                      timeout=600, stdin=subprocess.DEVNULL)
                self.assertEqual((done.returncode, done.stdout), (0, failed + "\n") if again else (1, ""),
                                 failed + text + done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
