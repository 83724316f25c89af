"""`bristle plot` from outside: SVG, terminal, lists, expressions, both formats, refusals."""
import json
import math
import os
import pty
import random
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import h5py

from outside import BRISTLE, ROOT, bristle, refuse, succeed, wait_until

sys.path.insert(0, str(ROOT / "scripts"))
import tap  # noqa: E402

PENDULUM = str(ROOT / "scenes/double-pendulum.yaml")
SVG = "{http://www.w3.org/2000/svg}"


def record(folder, *options):
    for name in ("out.h5", "out.csv"):
        succeed("run", PENDULUM, "-o", name, "--force", "-q", *(options or ["--until", "2 s"]), cwd=folder)


def read_svg(path):
    """The texts and the curves' points."""
    root = ElementTree.parse(path).getroot()
    texts = ["".join(item.itertext()) for item in root.iter(f"{SVG}text")]
    curves = [re.findall(r"[ML](-?[\d.]+) (-?[\d.]+)", item.get("d")) for item in root.iter(f"{SVG}path")
              if "curve" in item.get("class", "") and "L" in item.get("d")]
    return texts, [[(float(x), float(y)) for x, y in curve] for curve in curves]


def test_svg(folder):
    record(folder)
    for name in ("out.h5", "out.csv"):
        done = succeed("plot", name, "bodies.upper.position.z", "-o", "fig.svg", "--force", "--title", 'a "b" <c> & d', cwd=folder)
        assert done.stdout == done.stderr == ""
        texts, curves = read_svg(Path(folder) / "fig.svg")
        assert {'a "b" <c> & d', "time [s]", "bodies.upper.position.z [m]", "0.0", "2.0"} <= set(texts), texts
        assert len(curves) == 1 and len(curves[0]) == 201
        assert all(0 < x < 720 and 0 < y < 420 for x, y in curves[0])
        assert [x for x, _ in curves[0]] == sorted(x for x, _ in curves[0])
        source = (Path(folder) / "fig.svg").read_text()
        assert "prefers-color-scheme: dark" in source and not re.search(r"href|url\(|@import", source)


def test_curve_is_right(folder):
    """The picture's heights are the numbers, to the tenth of a pixel it is drawn with."""
    record(folder)
    succeed("plot", "out.h5", "bodies.upper.position.z", "-o", "fig.svg", "--force", cwd=folder)
    _, ((*points,),) = read_svg(Path(folder) / "fig.svg")
    with h5py.File(Path(folder) / "out.h5") as file:
        values = file["bodies/upper/position"][:, 2]
    low, high = values.argmin(), values.argmax()
    scale = (points[low][1] - points[high][1]) / (values[high] - values[low])
    worst = max(abs(points[high][1] + scale * (values[high] - value) - y) for value, (_, y) in zip(values, points))
    assert worst < 0.2, worst


def test_vectors_and_units(folder):
    record(folder)
    succeed("plot", "out.h5", "upper.position", "-o", "fig.svg", "--force", cwd=folder)
    texts, curves = read_svg(Path(folder) / "fig.svg")
    assert {"upper.position.x", "upper.position.y", "upper.position.z", "[m]"} <= set(texts) and len(curves) == 3
    succeed("plot", "out.h5", "upper.position.x", "energy.kinetic", "-o", "fig.svg", "--force", cwd=folder)
    texts, _ = read_svg(Path(folder) / "fig.svg")
    assert {"upper.position.x [m]", "energy.kinetic [J]"} <= set(texts), texts
    succeed("plot", "out.h5", "lower.position.z", "--x", "lower.position.x", "-o", "fig.svg", "--force", cwd=folder)
    assert "lower.position.x [m]" in read_svg(Path(folder) / "fig.svg")[0]
    assert "is a rotation" in refuse(1, "plot", "out.h5", "upper.rotation", cwd=folder)
    succeed("plot", "out.h5", "upper.rotation.xz", "bodies/upper/position", cwd=folder)


def test_expressions(folder):
    record(folder)
    for name in ("out.h5", "out.csv"):
        result = json.loads(succeed("plot", name, "energy.kinetic + energy.potential", "norm(lower.velocity)", "time",
                                    "--json", cwd=folder).stdout)
        total, speed = result["curves"]["energy.kinetic + energy.potential [J]"], result["curves"]["norm(lower.velocity) [m/s]"]
        assert result["rows"] == 201 and len(total) == 201 and max(map(abs, total)) < 0.01 and min(speed) == 0
        assert math.isclose(result["curves"]["time [s]"][-1], 2)


