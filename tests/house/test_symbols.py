"""Prefixes: every symbol that a library defines for others begins with a prefix of the library."""

import os
import re
import subprocess
import sys
import unittest

from house import complain

BUILD = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else "build/release"

# Library: its prefixes. The games have one each besides game_, and text_ for what they read and print.
PREFIXES = {
    "base": ["pd_"],
    "proto": ["pr_"],
    "cluster_wire": ["cw_"],
    "games": ["game_", "text_", "chess_", "checkers_", "connect4_", "hex_", "mnk_", "uttt_", "cells_",
              "grid_", "stones_", "groups_", "shogi_"],
    "solver": ["pn_", "tt_", "ghi_", "pds_", "pn2_", "mopn_", "tree_", "cache_", "fact_buffer_", "clocked_", "hints_",
               "injected_", "lambda_", "pss_", "closure_", "dominance_"],
    "store": ["st_"],
    "cluster": ["sv_", "sc_"],
    "worker": ["wk_"],
    "core": ["sv_"],
    "net": ["nt_"],
    "daemon": ["dm_"],
    "connection": ["pc_", "proofd_"],
    "client": ["cl_"],
    "checker": ["ck_"],
}


def symbols(library):
    """What the linker sees of lib*.a: code and data, without what a sanitizer adds."""
    path = os.path.join(BUILD, "lib%s.a" % library)
    command = ["nm", "-g", "--defined-only", path]
    done = subprocess.run(command, capture_output=True, check=True, universal_newlines=True)
    names = re.findall(r"^[0-9a-f]+ [A-Z] (\w+)$", done.stdout, re.M)
    return [name for name in names if not name.startswith(("__asan", "__odr_asan", "__ubsan", "__tsan", "_sub_"))]


class Symbols(unittest.TestCase):
    def test_every_library_is_listed(self):
        there = {name[3:-2] for name in os.listdir(BUILD) if name.startswith("lib") and name.endswith(".a")}
        self.assertEqual(there, set(PREFIXES))

    def test_symbols_bear_a_prefix_of_their_library(self):
        found = {}
        for library, prefixes in PREFIXES.items():
            names = symbols(library)
            self.assertTrue(names, library)
            for name in names:
                if not name.startswith(tuple(prefixes)):
                    found["%s %s" % (library, name)] = "lib%s: %s has none of %s" % (library, name, ", ".join(prefixes))
        complain(self, "symbol", found)

    def test_shared_libraries_show_their_public_functions_alone(self):
        there = {name for name in os.listdir(BUILD) if re.match(r"libproofd.*\.so$", name)}
        self.assertEqual(sorted(there - {"libproofd-nats.so"}), ["libproofd-probe.so", "libproofd.so"])
        for name, header in (("libproofd-probe.so", "probe.h"), ("libproofd.so", "client.h")):
            shown = self.shown(name)
            with open(os.path.join(BUILD, "include", "proofd", header), encoding="utf-8") as file:
                text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
            self.assertEqual(shown, set(re.findall(r"\b(proofd_\w+)\((?!\*)", text)), name)
        if "libproofd-nats.so" in there:
            self.assertEqual(self.shown("libproofd-nats.so"), {"proofd_transport"})

    def shown(self, name):
        done = subprocess.run(["nm", "-D", "--defined-only", os.path.join(BUILD, name)], capture_output=True,
                              check=True, universal_newlines=True)
        return {found for found in re.findall(r"^[0-9a-f]+ [A-Z] (\w+)$", done.stdout, re.M)
                if not found.startswith(("__asan", "__odr_asan", "__ubsan", "__tsan", "_sub_"))}


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
