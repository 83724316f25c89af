"""`bristle reproduce` from outside: tables, JSON, patterns, pages and figures, refusals, interruption."""
import html.parser
import json
import math
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import outside
from outside import BRISTLE, ROOT

sys.path.insert(0, str(ROOT / "scripts"))
import tap  # noqa: E402


# A mass on a spring, let go: x = x0 (1 - cos(w t)), w = 2 rad/s.
SCENE = """bristle: 1
parameters: {x0: 0.5 m, k: 16 N/m, m: 4 kg}
gravity: [0, 0, 0]
step: {scheme: hem2, dt: 1 ms, until: 2 s}
bodies: {g: {fixed: true}, a: {mass: m, inertia: [1, 1, 1]}}
joints: {slide: {prismatic: [g, a], at: [0, 0, 0], axis: [1, 0, 0]}}
springs: {s: {joint: slide, stiffness: k, free_length: x0}}
record: {every: 1 ms}
"""

GOOD = """experiment: NAME
title: a mass on a spring
metrics:
  reach: {channel: joints.slide.position, reduce: peak, expect: 2*x0, tolerance: 1e-5, source: 'energy, "closed"'}
  rest: {channel: joints.slide.velocity, reduce: first, at_most: 1e-12}
  turn: {channel: joints.slide.position, reduce: peak, read: time}
figures:
  path: {title: "x < 1 & rising", y_label: "x [m]", curves: [{channel: joints.slide.position}]}
"""


def bristle(*words, **options):
    return outside.bristle("reproduce", *words, **options)


def succeed(*words, **options):
    return outside.succeed("reproduce", *words, **options)


def refuse(code, *words, **options):
    return outside.refuse(code, "reproduce", *words, **options)


def add(folder, name, text=GOOD):
    place = Path(folder) / "experiments" / name
    place.mkdir(parents=True)
    (place / "scene.yaml").write_text(SCENE)
    (place / "experiment.yaml").write_text(text.replace("NAME", name))
    return place


def test_table(folder):
    add(folder, "spring")
    done = succeed("spring", cwd=folder)
    assert done.stderr == "", done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "spring: a mass on a spring"
    assert lines[1].split() == ["metric", "paper", "reference", "ours", "tolerance", "verdict", "source"]
    reach = lines[2].split()
    assert reach[0] == "reach" and reach[1] == "1" and abs(float(reach[2]) - 1) < 1e-5
    assert reach[3:5] == ["1e-05", "ok"] and lines[2].endswith('energy, "closed"')
    assert "<= 1e-12" in lines[3] and " ok" in lines[3]
    assert lines[4].split()[-1] == "info"
    assert "2 checks, 0 failed" in lines[5]


def test_json(folder):
    add(folder, "spring")
    result = json.loads(succeed("spring", "--json", cwd=folder).stdout)
    assert list(result) == ["experiment", "metrics", "checks"] and result["experiment"] == "spring"
    assert list(result["metrics"]) == ["reach", "rest", "turn"]
    assert abs(result["metrics"]["turn"] - math.pi / 2) < 1e-5
    assert [check["name"] for check in result["checks"]] == ["reach", "rest"]
    for check in result["checks"]:
        assert list(check) == ["name", "expected", "got", "tolerance", "pass", "source", "printed"]
        assert check["pass"] is True and abs(check["got"] - check["expected"]) <= check["tolerance"]
        assert check["got"] == result["metrics"][check["name"]]
    assert result["checks"][0]["source"] == 'energy, "closed"'


def test_paper_and_reference_are_told_apart(folder):
    """What a paper prints stands beside our reference, word for word, and nothing is checked against it."""
    add(folder, "spring", GOOD.replace("expect: 2*x0", "printed: about 3.0, expect: 2*x0"))
    lines = succeed("spring", "-o", "out", cwd=folder).stdout.splitlines()
    assert re.match(r" *reach +about 3.0 +1 +", lines[2]) and "ok" in lines[2], lines[2]
    assert "| reach | about 3.0 | 1 |" in (Path(folder) / "out/spring.md").read_text()
    checks = json.loads(succeed("spring", "--json", cwd=folder).stdout)["checks"]
    assert [check["printed"] for check in checks] == ["about 3.0", ""]
    add(folder, "other", GOOD.replace("expect: 2*x0", "printed: [1, 2], expect: 2*x0"))
    assert "printed must be a text" in refuse(1, "other", cwd=folder)