def test_list(folder):
    record(folder, "--until", "10 ms")
    text = succeed("plot", "out.h5", "--list", cwd=folder).stdout
    assert re.search(r"^bodies\.upper\.position +m +x y z +centre of mass, world axes$", text, re.MULTILINE), text
    listed = json.loads(succeed("plot", "out.h5", "--list", "--json", cwd=folder).stdout)
    with h5py.File(Path(folder) / "out.h5") as file:
        found = []
        file.visititems(lambda name, item: found.append(name) if isinstance(item, h5py.Dataset) else None)
    assert sorted(channel["name"].replace(".", "/") for channel in listed["channels"]) == \
        sorted(name for name in found if name != "rows_written")
    other = json.loads(succeed("plot", "out.csv", "--list", "--json", cwd=folder).stdout)
    assert len(other["channels"]) == len(listed["channels"]) and other["rows"] == listed["rows"] == 2


def test_terminal(folder):
    record(folder)
    plain = succeed("plot", "out.h5", "upper.position.z", "lower.position.z", cwd=folder,
                    environment={"LC_ALL": "C", "COLUMNS": "60"}).stdout
    assert plain.isascii() and "*" in plain and "+" in plain and "\033" not in plain
    assert max(map(len, plain.splitlines())) <= 60 and "time [s]" in plain
    braille = succeed("plot", "out.h5", "upper.position.z", cwd=folder,
                      environment={"LC_ALL": "C.UTF-8", "COLUMNS": "100"}).stdout
    assert any(0x2800 < ord(c) <= 0x28FF for c in braille) and 90 < max(map(len, braille.splitlines())) <= 100
    ours, theirs = pty.openpty()
    process = subprocess.Popen([BRISTLE, "plot", "out.h5", "upper.position.z", "lower.position.z"], cwd=folder,
                               stdout=theirs, env={**os.environ, "LC_ALL": "C.UTF-8", "COLUMNS": "70"})
    os.close(theirs)
    seen = b""
    while True:
        try:
            piece = os.read(ours, 4096)
        except OSError:
            break
        if not piece:
            break
        seen += piece
    os.close(ours)
    assert process.wait() == 0 and b"\033[34m" in seen and b"\033[33m" in seen  # colours, on a terminal only


def test_log_and_odd_data(folder):
    (Path(folder) / "odd.csv").write_text("time[s],a[m],b,c\n0,1,nan,5\n1,10,inf,5\n2,1000,-1,5\n3,-1,nan,5\n")
    succeed("plot", "odd.csv", "a", "--log", "y", "-o", "fig.svg", "--force", cwd=folder)
    texts, curves = read_svg(Path(folder) / "fig.svg")
    assert {"1", "10", "100", "1000"} <= set(texts) and len(curves[0]) == 3  # what has no logarithm is left out
    heights = [y for _, y in curves[0]]
    assert abs((heights[0] - heights[1]) * 2 - (heights[1] - heights[2])) < 0.3
    for channel in ("b", "c"):  # one finite point; a constant
        succeed("plot", "odd.csv", channel, "-o", "fig.svg", "--force", cwd=folder)
        succeed("plot", "odd.csv", channel, cwd=folder)
    succeed("plot", "odd.csv", "b", "--log", "y", cwd=folder)
    (Path(folder) / "empty.csv").write_text("time[s],a[m]\n")
    assert "nothing to draw" in succeed("plot", "empty.csv", "a", cwd=folder).stdout


def test_panels(folder):
    """A panel per unit over the same time, in the order in which units come; each curve lies within its own."""
    record(folder)
    succeed("plot", "out.h5", "upper.position.z", "energy.kinetic", "lower.position.z", "-o", "fig.svg", "--force", cwd=folder)
    texts, curves = read_svg(Path(folder) / "fig.svg")
    assert "[m]" in texts and "energy.kinetic [J]" in texts and texts.count("time [s]") == 1, texts
    heights = [(min(y for _, y in curve), max(y for _, y in curve)) for curve in curves]
    assert len(curves) == 3 and max(heights[0][1], heights[1][1]) < heights[2][0], heights
    assert [x for x, _ in curves[0]] == [x for x, _ in curves[2]]
    text = succeed("plot", "out.h5", "upper.position.z", "energy.kinetic", cwd=folder).stdout
    assert "upper.position.z [m]" in text and "energy.kinetic [J]" in text
    succeed("plot", "out.h5", "bodies.upper.position.z", "energy.kinetic", "-o", "fig.svg", "--force", cwd=folder)
    texts, _ = read_svg(Path(folder) / "fig.svg")  # no room for it beside its panel
    assert {"[m]", "bodies.upper.position.z", "energy.kinetic [J]"} <= set(texts), texts
    assert "several units" in refuse(1, "plot", "out.h5", "upper.position.z", "energy.kinetic", "--y-range", "0:1", cwd=folder)


