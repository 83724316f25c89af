"""`bristle bench` from outside: lists, tables, files, other engines as programs, refusals, interruption. No test looks at a
time: only that there is one."""
import csv
import json
import os
import pty
import signal
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import outside
from outside import BRISTLE, ROOT

sys.path.insert(0, str(ROOT / "scripts"))
import tap  # noqa: E402

ONE = ("--quick", "--repeats", "1", "--only", "ball", "--scheme", "hem2")  # the least there is to run
LINE = {"scene": "ball", "engine": "Fake 1", "setting": "a, b", "us_mean": 1e-3, "us_median": 1e-3, "us_worst": 2e-3,
        "error": 0.25, "holds": True, "contacts": 1, "steps": 7, "simulated": 0.007, "cut": False, "news": "what nobody asks for"}


def bristle(*words, **options):
    return outside.bristle("bench", *words, **options)


def succeed(*words, **options):
    return outside.succeed("bench", *words, **options)


def refuse(code, *words, **options):
    return outside.refuse(code, "bench", *words, **options)


def add_peer(folder, name, script):
    """A program peer-NAME in a folder of its own, which is returned."""
    place = Path(folder) / "peers"
    place.mkdir(exist_ok=True)
    program = place / f"peer-{name}"
    program.write_text("#!/bin/sh\n" + script)
    program.chmod(0o755)
    return place


def test_list(folder):
    lines = succeed("--list").stdout.splitlines()
    names = [line.split()[0] for line in lines]
    assert len(names) == len(set(names)) >= 19 and {"slope", "grip", "humanoid", "heap-8000"} <= set(names)
    listed = json.loads(succeed("--list", "--json").stdout)
    assert [item["scene"] for item in listed] == names
    assert all(item["title"] and item["error_of"] and item["claim"] and item["steps"] > 0 for item in listed)
    assert [line.split()[0] for line in succeed("--list", "--only", "dominoes").stdout.splitlines()] == ["dominoes-20", "dominoes-100"]