def test_paths(folder):
    """A folder or a file, wherever it is, with or without a slash; a name that is near is suggested."""
    place = add(folder, "spring")
    (place / "other.yaml").write_text(GOOD.replace("NAME", "another"))
    for path, name in ((place, "spring"), (place / "experiment.yaml", "spring"), (place / "other.yaml", "another")):
        assert succeed(path, cwd="/").stdout.startswith(f"{name}: a mass"), path
    assert succeed("other.yaml", cwd=place).stdout.startswith("another:")
    assert succeed("spring", cwd=place.parent).stdout.startswith("spring:")
    assert "did you mean 'spring'?" in refuse(2, "sprig", cwd=folder)


def test_what_is_installed_lies_beside_the_command(folder):
    """Wherever the whole was moved to."""
    home = Path(folder) / "moved"
    (home / "bin").mkdir(parents=True)
    shutil.copy(BRISTLE, home / "bin")
    shutil.copytree(add(folder, "spring").parent, home / "share/bristle/experiments")
    done = subprocess.run([home / "bin/bristle", "reproduce", "--list"], cwd=home, stdout=subprocess.PIPE, text=True)
    assert done.returncode == 0 and done.stdout.startswith("spring "), done


def test_failed_check(folder):
    add(folder, "spring", GOOD.replace("expect: 2*x0", "expect: 3*x0"))
    done = bristle("spring", cwd=folder)
    assert done.returncode == 1 and "FAIL" in done.stdout and "1 failed" in done.stdout
    done = bristle("spring", "--json", cwd=folder)
    assert done.returncode == 1 and [c["pass"] for c in json.loads(done.stdout)["checks"]] == [False, True]


def test_metric_without_value(folder):
    """What is not there is null and a failure, with its reason; the rest still counts."""
    add(folder, "spring", GOOD.replace("reduce: peak, read: time", "reduce: peak, nth: 7"))
    done = bristle("spring", "--json", cwd=folder)
    result = json.loads(done.stdout)
    assert done.returncode == 1 and result["metrics"]["turn"] is None and result["metrics"]["reach"] is not None
    assert "metric 'turn': peak number 7 is wanted, but there are 1" in done.stderr


def test_run_that_breaks_down(folder):
    place = add(folder, "spring", "experiment: NAME\nmetrics: {a: {channel: time, at_most: 100}}\n")
    (place / "scene.yaml").write_text(SCENE.replace("stiffness: k", "stiffness: 1e12*k"))
    done = bristle("spring", cwd=folder)
    assert done.returncode == 1 and "run 'main' ended early, at t =" in done.stderr, done.stderr


def test_patterns_and_lists(folder):
    for name in ("spring-b", "spring-a", "other"):
        add(folder, name)
    (Path(folder) / "experiments" / "not-one").mkdir()
    lines = succeed("--list", cwd=folder).stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["other", "spring-a", "spring-b"]
    assert all("a mass on a spring" in line for line in lines)
    listed = json.loads(succeed("--list", "--json", cwd=folder).stdout)
    assert listed[0] == {"experiment": "other", "title": "a mass on a spring"}
    results = json.loads(succeed("spring-*", "--json", cwd=folder).stdout)
    assert [result["experiment"] for result in results] == ["spring-a", "spring-b"]
    assert len(json.loads(succeed("--all", "--json", cwd=folder).stdout)) == 3
    assert isinstance(json.loads(succeed("oth*", "--json", cwd=folder).stdout), list)
    assert "3 experiments, 0 with failures" in succeed("--all", cwd=folder).stdout
    elsewhere = Path(folder) / "experiments"
    assert "spring-a" in succeed("spring-a", "--experiments", elsewhere, cwd="/").stdout
    assert "spring-a" in succeed(elsewhere / "spring-a", cwd="/").stdout


def test_broken_among_others(folder):
    add(folder, "a")
    add(folder, "b", "experiment: b\nmetrics: {x: {chanel: time}}\n")
    done = bristle("--all", "--json", cwd=folder)
    results = json.loads(done.stdout)
    assert done.returncode == 1 and [len(result["metrics"]) for result in results] == [3, 0]
    assert "did you mean 'channel'" in results[1]["error"]
    assert done.stderr.startswith("experiments/b/experiment.yaml:2:15: ")
    message = refuse(1, "b", cwd=folder)
    assert message.startswith("experiments/b/experiment.yaml:2:15: ")
    error = json.loads(bristle("b", "--json", cwd=folder).stdout)
    assert error["status"] == "failed" and error["error"]["line"] == 2
    add(folder, "c", "experiment: d\n")
    assert "BROKEN" in succeed("--list", cwd=folder).stdout