def test_overlay(folder):
    """Several recordings, of as many rows as they have, each with its own times."""
    record(folder)
    succeed("run", PENDULUM, "-o", "short.h5", "--force", "-q", "--until", "1 s", cwd=folder)
    succeed("plot", "out.h5", "short.h5", "out.csv", "upper.position.z", "-o", "fig.svg", "--force", cwd=folder)
    texts, (whole, half, table) = read_svg(Path(folder) / "fig.svg")
    assert {"out.h5: upper.position.z", "short.h5: upper.position.z", "out.csv: upper.position.z"} <= set(texts), texts
    assert (len(whole), len(half), len(table)) == (201, 101, 201) and whole[:101] == half and whole == table
    both = json.loads(succeed("plot", "out.h5", "short.h5", "time", "--json", cwd=folder).stdout)
    assert [(one["file"], one["rows"]) for one in both] == [("out.h5", 201), ("short.h5", 101)]
    assert "none.h5" in refuse(1, "plot", "out.h5", "none.h5", "time", cwd=folder)


def test_ranges(folder):
    """What a range cuts off changes neither the scale of the rest nor what lies within."""
    (Path(folder) / "line.csv").write_text("time[s],a[m],b[m]\n" + "".join(f"{i},{3 * i},{1e9 * i}\n" for i in range(11)))
    succeed("plot", "line.csv", "a", "--x-range", "2:4", "-o", "fig.svg", "--force", cwd=folder)
    texts, (curve,) = read_svg(Path(folder) / "fig.svg")
    assert {"2.0", "4.0", "6", "12"} <= set(texts) and len(curve) == 11, texts  # upwards what x shows
    (x2, y2), (x4, y4) = curve[2], curve[4]
    slopes = {round((y - y2) / (x - x2), 2) for x, y in curve if x != x2}
    assert x4 > x2 and y4 < y2 and max(slopes) - min(slopes) < 0.02, slopes
    succeed("plot", "line.csv", "a", "--y-range", "-5:50", "--x-range", "-1:20", "-o", "fig.svg", "--force", cwd=folder)
    _, (curve,) = read_svg(Path(folder) / "fig.svg")
    assert all(60 < x < 702 and 24 < y < 368 for x, y in curve)
    succeed("plot", "line.csv", "b", "--y-range", "0:1", cwd=folder)  # far outside: a line straight up
    succeed("plot", "line.csv", "b", "--y-range", "0:1", "-o", "fig.svg", "--force", cwd=folder)
    for bad in ("1", "2:1", "1:1", "a:2", "1:2:3", "", ":", "nan:1", "0:inf"):
        assert "takes two numbers" in refuse(2, "plot", "line.csv", "a", "--x-range", bad, cwd=folder)
    assert "above 0" in refuse(2, "plot", "line.csv", "a", "--log", "y", "--y-range", "0:1", cwd=folder)


def test_equal(folder):
    """A circle is round."""
    rows = "".join(f"{i},{0.3 * math.cos(i / 10)},{0.3 * math.sin(i / 10)}\n" for i in range(63))
    (Path(folder) / "ring.csv").write_text("time[s],a[m],b[m]\n" + rows)
    succeed("plot", "ring.csv", "b", "--x", "a", "--equal", "-o", "fig.svg", "--force", cwd=folder)
    _, (ring,) = read_svg(Path(folder) / "fig.svg")
    wide, high = (max(p[k] for p in ring) - min(p[k] for p in ring) for k in (0, 1))
    assert abs(wide - high) < 0.4, (wide, high)
    assert "one unit" in refuse(1, "plot", "ring.csv", "b", "--equal", cwd=folder)
    assert "not with --log" in refuse(2, "plot", "ring.csv", "b", "--equal", "--log", "x", cwd=folder)


def test_engineers_numbers(folder):
    """Exponents of three where numbers are large or small."""
    for size, expected in ((1, "0.8"), (5e4, "40e3"), (2e-7, "150e-9"), (3e6, "2.0e6"), (4e-3, "4e-3")):
        (Path(folder) / "a.csv").write_text("time[s],a[N]\n0,0\n1,%r\n" % size)
        succeed("plot", "a.csv", "a", "-o", "fig.svg", "--force", cwd=folder)
        texts, _ = read_svg(Path(folder) / "fig.svg")
        assert expected in texts, (size, texts)


def test_long_recording(folder):
    """Long curves are thinned to what a picture can show, and keep their extremes."""
    rows = "".join(f"{i},{math.sin(i / 50)}\n" for i in range(100000)) + "100000,7\n" + "100001,0\n"
    (Path(folder) / "long.csv").write_text("time[s],a[m]\n" + rows)
    succeed("plot", "long.csv", "a", "-o", "fig.svg", "--force", cwd=folder)
    assert (Path(folder) / "fig.svg").stat().st_size < 60000
    _, curves = read_svg(Path(folder) / "fig.svg")
    assert min(y for _, y in curves[0]) < 110  # the one row at 7


