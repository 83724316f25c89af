"""Contacts by name from outside: recordings while they are made and after, JSON, CSV, plots, experiments."""
import csv
import json
import sys
from pathlib import Path

import h5py
import numpy as np

from outside import ROOT, bristle, refuse, succeed

sys.path.insert(0, str(ROOT / "scripts"))
import tap  # noqa: E402

G = 9.81
STACK = """bristle: 1
step: {dt: 1 ms, until: 100 ms, scheme: hem2}
materials: {stone: {friction: {law: coulomb, mu: 0.5}}}
bodies:
  ground: {fixed: true, shapes: [{plane: {normal: [0, 0, 1]}, material: stone}]}
  low: {mass: 4, inertia: [0.1, 0.1, 0.1], pose: {position: [0, 0, 0.25]}, shapes: [{box: {size: [0.5, 0.5, 0.5]}, material: stone}]}
  high: {mass: 2, inertia: [0.1, 0.1, 0.1], pose: {position: [0, 0, 0.75]}, shapes: [{box: {size: [0.5, 0.5, 0.5]}, material: stone}]}
record: {every: 10 ms}
"""


def write(folder, text=STACK):
    scene = Path(folder) / "scene.yaml"
    scene.write_text(text)
    return scene


def curves(recording, *channels):
    told = json.loads(succeed("plot", recording, *channels, "--json").stdout)["curves"]
    return [values for name, values in told.items() if not name.startswith("time")]


def test_json(folder):
    result = json.loads(succeed("run", write(folder), "--json").stdout)
    pairs = {"/".join(pair["bodies"]): pair for pair in result["pairs"]}
    assert set(pairs) == {"low/ground", "high/low"}, pairs.keys()
    for name, weight in (("low/ground", 6 * G), ("high/low", 2 * G)):
        pair, places = pairs[name], [c for c in result["contacts"] if "/".join(c["bodies"]) == name]
        assert abs(pair["force"][2] - weight) < 1e-8 and abs(pair["force_mean"][2] - weight) < 1e-8
        assert pair["places"] == len(places) == 4 and pair["mode"] == "stick"
        assert abs(sum(c["normal_force"] for c in places) - weight) < 1e-8
        assert all(abs(c["normal"][2] - 1) < 1e-12 for c in [pair, *places])  # to the first-named


def test_tables(folder):
    out = Path(folder) / "out.h5"
    succeed("run", write(folder), "-o", out, "-q")
    assert not Path(f"{out}.contacts").exists()
    with h5py.File(out) as file:
        names = [name.decode() for name in file["contacts/bodies"][:]]
        pairs, places = file["contacts/pairs"], file["contacts/places"]
        for row in range(11):
            mine = slice(*pairs["start"][row:row + 2])
            assert all(pairs["row"][mine] == row)
            told = {names[a] + "/" + names[b]: f[2] for a, b, f in zip(pairs["first"][mine], pairs["second"][mine], pairs["force"][mine])}
            assert abs(told["low/ground"] - 6 * G) < 1e-8 and abs(told["high/low"] - 2 * G) < 1e-8
            mine = slice(*places["start"][row:row + 2])
            assert sorted(zip(places["first"][mine], places["number"][mine])) == [(b, n) for b in (1, 2) for n in range(4)]
            assert abs(sum(places["normal_force"][mine]) - 8 * G) < 1e-8
        features = places["feature"][:].reshape(11, -1)
        assert np.all(features == features[0])  # who rests keeps its corners
        assert pairs["force"].attrs["unit"] == "N"


def test_plots_agree(folder):
    scene, told = write(folder), []
    for name in ("a.h5", "a.csv"):
        out = Path(folder) / name
        succeed("run", scene, "-o", out, "-q", "--force")
        told.append(curves(out, "contacts.high/low.force.z", "contacts.low/high.force.z", "low/ground.3.normal_force",
                           "contacts.low/ground.force.z + contacts.high/low.force.z"))
    assert told[0] == told[1] and len(told[0]) == 4
    force, reaction, _, both = told[0]
    assert all(abs(f - 2 * G) < 1e-8 and f == -r and abs(b - 8 * G) < 1e-8 for f, r, b in zip(force, reaction, both))
    out = Path(folder) / "a.csv"
    row = list(csv.DictReader(out.open()))[-1]
    assert abs(float(row["high/low.force.z[N]"]) - 2 * G) < 1e-8 and "high/low.0.normal_force[N]" in row
    text = refuse(1, "plot", out, "contacts.high/low.fource")
    assert 'did you mean "contacts.high/low.force"?' in text, text


def test_what_csv_leaves_out_is_said(folder):
    boxes = "".join(f"  b{i}: {{mass: 1, inertia: [0.1, 0.1, 0.1], pose: {{position: [{i}, 0, 0.25]}}, shapes: "
                    "[{box: {size: [0.5, 0.5, 0.5]}, material: stone}]}\n" for i in range(6))
    head, tail = STACK.split("  low:")[0], "record: {every: 10 ms}\n"
    scene = write(folder, head + boxes + tail)
    done = bristle("run", scene, "-o", Path(folder) / "many.csv", "-q")
    assert done.returncode == 0 and f"no columns for {6 * 5 * 11} readings of contacts" in done.stderr, done.stderr
    assert bristle("run", scene, "-o", Path(folder) / "many.h5", "-q").stderr == ""
    force, = curves(Path(folder) / "many.h5", "contacts.b5/ground.force.z")
    assert all(abs(f - G) < 1e-8 for f in force)


def test_a_resumed_run_goes_on(folder):
    scene, place = write(folder), Path(folder)
    succeed("run", scene, "--until", "50 ms", "--checkpoint", place / "c", "-q")
    succeed("run", scene, "--resume", place / "c", "-o", place / "second.h5", "-q")
    force, = curves(place / "second.h5", "contacts.high/low.force.z")
    assert len(force) == 6 and all(abs(f - 2 * G) < 1e-8 for f in force)


def test_experiments_ask_by_name(folder):
    """Also of a pair that never touches, which is 0."""
    place = Path(folder) / "trial"
    place.mkdir()
    write(place)
    (place / "experiment.yaml").write_text(
        "experiment: trial\nscene: scene.yaml\nmetrics:\n"
        f"  weight: {{channel: contacts.high/low.force.z, expect: {2 * G}, tolerance: 1e-8, source: its weight}}\n"
        f"  reaction: {{channel: contacts.low/high.force.z, expect: {-2 * G}, tolerance: 1e-8, source: the same}}\n"
        "  never: {channel: contacts.high/ground.normal_force, expect: 0, tolerance: 0, source: low is between}\n"
        f"  places: {{channel: contacts.low/ground.0.normal_force + contacts.low/ground.1.normal_force + contacts.low/ground.2.normal_force"
        f" + contacts.low/ground.3.normal_force, expect: {6 * G}, tolerance: 1e-8, source: their weight}}\n")
    succeed("reproduce", place)
    (place / "experiment.yaml").write_text(
        "experiment: trial\nscene: scene.yaml\nmetrics: {x: {channel: contacts.0.normal_force}}\n")
    done = bristle("reproduce", place)
    assert done.returncode == 1 and "contacts have the names of two bodies that may touch" in done.stdout + done.stderr


tap.run_tests(globals())
