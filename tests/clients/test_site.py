"""The documentation as a site: its links are good, it loads nothing from elsewhere, and its search works from disk.

SITE in the environment names a site to test, such as an installed one, instead of one that is made.
"""

import glob
import html
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from chromium import NAMES, Chromium  # noqa: E402
from pyproofd import TIMEOUT, data_dir, program  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(data_dir()))
SITE = os.path.join(ROOT, "clients", "site", "site.py")


def make_site(root, out, *manuals):
    return subprocess.run(
        [sys.executable, "-B", SITE, root, out, "1.2.3", *manuals],
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        stdin=subprocess.DEVNULL,
    )


@unittest.skipUnless(shutil.which("cmark-gfm") and shutil.which("mandoc"), "there is no cmark-gfm, or no mandoc")
class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.mkdtemp(prefix="proofd-site-")
        cls.site = os.environ.get("SITE") or cls.make_documentation()
        cls.pages = {}
        for path in glob.glob(os.path.join(cls.site, "**", "*.html"), recursive=True):
            with open(path, encoding="utf-8") as file:
                cls.pages[os.path.realpath(path)] = file.read()

    @classmethod
    def make_documentation(cls):
        manual = os.path.join(cls.place, "proofctl.1")
        with open(manual, "wb") as file:
            subprocess.run([program("proofctl"), "help", "manual"], check=True, stdout=file, timeout=TIMEOUT)
        site = os.path.join(cls.place, "site")
        done = make_site(ROOT, site, manual, os.path.join(ROOT, "server", "daemon", "proofd.8"))
        if done.returncode:
            raise AssertionError(done.stderr)
        return site

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.place)

    def test_every_link_is_good(self):
        checked = 0
        for path, text in self.pages.items():
            for name, link in re.findall(r'\b(href|src)="([^"]*)"', text):
                link = html.unescape(link)
                if re.match("https?:", link):
                    self.assertEqual(name, "href", "%s loads %s" % (path, link))
                    continue
                target, _, anchor = link.partition("#")
                target = os.path.realpath(os.path.join(os.path.dirname(path), target)) if target else path
                self.assertTrue(os.path.exists(target), "%s: %s" % (path, link))
                self.assertTrue(target.startswith(os.path.realpath(self.site)), "%s leaves the site: %s" % (path, link))
                if anchor:
                    self.assertIn(' id="%s"' % html.escape(anchor), self.pages[target], "%s: %s" % (path, link))
                checked += 1
        self.assertGreater(checked, 2000)
        self.assertFalse([path for path, text in self.pages.items() if re.search(r"\burl\(|@import", text)])

    def test_a_dead_link_is_an_error(self):
        for line, message in (
            ("[a](none.md)", "README.md: dead link: none.md"),
            ("[a](GLOSSARY.md#none)", "README.md: no such section: GLOSSARY.md#none"),
        ):
            root = tempfile.mkdtemp(dir=self.place)
            for name, text in (("README.md", "# a\n\n%s\n" % line), ("GLOSSARY.md", "# terms\n")):
                with open(os.path.join(root, name), "w", encoding="utf-8") as file:
                    file.write(text)
            done = make_site(root, os.path.join(root, "out"))
            self.assertEqual((done.returncode, done.stderr.strip()), (1, message))

    @unittest.skipUnless(any(map(shutil.which, NAMES)), "there is no Chromium")
    def test_search_and_phone_from_disk(self):
        with Chromium() as browser:
            tab = browser.tab("file://%s/clients/TUTORIAL.html" % self.site)
            tab.until("document.querySelector('main h1') && document.readyState === 'complete'")
            tab.js("document.getElementById('search').focus()")
            tab.type("glossary")
            tab.until("document.querySelector('#found a')")
            tab.key("Enter")
            tab.until("document.title.startsWith('Glossary') && location.pathname.endsWith('/GLOSSARY.html') &&"
                      " document.readyState === 'complete'")
            tab.js("document.getElementById('search').focus()")
            tab.type("zzyzx")
            tab.until("document.getElementById('found').textContent === 'No section has all these words.'")
            self.assertEqual(tab.errors, [])
            for page in self.pages:
                tab = browser.tab("file://" + page, width=360, height=740)
                tab.until("document.querySelector('main')")
                self.assertLessEqual(tab.js("document.documentElement.scrollWidth"), 360, page)
                self.assertEqual(tab.errors, [], page)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
