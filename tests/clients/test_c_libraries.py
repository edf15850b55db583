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

# Waits for a job four times, for one state and for three in turn.
WAITS = """
#include <proofd/client.h>
#include <stdio.h>
#include <stdlib.h>

struct states {
	int seen, wanted;
};

static int count(void *ctx, proofd_value state)
{
	struct states *states = ctx;
	(void)state;
	return ++states->seen == states->wanted;
}

int main(int argc, char **argv)
{
	const struct proofd_options options = {.timeout_s = 25};
	struct proofd *server;
	struct proofd_error error;
	if (argc != 2 || proofd_open(&options, &server, &error))
		return 1;
	for (int i = 0; i < 4; i++) {
		struct states states = {0, i % 2 ? 3 : 1};
		const struct proofd_follow follow = {.interval_s = 0.1, .progress = count, .ctx = &states};
		if (proofd_wait(server, (uint32_t)atoi(argv[1]), &follow, NULL, &error))
			return fprintf(stderr, "%s\\n", error.message), 1;
		printf("%d state%s\\n", states.seen, states.seen == 1 ? "" : "s");
	}
	proofd_close(server);
	return 0;
}
"""


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

    def test_a_wait_that_ended_early_and_another_one(self):
        """The second one hears of the job: more than the state that it begins with."""
        program = self.compiled(WAITS, "proofd")
        with Server("--threads", "1") as server:
            job = server.admin("job.submit", game="connect4:7x6", memory="4M")["job"]
            env = dict(os.environ, PROOFD_SERVER="%s:%d" % server.address)
            self.assertEqual(run(program, str(job), env=env), "1 state\n3 states\n1 state\n3 states\n")

    def test_connections_share_no_variables(self):
        """Nothing in libproofd can be written to, but what the compiler puts into each library."""
        lines = run("nm", "--format=sysv", os.path.join(build_dir(), "libproofd.so")).splitlines()
        found = {line.split("|")[0].strip() for line in lines if re.search(r"\|\.(data|bss|tdata|tbss)\s*$", line)}
        self.assertIn("__dso_handle", found)
        self.assertEqual({name for name in found if not re.match(r"__dso_handle|__TMC_END__|completed\.", name)}, set())

    def test_they_stay_loaded(self):
        """They are there after dlclose, with what the process may still call of them."""
        for name in ("proofd", "proofd-probe"):
            path = os.path.join(build_dir(), "lib%s.so.0" % name)
            text = "import _ctypes\nimport ctypes\n_ctypes.dlclose(ctypes.CDLL(%r)._handle)\n" \
                   "ctypes.CDLL(%r, mode=os.RTLD_NOLOAD)\n" % (path, path)
            run(sys.executable, "-c", "import os\n" + text)

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
