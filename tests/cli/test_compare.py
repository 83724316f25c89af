"""`bristle compare`: distances from a reference that closed forms know, orders, refusals that are results, and nothing left behind."""
import csv
import json
import math
import os
import signal
import subprocess
import sys
import xml.etree.ElementTree as xml
from pathlib import Path

import h5py

from outside import BRISTLE, ROOT, bristle, refuse, succeed, wait_until
from report_page import read_page

sys.path.insert(0, str(ROOT / "scripts"))
import tap  # noqa: E402

PENDULUM = ROOT / "scenes/double-pendulum.yaml"

# A point falls: moreau is off by g t dt / 2, hem2 by rounding; event, which they are compared with, by 1e-10 of the way.
FALL = """bristle: 1
gravity: [0, 0, -10]
step: {dt: 1 ms, until: 1 s}
record: {every: 0.1 s}
bodies: {stone: {mass: 1, inertia: [1, 1, 1]}, 'my stone': {mass: 1, inertia: [1, 1, 1], pose: {position: [3, 0, 0]}}}
"""

# A block on ice, pushed: its weight is its normal force under every scheme, its way that of mu.
SLIDE = """bristle: 1
gravity: [0, 0, -10]
step: {dt: 1 ms, until: 0.5 s}
record: {every: 10 ms}
materials: {ice: {friction: {law: coulomb, mu: 0.1}}}
bodies:
  floor: {fixed: true, shapes: [{plane: {normal: [0, 0, 1]}, material: ice}]}
  block: {mass: 2, inertia: [1, 1, 1], pose: {position: [0, 0, 0.1]}, velocity: {linear: [1, 0, 0]}, shapes: [{box: {size: [0.2, 0.2, 0.2]}, material: ice}]}
"""


def write(folder, text):
    path = Path(folder) / "scene.yaml"
    path.write_text(text)
    return path


def compare(scene, *words, code=0, **options):
    done = bristle("compare", scene, "--json", *words, **options)
    assert done.returncode == code, done.stdout + done.stderr
    result = json.loads(done.stdout)
    return result, {run["name"]: run for run in result["runs"]}


def test_distances_are_those_of_closed_forms(folder):
    result, runs = compare(write(folder, FALL), "--with", "moreau,moreau/0.5ms,hem2")
    assert result["reference"] == "event" and runs["event"]["rows"] == 0
    assert math.isclose(runs["moreau"]["position"], 10 * 1 * 1e-3 / 2, rel_tol=1e-6)
    assert math.isclose(runs["moreau/0.5ms"]["position"], 10 * 1 * 0.5e-3 / 2, rel_tol=1e-6)
    assert runs["moreau"]["position_time"] == 1 and runs["moreau"]["position_last"] == runs["moreau"]["position"]
    assert runs["moreau"]["rows"] == 11 and runs["moreau/0.5ms"]["steps"] == 2000
    assert runs["hem2"]["position"] < 1e-9
    assert runs["moreau"]["rotation"] == 0 and runs["moreau"]["normal_forces"] is None
    assert abs(result["size"] - math.hypot(3, 5)) < 1e-9 and runs["moreau"]["parted"] is None


def test_runs_that_part_say_when(folder):
    """2.9 m/s^2 less gravity: apart by 1.45 t^2, which is a hundredth of the scene's size from 0.2 s on."""
    result, runs = compare(write(folder, FALL), "--with", "hem2/gravity=[0, 0, -7.1]")
    run = runs["hem2/gravity=[0, 0, -7.1]"]
    first = next(k / 10 for k in range(11) if 1.45 * (k / 10) ** 2 > 0.01 * result["size"])
    assert math.isclose(run["parted"], first) and math.isclose(run["position"], 1.45, rel_tol=1e-9)


def test_turns(folder):
    spun = FALL.replace("[3, 0, 0]}", "[3, 0, 0]}, velocity: {angular: [0, 2, 0]}")
    _, runs = compare(write(folder, spun), "--with", "hem2/bodies.my stone.velocity.angular=[0, 1.75, 0]")
    (run,) = (run for name, run in runs.items() if name != "event")
    assert math.isclose(run["rotation"], 0.25, rel_tol=1e-9)


