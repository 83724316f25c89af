"""`bristle report` from outside: what the page holds against what was recorded, how much of it, verdicts, names that look
like HTML, files of strangers, files that are there. What browsers make of it: test_report_page.py."""
import json
import os
import random
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np

from outside import BRISTLE, ROOT, bristle, grows, refuse, succeed, wait_until
from report_page import read_page

sys.path.insert(0, str(ROOT / "scripts"))
import tap  # noqa: E402

PENDULUM = ROOT / "scenes/double-pendulum.yaml"
SINGLE = 2.0**-23  # numbers of the page have 24 bits
SLIDES = """bristle: 1
title: a block slides and stops
step: {dt: 1 ms, until: 0.5 s}
materials: {wood: {friction: {law: coulomb, mu: 0.4}}}
bodies:
  ground: {fixed: true, shapes: [{plane: {}, material: wood}]}
  block: {mass: 2, inertia: [0.01, 0.01, 0.01], pose: {position: [0, 0, 0.05]}, velocity: {linear: [1, 0, 0]},
          shapes: [{box: {size: [0.1, 0.1, 0.1]}, material: wood}]}
  lever: {mass: 1, inertia: [0.02, 0.02, 0.02], pose: {position: [0.5, 0, 1], rotate: [{y: 20 deg}]}}
joints: {pin: {revolute: [ground, lever], at: [0.2, 0, 1], axis: [0, 2, 0], limits: [-1 rad, '-']}}
record: {every: 1 ms}
"""


def record(folder, scene=SLIDES, name="out.h5", *options):
    (Path(folder) / "scene.yaml").write_text(scene)
    succeed("run", "scene.yaml", "-q", "--force", f"--output={name}", *options, cwd=folder)
    return Path(folder) / name


def report(folder, *words):
    """The recordings of the page, and what --json told of them."""
    told = json.loads(succeed("report", *words, "--force", "--json", cwd=folder).stdout)
    return read_page(Path(folder) / told["page"])["recordings"], told["recordings"]


# ---- What it holds

def rotations(turn):
    x, y, z, w = turn.reshape(-1, 4).astype(float).T
    return np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w),
                     2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w),
                     2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)], 1).reshape(-1, 3, 3)


def check_channels(page, file, rows):
    names = {channel["name"]: channel for channel in page["channels"]}
    found = []
    file.visititems(lambda name, item: found.append(name.replace("/", ".")) if isinstance(item, h5py.Dataset) else None)
    wanted = {name for name in found if not name.endswith(".rotation") and not name.startswith("contacts.")}
    assert names.keys() == wanted - {"time", "rows_written"}, names.keys() ^ wanted
    for name, channel in names.items():
        data = file[name.replace(".", "/")]
        assert (channel["unit"], channel["help"]) == (data.attrs["unit"], data.attrs["help"])
        values = data[:].reshape(len(data), channel["width"])
        assert np.array_equal(channel["data"].reshape(-1, channel["width"]), values[rows].astype(np.float32)), name
        for stats, column in zip(channel["stats"], values.T):
            assert (stats["min"], stats["max"]) == (column.min(), column.max()), name
            assert column[list(file["time"][:]).index(stats["max_at"])] == column.max(), name
            assert np.isclose(stats["rms"], np.sqrt((column**2).mean()), rtol=1e-12), name  # the order of a sum


def check_lines(page, file, rows):
    for kind in ("pairs", "places"):
        told, recorded = page["contacts"]["tables"][kind], file["contacts"][kind]
        lines = np.concatenate([np.arange(*recorded["start"][row:row + 2]) for row in rows]).astype(int)
        assert list(np.diff(told["start"].astype(int))) == [int(np.diff(recorded["start"][row:row + 2])[0]) for row in rows]
        names = file["contacts/bodies"].asstr()[:]
        pairs = [f"{names[a]}/{names[b]}" for a, b in zip(recorded["first"][:][lines], recorded["second"][:][lines])]
        assert [page["contacts"]["pairs"][pair]["name"] for pair in told["pair"]] == pairs
        if kind == "places":
            assert np.array_equal(told["number"], recorded["number"][:][lines])
        for column in told["columns"]:
            values = recorded[column["name"]][:][lines].reshape(len(lines), column["width"]).astype(np.float32)
            assert np.array_equal(column["data"].reshape(-1, column["width"]), values), column["name"]


