"""`bristle map`: regions and their boundaries as text, JSON, CSV and a picture; what is wrong is refused; Ctrl-C keeps what is
there."""
import csv
import json
import math
import os
import signal
import subprocess
import sys
import xml.etree.ElementTree as xml
from pathlib import Path

from outside import BRISTLE, HANGS, ROOT, bristle, refuse, succeed, wait_until

sys.path.insert(0, str(ROOT / "scripts"))
import tap  # noqa: E402

ROD = ROOT / "experiments/song2000-painleve-map/scene.yaml"
GRID = ["--over", "parameters.mu=0:3:13", "--over", "parameters.theta=40 deg:70 deg:4"]


def boundary(degrees):
    t = math.tan(math.radians(degrees))
    return (4 + t * t) / (3 * t)


def test_boundaries_are_refined(folder):
    result = json.loads(succeed("map", ROD, *GRID, "--refine", "1e-7", "--json").stdout)
    assert result["status"] == "ok"
    assert [axis["unit"] for axis in result["axes"]] == ["", "deg"] and result["axes"][1]["values"] == [40, 50, 60, 70]
    assert len(result["points"]) == 4 and all(len(row) == 13 for row in result["points"])
    assert len(result["boundaries"]) == 4
    for edge, degrees in zip(result["boundaries"], (40, 50, 60, 70)):
        assert edge["refined"] and abs(edge["place"] - boundary(degrees)) < 2e-7  # half the tolerance, and rounding of A
        assert edge["before"]["verdict"] == "unique" and edge["after"]["verdict"] == "none"
        row = result["points"][edge["row"]]
        for mu, point in zip(result["axes"][0]["values"], row):
            assert point["verdict"] == ("unique" if mu < edge["place"] else "none")


def test_text_says_the_same(folder):
    lines = succeed("map", ROD, *GRID, "--refine", "1e-7").stdout.splitlines()
    assert len(lines) == 4
    assert lines[0].startswith("parameters.theta = 40 deg: one answer, stable up to parameters.mu = ")
    assert abs(float(lines[0].split("= ")[2].split(",")[0]) - boundary(40)) < 2e-7 and lines[0].endswith(", none")


def test_one_axis_and_no_refinement(folder):
    result = json.loads(succeed("map", ROD, "--over", "parameters.mu=1:2:3", "--json").stdout)
    assert len(result["axes"]) == 1 and len(result["points"]) == 1
    assert [edge["place"] for edge in result["boundaries"]] == [1.25] and not result["boundaries"][0]["refined"]


def test_files(folder):
    table, picture = Path(folder) / "map.csv", Path(folder) / "map.svg"
    succeed("map", ROD, *GRID, "--csv", table, "--svg", picture)
    rows = list(csv.DictReader(table.open()))
    assert sum(row["kind"] == "point" for row in rows) == 4 * 13
    assert sum(row["kind"] == "before" for row in rows) == sum(row["kind"] == "after" for row in rows) == 4
    assert {row["verdict"] for row in rows} == {"unique", "none"}
    root = xml.fromstring(picture.read_text())
    assert root.tag.endswith("svg") and len(root.findall(".//{http://www.w3.org/2000/svg}circle")) == 4


def test_wrong_use_is_refused(folder):
    for words in (["map"], ["map", ROD], ["map", ROD, "--over", "parameters.mu"], ["map", ROD, "--over", "parameters.mu=0:1:0"],
                  ["map", ROD, "--over", "parameters.theta=1 deg:2 rad:3"], ["map", ROD, "--over", "=0:1:2"],
                  ["map", ROD, "--over", "parameters.mu=0:1:2:3"], ["map", ROD, "--over", "parameters.mu=0:1:2", "--refine", "x"],
                  ["map", "-", "--over", "parameters.mu=0:1:2"],
                  ["map", ROD, "--over", "parameters.mu=0:1:2", "--csv", ROD]):
        refuse(2, *words)


def test_a_refused_scene_is_told(folder):
    done = bristle("map", ROD, "--over", "parameters.nu=0:1:3")
    assert done.returncode == 1 and "3 of its scenes were refused" in done.stderr and "nu" in done.stderr
    done = bristle("map", ROD, "--over", "parameters.mu=-1:1:3", "--json")
    result = json.loads(done.stdout)
    assert done.returncode == 1 and result["points"][0][0] is None and result["points"][0][1]["verdict"] == "unique"


def test_an_interrupt_keeps_what_is_there(folder):
    """So many points that it cannot be done before it is asked to stop."""
    table = Path(folder) / "cut.csv"
    done = subprocess.Popen([BRISTLE, "map", str(ROD), "--over", "parameters.mu=0:3:2000", "--over",
                             "parameters.theta=30 deg:80 deg:500", "--csv", str(table)], stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE, start_new_session=True)
    children = Path(f"/proc/{done.pid}/task/{done.pid}/children")
    wait_until(lambda: children.read_text().strip())
    os.killpg(done.pid, signal.SIGINT)
    _, errors = done.communicate(timeout=HANGS)
    assert done.returncode == 130 and b"interrupted" in errors, errors
    assert table.read_text().startswith("kind,")


tap.run_tests(globals())
