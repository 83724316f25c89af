"""The page of `bristle report` in a browser (Debian's Chromium, playwright-core from npm): five runs are opened, scrubbed, played
and pointed at; what the page says and draws is compared with the recording. Pictures of all stay in build/report-page.

Skipped, with the reason, where there is no Node, no Chromium, or npm cannot reach its packages.
"""
import json
import os
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np

from outside import BRISTLE, HANGS, ROOT, bristle, grows, refuse, succeed, wait_until
from report_page import read_page
from web_packages import CHROMIUM, prepare, run_npm

sys.path.insert(0, str(ROOT / "scripts"))
import tap  # noqa: E402

PLACE = ROOT / "build/report-page"
ASIDE = 0.08  # of a body's width: what is nearer is larger, so that its centre is not in the middle of its picture
HTML = '<img src=x onerror=alert(1)>'
HEAP = """bristle: 1
title: a thousand balls fall into a heap
step: {dt: 2 ms, until: 60 ms}
materials: {glass: {friction: {law: coulomb, mu: 0.4}, density: 2500}}
bodies:
  floor: {fixed: true, shapes: [{plane: {}, material: glass}]}
  ball_{i}_{j}_{k}:
    repeat: {i: 0:9, j: 0:9, k: 0:9}
    pose: {position: ["0.105*i + 0.004*sin(7*k)", "0.105*j + 0.004*cos(5*k)", "0.0501 + 0.105*k"]}
    shapes: [{sphere: {radius: 0.05}, material: glass}]
record: {every: 4 ms}
"""
SLIDES = f"""bristle: 1
title: "{HTML}"   # {HTML}
step: {{dt: 1 ms, until: 100000 s}}
materials: {{wood: {{friction: {{law: coulomb, mu: 0.4}}}}}}
bodies:
  ground: {{fixed: true, shapes: [{{plane: {{}}, material: wood}}]}}
  '{HTML}': {{mass: 2, inertia: [0.01, 0.01, 0.01], pose: {{position: [0, 0, 0.05]}}, velocity: {{linear: [1, 0, 0]}},
      shapes: [{{box: {{size: [0.1, 0.1, 0.1]}}, material: wood}}]}}
record: {{every: 1 ms}}
"""


def visit(pages):
    told = subprocess.run(["node", "test/browser.js"], cwd=PLACE / "web", stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          input=json.dumps({"chromium": CHROMIUM, "folder": str(PLACE), "pages": pages}), timeout=HANGS)
    assert told.returncode == 0, told.stderr
    (PLACE / "seen.json").write_text(told.stdout)
    return {page["name"]: page for page in json.loads(told.stdout)}


# ---- The runs

def kill(folder, name):
    (Path(folder) / "slides.yaml").write_text(SLIDES)
    process = subprocess.Popen([BRISTLE, "run", "slides.yaml", "-q", "-o", name], cwd=folder)
    try:
        wait_until(grows(Path(folder) / f"{name}.contacts"), process)

        def has_rows():
            with h5py.File(Path(folder) / name, locking=False) as file:
                return int(file["rows_written"][()]) > 400
        wait_until(has_rows, process)
    finally:
        process.kill()
        process.wait()