def test_forces_and_laws(folder):
    _, runs = compare(write(folder, SLIDE), "--with", "moreau,hem2,materials.ice.friction.mu=0.2,hem2/tanh")
    assert runs["moreau"]["normal_forces"] < 1e-9 and runs["hem2"]["position"] < 1e-9
    assert math.isclose(runs["materials.ice.friction.mu=0.2"]["position"], 0.5 * 1 * 0.5**2, rel_tol=1e-6)
    assert runs["hem2/tanh"]["status"] == "ok" and runs["hem2/tanh"]["position"] < 1e-6  # slides at once, and far from rest


def test_orders_and_files(folder):
    kept = Path(folder) / "kept"
    result, runs = compare(PENDULUM, "--with", "rattle,bdf2,hem2/1ms", "--steps", "4ms,2ms,1ms", "--until", "1s", "-o", kept)
    assert set(result["orders"]) == {"rattle", "bdf2", "hem2/1ms"} and result["orders"]["hem2/1ms"] is None
    assert abs(result["orders"]["rattle"] - 2) < 0.1 and abs(result["orders"]["bdf2"] - 2) < 0.1
    assert [run["dt"] for run in result["runs"][:3]] == [4e-3, 2e-3, 1e-3]
    for run in result["runs"]:
        with h5py.File(run["recording"]) as recording:
            times = recording["time"][:]
            assert abs(times[1] - times[0] - 0.02) < 1e-12  # of 10 ms and 4 ms
    with h5py.File(runs["rattle/4ms"]["recording"]) as mine, h5py.File(runs["event"]["recording"]) as truth:
        worst = max(math.dist(a, b) for body in truth["bodies"]
                    for a, b in zip(mine["bodies"][body]["position"][:], truth["bodies"][body]["position"][:]))
    assert math.isclose(worst, runs["rattle/4ms"]["position"], rel_tol=1e-12)
    rows = list(csv.DictReader((kept / "comparison.csv").open()))
    assert [row["run"] for row in rows] == [run["name"] for run in result["runs"]]
    assert xml.parse(kept / "work-precision.svg").getroot().tag.endswith("svg")
    first = result["reference"]
    wanted = [run["recording"] for run in sorted(result["runs"], key=lambda run: run["name"] != first)]
    assert [page["name"] for page in read_page(kept / "report.html")["recordings"]] == [Path(name).name for name in wanted][:8]
    assert "kept" in refuse(2, "compare", PENDULUM, "--with", "rattle", "-o", kept)
    succeed("compare", PENDULUM, "--with", "rattle", "--until", "0.1s", "-o", kept, "--force")


def test_reference_of_ones_own(folder):
    result, runs = compare(PENDULUM, "--with", "hem2,rattle", "--reference", "rattle", "--until", "0.1s")
    assert result["reference"] == "rattle" and len(runs) == 2


def test_what_cannot_run_is_a_result(folder):
    result, runs = compare(write(folder, SLIDE), "--with", "hem2,compliant,smooth", code=1)
    assert runs["hem2"]["status"] == "ok" and runs["compliant"]["status"] == runs["smooth"]["status"] == "refused"
    assert "suggest" in runs["compliant"]["problem"] and "smooth is for machines" in runs["smooth"]["problem"]


def test_wrong_use(folder):
    scene = write(folder, FALL)
    assert "which scene" in refuse(2, "compare")
    assert "with what" in refuse(2, "compare", scene)
    assert "'moreau'" in refuse(2, "compare", scene, "--with", "moreu")
    assert "empty place" in refuse(2, "compare", scene, "--with", "moreau,,hem2")
    assert "no rows in common" in refuse(2, "compare", scene, "--with", "moreau/1ms", "--steps", "3.3333ms", "--reference", "hem2/0.77777ms")
    assert "a file" in refuse(2, "compare", "-", "--with", "moreau")


def test_nothing_is_left_behind(folder):
    there = Path(folder) / "tmp"
    there.mkdir()
    scene = write(folder, FALL)
    succeed("compare", scene, "--with", "moreau,hem2", environment={"TMPDIR": str(there)})
    assert list(there.iterdir()) == []
    process = subprocess.Popen([BRISTLE, "compare", str(scene), "--with", "moreau", "--until", "1e6 s", "--every", "1e5 s"], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, env={**os.environ, "TMPDIR": str(there)})
    wait_until(lambda: any(there.iterdir()), process)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate()
    assert process.returncode == 130 and list(there.iterdir()) == [] and b"interrupted" in out


tap.run_tests(globals())
