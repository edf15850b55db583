"""Layers: which folder may include which (ARCHITECTURE.md), and where threads, libraries, I/O and variables may be."""

import os
import re
import sys
import unittest

from house import CODE, FILES, ROOT, read

# The solver, and the headers of its games that are not about one game.
SOLVER = ["solver"] + ["solver/games/%s.h" % name
                       for name in ("game", "board_picture", "board_svg", "record", "record_write", "theorem_text")]

# Folder: the folders of this tree that it may include from.
MAY = {
    "proto/base": ["proto/base"],
    "proto": ["proto", "proto/base"],
    "proto/cluster": ["proto/cluster", "proto/base"],
    "solver/games": ["solver/games", "solver/game_rules.h", "proto/base"],
    "solver": [*SOLVER, "proto/base"],
    "store": ["store", "proto/base"],
    "server/common": ["server/common", "proto", *SOLVER, "store", "proto/base"],
    "server/jobs": ["server/cluster", "server/common", "server/jobs", "proto", *SOLVER, "store", "proto/base"],
    "server/proofs": ["server/common", "server/experiments", "server/jobs", "server/proofs", "proto", *SOLVER, "store",
                      "proto/base"],
    "server/experiments": ["server/experiments", "server/common", "proto", "store", "proto/base"],
    "server/api": ["server/common", "server/experiments", "server/api", "server/cluster", "server/jobs",
                   "server/proofs", "proto", *SOLVER, "store", "proto/base"],
    "server/cluster": ["server/cluster", "server/common", "proto", "proto/cluster",
                       *SOLVER, "proto/base"],
    "server/cluster/nats": ["server/cluster/nats", "server/cluster/port.h", "proto/base"],
    "server/worker": ["server/worker", "server/cluster/port.h", "server/common", "proto", "proto/cluster", *SOLVER,
                      "proto/base"],
    "server/net": ["server/net", "server/core.h", "proto", "proto/base"],
    "server/daemon": ["server/daemon", "server/net", "server/core.h", "server/directory.h", "server/cluster_connect.h",
                      "server/cluster/cluster.h", "server/worker/worker.h", "proto", "proto/base"],
    "server": ["server", "server/common", "server/experiments", "server/api", "server/cluster", "server/jobs",
               "server/proofs", "proto", "proto/cluster", *SOLVER, "store", "proto/base"],
    "clients/proofcheck": ["clients/proofcheck", "proto", "proto/base"],
    "clients/libproofd": ["clients/libproofd", "proto", "proto/base"],
    "clients/probe": ["clients/probe", "clients/libproofd/error.h", "server/common/game_tables.h", "proto", *SOLVER,
                      "store/store.h", "proto/base"],
    "clients": ["clients", "clients/libproofd", "server", "server/jobs", "server/proofs", "store/compact_files.h",
                "proto", *SOLVER, "solver/games/shogi.h", "proto/base"],
}

# Headers of libraries, and where alone they may be included.
ONLY = {
    "uv.h": ["server/net", "server/daemon"],
    "ini.h": ["server/daemon"],
    "malloc.h": ["server/daemon"],
    "linux/audit.h": ["proto/base"],
    "linux/filter.h": ["proto/base"],
    "linux/fs.h": ["proto/base"],
    "linux/seccomp.h": ["proto/base"],
    "lmdb.h": ["store"],
    "nats/nats.h": ["server/cluster/nats"],
    "openssl/bio.h": ["server/net"],
    "openssl/err.h": ["server/net", "clients"],
    "openssl/crypto.h": ["proto/cluster", "server/cluster/nats"],
    "openssl/evp.h": ["server/net", "server/proofs", "clients", "proto/cluster", "server/cluster/nats"],
    "openssl/hmac.h": ["proto/cluster"],
    "openssl/sha.h": ["tests"],
    "openssl/ssl.h": ["server/net", "clients"],
    "openssl/x509v3.h": ["clients"],
    "zstd.h": ["server/proofs", "clients/proofcheck"],
    "jansson.h": ["proto", "tests/clients"],
    "check.h": ["tests"],
    "systemd/sd-daemon.h": ["server/daemon"],
    "proofd/game.h": ["clients/plugins"],
    "proofd/checker.h": ["clients/plugins"],
    "dlfcn.h": ["server/common", "server/cluster", "clients/proofcheck", "tests/lab"],
    "proofd/game.h": ["clients/plugins"],
    "proofd/checker.h": ["clients/plugins"],
    "immintrin.h": ["solver/games"],
    "semaphore.h": ["tests/lab"],
    "unwind.h": ["tests/lab"],
    "spawn.h": ["server/proofs"],
    "sys/auxv.h": ["tests/lab"],
    "sys/eventfd.h": ["server/cluster"],
}

