"""Pages of the site: Markdown made HTML, the frame about it, what can be searched, and whether links lead somewhere."""
import html
import json
import os
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path

import markdown

# What stands at the side, in this order; generated pages have no source.
PARTS = [
    ("Begin", ["README.md", "docs/tutorial.md", "docs/cookbook.md", "docs/choosing.md", "docs/coming-from.md", "docs/troubleshooting.md"]),
    ("Scenes", ["docs/scenes.md", "docs/scenes/*"]),
    ("The command", ["commands", "docs/*"]),
    ("What there is", ["catalogue/*"]),
    ("Library in C", ["library", "c/*"]),
    ("Proof", ["docs/papers.md", "gallery", "reports", "docs/measurements.md", "docs/stable-steps.md"]),
    ("Inside", ["docs/theory/README.md", "docs/theory/*", "docs/glossary.md", "docs/architecture.md", "CONTRIBUTING.md", "CHANGELOG.md"]),
]
EQUATION = re.compile(r"\((\d+\.\d+[a-z]?)\)")


def anchor(heading, separator="-"):
    """As the pages' other viewers make them, so that one link serves all."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", separator)


class Page:
    def __init__(self, key, title, url, body):
        self.key, self.title, self.url, self.body = key, title, url, body


class Reader(HTMLParser):
    """Links and places of a page, and its text under each heading."""

    def __init__(self, text):
        super().__init__()
        self.links, self.places, self.parts = [], set(), [["", "", []]]
        self.heading = False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        known = dict(attributes)
        if "id" in known:
            self.places.add(known["id"])
        if tag in ("h1", "h2", "h3"):
            self.heading = True
            self.parts.append([known.get("id", ""), "", []])
        for name in ("href", "src"):
            if known.get(name):
                self.links.append(known[name])

    def handle_endtag(self, tag):
        if tag in ("h1", "h2", "h3"):
            self.heading = False

    def handle_data(self, data):
        if self.heading:
            self.parts[-1][1] += data
        else:
            self.parts[-1][2].append(data)


class Site:
    def __init__(self, root, folder):
        self.root, self.folder = root, folder
        self.pages = {}  # by key: the path of a source, or a name of our own
        self.template = (root / "docs/site/page.html").read_text()

    # ---------------------------------------------------------------- what there is

    def add(self, key, title, url, body):
        self.pages[key] = Page(key, title, url, body)

    def add_written(self):
        sources = sorted(self.root.glob("docs/**/*.md")) + [self.root / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
        for path in sources:
            key = str(path.relative_to(self.root))
            self.pages[key] = Page(key, find_title(path), find_url(key), None)
        for path in sources:
            page = self.pages[str(path.relative_to(self.root))]
            page.body = self.convert(path, page)

    def convert(self, path, page):
        """Markdown as HTML; links to other sources lead to their pages, those to other files of the tree to copies."""
        body = markdown.markdown(open_lists(path.read_text()), extensions=["tables", "fenced_code", "toc", "sane_lists"],
                                 extension_configs={"toc": {"slugify": anchor}})
        body = re.sub(r'(href|src)="([^"]+)"', lambda found: f'{found[1]}="{self.lead(found[2], path, page)}"', body)
        return mark_equations(body) if page.key.startswith("docs/theory/README") else body

    def lead(self, link, path, page):
        link = html.unescape(link)
        if re.match(r"[a-z]+:|#", link):
            return html.escape(link)
        name, _, place = link.partition("#")
        target = (path.parent / name).resolve()
        if not target.is_relative_to(self.root) or not target.exists():
            return html.escape(link)  # told as broken
        key = str(target.relative_to(self.root))
        if target.is_dir() and key + "/README.md" in self.pages:
            key += "/README.md"
        url = self.pages[key].url if key in self.pages else self.copy(target)
        return html.escape(go(page.url, url) + ("#" + place if place else ""))

    def copy(self, target):
        """A file of the tree that a page speaks of."""
        url = "files/" + str(target.relative_to(self.root))
        if target.is_dir():
            return url + "/"
        (self.folder / url).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(target, self.folder / url)
        return url

    # ---------------------------------------------------------------- written

    def order(self, gallery):
        """(part, pages) as they stand at the side; each page once, where it is named first."""
        left = dict(self.pages)
        named = {key for _, keys in PARTS for key in keys if "*" not in key}
        parts = []
        for part, keys in PARTS:
            mine = []
            for key in keys:
                if key.endswith("/*"):
                    mine += [left.pop(k) for k in sorted(left) if k not in named and Path(k).parent == Path(key[:-2])]
                elif key in left:
                    mine.append(left.pop(key))
                elif key == "gallery" and gallery:
                    mine.append(Page("gallery", "All experiments", "gallery/index.html", None))
            parts.append((part, mine))
        assert not left, f"pages without a part: {', '.join(left)}"
        return parts

    def write(self, gallery):
        parts = self.order(gallery)
        for name in ("site.css", "site.js"):
            shutil.copyfile(self.root / "docs/site" / name, self.folder / name)
        found = []
        for page in self.pages.values():
            text = self.frame(page, parts)
            path = self.folder / page.url
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            for place, heading, words in Reader(page.body).parts:
                words = " ".join("".join(words).split())
                if heading or words:
                    found.append([page.url + ("#" + place if place else ""), page.title, heading or page.title, words])
        (self.folder / "search.js").write_text("window.SEARCH = " + json.dumps(found, ensure_ascii=True).replace("<", "\\u003c") + ";\n")

    def frame(self, page, parts):
        here = page.url
        side = []
        for part, pages in parts:
            inside = "".join(f'<li><a href="{html.escape(go(here, p.url))}"{" aria-current=page" if p is page else ""}>{html.escape(p.title)}</a></li>'
                             for p in pages)
            side.append(f"<h2>{html.escape(part)}</h2><ul>{inside}</ul>")
        contents = "".join(f'<li><a href="#{place}">{html.escape(heading)}</a></li>'
                           for place, heading, _ in Reader(page.body).parts[2:] if place and heading)
        filled = {"title": html.escape(page.title), "top": go(here, "."), "side": "".join(side), "body": page.body,
                  "contents": f"<nav class=contents aria-label='On this page'><h2>On this page</h2><ul>{contents}</ul></nav>" if contents else ""}
        return re.sub(r"\{\{(\w+)\}\}", lambda found: filled[found[1]], self.template)

    # ---------------------------------------------------------------- links

    def find_broken_links(self):
        """(page, link) of what leads to no file or no place of it, in all pages that were written, the gallery's too."""
        known, broken = {}, []

        def read(path):
            if path not in known:
                known[path] = Reader(path.read_text(errors="replace"))
            return known[path]

        for path in sorted(self.folder.rglob("*.html")):
            for link in read(path).links:
                if re.match(r"[a-z]+:|data:", link):
                    continue
                name, _, place = link.partition("#")
                target = (path.parent / name).resolve() if name else path
                if target.is_dir():
                    target = target / "index.html"
                if not target.is_file() or (place and target.suffix == ".html" and place not in read(target).places):
                    broken.append((path.relative_to(self.folder), link))
        return broken


