"""What the pages of docs/ show: their scenes and files are as written, their commands run in the order of the page, the
messages that they explain are messages of ours, and links lead somewhere."""
import re
import shlex
import sys
from pathlib import Path

from outside import ROOT, bristle, succeed

sys.path.insert(0, str(ROOT / "scripts"))
import tap  # noqa: E402

PAGES = sorted((ROOT / "docs").rglob("*.md")) + [ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
FOLLOWED = ["docs/problem-files.md", "README.md"]  # ways to go along: "`name.yaml`:" begins a file, "bristle ..." is a command


def blocks(text):
    """(the last line of words before, the block's lines) of each indented block."""
    before, lines = "", []
    for line in text.splitlines() + ["."]:
        if line.startswith("    "):
            lines.append(line[4:])
        elif not line.strip():
            if lines:
                lines.append("")
        else:
            if lines:
                yield before, lines
            before, lines = line, []


def follow(page, folder):
    """Writes the files, checks the scenes and runs the commands of a page; returns how many files."""
    files = 0
    for before, lines in blocks(page.read_text()):
        name = re.search(r"`([\w-]+\.\w+)`:?$", before.strip())
        if lines[0].startswith("bristle "):
            for line in filter(None, lines):
                line, _, into = line.partition(" > ")
                done = bristle(*shlex.split(line, comments=True)[1:], cwd=folder)
                assert done.returncode == 0, f"{page.name}: {line}\n{done.stdout}{done.stderr}"
                if into:
                    (Path(folder) / into.strip()).write_text(done.stdout)
        elif name:
            (Path(folder) / name[1]).write_text("\n".join(lines) + "\n")
            files += 1
            if name[1].endswith(".yaml"):
                succeed("check", "--strict", name[1], cwd=folder)
    return files


def test_pages_are_followed(folder):
    (Path(folder) / "scenes").symlink_to(ROOT / "scenes")
    for name in FOLLOWED:
        assert follow(ROOT / name, folder) > 0, name


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