def test_killed_run(folder):
    """A recording is read as far as it goes."""
    process = subprocess.Popen([BRISTLE, "run", PENDULUM, "--until", "1 h", "-o", "out.h5", "-q"], cwd=folder)
    wait_until((Path(folder) / "out.h5").exists, process)
    listed = {"rows": 0}
    while listed["rows"] == 0:  # while it is written
        assert process.poll() is None
        listed = json.loads(succeed("plot", "out.h5", "--list", "--json", cwd=folder).stdout)
    process.kill()
    process.wait()
    result = json.loads(succeed("plot", "out.h5", "time", "--json", cwd=folder).stdout)
    moments = result["curves"]["time [s]"]
    assert len(moments) >= listed["rows"] and None not in moments and moments == sorted(moments)


def test_damaged_recordings(folder):
    """Whatever bytes are changed, the command ends by itself with 0 or 1, and with 1 it says why."""
    folder = Path(folder)
    succeed("run", PENDULUM, "-o", "good.h5", "-q", "--until", "200 ms", cwd=folder)
    good = (folder / "good.h5").read_bytes()
    heap = good.index(b"GCOL")  # texts of units and helps: their lengths lead the HDF5 library astray
    damaged = [good[:heap + 16] + b"\xff" * length + good[heap + 16 + length:] for length in (8, 16, 64)]
    damaged += [good[:len(good) * part // 8] for part in range(8)]
    luck = random.Random(8)
    for _ in range(300 if os.environ.get("BRISTLE_CHECK") else 15):
        bad = bytearray(good)
        for _ in range(luck.choice([1, 4, 16, 64])):
            bad[luck.randrange(len(bad))] = luck.randrange(256)
        start, length = luck.randrange(len(bad)), luck.choice([0, 8, 64, 512])
        bad[start:start + length] = luck.choice([b"\0", b"\xff"]) * len(bad[start:start + length])
        damaged.append(bytes(bad))
    broken = 0
    for number, bad in enumerate(damaged):
        (folder / "bad.h5").write_bytes(bad)
        for words in (["--list"], ["upper.position", "-o", "fig.svg", "--force"]):
            done = bristle("plot", "bad.h5", *words, cwd=folder)
            assert done.returncode in (0, 1), f"number {number}: exit code {done.returncode}"
            assert done.returncode == 0 or done.stderr.strip(), f"number {number} says nothing"
            broken += done.returncode
    assert broken > len(damaged) // 8
    done = bristle("plot", "bad.h5", "--list", "--json", cwd=folder)
    assert done.returncode == 0 or json.loads(done.stdout)["status"] == "failed"


def test_help(folder):
    for word in ("--help", "-h"):
        done = bristle("plot", word)
        assert done.returncode == 0 and done.stderr == "" and done.stdout.startswith("Usage: bristle plot")
        assert all(option in done.stdout for option in ["--output", "-o", "--x", "--x-range", "--y-range", "--equal", "--title", "--log",
                                                           "--list", "--json"])
        assert all(len(line) <= 120 for line in done.stdout.splitlines())


def test_wrong_use(folder):
    record(folder, "--until", "10 ms")
    assert "which recording?" in refuse(2, "plot")
    assert "which channel?" in refuse(2, "plot", "out.h5", cwd=folder)
    assert "must end in .svg" in refuse(2, "plot", "out.h5", "time", "-o", "fig.png", cwd=folder)
    assert "--log takes" in refuse(2, "plot", "out.h5", "time", "--log", "z", cwd=folder)
    assert 'did you mean "bodies.upper.position"' in refuse(1, "plot", "out.h5", "bodies.upper.positoin", cwd=folder)
    assert "none.h5" in refuse(1, "plot", "none.h5", "time", cwd=folder)
    assert "none.csv" in refuse(1, "plot", "none.csv", "time", cwd=folder)
    assert "must end in .h5" in refuse(1, "plot", PENDULUM, "time")
    assert "cannot write" in refuse(1, "plot", "out.h5", "time", "-o", "none/fig.svg", cwd=folder)
    (Path(folder) / "bad.h5").write_bytes((Path(folder) / "out.h5").read_bytes()[:3000])
    assert "damaged" in refuse(1, "plot", "bad.h5", "time", cwd=folder)
    with h5py.File(Path(folder) / "other.h5", "w") as file:
        file["x"] = [1.0, 2.0]
    assert "no dataset 'time'" in refuse(1, "plot", "other.h5", "x", cwd=folder)
    error = json.loads(bristle("plot", "none.h5", "time", "--json", cwd=folder).stdout)
    assert error["status"] == "failed" and error["error"]["name"] == "BR_IO"


tap.run_tests(globals())
