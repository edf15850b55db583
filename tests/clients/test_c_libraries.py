"""The examples in the READMEs of the C libraries compile, without a warning, and run; the headers are C++ as well."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import TIMEOUT, Server, build_dir, build_has, data_dir  # noqa: E402

CLIENTS = os.path.join(os.path.dirname(os.path.dirname(data_dir())), "clients")
PRINTED = [
    r"(first|second) wins.*, value -?1 to -?1|draw, value 0 to 0|.*, value -1 to 1",
    r"((queued|running|solved): pn .*\n)*solved: .+",
    r".*Hex.*\n.*Lines of Action.*\nbad-game, field game",
]


def page(folder):
    with open(os.path.join(CLIENTS, folder, "README.md"), encoding="utf-8") as file:
        return file.read()


def run(*command, env=None):
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, stdin=subprocess.DEVNULL, env=env)
    if done.returncode or done.stderr:
        raise AssertionError("%r ended with %d\n%s" % (command[0], done.returncode, done.stderr))
    return done.stdout


@unittest.skipIf(build_has("-fsanitize"), "a program without a sanitizer cannot load a library with one")
class Examples(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.mkdtemp(prefix="proofd-test-")
        self.addCleanup(shutil.rmtree, self.place)

    def compiled(self, text, library, compiler="cc", suffix=".c", std="-std=c11"):
        source, out = os.path.join(self.place, "program" + suffix), os.path.join(self.place, "program")
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        run(compiler, std, "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I", os.path.join(build_dir(), "include"),
            source, "-o", out, "-L", build_dir(), "-l" + library, "-Wl,-rpath," + build_dir())
        return out

    def test_libproofd(self):
        blocks = re.findall(r"^```c\n(.*?)^```", page("libproofd"), re.M | re.S)
        self.assertEqual(len(blocks), len(PRINTED))
        with Server("--threads", "1") as server:
            env = dict(os.environ, PROOFD_SERVER="%s:%d" % server.address)
            for block, printed in zip(blocks, PRINTED):
                with self.subTest(block):
                    self.assertRegex(run(self.compiled(block, "proofd"), env=env), r"\A(%s)\n\Z" % printed)

    def test_probe(self):
        blocks = re.findall(r"^```c\n(.*?)^```", page("probe"), re.M | re.S)
        self.assertEqual(len(blocks), 1)
        program = self.compiled(blocks[0], "proofd-probe")
        with Server("--threads", "1") as server:
            server.wait_job(server.admin("job.submit", game="mnk:3,3,3", detail="full")["job"])
            # What it prints of every position is what the server says.
            positions = ["", "b2", "b2 a1", "a1 b2", "a1 b1", "b2 b1 a1", "a1 a2 b1 b2 c1"]
            lines = run(program, server.data, "mnk:3,3,3", *positions).splitlines()
            facts = server.admin("fact.query", game="mnk:3,3,3", positions=positions)["facts"]
            for position, line, fact in zip(positions, lines, facts):
                rank = 65535 if fact["rank"] is None else fact["rank"]
                self.assertEqual(line, "'%s': value %d to %d, rank %d, move %s" % (
                    position, fact["lo"], fact["hi"], rank, fact["move"] or "none"))
            self.assertTrue(any(fact["source"] == "fact" for fact in facts))

    @unittest.skipUnless(shutil.which("c++"), "there is no compiler of C++ here")
    def test_the_headers_are_cplusplus_as_well(self):
        text = ("#include <proofd/client.h>\n#include <proofd/probe.h>\n\n"
                "int main()\n{\n\treturn proofd_get(nullptr, \"x\") != nullptr;\n}\n")
        run(self.compiled(text, "proofd", "c++", ".cc", "-std=c++17"))

    def test_what_the_pages_point_to_is_there(self):
        for folder in ("libproofd", "probe"):
            for path in re.findall(r"\]\(([^)]+)\)", page(folder)):
                self.assertTrue(os.path.exists(os.path.join(CLIENTS, folder, path)), path)


if __name__ == "__main__":
    build_dir()
    unittest.main(argv=sys.argv[:1])