def test_numbers(folder):
    """All that was recorded, to the last bit that a page keeps; of many rows every so many; and of a run that was killed."""
    path = record(folder)
    for options, stride in (([], 1), (["--rows", "101"], 5), (["--rows", "60"], 9)):
        (page,), (told,) = report(folder, "out.h5", *options)
        with h5py.File(path) as file:
            rows = sorted({*range(0, len(file["time"]), stride), len(file["time"]) - 1})
            assert page["rows"] | {"note": ""} == {"recorded": 501, "kept": len(rows), "stride": stride, "note": ""}
            assert np.array_equal(page["time"], file["time"][:][rows])
            check_channels(page, file, rows)
            check_lines(page, file, rows)
            for body in page["bodies"]:
                if body["orientation"] is None:
                    continue
                recorded = file[f"bodies/{body['name']}/rotation"][:][rows]
                assert abs(rotations(body["orientation"]) - recorded).max() < 8 * SINGLE  # sums of products of four
            about = {key: file.attrs[key] for key in ("bristle", "scene", "assignments")}
            assert {key: page[key] for key in about} == about and page["hash"] == file.attrs["state_hash"]
        assert page["verdict"]["level"] == told["verdict"] == "good" and bool(page["rows"]["note"]) == (stride > 1)


def test_parts(folder):
    """Shapes and joints stand where the scene has them: both bodies put a joint's point in the same place of the world."""
    record(folder)
    (page,), _ = report(folder, "out.h5")
    ground, block, lever = page["bodies"]
    assert [body["kind"] for body in page["bodies"]] == ["fixed", "dynamic", "dynamic"] and block["mass"] == 2
    assert block["shapes"][0] | {"rotation": 0} == {"kind": "box", "position": [0, 0, 0], "rotation": 0,
                                                    "size": [0.1, 0.1, 0.1], "material": "wood"}
    pin, = page["joints"]
    assert (pin["type"], pin["bodies"], pin["limits"], pin["coordinates"]) == ("revolute", [0, 2], [[-1, None]], ["angle"])
    places = [np.array(body["position"]) + rotations(np.array(body["rest"]))[0] @ np.array(at)
              for body, at in ((ground, pin["at_first"]), (lever, pin["at_second"]))]
    assert abs(places[0] - [0.2, 0, 1]).max() < 1e-15 and abs(places[1] - places[0]).max() < 1e-15  # m: rounding
    assert pin["axis_first"] == [0, 1, 0] and page["gravity"] == [0, 0, -9.81]


def test_all_shapes(folder):
    """Every kind of shape has what a page needs to draw it."""
    shapes = {kind["name"]: [p["key"] for p in kind["parameters"]] for kind in json.loads(succeed("shapes", "--json").stdout)}
    values = {"size": "[0.2, 0.3, 0.4]", "semi_axes": "[0.2, 0.3, 0.4]", "radius": "0.1", "length": "0.5", "ring_radius": "0.4",
              "coefficients": "[1, 1, 0, 0, 0, 0, 0, 0, 0, -0.01]"}
    points = {"extrusion": "[[0, 0], [1, 0], [1, 1], [0, 1]]", "revolution": "[[0.5, 0], [1, 0], [1, 1], [0.5, 1]]"}
    keys = {"semi_axes": "size", "coefficients": "quadric"}
    lines = ["bristle: 1", "step: {until: 2 ms}", "materials: {a: {friction: {law: coulomb, mu: 0.1}}}", "bodies:"]
    for kind, parameters in shapes.items():
        if kind == "function":
            continue
        said = ", ".join(f"{key}: {points[kind] if key == 'points' else values[key]}" for key in parameters)
        lines.append(f"  {kind}: {{fixed: true, shapes: [{{{kind}: {{{said}}}, material: a}}]}}")
    lines.append("  free: {mass: 1, inertia: [1, 1, 1], pose: {position: [0, 0, 50]}}")
    record(folder, "\n".join(lines) + "\n")
    (page,), _ = report(folder, "out.h5")
    for body in page["bodies"][:-1]:
        shape, = body["shapes"]
        assert shape["kind"] == body["name"] and {keys.get(key, key) for key in shapes[shape["kind"]]} <= shape.keys(), shape