def test_table_and_files(folder):
    done = succeed(*ONE, "--csv", "b.csv", "--svg", "b.svg", cwd=folder)
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    assert lines[0].split()[:3] == ["scene", "engine", "us/step"]
    assert lines[1].split()[:3] == ["ball", "bristle,", "hem2"] and "100.0" in lines[1]
    with open(Path(folder) / "b.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 1 and rows[0]["scene"] == "ball" and float(rows[0]["us_mean"]) > 0
    assert rows[0]["ratio_to_best_peer"] == "" and rows[0]["holds"] == "true" and int(rows[0]["steps"]) == 500
    text = "".join(ElementTree.parse(Path(folder) / "b.svg").getroot().itertext())
    assert "ball" in text and "bristle, hem2" in text


def test_json(folder):
    rows = json.loads(succeed("--quick", "--repeats", "2", "--only", "ball", "--json").stdout)
    assert [row["setting"] for row in rows] == ["moreau", "hem2"]  # a row per setting, however often it is run
    for row in rows:
        assert row["us_worst"] >= row["us_p9999"] >= row["us_p99"] >= row["us_median"] > 0 and row["us_mean"] > 0
        assert row["certified"] == 1
        assert row["contacts"] == 1 and row["dt_s"] == 1e-3 and row["bytes_per_contact"] > 100
    # x(t) is known: moreau is of order 1, hem2 of order 2; h v / 7 and h^2 of the accelerations around
    assert 1e-5 < rows[0]["error_m"] < 1e-3 and rows[1]["error_m"] < 1e-6
    chain = json.loads(succeed("--quick", "--repeats", "1", "--only", "chain", "--scheme", "rattle", "--json").stdout)
    assert len(chain) == 1 and chain[0]["contacts"] == 0 and chain[0]["error_m"] < 1e-4


def test_peer(folder):
    """A program is called with scene and --quick, and its line stands in the table with a ratio to the best peer."""
    line = json.dumps(LINE)
    place = add_peer(folder, "fake", f"echo \"$@\" >> '{folder}/called'\ncat <<'END'\n{line}\nEND\n")
    add_peer(folder, "absent", "exit 2\n")  # does not know the scene
    (place / "other").write_text("no peer")
    rows = json.loads(succeed(*ONE, "--peers", place, "--json").stdout)
    assert (Path(folder) / "called").read_text() == "ball --quick\n"
    assert [(row["engine"], row["setting"]) for row in rows] == [("bristle", "hem2"), ("Fake 1", "a, b")]
    fake = rows[1]
    assert fake["us_mean"] == 1e-3 and fake["error_m"] == 0.25 and fake["holds"] is True and fake["certified"] is None
    assert fake["us_p9999"] is None and fake["us_p99"] is None  # a peer need not tell
    assert fake["steps"] == 7 and abs(rows[0]["ratio_to_best_peer"] - rows[0]["us_mean"] / 1e-3) < 1e-3 * rows[0]["ratio_to_best_peer"]
    table = succeed(*ONE, f"--peers={place}").stdout
    assert "Fake 1, a, b" in table


def test_steps(folder):
    """So many steps in place of the scene's own, here and in peers."""
    line = json.dumps({**LINE, "us_p9999": 2e-3})
    place = add_peer(folder, "fake", f"echo \"$@\" >> '{folder}/called'\necho '{line}'\n")
    rows = json.loads(succeed("--steps", "77", "--repeats", "1", "--only", "ball", "--scheme", "hem2", "--peers", place, "--json").stdout)
    assert rows[0]["steps"] == 77 and rows[1]["us_p9999"] == 2e-3
    assert (Path(folder) / "called").read_text() == "ball --steps=77\n"


def test_best_of_runs(folder):
    """Of a peer that keeps no times the fastest of the repeats counts; the engines are called by turns."""
    count = Path(folder) / "count"
    line = json.dumps({**LINE, "us_mean": "TIME"}).replace('"TIME"', "$((7 - $(wc -l < COUNT)))").replace('"', '\\"')
    place = add_peer(folder, "fake", f"echo x >> '{count}'\necho \"{line.replace('COUNT', str(count))}\"\n")
    words = [word if word != "1" else "3" for word in ONE]
    rows = json.loads(succeed(*words, "--peers", place, "--json").stdout)
    assert len(count.read_text().split()) == 3 and len(rows) == 2 and rows[1]["us_mean"] == 4


def test_least_of_runs(folder):
    """A peer that keeps its times finds those of its runs before; its last run tells the times, its longest what came of it."""
    runs = [{"us_mean": 5, "us_worst": 9, "steps": 7, "error": 0.25, "runs": 1}, {"us_mean": 6, "us_worst": 8, "steps": 9, "error": 0.5, "runs": 2},
            {"us_mean": 5.5, "us_worst": 7, "steps": 8, "error": 0.375, "runs": 3}]
    for number, run in enumerate(runs, 1):
        (Path(folder) / f"line{number}").write_text(json.dumps({**LINE, **run}) + "\n")
    place = add_peer(folder, "fake", f"""echo "$BRISTLE_TIMES" >> '{folder}/called'
        test -d "$BRISTLE_TIMES" && cat "{folder}/line$(wc -l < '{folder}/called')"\n""")
    words = [word if word != "1" else "3" for word in ONE]
    fake = json.loads(succeed(*words, "--peers", place, "--json", environment={"TMPDIR": folder}).stdout)[1]
    assert (fake["us_mean"], fake["us_worst"], fake["steps"], fake["error_m"]) == (5.5, 7, 9, 0.5)
    kept = set((Path(folder) / "called").read_text().split())
    assert len(kept) == 1 and kept.pop().startswith(f"{folder}/bristle-bench-")
    assert not list(Path(folder).glob("bristle-bench-*"))  # nothing is left
    assert "TMPDIR" in refuse(1, *words, environment={"TMPDIR": "/nowhere"})


def test_best_peer_does_what_it_should(folder):
    """Ratios are to the fastest engine whose claim came true, not to one that is fast and wrong."""
    wrong, right = json.dumps({**LINE, "holds": False}), json.dumps({**LINE, "engine": "Right", "us_mean": 2})
    place = add_peer(folder, "two", f"cat <<'END'\n{wrong}\n{right}\nEND\n")
    rows = json.loads(succeed(*ONE, "--peers", place, "--json").stdout)
    assert [row["engine"] for row in rows] == ["bristle", "Fake 1", "Right"]
    assert rows[1]["ratio_to_best_peer"] == 1e-3 / 2 and rows[2]["ratio_to_best_peer"] == 1
    place = add_peer(folder, "two", f"echo '{wrong}'\n")
    assert [row["ratio_to_best_peer"] for row in json.loads(succeed(*ONE, "--peers", place, "--json").stdout)] == [None, None]
    assert "NOT: rolls" in succeed(*ONE, "--peers", place).stdout


def test_hostile_peers(folder):
    """What is no line of results is told, and does no harm; names with markup cannot break the figure."""
    markup = json.dumps({**LINE, "engine": "</svg><script>", "setting": "x" * 3000})
    place = add_peer(folder, "odd", f"echo nonsense\necho '{{\"scene\": \"ball\"}}'\ncat <<'END'\n{markup}\nEND\nexit 3\n")
    done = bristle(*ONE, "--peers", place, "--svg", "f.svg", cwd=folder)
    assert done.returncode == 1 and "no line of results" in done.stderr and "code 3" in done.stderr
    assert "script" in "".join(ElementTree.parse(Path(folder) / "f.svg").getroot().itertext())
    for broken in ("{", "{\"a", "{\"a\":", "{\"a\": [1]}", "{\"us_mean\": 1e999}", "{}", "\\x00", "{\"scene\": \"\\\\"):
        add_peer(folder, "odd", f"printf '%s\\n' '{broken}'\n")
        done = bristle(*ONE, "--peers", place)
        assert done.returncode == 1 and "no line of results" in done.stderr and "bristle, hem2" in done.stdout, broken


def test_wrong_use(folder):
    assert "did you mean 'dominoes'" in refuse(2, "--only", "domnos")
    assert "did you mean 'pyramid'" in refuse(2, "--only", "piramid")
    assert "moreau, hem2, rattle" in refuse(2, "--scheme", "euler")
    for repeats in ("0", "x", "3x", "-1", "100000"):
        assert "1 to 1000" in refuse(2, "--repeats=" + repeats)
    for steps in ("0", "x", "1e6", "-1"):
        assert "1 to 100000000" in refuse(2, "--steps=" + steps)
    assert "no program peer-" in refuse(2, *ONE, "--peers", folder)
    assert "no program peer-" in refuse(2, *ONE, "--peers", "/nowhere")
    assert "too many" in refuse(2, "ball")
    assert "cannot be written" in refuse(1, *ONE, "--csv", "/nowhere/b.csv")


def test_help(folder):
    done = succeed("--help")
    for option in ("--list", "--only", "--scheme", "--repeats", "--quick", "--steps", "--peers", "--csv", "--svg", "--json"):
        assert option in done.stdout
    assert all(len(line) <= 120 for line in done.stdout.splitlines())


def read_all(terminal):
    while True:
        try:
            yield os.read(terminal, 4096).decode()
        except OSError:  # the other end is closed
            return


def test_interrupted(folder):
    """Ctrl-C while another engine runs: that one is ended, and what was measured is told."""
    place = add_peer(folder, "slow", f"echo $$ > '{folder}/pid.new' && mv '{folder}/pid.new' '{folder}/pid'\nexec sleep 3600\n")
    ours, theirs = pty.openpty()
    process = subprocess.Popen([BRISTLE, "bench", *ONE, "--peers", place, "--csv", "b.csv"], cwd=folder, stdout=subprocess.PIPE,
                               stderr=theirs, text=True)
    os.close(theirs)
    outside.wait_until((Path(folder) / "pid").exists, process)
    child = int((Path(folder) / "pid").read_text())
    process.send_signal(signal.SIGINT)
    table, _ = process.communicate()
    seen = "".join(read_all(ours))
    os.close(ours)
    assert process.returncode == 130 and "peer-slow" in seen and "interrupted" in seen, seen  # what runs is shown
    assert "bristle, hem2" in table and "ball" in (Path(folder) / "b.csv").read_text()
    outside.wait_until(lambda: not Path(f"/proc/{child}").exists())


def test_interrupted_in_a_step(folder):
    """A run of ours is given up where it is, and half of it is no row."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen([BRISTLE, "bench", "--only", "heap-8000", "--scheme", "hem2"], stdout=subprocess.PIPE,
                               stderr=theirs, text=True)
    os.close(theirs)
    seen = ""
    while "hem2" not in seen:  # it is shown when it begins
        seen += os.read(ours, 4096).decode()
    process.send_signal(signal.SIGINT)
    table, _ = process.communicate()
    seen += "".join(read_all(ours))
    os.close(ours)
    assert process.returncode == 130 and "interrupted" in seen and "heap-8000" not in table, (table, seen)


tap.run_tests(globals())
