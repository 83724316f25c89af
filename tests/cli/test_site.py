"""The site of the documentation: what is in it, that its links lead somewhere, and that one that does not is found."""
import json
import re
import subprocess
import sys
from pathlib import Path

from outside import ROOT, bristle

sys.path.insert(0, str(ROOT / "scripts"))
import tap  # noqa: E402


def make_site(folder):
    done = subprocess.run([ROOT / "scripts/site", "-o", Path(folder) / "site", "--without-gallery"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return Path(folder) / "site"


def read_words(page):
    return re.sub(r"<[^>]+>", " ", page.read_text().split("<main", 1)[1])


def test_all_is_there(folder):
    site = make_site(folder)
    index = (site / "index.html").read_text()
    for source in (ROOT / "docs").rglob("*.md"):
        url = re.sub(r"README\.md$", "index.html", str(source.relative_to(ROOT / "docs"))).replace(".md", ".html")
        assert (site / url).is_file() and f'href="{url}"' in index, url
    for word in ("laws", "joints", "shapes", "solvers"):
        page = read_words(site / f"catalogue/{word}.html")
        for entry in json.loads(bristle(word, "--json").stdout):
            assert entry["name"] in page, f"{word}: {entry['name']}"
    for header in (ROOT / "include/bristle").glob("*.h"):
        page = (site / "c" / f"{header.stem}.html").read_text()
        for name in re.findall(r"^BR_API [^;]*?\b(br_\w+)\(", header.read_text(), flags=re.MULTILINE):
            assert f'id="{name}"' in page, f"{header.name}: {name}"
    channels = read_words(site / "catalogue/channels.html")
    assert all(name in channels for name in ("angular_acceleration", "torque_joint", "uncertified_steps", "normal_force_mean"))


def test_equations_and_search(folder):
    site = make_site(folder)
    theory = (site / "theory/index.html").read_text()
    numbers = re.findall(r'id="eq-([\d.]+\w?)"', theory)
    written = re.findall(r"^    .*\((\d+\.\d+\w?)\)$", (ROOT / "docs/theory/README.md").read_text(), flags=re.MULTILINE)
    assert len(numbers) > 100 and sorted(numbers) == sorted(set(written))  # each equation stands once
    for cited in re.findall(r'href="#eq-([\d.]+\w?)"', theory):
        assert cited in numbers, cited
    entries = json.loads((site / "search.js").read_text().removeprefix("window.SEARCH = ").rstrip(";\n"))
    for url, page, heading, words in entries:
        assert (site / url.split("#")[0]).is_file(), url
    assert any("coulomb" in words and url.startswith("catalogue/laws") for url, page, heading, words in entries)


def test_broken_links_are_found(folder):
    import site_pages  # of scripts/, as scripts/site has it

    made = site_pages.Site(ROOT, Path(folder))
    (Path(folder) / "a.html").write_text('<h2 id="here">x</h2><a href="#here"></a><a href="#there"></a><a href="b.html"></a><img src="c.svg">')
    assert [link for _, link in made.find_broken_links()] == ["#there", "b.html", "c.svg"]


def test_folders_of_others_are_kept(folder):
    (Path(folder) / "mine.txt").write_text("mine")
    done = subprocess.run([ROOT / "scripts/site", "-o", folder, "--without-gallery"], capture_output=True, text=True)
    assert done.returncode == 1 and "has files that are no site" in done.stderr
    assert (Path(folder) / "mine.txt").read_text() == "mine"


tap.run_tests(globals())