def test_several(folder):
    record(folder)
    record(folder, PENDULUM.read_text(), "other.h5", "--until", "1 s")
    pages, told = report(folder, "out.h5", "other.h5", "-o", "both.html", "--title", "a <b> & c")
    assert [page["name"] for page in pages] == ["out.h5", "other.h5"] and len(told) == 2
    assert read_page(Path(folder) / "both.html")["title"] == "a <b> & c"


# ---- How much of it

def test_sizes(folder):
    """Smaller and smaller pages: first fewer contacts, then no accelerations, no velocities, fewer rows; never above the
    size, and the note says what brings all of it back."""
    path = record(folder)
    seen, form = [], Path(folder, "out.html")
    report(folder, "out.h5")
    whole, numbers = form.stat().st_size, len(read_page(form, raw=True)[1])
    for part in (0.99, 0.7, 0.5, 0.3, 0.2, 0.1, 0.05):
        size = max(0.01, part * numbers / 1e6)
        (page,), (told,) = report(folder, "out.h5", "--size", size)
        names = {channel["name"] for channel in page["channels"]}
        state = (-page["contacts"]["stride"] * page["rows"]["stride"], "bodies.block.acceleration" in names,
                 "bodies.block.velocity" in names, page["rows"]["kept"])
        assert len(read_page(form, raw=True)[1]) <= 1.01 * size * 1e6 + 4000  # arrays end on whole groups of letters
        assert form.stat().st_size < whole and "bodies.block.position" in names
        assert "--size" in page["rows"]["note"] and page["rows"]["note"] == told["note"]
        seen.append(state)
    assert all(a >= b for one, other in zip(seen, seen[1:]) for a, b in zip(one, other)), seen
    assert seen[0][1:] == (True, True, 501) and seen[-1][1:3] == (False, False) and seen[-1][3] < 501, seen
    words = seen and page["rows"]["note"].split(" shows all")[0].split("bristle report ")[1].split()
    (page,), _ = report(folder, "out.h5", *words)
    assert page["rows"]["kept"] == 501 and page["contacts"]["stride"] == 1 and page["rows"]["note"] == ""
    with h5py.File(path, "r+") as file:  # a single row as large as that
        for i in range(700):
            file[f"bodies/odd{i}/position"] = np.ones((len(file["time"]), 3))
    assert "raise --size" in refuse(1, "report", "out.h5", "--size", "0.01", "--force", cwd=folder)


# ---- Verdicts

def change(path, other, **datasets):
    shutil.copy(path, other)
    with h5py.File(other, "r+") as file:
        for name, value in datasets.items():
            file[name.replace("__", "/")][...] = value
    return other


def test_verdicts(folder):
    """A pure function of what was recorded: whatever is changed there is said."""
    path, rows = record(folder), 501
    late = np.where(np.arange(rows) > 100, 1.0, 0.0)
    cases = {"good": [{}],
             "doubt": [{"certificate__uncertified_steps": 3 * late}, {"certificate__reading": late},
                       {"certificate__fell_back": late}, {"certificate__position_residual": 1e-5 * late},
                       {"energy__defect": -0.05 * late}],
             "bad": [{"energy__defect": 5 * late}, {"energy__defect": late * np.nan},
                     {"certificate__velocity_residual": 1e-3 * late},
                     {"bodies__lever__velocity": np.where(late, np.inf, 0)[:, None] + [0, 1, 0]}]}
    words = ["3 steps stopped short", "In 400 of 501 rows", "before 400 of 501 rows", "open by up to 1e-05 m, at t = 0.101 s", "0.05 J"]
    for level, changes in cases.items():
        for i, datasets in enumerate(changes):
            name = change(path, Path(folder) / "changed.h5", **datasets).name
            (page,), (told,) = report(folder, name)
            lines = " ".join(line["text"] for line in page["verdict"]["lines"])
            assert page["verdict"]["level"] == level, (level, datasets, page["verdict"])
            assert level != "doubt" or words[i] in lines, (words[i], lines)
            worst = [line for line in page["verdict"]["lines"] if line["level"] == level]
            assert worst and (level == "good" or all(line["remedy"] for line in worst)), page["verdict"]
    (page,), _ = report(folder, "changed.h5")
    assert "'bodies.lever.velocity' is no finite number from t = 0.101 s on" in page["verdict"]["lines"][0]["text"]


