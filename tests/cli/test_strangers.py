"""Files from strangers: what they may name, how much they may ask for, and steps that lead nowhere."""
import json
import os
import sys
from pathlib import Path

import h5py
import numpy as np

from outside import ROOT, bristle, refuse, succeed

sys.path.insert(0, str(ROOT / "scripts"))
import tap  # noqa: E402

PENDULUM = ROOT / "scenes/double-pendulum.yaml"
SCENE = """bristle: 1
step: {scheme: hem2, dt: 1 ms, until: 10 ms}
bodies: {a: {mass: 1, inertia: [1, 1, 1]}}
"""
METRIC = "metrics: {m: {channel: time, expect: 0.01, tolerance: 1e-9}}\n"


def add(folder, text="experiment: e\n" + METRIC, scene=SCENE, name="e"):
    place = Path(folder) / "theirs" / name
    place.mkdir(parents=True, exist_ok=True)
    (place / "scene.yaml").write_text(scene)
    (place / "experiment.yaml").write_text(text)
    return place


def names(folder):
    return sorted(str(path.relative_to(folder)) for path in Path(folder).rglob("*"))


# ---- What they may name

def test_scenes_inside(folder):
    place = add(folder, "experiment: e\nscene: sub/other.yaml\n" + METRIC)
    (place / "sub").mkdir()
    (place / "sub/real..yaml").write_text(SCENE)
    (place / "sub/other.yaml").symlink_to("real..yaml")  # a link that stays inside
    succeed("reproduce", place)
    os.symlink(place, Path(folder) / "e")  # and a folder that is a link itself, which the user has named
    succeed("reproduce", "./e", cwd=folder)


def test_scenes_outside(folder):
    (Path(folder) / "secret.yaml").write_text(SCENE)
    for way in ("/etc/hostname", f"{folder}/secret.yaml", "../../secret.yaml", "sub/../../../secret.yaml", ".."):
        for text in (f"experiment: e\nscene: {way}\n", f"experiment: e\nruns: {{a: {{scene: {way}}}}}\n"):
            place = add(folder, text + METRIC)
            (place / "sub").mkdir(exist_ok=True)
            message = refuse(1, "reproduce", place)
            assert "leads out of the experiment's folder" in message and f"'{way}'" in message, message
            assert "experiment.yaml:2:" in message, message


def test_links_outside(folder):
    (Path(folder) / "secret.yaml").write_text("the secret: 17\n")
    place = add(folder)
    (place / "scene.yaml").unlink()
    (place / "scene.yaml").symlink_to("../../secret.yaml")
    message = refuse(1, "reproduce", place)
    assert "leads out of the experiment's folder" in message and "secret" not in message, message
    place = add(folder, name="d", text="experiment: d\nscene: sub/secret.yaml\n" + METRIC)
    (place / "sub").symlink_to(folder)
    assert "leads out" in refuse(1, "reproduce", place)
    (place / "experiment.yaml").unlink()
    (place / "experiment.yaml").symlink_to("../../secret.yaml")
    message = refuse(1, "reproduce", place)
    assert "leads out" in message and "secret" not in message, message


def test_pipes(folder):
    """A pipe that nobody writes to would be waited for."""
    place = add(folder)
    (place / "scene.yaml").unlink()
    os.mkfifo(place / "scene.yaml")
    assert "no plain file" in refuse(1, "reproduce", place)


def test_pages(folder):
    """A page is written where the command line says, and nothing else gets into it or is written."""
    secret = Path(folder) / "secret"
    secret.write_text("17\n")
    figure = "figures: {f: {curves: [{channel: time}]}}\n"
    place = add(folder, "experiment: e\n" + METRIC + figure)
    (place / "README.md").symlink_to(secret)
    assert "README.md' is a symbolic link" in refuse(1, "reproduce", place, "--force", "-o", "out", cwd=folder)
    (place / "README.md").unlink()
    for name in ("e.md", "e-f.svg"):
        target = Path(folder) / "out" / name
        target.unlink(missing_ok=True)
        target.symlink_to(secret)
        assert f"{name}' is a symbolic link" in refuse(1, "reproduce", place, "--force", "-o", "out", cwd=folder)
        target.unlink()
    assert secret.read_text() == "17\n"
    succeed("reproduce", place, "--force", "-o", "out", cwd=folder)
    assert sorted(os.listdir(Path(folder) / "out")) == ["e-f.svg", "e.md"]


