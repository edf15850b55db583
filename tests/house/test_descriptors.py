"""Descriptors: what the server opens is closed in the programs that it starts (checker, --on-finish), from the moment
it is open: another thread may be starting one."""

import re
import sys
import unittest

from house import CODE, complain, read

FOLDERS = ("proto/", "solver/", "store/", "server/")
CALL = re.compile(r"(?<![\w.>])(fopen|open|openat|socket|accept4?|pipe2?|dup[23]?|eventfd|timerfd_create|memfd_create|"
                  r"epoll_create1?|inotify_init1?|popen|mkstemp|mkostemp|socketpair)\(")
# 0, 1 and 2, which a program that is started has as well.
INHERITED = ("proto/base/standard.c", "proto/base/spawn.c")
FITS = {
    "fopen": re.compile(r'"[rwa]b?\+?b?e"'),
    "memfd_create": re.compile(r"\bMFD_CLOEXEC\b"),
    "socket": re.compile(r"\bSOCK_CLOEXEC\b"),
}
USUAL = re.compile(r"\b\w+_CLOEXEC\b")


def calls(text):
    """(line, function, arguments) of each call that opens a descriptor, and of no definition, member or comment."""
    text = re.sub(r"/\*.*?\*/", lambda match: re.sub(r"[^\n]", " ", match[0]), text, flags=re.S)
    for match in CALL.finditer(text):
        depth, end = 1, match.end()
        while depth:
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        arguments = text[match.end():end - 1]
        if text[end:end + 2] != "\n{" and re.search(r"[\w\"]", arguments):
            yield text.count("\n", 0, match.start()) + 1, match[1], arguments


class Descriptors(unittest.TestCase):
    def test_calls_are_found(self):
        text = 'a = open(p(1), O_RDONLY);\nr->open(x); /* open(y) */\nb = fopen(path, "rbe");\nint open(int a)\n{\n'
        self.assertEqual(list(calls(text)), [(1, "open", "p(1), O_RDONLY"), (3, "fopen", 'path, "rbe"')])

    def test_none_is_inherited(self):
        found, count = {}, 0
        for name in CODE:
            if not name.startswith(FOLDERS) or name in INHERITED:
                continue
            for line, function, arguments in calls(read(name)):
                count += 1
                if not FITS.get(function, USUAL).search(arguments):
                    place = "%s:%d: what %s(%s) opens is inherited" % (name, line, function, arguments)
                    found["%s %s" % (name, function)] = place
        self.assertGreater(count, 40)
        complain(self, "descriptor", found)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
