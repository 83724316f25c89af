"""What the pages of docs/ tell: messages that they explain are ours, every key is listed, links lead somewhere. What they show is
tried by test_doc_blocks.py."""
import re
import sys
from pathlib import Path

from outside import ROOT

sys.path.insert(0, str(ROOT / "scripts"))
import tap  # noqa: E402

PAGES = sorted((ROOT / "docs").rglob("*.md")) + [ROOT / "README.md", ROOT / "CONTRIBUTING.md"]


def test_messages_are_ours(folder):
    """In the first column of the troubleshooting page, in quotes: what the sources say, apart from numbers."""
    sources = [path.read_text() for place in ("src", "apps") for path in (ROOT / place).rglob("*.c")]
    plain = re.sub(r'"\s*"', "", "\n".join(sources))  # texts over several lines
    shown = re.findall(r"^\| `([^`]+)` \|", (ROOT / "docs/troubleshooting.md").read_text(), flags=re.MULTILINE)
    assert len(shown) >= 4
    for message in shown:
        assert message in plain, message


def test_every_key_is_listed(folder):
    """What the readers of scenes accept stands in the list of docs/scenes.md, in the row that it belongs to or any other."""
    listed = set(re.findall(r"\w+", (ROOT / "docs/scenes.md").read_text().split("## All keys\n")[1].split("\n## ")[0]))
    readers = "\n".join(path.read_text() for path in sorted((ROOT / "src/io").glob("scene*.c")))
    lists = re.findall(r"const KEYS\[\] = \{([^}]*)\}", readers)
    assert len(lists) >= 20
    for key in re.findall(r'"(\w+)"', "".join(lists)):
        assert key in listed, key


def anchor(heading):
    """As the pages' viewers make them."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def test_links(folder):
    for page in PAGES:
        for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
            if re.match(r"[a-z]+:", target):
                continue
            path, _, place = target.partition("#")
            file = (page.parent / path).resolve() if path else page
            assert file.exists(), f"{page.name}: {target}"
            if place:
                headings = re.findall(r"^#+ (.*)$", file.read_text(), flags=re.MULTILINE)
                assert place in map(anchor, headings), f"{page.name}: {target}"


tap.run_tests(globals())