def test_help(folder):
    for word in ("--help", "-h"):
        done = bristle(word)
        assert done.returncode == 0 and done.stderr == "" and done.stdout.startswith("Usage: bristle reproduce")
        assert all(option in done.stdout for option in ["--all", "--list", "--experiments", "--output", "-o", "--all-runs", "--json"])
        assert all(len(line) <= 120 for line in done.stdout.splitlines())


def test_wrong_use(folder):
    add(folder, "spring")
    assert "which experiment?" in refuse(2, cwd=folder)
    assert "no experiment 'sprang'" in refuse(2, "sprang", cwd=folder)
    assert "no experiment 'x*'" in refuse(2, "x*", cwd=folder)
    assert "no folder 'none'" in refuse(2, "--list", "--experiments", "none", cwd=folder)
    assert "unknown option" in refuse(2, "spring", "--fast", cwd=folder)
    assert "too many" in refuse(2, "spring", "other", cwd=folder)
    assert "No such file" in refuse(1, "spring", "-o", "none/such", cwd=folder)
    assert json.loads(bristle("spring", "-o", "none/such", "--json", cwd=folder).stdout)["status"] == "failed"


def test_page(folder):
    place = add(folder, "spring")
    (place / "README.md").write_text("# A spring\n\nSome words.\n")
    succeed("spring", "-o", "out", cwd=folder)
    assert "page 'out/spring.md' is there already and is kept" in refuse(1, "spring", "-o", "out", cwd=folder)
    succeed("spring", "-o", "out", "--force", cwd=folder)
    page = (Path(folder) / "out" / "spring.md").read_text()
    assert page.startswith("# A spring\n\nSome words.\n") and "| reach |  | 1 |" in page and "(spring-path.svg)" in page
    picture = ElementTree.parse(Path(folder) / "out" / "spring-path.svg")  # well formed, whatever the title holds
    text = "".join(picture.getroot().itertext())
    assert "x < 1 & rising" in text and "time [s]" in text and "x [m]" in text
    assert "http" not in re.sub(r'xmlns="[^"]*"', "", (Path(folder) / "out" / "spring-path.svg").read_text())


class Elements(html.parser.HTMLParser):
    """What a page is made of: tags, texts, links; and which tags were not closed in turn."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.links, self.texts, self.open, self.crossed = [], [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.links += [value for name, value in attributes if name in ("href", "src")]
        assert not any(name.startswith("on") for name, _ in attributes), attributes
        if tag not in ("meta", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.crossed.append(tag)

    def handle_data(self, data):
        self.texts.append(data)


HOSTILE = """# A <b>page</b> & more

A *word*, a **strong
one**, `code <i>`, [a link](other.md), [no link](javascript:alert(1)), [beside](../two/README.md).
2 * 3 * 4

* first <script>alert(1)</script>
* second,
  that goes on

    indented <pre>