# Other libraries that must not be used: everything else in <> must be one of these.
SYSTEM = """assert.h ctype.h dirent.h errno.h fcntl.h float.h getopt.h grp.h inttypes.h limits.h locale.h math.h netdb.h
netinet/in.h netinet/tcp.h arpa/inet.h dlfcn.h libgen.h poll.h pthread.h sched.h search.h semaphore.h setjmp.h signal.h
stdarg.h stdatomic.h stdbool.h stddef.h stdint.h stdio.h stdlib.h string.h strings.h sys/epoll.h
sys/file.h sys/ioctl.h sys/mman.h sys/param.h sys/prctl.h sys/queue.h sys/random.h sys/resource.h sys/sendfile.h
sys/socket.h sys/stat.h sys/statfs.h sys/statvfs.h sys/syscall.h sys/sysinfo.h sys/sysmacros.h sys/time.h
sys/types.h sys/uio.h sys/un.h sys/vfs.h sys/wait.h termios.h time.h unistd.h xxhash.h""".split()

# The variables at file level. Of the log: its threshold, set before there are threads, and what a mutex guards. Of
# jansson's memory: what each thread reads, because an allocator has no other way to know. Of libproofd-probe: the
# directories that the process has open, because LMDB opens a file once in a process. Of mutexes: those a thread holds.
# Of games of programs, whose members cannot fail: what happens when one does, and what this thread was told since.
VARIABLES = ["proto/base/log.c: threshold", "proto/base/log.c: order", "proto/base/log.c: lost",
             "proto/base/log.c: form", "proto/base/log.c: target", "proto/base/log.c: repeats",
             "proto/base/mutex.c: held", "server/common/program_game.c: survive",
             "server/common/program_game.c: misled",
             "proto/json.c: reading",
             "proto/json.c: once", "solver/games/game.c: outside_count", "solver/games/game.c: refused",
             "solver/games/game.c: refused_count", "server/common/plugins.c: loaded",
             "clients/proofcheck/rules.c: outside",
             "server/common/plugin_watch.c: threads", "server/common/plugin_watch.c: mine",
             "server/common/plugin_watch.c: at_end", "server/common/plugin_watch.c: note_file",
             "server/common/plugin_watch.c: noted", "server/common/plugin_watch.c: on_broken",
             "server/common/plugin_watch.c: previous",
             "store/guard.c: previous", "store/guard.c: current",
             "clients/probe/probe.c: open_directories", "clients/probe/probe.c: open_lock"]

# Marks of work left undone; spelled apart so that this file does not bear them.
MARKS = ["TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK"]
TEXT = (".c", ".h", ".py", ".js", ".mjs", ".ts", ".md", ".txt", ".sh", ".bash", ".json", "dev", "run", ".1", ".8", 
        ".tsv", "LICENSE")


def layer(name):
    """The folder that rules over a file: the longest entry of MAY that it lies in; None for tests."""
    folder = os.path.dirname(name)
    while folder and folder not in MAY:
        folder = os.path.dirname(folder)
    return folder or None


def includes(name):
    """(line number, <> or quotes, header) of each include."""
    for number, line in enumerate(read(name).splitlines(), 1):
        match = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
        if match:
            yield number, match[1], match[2]


CODE = [n for n in CODE if n.endswith((".c", ".h"))]
LIBRARIES = [n for n in FILES
             if n.startswith(("clients/python/proofd/", "clients/node/")) and n.endswith((".py", ".js", ".ts"))]
# What the Python library imports of the standard library.
PYTHON = """__future__ asyncio base64 collections errno itertools json os random select socket ssl time typing
uuid""".split()


