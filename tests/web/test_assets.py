"""The table of the page's files, as CMake makes it: an address changes when any file behind it does."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(ROOT, "tests", "support"))
from pyproofd import TIMEOUT, build_dir  # noqa: E402

WEB = os.path.join(ROOT, "clients", "web")


def cmake():
    """The program that has made the build."""
    with open(os.path.join(build_dir(), "CMakeCache.txt")) as cache:
        return re.search("(?m)^CMAKE_COMMAND:INTERNAL=(.*)$", cache.read())[1]


class Assets(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="proofd-test-")
        self.addCleanup(shutil.rmtree, self.dir)
        self.web = os.path.join(self.dir, "web")
        shutil.copytree(WEB, self.web)

    def change(self, name, mode="a"):
        with open(os.path.join(self.web, name), mode) as file:
            file.write("/* more */\n")

    def made(self):
        """The folder of the files; by path: type, tag, whether the address is for ever, and the content."""
        made = os.path.join(self.dir, "assets.c")
        script = os.path.join(ROOT, "server", "net", "assets.cmake")
        play = "-DPLAY=" + os.path.join(self.web, "play.html")
        subprocess.run([cmake(), "-DFROM=" + self.web, play, "-DTO=" + made, "-P", script], check=True, timeout=TIMEOUT)
        self.assertEqual(sorted(os.listdir(self.dir)), ["assets.c", "web"])
        with open(made) as file:
            text = file.read()
        bytes_of = {name: bytes(int(byte, 16) for byte in re.findall("0x(..),", data)) for name, data in
                    re.findall(r"(?s)char (file\d+)\[\] = \{(.*?)0\};", text)}
        rows = re.findall(r'\t\{"(.*?)", "(.*?)", "\\"(.*?)\\"", (\w+), (\d+), (true|false)\},', text)
        files = {}
        for path, kind, tag, name, size, fixed in rows:
            self.assertEqual(len(bytes_of[name]), int(size))
            files[path] = (kind, tag, fixed == "true", bytes_of[name])
        folders = {path.split("/")[1] for path in files if path != "/index.html"}
        self.assertEqual(len(folders), 1)
        return folders.pop(), files

    def test_all_files_are_there_as_they_are(self):
        folder, files = self.made()
        names = {name for name in os.listdir(WEB) if not name.endswith(".md")}
        self.assertEqual(set(files), {"/index.html"} | {"/%s/%s" % (folder, name) for name in names - {"index.html"}})
        for name in names - {"index.html"}:
            kind, _, fixed, data = files["/%s/%s" % (folder, name)]
            with open(os.path.join(WEB, name), "rb") as file:
                self.assertEqual(data, file.read())
            self.assertTrue(fixed)
            if name.endswith(".mjs"):
                self.assertEqual(kind, "text/javascript; charset=utf-8")
        _, _, fixed, data = files["/index.html"]
        self.assertFalse(fixed)
        with open(os.path.join(WEB, "index.html"), "rb") as file:
            self.assertEqual(data.replace(b'="%s/' % folder.encode(), b'="'), file.read())

    def test_an_address_changes_with_every_file(self):
        folder, files = self.made()
        self.assertEqual(self.made(), (folder, files))
        for name in ("tree.mjs", "style.css", "icon.svg"):
            self.change(name)
            before, (folder, files) = (folder, files["/index.html"]), self.made()
            self.assertNotEqual((folder, files["/index.html"][1]), (before[0], before[1][1]), name)
            self.assertNotIn(before[0].encode(), files["/index.html"][3])
        before = folder
        os.rename(os.path.join(self.web, "tree.mjs"), os.path.join(self.web, "three.mjs"))
        folder, files = self.made()
        self.assertNotEqual(folder, before)
        self.change("new.mjs", "w")
        self.assertNotEqual(self.made()[0], folder)

    def test_the_page_has_a_tag_of_its_own(self):
        folder, files = self.made()
        self.change("index.html")
        again, other = self.made()
        self.assertEqual(again, folder)
        self.assertNotEqual(files["/index.html"][1], other["/index.html"][1])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