def test_names_of_pages(folder):
    """'.' hides the folder's name, so that any id would do."""
    for name in ("../up", "a/b", "/tmp/x", ".hidden", "n" * 101):
        place = add(folder, f"experiment: {name}\n" + METRIC)
        before = names(folder)
        assert "cannot be the name" in refuse(1, "reproduce", "./", "-o", "out", cwd=place)
        assert names(folder) == before


def test_links_in_the_way(folder):
    """Recordings and checkpoints replace what lies in their way, and never write through it."""
    secrets = [Path(folder) / f"secret {name}" for name in ("out.h5", "out.csv", "c")]  # one file for two is refused
    for secret in secrets:
        secret.write_text("17\n")
        (Path(folder) / secret.name.split()[1]).symlink_to(secret)
    for name in ("out.h5", "out.csv"):
        succeed("run", PENDULUM, "--until", "10 ms", "--force", "-o", name, "--checkpoint", "c", cwd=folder)
    assert all(secret.read_text() == "17\n" for secret in secrets)
    assert not any((Path(folder) / name).is_symlink() for name in ("out.h5", "c"))


def test_recordings_that_lead_elsewhere(folder):
    """Links, foreign bytes and virtual datasets of a recording are not followed."""
    numbers = np.arange(4.0)
    (Path(folder) / "secret.bin").write_bytes(numbers.tobytes())
    with h5py.File(Path(folder) / "secret.h5", "w") as file:
        file["time"] = file["s"] = numbers
    with h5py.File(Path(folder) / "r.h5", "w") as file:
        file["time"] = file["fine"] = numbers
        file["linked"] = h5py.ExternalLink("secret.h5", "/s")
        file["there"] = h5py.ExternalLink("secret.h5", "/")
        file["soft"] = h5py.SoftLink("/there/s")
        file.create_dataset("bytes", (4,), "<f8", external=[("secret.bin", 0, 32)])
        layout = h5py.VirtualLayout((4,), "<f8")
        layout[:] = h5py.VirtualSource("secret.h5", "s", (4,))
        file.create_virtual_dataset("virtual", layout)
    listed = json.loads(succeed("plot", "r.h5", "--list", "--json", cwd=folder).stdout)
    assert [channel["name"] for channel in listed["channels"]] == ["time", "fine"], listed
    for channel in ("linked", "soft", "there.s", "bytes", "virtual"):
        refuse(1, "plot", "r.h5", channel, cwd=folder)
    with h5py.File(Path(folder) / "t.h5", "w") as file:
        file["time"] = h5py.ExternalLink("secret.h5", "/time")
    assert "no dataset 'time'" in refuse(1, "plot", "t.h5", "time", cwd=folder)


# ---- How much they may ask for

def change(text, replacement):
    assert text in SCENE
    return SCENE.replace(text, replacement)


def check(folder, scene):
    path = Path(folder) / "scene.yaml"
    path.write_text(scene)
    return refuse(1, "check", path)


def test_steps(folder):
    message = check(folder, change("until: 10 ms", "until: 1e30"))
    assert "1e+33 steps" in message and "scene.yaml:2:" in message, message
    check(folder, change("dt: 1 ms", "dt: 1e-300"))
    check(folder, change("dt: 1 ms", "dt: 4.9e-324"))