def test_corrections_are_no_defect(folder):
    """What taking back overlaps put in is beside the defect, as for `run`."""
    path = record(folder)
    once = np.zeros(501)
    once[50] = 5
    after = np.where(np.arange(501) >= 50, 5.0, 0.0)
    change(path, Path(folder) / "changed.h5", energy__defect=after, certificate__corrected=once)
    assert report(folder, "changed.h5")[0][0]["verdict"]["level"] == "good"


def test_same_rule_as_run(folder):
    """A spring far too stiff for its step: the run fails, and its recording is bad, for the same numbers."""
    scene = """bristle: 1
gravity: [0, 0, 0]
bodies: {g: {fixed: true}, a: {mass: 1, inertia: [1, 1, 1]}}
springs: {s: {between: [g, a], stiffness: 100, free_length: 0.1, direction_at_zero: [1, 0, 0]}}
step: {dt: 100 ms, until: 20 s, scheme: hem2}
"""
    (Path(folder) / "scene.yaml").write_text(scene)
    done = bristle("run", "scene.yaml", "-o", "out.h5", "--json", cwd=folder)
    assert done.returncode == 1 and json.loads(done.stdout)["status"] == "failed", done.stdout + done.stderr
    (page,), _ = report(folder, "out.h5")
    assert page["verdict"]["level"] == "bad", page["verdict"]


def test_killed(folder):
    """The rows that are there, with what touched, of a run that goes on and of one that was killed."""
    (Path(folder) / "scene.yaml").write_text(SLIDES)
    process = subprocess.Popen([BRISTLE, "run", "scene.yaml", "-q", "-o", "out.h5", "--until", "100000 s"], cwd=folder)
    try:
        wait_until(grows(Path(folder) / "out.h5.contacts"), process)

        def has_rows():
            done = bristle("report", "out.h5", "--force", "--json", cwd=folder)
            return done.returncode == 0 and json.loads(done.stdout)["recordings"][0]["rows"] > 300
        wait_until(has_rows, process)
    finally:
        process.kill()
        process.wait()
    (page,), (told,) = report(folder, "out.h5")
    text = page["verdict"]["lines"][0]["text"]
    assert told["verdict"] == "doubt" and "never closed" in text and "of 100000 s" in text, text
    pairs = page["contacts"]["tables"]["pairs"]
    forces = next(column["data"] for column in pairs["columns"] if column["name"] == "normal_force")
    rows = np.repeat(np.arange(len(pairs["start"]) - 1), np.diff(pairs["start"].astype(int)))
    assert np.array_equal(rows, np.arange(page["rows"]["kept"])) and abs(forces - 2 * 9.81).max() < 1e-4  # N


def test_interrupted_run(folder):
    """One that was closed before its end says so."""
    (Path(folder) / "scene.yaml").write_text(SLIDES)
    process = subprocess.Popen([BRISTLE, "run", "scene.yaml", "-q", "-o", "out.h5", "--until", "100000 s"], cwd=folder)
    wait_until(grows(Path(folder) / "out.h5.contacts"), process)
    process.send_signal(signal.SIGINT)
    assert process.wait() == 130
    (page,), _ = report(folder, "out.h5")
    assert "interrupted" in page["verdict"]["lines"][0]["text"] and page["verdict"]["level"] == "doubt"


# ---- Where there is no scene, and CSV

def test_without_scene(folder):
    """Empty, unreadable, of another version, or another machine's: bodies stand there without shapes, and it is said why."""
    path = record(folder)
    scenes = {"": "holds no scene", "bristle: 99\n": "99", "[": "", PENDULUM.read_text(): "other bodies"}
    for scene, why in scenes.items():
        shutil.copy(path, Path(folder) / "other.h5")
        with h5py.File(Path(folder) / "other.h5", "r+") as file:
            file.attrs["scene"] = scene
        (page,), (told,) = report(folder, "other.h5")
        assert not told["shapes"] and why in told["why"] and told["why"] in page["rows"]["note"], (scene, told)
        assert sorted(body["name"] for body in page["bodies"]) == ["block", "ground", "lever"] and not page["joints"]
        assert not any(body["shapes"] for body in page["bodies"]) and page["gravity"] is None
        pair, = page["contacts"]["pairs"]
        assert [page["bodies"][pair[end]]["name"] for end in ("first", "second")] == ["block", "ground"]