| a | b |
|---|---|
| 1 < 2 | `x` |
```
fenced **text**
```
"""


def test_gallery(folder):
    place = add(folder, "one", GOOD.replace("a mass on a spring", "<script>alert(2)</script>"))
    (place / "README.md").write_text(HOSTILE)
    add(folder, "two")
    add(folder, "wrong", GOOD.replace("2*x0", "3*x0"))
    add(folder, "zz-broken", GOOD.replace("reach:", "reach: {channel: <nothing>}\n  again:"))
    done = bristle("--all", "-o", "page", cwd=folder)
    assert done.returncode == 1 and "all of them on one page: page/index.html" in done.stdout
    text = (Path(folder) / "page/index.html").read_text()
    page = Elements(text)
    assert page.crossed == [] and page.open == [], (page.crossed, page.open)
    assert "script" not in page.tags and {"pre", "li", "strong", "em", "code", "td", "figure"} <= set(page.tags)
    words = " ".join(page.texts)
    assert "4 experiments, 6 checks, some failed" in words and "alert(2)" in words and "A <b>page</b> & more" in words
    assert "2 * 3 * 4" in words and "indented <pre>" in words and "1 < 2" in words and "fenced **text**" in words
    assert "strong\none" in words and "goes on" in words and "[no link](javascript:alert(1))" in words
    for link in page.links:
        assert link == "other.md" or (f'id="{link[1:]}"' in text if link[0] == "#" else (Path(folder) / "page" / link).exists()), link
    assert {"#one", "#two", "one-path.svg"} <= set(page.links)
    rows = re.findall(r'<tr class="(\w+)"><td class="">(\w+)</td>', text)
    assert rows.count(("FAIL", "reach")) == 1 and rows.count(("ok", "reach")) == 2 and ("info", "turn") in rows
    assert "is there already" in bristle("--all", "-o", "page", cwd=folder).stderr


def test_marks(folder):
    marks = GOOD + "      - {points: [[turn, 2*x0], [0, 0]], label: printed, marks: true}\n"
    marks = marks.replace("curves: [{channel: joints.slide.position}]}", "curves:\n      - {channel: joints.slide.position}")
    marks = marks.replace("path: {title: \"x < 1 & rising\", y_label: \"x [m]\", ", "path:\n    ")
    add(folder, "spring", marks)
    succeed("spring", "-o", "page", cwd=folder)
    circles = [e for e in ElementTree.parse(Path(folder) / "page/spring-path.svg").iter() if e.tag.endswith("circle")]
    assert len(circles) == 3  # one in the legend
    add(folder, "wrong", marks.replace("marks: true", "marks: 3"))
    assert "marks" in refuse(1, "wrong", cwd=folder)


def test_page_spares_its_source(folder):
    place = add(folder, "README")
    (place / "README.md").write_text("# mine\n")
    message = refuse(1, "./experiments/README", "-o", "experiments/README", cwd=folder)
    assert "--output" in message and "overwritten" in message
    assert (place / "README.md").read_text() == "# mine\n" and len(list(place.iterdir())) == 3


def test_all_runs(folder):
    add(folder, "spring", "experiment: NAME\nruns: {a: {}, b: {step.dt: -1 ms}}\nmetrics: {m: {run: a, channel: time}}\n")
    succeed("spring", cwd=folder)  # nobody needs b
    assert "must be positive" in refuse(1, "spring", "--all-runs", cwd=folder)


def read_terminal(ours, until=None):
    """What comes from a terminal, to its end or until a pattern is seen."""
    seen = b""
    while not (until and re.search(until, seen)):
        try:
            piece = os.read(ours, 4096)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        seen += piece
    return seen


BAR = rb"\[#* *\] +\d+ %"


def test_interrupted(folder):
    """The bar shows that the run is on its way."""
    add(folder, "spring", "experiment: NAME\nruns: {a: {step.until: 10 h, record_every: 1 s}}\nmetrics: {m: {channel: time}}\n")
    ours, theirs = pty.openpty()
    process = subprocess.Popen([BRISTLE, "reproduce", "spring"], cwd=folder, stdout=subprocess.DEVNULL, stderr=theirs)
    os.close(theirs)
    assert re.search(BAR, read_terminal(ours, BAR))
    process.send_signal(signal.SIGINT)
    message = read_terminal(ours)
    os.close(ours)
    assert process.wait() == 130 and b"stopped at t =" in message, message


def test_progress(folder):
    """A bar on a terminal, nothing elsewhere."""
    add(folder, "spring", "experiment: NAME\nruns: {a: {step.until: 10 min, record_every: 1 s}}\nmetrics: {m: {channel: time}}\n")
    ours, theirs = pty.openpty()
    process = subprocess.Popen([BRISTLE, "reproduce", "spring"], cwd=folder, stdout=subprocess.DEVNULL, stderr=theirs)
    os.close(theirs)
    seen = read_terminal(ours)
    os.close(ours)
    assert process.wait() == 0 and re.search(BAR, seen), seen
    assert succeed("spring", cwd=folder).stderr == ""


def test_shipped_experiments(folder):
    """Those that come with bristle pass, and each has its page."""
    listed = json.loads(succeed("--list", "--json", cwd=ROOT).stdout)
    assert "pendulum-order" in [item["experiment"] for item in listed]
    for item in listed:
        assert item["title"] and (ROOT / "experiments" / item["experiment"] / "README.md").is_file(), item
    result = json.loads(succeed("pendulum-order", "--json", "-o", Path(folder) / "page", cwd=ROOT).stdout)
    assert all(check["pass"] for check in result["checks"]) and len(result["checks"]) >= 10
    assert sorted(path.name for path in (Path(folder) / "page").iterdir()) == [
        "pendulum-order-energy.svg", "pendulum-order-path.svg", "pendulum-order.md"]


tap.run_tests(globals())