def find_title(path):
    if path.name == "README.md" and path.parent.name not in ("theory",):
        return "bristle"
    return next(line[2:].strip() for line in path.read_text().splitlines() if line.startswith("# ")).replace("`", "")


def find_url(key):
    if key == "README.md":
        return "index.html"
    return re.sub(r"README\.md$", "index.html", key.removeprefix("docs/")).replace(".md", ".html").lower()


def go(here, there):
    """A relative link from one page's URL to another's."""
    return os.path.relpath(there, os.path.dirname(here) or ".")


def open_lists(text):
    """A list may follow a line of words at once, as most readers of Markdown have it."""
    return re.sub(r"(?m)^((?![*\-] |\d+\. |[|> ]).+)\n(?=(?:[*-]|\d+\.) )", r"\1\n\n", text)


def mark_equations(body):
    """Numbers of equations at the ends of lines are places; everywhere else they lead there."""
    def number_lines(found):
        return re.sub(r"(?m)\((\d+\.\d+[a-z]?)\)$", r'<a class=eq id="eq-\1" href="#eq-\1">(\1)</a>', found[0])

    body = re.sub(r"<pre>.*?</pre>", number_lines, body, flags=re.DOTALL)
    known = set(re.findall(r'id="eq-([\d.]+\w?)"', body))
    parts = re.split(r"(<a [^>]*>.*?</a>)", body, flags=re.DOTALL)
    for i in range(0, len(parts), 2):
        parts[i] = EQUATION.sub(lambda found: f'<a href="#eq-{found[1]}">{found[0]}</a>' if found[1] in known else found[0], parts[i])
    return "".join(parts)