def test_csv(folder):
    record(folder)
    record(folder, SLIDES, "out.csv")
    (page,), (told,) = report(folder, "out.csv")
    (other,), _ = report(folder, "out.h5", "-o", "other.html")
    assert not told["shapes"] and "no scene" in told["why"]
    names = {channel["name"]: channel for channel in page["channels"]}
    for channel in other["channels"]:
        name = channel["name"] if channel["name"] in names else channel["name"].split(".", 1)[1]
        assert np.array_equal(channel["data"], names[name]["data"]), name
    for body in page["bodies"]:
        twin = next(one for one in other["bodies"] if one["name"] == body["name"])
        assert body["position_channel"] == twin["position_channel"]
    for kind in ("pairs", "places"):
        ours, theirs = page["contacts"]["tables"][kind], other["contacts"]["tables"][kind]
        assert np.array_equal(ours["start"], theirs["start"])
        assert all(np.array_equal(a["data"], b["data"]) for a, b in zip(ours["columns"], theirs["columns"]))


# ---- Strangers

HTML = "<img src=x onerror=document.title=\"gone\"></script><script>alert(1)</script>"


def test_html_in_names(folder):
    """Whatever a file says stands in the page as data: nothing of it can end the script it is in."""
    scene = SLIDES.replace("title: a block", f"# {HTML} <!-- <script> \u2028 \u2029\ntitle: a block") \
        .replace("  block:", "  '<img src=x onerror=alert(1)>':")
    path = record(folder, scene)
    with h5py.File(path, "r+") as file:
        file["energy/kinetic"].attrs["help"] = HTML
        file.attrs["bristle"] = HTML
        file.attrs.create("assignments", b"\xff\xc0\x80\xed\xa0\x80\xf5ok\xc3\xa9", dtype=h5py.string_dtype("ascii"))
    form = (ROOT / "web/dist/index.html").read_text()
    done = bristle("report", "out.h5", "--title", HTML, "--force", "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    text = (Path(folder) / "out.html").read_text(encoding="utf-8", errors="strict")
    page = read_page(Path(folder) / "out.html")
    before, data, after = form.partition("<!--bristle:data-->")
    assert text.startswith(before) and text.endswith(after) and data
    inside = text[len(before):len(text) - len(after)]
    assert inside.count("<") == 4 and inside.count("</script>") == 2, "only the two scripts' own tags"
    assert "\u2028" not in inside and "\u2029" not in inside
    recording, = page["recordings"]
    assert page["title"] == HTML and recording["bristle"] == HTML and recording["scene"] == scene
    assert "<img src=x onerror=alert(1)>" in [body["name"] for body in recording["bodies"]]
    assert recording["assignments"].endswith("ok\u00e9") and set(recording["assignments"][:-3]) == {"\ufffd"}, recording["assignments"]


def test_foreign_files(folder):
    with h5py.File(Path(folder) / "foreign.h5", "w") as file:
        file["temperature"] = np.ones(5)
    with h5py.File(Path(folder) / "words.h5", "w") as file:
        file["time"] = [b"a", b"b"]
    with h5py.File(Path(folder) / "back.h5", "w") as file:
        file["time"] = [0.0, 2.0, 1.0]
    with h5py.File(Path(folder) / "none.h5", "w") as file:
        file["time"] = np.empty(0)
    with h5py.File(Path(folder) / "plain.h5", "w") as file:
        file["time"], file["room/temperature"] = np.arange(3.0), [20.0, 21.0, np.nan]
    Path(folder, "text.h5").write_text("this is no HDF5")
    Path(folder, "bad.csv").write_text("a,b\n1,2\n")
    for name, words in (("foreign.h5", "no recording"), ("words.h5", "no recording"), ("back.h5", "do not ascend"),
                        ("none.h5", "no row"), ("text.h5", "no HDF5 file"), ("bad.csv", "'time'"), ("nosuch.h5", "no such file"),
                        ("out.txt", "must end in")):
        assert words in refuse(1, "report", name, cwd=folder), name
    (page,), (told,) = report(folder, "plain.h5")
    assert told["verdict"] == "doubt" and [channel["name"] for channel in page["channels"]] == ["room.temperature"]
    assert page["channels"][0]["stats"][0]["max"] == 21 and np.isnan(page["channels"][0]["data"][2])
    assert sorted(os.listdir(folder)) == sorted(["foreign.h5", "words.h5", "back.h5", "none.h5", "plain.h5", "plain.html",
                                                 "text.h5", "bad.csv"])


def test_damaged_files(folder):
    """Cut and flipped at random: a page, or a sentence; never a crash, and never half a page."""
    whole = record(folder, SLIDES, "out.h5", "--until", "20 ms").read_bytes()
    draw = random.Random(1)
    path, counts = Path(folder) / "damaged.h5", [0, 0]
    for trial in range(1500 if os.environ.get("BRISTLE_CHECK") else 200):
        data = bytearray(whole)
        if trial % 3 == 0:
            data = data[:draw.randrange(len(data))]
        for _ in range(draw.choice((0, 1, 3, 40)) if trial % 3 == 0 else draw.choice((1, 5, 60, 600))):
            if data:
                data[draw.randrange(len(data))] = draw.randrange(256)
        path.write_bytes(data)
        done = bristle("report", "damaged.h5", "--force", cwd=folder)
        assert done.returncode in (0, 1), (trial, done.returncode, done.stderr)
        counts[done.returncode] += 1
        if done.returncode:
            assert done.stderr.count("\n") == 1 and "damaged.h5" in done.stderr, (trial, done.stderr)
            assert not path.with_suffix(".html").exists(), trial
        else:
            read_page(path.with_suffix(".html"))
            path.with_suffix(".html").unlink()
        assert sorted(os.listdir(folder)) == ["damaged.h5", "out.h5", "scene.yaml"], trial
    assert min(counts) > 10, counts  # both were seen


# ---- Files

def test_files_are_kept(folder):
    record(folder, SLIDES, "out.h5", "--until", "5 ms")
    succeed("report", "out.h5", cwd=folder)
    before = (Path(folder) / "out.html").read_bytes()
    assert "is there already and is kept" in refuse(2, "report", "out.h5", "--title", "other", cwd=folder)
    assert (Path(folder) / "out.html").read_bytes() == before
    assert "same file" in refuse(2, "report", "out.h5", "-o", "./out.h5", "--force", cwd=folder)
    succeed("report", "out.h5", "--force", cwd=folder)
    assert (Path(folder) / "out.html").read_bytes() == before  # the same bits of the same recording
    assert "cannot write" in refuse(1, "report", "out.h5", "-o", "no/such/folder.html", cwd=folder)
    for words in (["--rows", "1"], ["--rows", "many"], ["--size", "0"], ["--fps", "-1"], ["--size-px", "12"], []):
        refuse(2, "report", *(["out.h5", "-o", "x.html"] if words else []), *words, cwd=folder)
    assert sorted(os.listdir(folder)) == ["out.h5", "out.html", "scene.yaml"]


def test_open(folder):
    """By xdg-open, with a name that is no option; where there is none, a sentence."""
    record(folder, SLIDES, "-out.h5", "--until", "5 ms")
    viewer = Path(folder) / "xdg-open"
    viewer.write_text('#!/bin/sh\nprintf "%s" "$1" > opened.tmp; mv opened.tmp opened\n')
    viewer.chmod(0o755)
    succeed("report", "--open", "--", "-out.h5", cwd=folder, environment={"PATH": f"{folder}:{os.environ['PATH']}"})
    wait_until((Path(folder) / "opened").exists)
    assert (Path(folder) / "opened").read_text() == "./-out.html"


def test_interrupted(folder):
    """Ctrl-C, to all processes of it or to one, leaves no half page."""
    rows = 200000
    with h5py.File(Path(folder) / "long.h5", "w") as file:
        file["time"] = np.arange(rows) * 1e-3
        for i in range(120):
            file[f"bodies/b{i}/velocity"] = np.ones((rows, 3))
    for everyone in (True, False):
        process = subprocess.Popen([BRISTLE, "report", "long.h5", "--size", "1000", "--rows", str(rows)], cwd=folder,
                                   stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL, start_new_session=True)
        wait_until(lambda: any(".tmp" in name for name in os.listdir(folder)), process)
        os.killpg(process.pid, signal.SIGINT) if everyone else process.send_signal(signal.SIGINT)
        assert process.wait() == 130
        assert os.listdir(folder) == ["long.h5"]


tap.run_tests(globals())