def test_steps_longer_than_the_run(folder):
    """No step at all is no simulation: the end would not be reached, and nobody would be told."""
    for dt in ("1e9", "1e308", "11 ms"):
        message = check(folder, change("dt: 1 ms", f"dt: {dt}"))
        assert "longer than the whole run of 0.01 s" in message and "scene.yaml:2:" in message, message
    assert "dt = 0.001 s is longer" in refuse(1, "run", PENDULUM, "--until", "0.1 ms")
    done = json.loads(succeed("run", PENDULUM, "--dt", "10 ms", "--until", "10 ms", "--json").stdout)
    assert done["steps"] == 1 and done["time"] == 0.01
    assert json.loads(succeed("run", PENDULUM, "--until", "0", "--json").stdout)["steps"] == 0
    place = add(folder, scene=change("dt: 1 ms", "dt: 1e9"))
    assert "longer than the whole run" in refuse(1, "reproduce", place)


def test_rows(folder):
    """A distance between rows that no number of steps has."""
    for every in ("1e300", "1e30"):
        message = check(folder, SCENE + f"record: {{every: {every}}}\n")
        assert "at most 1e+15 are allowed" in message and "scene.yaml:4:" in message, message
    huge = change("dt: 1 ms, until: 10 ms", "dt: 1e-300, until: 1e-299") + "record: {every: 1e300}\n"
    assert "inf steps" in check(folder, huge)
    place = add(folder, scene=huge)
    assert "inf steps" in refuse(1, "reproduce", place)
    path = Path(folder) / "scene.yaml"
    path.write_text(change("until: 10 ms", "until: 1e9") + "record: {every: 1 ms}\n")
    for output in ("out.h5", "out.csv"):
        message = refuse(1, "run", path, "-o", output, cwd=folder)
        assert "for 1000000000001 rows" in message and "GB" in message, message
    assert not any(name.startswith("out") for name in names(folder))


def test_rows_in_memory(folder):
    place = add(folder, scene=change("until: 10 ms", "until: 1e6") + "record: {every: 1 ms}\n")
    message = refuse(1, "reproduce", place)
    assert "1e+09 rows" in message and "allowed are 4 GB" in message, message
    text = "experiment: e\nruns: {a: {parameters.q: [" + ", ".join("1" for _ in range(1000)) + "]}}\n"
    text += "metrics: {m: {run: 'a[0]', channel: time}}\n"
    scene = change("until: 10 ms", "until: 1000") + "record: {every: 1 ms}\nparameters: {q: 1}\n"
    assert "1e+09 rows" in refuse(1, "reproduce", add(folder, text, scene), "--all-runs")


def test_families(folder):
    values = ", ".join(str(k) for k in range(1001))
    text = f"experiment: e\nruns: {{a: {{parameters.q: [{values}]}}}}\n" + METRIC
    assert "1 to 1000 members" in refuse(1, "reproduce", add(folder, text))
    many = "[" + ", ".join(f"v{k}" for k in range(101)) + "]"
    text = f"experiment: e\nmetrics:\n  m{{a}}{{b}}: {{for: [{{a: {many}}}, {{b: {many}}}], channel: time}}\n"
    assert "more than 10000" in refuse(1, "reproduce", add(folder, text))


def test_templates(folder):
    """Short lists of long texts: their product would be gigabytes."""
    long = "x" * 60000
    many = "[" + ", ".join(f"v{k}" for k in range(5000)) + "]"
    text = "experiment: e\nmetrics:\n  m{a}: {for: {a: " + many + "}, channel: time, source: '{a}" + long + "'}\n"
    assert "more than 1000000 nodes" in refuse(1, "reproduce", add(folder, text))


def test_expressions(folder):
    for text, words in (("1+" * 3000 + "1", "at most 4096"), ("(" * 100 + "1" + ")" * 100, "more than 64 levels")):
        assert words in check(folder, change("mass: 1", f"mass: {text}"))
        place = add(folder, "experiment: e\nmetrics: {m: {channel: '" + text + "'}}\n")
        done = bristle("reproduce", place)
        assert done.returncode == 1 and ("4096" in done.stderr or "64" in done.stderr), done.stderr


def test_contacts(folder):
    """A contact is 3 kB of memory, and 0.3 kB before there is any."""
    for count in ("1000001", "1e300", "0.5", "-1"):
        assert "contact_capacity is" in check(folder, SCENE + f"contact_capacity: {count}\n")


tap.run_tests(globals())