class House(unittest.TestCase):
    def complain(self, faults):
        self.assertFalse(faults, "\n" + "\n".join(faults))

    def test_there_is_something_to_look_at(self):
        self.assertGreater(len(CODE), 50)
        self.assertEqual({layer(n) for n in CODE} - {None}, set(MAY))

    def test_no_file_includes_upwards(self):
        faults = []
        for name in CODE:
            may = MAY.get(layer(name) or "")
            for number, kind, header in includes(name):
                if kind != '"' or may is None:
                    continue
                target = layer(header)
                if header not in may and target not in may:
                    faults.append("%s:%d: includes %s, but may include from %s only" %
                                  (name, number, header, ", ".join(may)))
        self.complain(faults)

    def test_includes_are_root_relative_and_exist(self):
        faults = []
        for name in CODE:
            for number, kind, header in includes(name):
                if kind == '"' and not os.path.isfile(os.path.join(ROOT, header)):
                    faults.append("%s:%d: there is no %s, seen from the root of the tree" % (name, number, header))
        self.complain(faults)

    def test_the_own_header_comes_first(self):
        faults = []
        for name in CODE:
            own, private = name[:-2] + ".h", os.path.dirname(name) + "/internal.h"
            first = next((header for _, _, header in includes(name)), None)
            if first == private and own in [header for _, _, header in includes(private)]:
                continue  # a folder's private header stands for the public ones that it includes
            if name.endswith(".c") and own in CODE and first != own:
                faults.append("%s: includes %s before its own header" % (name, first))
        self.complain(faults)

    def test_libraries_stay_where_they_belong(self):
        faults = []
        for name in CODE:
            for number, kind, header in includes(name):
                if kind != "<":
                    continue
                places = ONLY.get(header)
                if places and not name.startswith(tuple(p + "/" for p in places + ["tests"])):
                    faults.append("%s:%d: <%s> belongs in %s" % (name, number, header, ", ".join(places)))
                if not places and header not in SYSTEM:
                    faults.append("%s:%d: <%s> is no header that this tree uses" % (name, number, header))
        self.complain(faults)

    def test_threads_are_started_in_the_core_and_the_checker_only(self):
        faults = []
        for name in CODE:
            starts = re.search(r"\b(pthread_create|thrd_create|uv_thread_create|uv_queue_work)\b", read(name))
            if starts and not name.startswith(("server/jobs/", "server/api/", "server/cluster/", "server/worker/",
                                               "server/core.c", "server/experiments/",
                                               "server/proofs/maintenance/verify.c",
                                               "server/proofs/backups/backup.c", "server/common/plugin_watch.c",
                                               "server/proofs/tables/table_jobs.c",
                                               "server/proofs/certificates/compress.c",
                                               "server/proofs/certificates/export_ahead.c",
                                               "server/proofs/certificates/export_records.c",
                                               "server/proofs/tables/table_work.c",
                                               "clients/proofcheck/", "tests/")):
                faults.append("%s starts a thread" % name)
        self.complain(faults)

    def test_the_solver_does_no_io_and_asks_no_clock(self):
        calls = re.compile(r"(?<![>.\w])(fopen|f?printf|puts|open|read|write|clock_gettime|time|pd_now_ns|pd_wall_ms|"
                           r"pd_log|rand|random|getenv)"
                           r"\s*\(")
        faults = []
        for name in CODE:
            if name.startswith("solver/"):
                for number, line in enumerate(read(name).splitlines(), 1):
                    if calls.search(re.sub(r'"[^"]*"|/\*.*|^ \*.*', "", line)):
                        faults.append("%s:%d: %s" % (name, number, line.strip()))
        self.complain(faults)

    def test_each_policy_and_engine_has_a_row_of_the_algorithms(self):
        rows = re.findall(r"X\(PN_\w+, \"[^\"]+\", (\w+), (\w+),", read("solver/tunables.h"))
        listed = {"engine": {engine for engine, _ in rows}, "policy": {policy for _, policy in rows}}
        self.assertTrue(rows)
        for name in FILES:
            if re.fullmatch(r"solver/\w+\.c", name):
                defined = re.findall(r"^const struct \w+ p(?:n|ds)_(engine|policy)_(\w+) = \{", read(name), re.M)
                for kind, which in defined:
                    self.assertIn(which, listed[kind], "%s: PN_ALGORITHMS in solver/tunables.h has no row with this %s"
                                  % (name, kind))

    def test_each_algorithm_is_on_its_page(self):
        page = read("solver/ALGORITHMS.md")
        names = re.findall(r"X\(PN_\w+, \"([^\"]+)\"", read("solver/tunables.h"))
        self.assertTrue(names)
        for name in names:
            self.assertIn("\n| `%s` | " % name, page, "solver/ALGORITHMS.md has no row of this algorithm")

    def test_a_header_is_guarded_and_opens_with_what_it_is(self):
        faults = []
        for name in CODE:
            text = read(name)
            if not text.startswith("/*") and not (name.endswith(".c")
                                                  and '#include "%s/' % os.path.dirname(name) in text):
                faults.append("%s neither opens with a comment nor belongs to a header of its folder that does" % name)
            if name.endswith(".h") and "\n#pragma once\n" not in text:
                faults.append("%s has no #pragma once" % name)
        self.complain(faults)

    def test_no_marks_of_work_left_undone(self):
        """Three crosses next to the dots or dashes of a board are a row of marks, and no mark of this kind."""
        pattern = re.compile(r"(?<!\.)(?<![.XO]/)\b(%s)\b(?!\.\.|--)" % "|".join(MARKS))
        faults = []
        for name in FILES:
            if name.endswith(TEXT) and not name.startswith("tests/data/"):
                for number, line in enumerate(read(name).splitlines(), 1):
                    if pattern.search(line):
                        faults.append("%s:%d: %s" % (name, number, line.strip()))
        self.complain(faults)

    def test_the_client_libraries_need_nothing_else(self):
        """They import their language's standard library and themselves, and open with what they are."""
        faults = []
        for name in LIBRARIES:
            text = read(name)
            if name.endswith(".py"):
                opening = '"""'
                modules = re.findall(r"^(?:from (\.?[\w.]*) import|import (\w[\w.]*))", text, re.M)
                modules = [a or b for a, b in modules]
                good = [m.startswith(".") or m.split(".")[0] in PYTHON for m in modules]
            else:
                opening = "// "
                modules = re.findall(r'\b(?:require\(|import\(|from )"([^"]+)"', text)
                good = [m.startswith(("./", "node:")) for m in modules]
            faults += ["%s imports %s" % (name, m) for m, fine in zip(modules, good) if not fine]
            if not text.startswith(opening):
                faults.append("%s does not open with a comment" % name)
        self.complain(faults)
        self.assertGreater(len(LIBRARIES), 10)

    def test_the_page_is_modules_that_never_parse_html(self):
        """They import each other only, are short, open with what they are, and make elements, not markup."""
        faults = []
        modules = [n for n in FILES if n.startswith("clients/web/") and n.endswith(".mjs")]
        bad = re.compile(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function"
                         r"|https?://(?!www\.w3\.org)")
        for name in modules:
            text = read(name)
            faults += ["%s:%d: %s" % (name, number, line.strip()) for number, line in enumerate(text.splitlines(), 1)
                       if bad.search(line)]
            for target in re.findall(r'(?:from|import\()\s*"([^"]+)"', text):
                if "clients/web/" + target[2:] not in modules or not target.startswith("./"):
                    faults.append("%s imports %s" % (name, target))
            if not text.startswith("// ") or text.count("\n") > 400:
                faults.append("%s has more than 400 lines, or does not open with a comment" % name)
        page = read("clients/web/index.html")
        named = re.findall(r'(?:href|src)="([\w.]+\.\w+)"', page)
        faults += ["index.html names %s" % n for n in named if "clients/web/" + n not in FILES]
        # What the first view needs, of the list of jobs or of a proof, is asked for by the page itself.
        needed, left = set(), ["link.mjs", "main.mjs", "jobs.mjs", "explorer.mjs"]
        while left:
            needed.add(left.pop())
            imports = "".join(read("clients/web/" + name) for name in needed)
            left += set(re.findall(r'from "\./([^"]+)"', imports)) - needed
        asked = re.findall(r'<(?:link rel="modulepreload" href|script type="module"(?: async)? src)="([\w.]+)"', page)
        faults += ["index.html preloads %s in vain" % n for n in set(asked) - needed]
        faults += ["index.html does not preload %s" % n for n in needed - set(asked)]
        faults += ["index.html names %s twice" % n for n in set(named) if named.count(n) > 1]
        self.complain(faults)
        self.assertGreater(len(modules), 20)

    def test_no_mutable_globals(self):
        """A definition at file level must be const, a function, a type or an enumeration."""
        faults = []
        pattern = re.compile(
            r"^(static\s+)?(?!const\b|typedef\b|__extension__ typedef\b|struct \w+ \{|enum\b|union\b|extern\b|return\b)"
            r"[A-Za-z_][\w \*]*?\b(?P<name>\w+)(\[[^\]]*\])*\s*(=|;)")
        for name in CODE:
            if name.startswith("tests/"):
                continue
            for number, line in enumerate(read(name).splitlines(), 1):
                match = pattern.match(line)
                if not match or "const" in line or "(" in line or re.match(r"(struct|enum) \w+;", line):
                    continue
                if "%s: %s" % (name, match["name"]) not in VARIABLES:
                    faults.append("%s:%d: %s" % (name, number, line.strip()))
        self.complain(faults)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
