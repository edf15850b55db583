"""Makes the documentation as a static site: `site.py ROOT OUT VERSION [PAGE.N...]`.

The pages are all *.md below ROOT, converted by cmark-gfm, and manual pages, converted by mandoc. Each keeps its path,
so that links between pages hold; a heading has the anchor that it has on GitHub. OUT needs no server: `search.js` has
the text of every section, and no file loads anything from elsewhere. A link to nothing is an error.
"""

import html
import json
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
LEFT_OUT = ("build", "data", "conformance", "examples.md")
GROUPS = (  # the menu: a page belongs to the first group that its path begins with
    ("Start", ("README.md", "clients/TUTORIAL.md", "clients/GALLERY.md", "GLOSSARY.md", "solver/games/RULES.md")),
    ("Commands", ("proofctl.1", "proofcheck.1", "proofd.8", "proofd.conf.5", "proofd-worker.8", "clients/SUITE.md")),
    ("Programs", ("clients/python", "clients/node", "clients/libproofd", "clients/probe", "proto/PROTOCOL.md")),
    ("Games of your own", ("proto/GRAPH.md", "clients/programs", "clients/plugins")),
    ("Proofs", ("proto/CERTIFICATE.md", "clients/proofcheck", "clients/minicheck", "clients/kernel")),
    ("Search", ("solver",)),
    ("Service", ("server", "proto/CLUSTER.md", "store")),
    ("Development", ("ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "clients", "tests")),
)
HEADING = re.compile(r'<h([1-4])(?:[^>]* id="([^"]*)")?[^>]*>(.*?)</h\1>', re.S)
LINK = re.compile(r'(<(?:a|img)\b[^>]*?\b(?:href|src)=")([^"]*)(")')


def text_of(fragment):
    return " ".join(html.unescape(re.sub(r"<[^>]+>", "", fragment)).split())


def target_of(path):
    """Where a page is in the site."""
    base = re.sub(r"\.md$", "", path)
    return ("index" if base == "README" else base) + ".html"


class Page:
    def __init__(self, root, path, source=None):
        self.root, self.path, self.target = root, path, target_of(path)
        source = source or os.path.join(root, path)
        if path.endswith(".md"):
            command = ["cmark-gfm", "--unsafe", "-e", "table", "-e", "strikethrough", source]
        else:
            command = ["mandoc", "-Thtml", "-O", "fragment", source]
        self.body = subprocess.run(command, check=True, capture_output=True, encoding="utf-8").stdout
        self.sections = []  # (anchor, heading, text)
        self.files = set()  # other files and folders to which it links
        self.mark_headings()
        self.title = self.sections[0][1] if path.endswith(".md") else path
        words = [text_of(part) for part in HEADING.split(self.body)[4::4]]
        self.sections = [one + (text,) for one, text in zip(self.sections, words)]

    def mark_headings(self):
        seen = {}

        def mark(match):
            level, anchor, inner = match.groups()  # mandoc has made anchors
            words = text_of(inner)
            anchor = anchor or re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")
            seen[anchor] = seen.get(anchor, -1) + 1
            anchor += "-%d" % seen[anchor] if seen[anchor] else ""
            self.sections.append((anchor, words))
            inner = re.sub(r"</?a\b[^>]*>", "", inner)
            return '<h%s id="%s">%s <a class="here" href="#%s" aria-label="Link to this section">#</a></h%s>' % (
                level, anchor, inner, anchor, level)

        self.body = HEADING.sub(mark, self.body)

    def follow(self, link, pages):
        """A link as the site has it."""
        path, _, anchor = link.partition("#")
        if re.match(r"[a-z]+:", link):
            return link
        path = os.path.normpath(os.path.join(os.path.dirname(self.path), path)) if path else self.path
        if os.path.isfile(os.path.join(self.root, path, "README.md")):
            path = os.path.join(path, "README.md")
        if path in pages:
            if anchor and ' id="%s"' % html.escape(anchor) not in pages[path].body:
                raise SystemExit("%s: no such section: %s" % (self.path, link))
            path = pages[path].target
        elif os.path.exists(os.path.join(self.root, path)):
            self.files.add(path)
        else:
            raise SystemExit("%s: dead link: %s" % (self.path, link))
        return os.path.relpath(path, os.path.dirname(self.path) or ".") + ("#" + anchor if anchor else "")

    def finish(self, pages):
        self.body = LINK.sub(lambda m: m[1] + html.escape(self.follow(html.unescape(m[2]), pages)) + m[3], self.body)
        self.body = re.sub(r"(<table.*?</table>)", r'<div class="wide" tabindex="0">\1</div>', self.body, flags=re.S)


def group_of(path):
    for title, heads in GROUPS:
        if any(path == head or path.startswith(head + "/") for head in heads):
            return title
    raise SystemExit("%s belongs to no group of the menu (GROUPS)" % path)


def rank_of(path):
    heads = dict(GROUPS)[group_of(path)]
    return next(i for i, head in enumerate(heads) if path == head or path.startswith(head + "/")), path


def menu(page, pages):
    out = []
    for title, _ in GROUPS:
        out.append("<h2>%s</h2><ul>" % title)
        for path in sorted((one for one in pages if group_of(one) == title), key=rank_of):
            other = pages[path]
            here = ' aria-current="page"' if other is page else ""
            name = other.title if other.title != "proofd" or path == "README.md" else path
            href = os.path.relpath(other.target, os.path.dirname(page.target) or ".")
            out.append('<li><a href="%s"%s>%s</a></li>' % (href, here, html.escape(name)))
        out.append("</ul>")
    return "\n".join(out)


def colours(root):
    """The colours of the page of the server, of which this site is to look a part."""
    with open(os.path.join(root, "clients", "web", "style.css"), encoding="utf-8") as file:
        return re.search(r"^:root \{.*?^\}\n", file.read(), re.M | re.S)[0]


def main():
    root, out, version = sys.argv[1:4]
    pages = {}
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in LEFT_OUT and not name.startswith("."))
        for name in names:
            if name.endswith(".md") and name not in LEFT_OUT:
                path = os.path.relpath(os.path.join(folder, name), root)
                pages[path] = Page(root, path)
    for source in sys.argv[4:]:
        pages[os.path.basename(source)] = Page(root, os.path.basename(source), source)
    shutil.rmtree(out, ignore_errors=True)
    with open(os.path.join(HERE, "page.html"), encoding="utf-8") as file:
        template = file.read()
    for page in pages.values():
        page.finish(pages)
        target = os.path.join(out, page.target)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        up = os.path.relpath(".", os.path.dirname(page.target) or ".")
        words = {"title": html.escape(page.title), "up": up, "menu": menu(page, pages), "body": page.body,
                 "version": version, "source": page.path}
        with open(target, "w", encoding="utf-8") as file:
            file.write(re.sub(r"\{\{(\w+)\}\}", lambda m: words[m[1]], template))
        for path in page.files:
            os.makedirs(os.path.dirname(os.path.join(out, path)), exist_ok=True)
            if os.path.isdir(os.path.join(root, path)):
                shutil.copytree(os.path.join(root, path), os.path.join(out, path), dirs_exist_ok=True)
            else:
                shutil.copyfile(os.path.join(root, path), os.path.join(out, path))
    index = [[page.target, anchor, page.title, heading, text]
             for page in pages.values() for anchor, heading, text in page.sections]
    with open(os.path.join(out, "search.js"), "w", encoding="utf-8") as file:
        file.write("var INDEX = %s;\n" % json.dumps(sorted(index), ensure_ascii=False, separators=(",", ":")))
        with open(os.path.join(HERE, "find.js"), encoding="utf-8") as script:
            file.write(script.read())
    with open(os.path.join(out, "style.css"), "w", encoding="utf-8") as file:
        with open(os.path.join(HERE, "site.css"), encoding="utf-8") as style:
            file.write(colours(root) + "\n" + style.read())
    print("%d pages, %d sections" % (len(pages), len(index)))


if __name__ == "__main__":
    main()
