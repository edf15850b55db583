"""Names: the private words that the code once had for what the field has terms for do not come back.

`python3 tests/house/test_names.py --where WORD` prints the lines of a word.
"""

import re
import sys
import unittest

from house import FILES, complain, read


def word(*stems):
    """The words, also in the plural and as parts of an identifier."""
    return re.compile(r"(?<![A-Za-z])(%s)(?![A-Za-z])" % "|".join(stems), re.I)


# What to say instead: the pattern. Words with an ordinary English sense are looked for in identifiers only.
OLD = {
    "cycle": word("circles?"),
    "write-ahead log": word("factlogs?"),
    "garbage": word("litters?", "brooms?"),
    "snapshot, garbage collection": word("sweeps?", "sweeping", "swept", "sweepers?"),
    "memtable": word("deltas?"),
    "read request": word("errands?"),
    "completion": word("mails?", "mailbox"),
    "search thread": word("walkers?"),
    "search group": word("crews?"),
    "lingering": word("goodbyes?"),
    "deferred request": word("put_off", "puts? off"),
    "initial numbers": word("first[_ ]numbers?"),
    "immediate win": word("wins?[_ ]at[_ ]once"),
    "path-dependent": word("leans?", "leaning", "leant"),
    "virtual proof numbers": re.compile(r"(\.|->|\b[a-z]\w*_)busy\b|\bbusy_(?!ns\b)\w+"),
    "(see the room)": re.compile(r"\bnews\b|\bnews_\w+|\b\w+_news\b", re.I),
    "compaction": re.compile(r"\bst_merge\w*|\bmerge_\w+|\bmerges?\.c\b"),
    "transposition table": re.compile(r"\bpn_table\w*|\b(?:solver|store)/table\.[ch]\b|\bstruct table\b"),
    "fast path": re.compile(r"\bsv_quick\w*|\bquick_\w+|\bquick\.[ch]\b|\bpr_quick\w*"),
    "daemon": re.compile(r"\bserver/shell\b|\bsh_\w+\b|\bthe shell\b"),
    "irreversible": re.compile(r"\bfinal_move\w*|->final\b|\bover_a_final\b"),
    "unique moves": re.compile(r"->distinct\b|\.distinct\b|\bdistinct_\w+"),
    "static solve": re.compile(r"->decided\b|\.decided\b|`decided`"),
    "fact overlay": re.compile(r"\bsv_recall\w*|\brecall_\w+|\brecall\.[ch]\b"),
    "fact buffer": re.compile(r"\bpn_found\w*|\bfound_(?:add|put|full|init|fini|clear|free)\w*|\bfound\.[ch]\b"),
    "unranked, repetition": re.compile(r"(?<!mutex_held)(?!\w*mutex_held)(\.|->|\b[a-z]\w*_)held\b|\bheld_\w+"),
    "take (noun)": re.compile(r"\b(?:a|the|each|every|earlier|whole) take\b|\bstruct \w*_take\b"),
    "(prose)": word("whoever", "anew", "nobody", "beside", "so many"),
}

# The changes of the past, the published texts, the data, and this list.
EXCEPT = ("CHANGELOG.md", "LICENSE", "tests/data/", "tests/fuzz/corpus/", "tests/house/allowed.txt",
          "tests/house/test_names.py", "tests/bench/suite-short.svg", "clients/gallery/")
# Old spellings that stay: names in data on disk and in replies, symbols of papers. File, and the lines that have them.
ALIASES = [(name, r"factlog") for name in (
    "store/FORMAT.md", "store/layout.h", "store/wal.h", "store/verify_directory.c", "tests/store/test_check.c",
    "tests/store/test_lost_records.c", "tests/server/test_repair.py", "tests/support/pylmdb.py")]
ALIASES += [(name, r"delta|Delta") for name in (
    "solver/pds_loop.c", "solver/pds.h", "solver/numbers.h", "proto/PROTOCOL.md", "proto/methods.def",
    "server/api/server_methods.c", "clients/cmd_server.c", "clients/python/proofd/_types.py",
    "clients/node/lib/types.d.ts")]
ALIASES += [("server/package/lintian-known", r"bogus-mail-host")]  # a tag of lintian
ALIASES += [("tests/bench/cluster.svg", r"<circle")]  # an element of SVG
ALIASES += [(name, r"ghi-two-circles") for name in ("tests/server/test_proofs.py", "tests/solver/test_cycles.c")]


def lines(name):
    for number, line in enumerate(read(name).splitlines(), 1):
        alias = any(name == file and re.search(pattern, line) for file, pattern in ALIASES)
        yield number, "" if alias else line


class Names(unittest.TestCase):
    def test_old_names_do_not_occur(self):
        found = {}
        for name in FILES:
            if name.startswith(EXCEPT):
                continue
            text = "\n".join(line for _, line in lines(name))
            for better, pattern in OLD.items():
                for match in pattern.finditer(text):
                    item = "%s %s" % (name, re.sub(r"\s+", "-", match[0].lower()))
                    line = "%s:%d: '%s', say: %s" % (name, text.count("\n", 0, match.start()) + 1, match[0], better)
                    found[item] = found[item] + "\n" + line if item in found else line
        complain(self, "name", found)


if __name__ == "__main__":
    if "--where" in sys.argv:
        wanted = word(sys.argv[-1] + "s?")
        for file in FILES:
            if not file.startswith(EXCEPT):
                for at, text in lines(file):
                    if wanted.search(text):
                        print("%s:%d: %s" % (file, at, text.strip()))
    else:
        unittest.main(argv=sys.argv[:1])