def make_runs(folder):
    """Name, recording, what is plotted, whose pixels are looked at."""
    (Path(folder) / "heap.yaml").write_text(HEAP)
    runs = [("wheel", ROOT / "experiments/peiret2016-wheel/scene.yaml", []),
            ("arm", ROOT / "scenes/arm.yaml", ["--until", "2.5 s", "--times"]),
            ("pendulum", ROOT / "experiments/gonthier2004-double-pendulum/scene.yaml", []),
            ("heap", "heap.yaml", [])]
    for name, scene, options in runs:
        succeed("run", scene, "-q", "-o", f"{name}.h5", *options, cwd=folder)
    kill(folder, "killed.h5")
    bodies = {"wheel": "wheel", "arm": "upper", "pendulum": None, "heap": "ball_9_0_9", "killed": HTML}
    pages = []
    for name, body in bodies.items():
        path = Path(folder) / f"{name}.h5"
        (PLACE / f"{name}.html").unlink(missing_ok=True)
        succeed("report", path.name, "-o", PLACE / f"{name}.html", *(["--title", HTML] if name == "killed" else []), cwd=folder)
        page = read_page(PLACE / f"{name}.html")["recordings"][0]
        moving = next(one["name"] for one in page["bodies"] if one["position_channel"])
        rows = [0, len(page["time"]) // 3, len(page["time"]) - 1]
        pages.append({"file": str(PLACE / f"{name}.html"), "name": name, "body": body or moving, "times": [page["time"][row] for row in rows],
                      "channels": [f"bodies.{body or moving}.position", "energy.kinetic"]})
    return pages


# ---- What is asked of every page

def value_of(file, name, time):
    """Of a curve of the page, "bodies.b.position.x", in the row of a time."""
    row = int(abs(file["time"][:int(file["rows_written"][()])] - time).argmin())
    words = name.split(".")
    part = "xyz".index(words.pop()) if words[-1] in ("x", "y", "z") else None
    data = file["/".join(words)]
    return np.float32(data[row] if part is None else data[row, part])


def check_values(page, file):
    for shown in page["scrubbed"]:
        assert shown["time"] == shown["asked"], shown
        assert len(shown["values"]) == 4 and all(value["time"] == shown["time"] for value in shown["values"]), shown
    for shown in page["scrubbed"] + [page["pointed"]]:
        for value in shown["values"]:
            assert np.float32(value["value"]) == value_of(file, value["name"], value["time"]), value
    numbers = [float(line.split("\t")[1].split()[0].replace("\u2212", "-")) for table in page["pointed"]["legend"] for line in table.splitlines() if "\t" in line]
    for number, value in zip(numbers, page["pointed"]["values"]):
        assert abs(number - value["value"]) <= 1e-5 * abs(value["value"]) + 1e-12, page["pointed"]  # six digits stand there
    assert len(numbers) == 4, page["pointed"]


def project(camera, point):
    """A point of the world in pixels of the picture, by the matrices that it was drawn with (columns one after the other)."""
    view, projection = (np.array(camera[key]).reshape(4, 4).T for key in ("view", "projection"))
    x, y, _, w = projection @ view @ [*point, 1]
    return np.array([(x / w + 1) / 2 * camera["width"], (1 - y / w) / 2 * camera["height"]])


def check_pixels(page, file, body):
    """The centre of mass, by the recording, lies among the pixels that are the body's, and in their middle."""
    for drawn in page["drawn"]:
        row = int(abs(file["time"][:int(file["rows_written"][()])] - drawn["time"]).argmin())
        place = project(drawn["camera"], file[f"bodies/{body}/position"][row])
        pixels = np.array(drawn["pixels"]).reshape(-1, 2)
        left, right, top, bottom = drawn["box"]
        assert len(pixels) > 3, (page["name"], drawn["time"])
        assert np.hypot(*(pixels - place).T).min() < 2, (page["name"], drawn["time"], place, drawn["box"])  # px: edges are smoothed
        assert abs(place[0] - (left + right) / 2) <= ASIDE * (right - left) + 2, (page["name"], drawn["time"], place, drawn["box"])
        assert abs(place[1] - (top + bottom) / 2) <= ASIDE * (bottom - top) + 2, (page["name"], drawn["time"], place, drawn["box"])


def check_use(page, first, last, step):
    played, keys = page["played"], page["keys"]
    assert played["playing"] and played["moved"] > 0 and played["stands"] and not played["over"], played
    assert (keys["end"], keys["home"], keys["back"]) == (last, first, first) and keys["next"] == step, keys
    assert keys["themes"] == ["light", "dark"] and (keys["helped"], keys["closed"]) == (1, 0) and keys["reached"] > 8, keys


def check_page(page, file, told):
    name = page["name"]
    assert not page["errors"], (name, page["errors"])
    assert not page["requests"] and not page["dialogs"], (name, page["requests"], page["dialogs"])
    assert page["images"] == 0 and page["sections"] >= 4 and not page["nameless"], (name, page["nameless"])
    assert not page["poor"]["light"] and not page["poor"]["dark"], (name, page["poor"])
    assert page["wide"] <= 390, (name, page["wide"])
    check_values(page, file)
    time = told["time"]
    check_use(page, time[0], time[-1], time[1])


def test_pages(folder):
    missing = prepare(PLACE) or (None if CHROMIUM else "there is no Chromium here")
    if missing:
        tap.skip("pages in a browser", missing)
        return
    tasks = make_runs(folder)
    pages = visit(tasks)
    for task in tasks:
        page, told = pages[task["name"]], read_page(Path(task["file"]))["recordings"][0]
        with h5py.File(Path(folder) / f"{task['name']}.h5", locking=False) as file:
            check_page(page, file, told)
            check_pixels(page, file, task["body"])
        verdict = told["verdict"]
        assert verdict["title"] in page["text"], page["text"]
    assert pages["killed"]["title"] == HTML and HTML in pages["killed"]["text"]  # as text, and nothing came of it
    print("# loaded in", ", ".join(f"{page['name']} {page['seconds']:.1f} s" for page in pages.values()))


def test_work_of_loading(folder):
    """10 s of 20 bodies: how large a page that is, and how much of it is decoded before anybody asks for more."""
    (Path(folder) / "balls.yaml").write_text(HEAP.replace("{i: 0:9, j: 0:9, k: 0:9}", "{i: 0:4, j: 0:3, k: 0:0}")
                                             .replace("until: 60 ms", "until: 10 s").replace("every: 4 ms", "every: 10 ms"))
    succeed("run", "balls.yaml", "-q", "-o", "balls.h5", cwd=folder)
    succeed("report", "balls.h5", cwd=folder)
    form, size = (ROOT / "web/dist/index.html").stat().st_size, (Path(folder) / "balls.html").stat().st_size
    letters = len(read_page(Path(folder) / "balls.html", raw=True)[1])
    assert form < 3e6 and size - letters < 3e6, (form, size, letters)
    missing = prepare(PLACE) or (None if CHROMIUM else "there is no Chromium here")
    if missing:
        tap.skip("what a page decodes", missing)
        return
    page = visit([{"file": str(Path(folder) / "balls.html"), "name": "balls", "body": None, "times": [0, 5], "channels": ["energy.kinetic"]}])["balls"]
    decoded, all_letters = page["letters"]
    assert all_letters == letters and decoded < 0.8 * letters, page["letters"]  # poses and contacts; other channels wait
    print(f"# 20 bodies, 10 s: {size / 1e6:.1f} MB, loaded in {page['seconds']:.1f} s, {100 * decoded / letters:.0f} % decoded")


def test_frames(folder):
    """Pictures for a video, one a moment, of the size that was asked for; what was there is kept."""
    succeed("run", ROOT / "scenes/double-pendulum.yaml", "-q", "--until", "1 s", "-o", "swing.h5", cwd=folder)
    lonely = {"PATH": folder}
    assert "there is no Chromium here" in refuse_late(folder, lonely)
    if not CHROMIUM:
        tap.skip("frames", "there is no Chromium here")
        return
    done = succeed("report", "swing.h5", "--frames", "frames", "--fps", "5", "--size-px", "320x200", "--force", cwd=folder)
    names = sorted(os.listdir(Path(folder) / "frames"))
    assert names == [f"frame-{number:05d}.png" for number in range(1, 7)] and "ffmpeg -framerate 5" in done.stdout, (names, done.stdout)
    pictures = [(Path(folder) / "frames" / name).read_bytes() for name in names]
    for data in pictures:
        assert data[:8] == b"\x89PNG\r\n\x1a\n" and data[16:24] == (320).to_bytes(4, "big") + (200).to_bytes(4, "big")
        assert data.endswith(b"IEND\xaeB`\x82")
    assert len(set(pictures)) == 6  # it moves
    assert "is kept" in refuse(2, "report", "swing.h5", "-o", "other.html", "--frames", "frames", cwd=folder)
    succeed("report", "swing.h5", "--frames", "frames", "--fps", "2", "--size-px", "320x200", "--force", cwd=folder)
    assert len(os.listdir(Path(folder) / "frames")) == 3
    (Path(folder) / "deaf").write_text("#!/bin/sh\nexit 0\n")
    os.chmod(Path(folder) / "deaf", 0o755)
    message = refuse_late(folder, {"BRISTLE_CHROMIUM": f"{folder}/deaf"})
    assert "no frames: the browser" in message, message


def refuse_late(folder, environment):
    """The page was written, and the frames are refused by one sentence."""
    done = bristle("report", "swing.h5", "--force", "--frames", "none", cwd=folder, environment=environment)
    assert done.returncode == 1 and done.stderr.count("\n") == 1, done.stderr
    return done.stderr


def test_form_is_built_from_web(folder):
    """What is in the tree, and in the binary, is what web/ gives."""
    missing = prepare(PLACE)
    if missing:
        tap.skip("the form built again", missing)
        return
    built = run_npm(PLACE, "run", "build")
    assert built.returncode == 0, built.stdout
    same = (PLACE / "web/dist/index.html").read_bytes() == (ROOT / "web/dist/index.html").read_bytes()
    assert same, "web/dist/index.html is not what 'cd web && npm ci && npm run build' gives; build it again and commit it"


tap.run_tests(globals())
