"""Scenes in several files, with blocks that repeat and parts: from the command line."""
import re
import sys
import tempfile
from pathlib import Path

import h5py

from outside import ROOT, refuse, succeed

sys.path.insert(0, str(ROOT / "scripts"))
import tap  # noqa: E402

FILES = {
    "scene.yaml": """bristle: 1
include: lib.yaml
step: {scheme: moreau, dt: 1 ms, until: 20 ms}
bodies: {base: {fixed: true, shapes: [{plane: {normal: [0, 0, 1]}, material: steel}]}}
use:
  a{i}: {repeat: {i: 0:1}, part: ball.yaml, with: {r: 0.1}, at: [i, 0, 0.1]}
""",
    "ball.yaml": """bristle: 1
parameters: {r: 0.2, m: 1 kg}
bodies: {ball: {mass: m, inertia: [m*r^2, m*r^2, m*r^2], shapes: [{sphere: {radius: r}, material: steel}]}}
""",
    "shared/lib.yaml": """bristle: 1
materials: {steel: {friction: {law: coulomb, mu: 0.3}}}
""",
}


def print_of(recording):
    with h5py.File(recording) as file:
        return tuple(file.attrs[key] for key in ("scene", "assignments", "model_fingerprint"))


def record(scene, output, *words):
    succeed("run", scene, "-o", output, "-q", *words)
    return print_of(output)


def include(folder):
    """A folder that is named is looked into, by each command that reads scenes."""
    scene, shared = folder / "scene.yaml", folder / "shared"
    line = refuse(1, "check", scene)
    assert re.search(r"scene\.yaml:2:10: there is no file 'lib\.yaml' beside this one; .*--include", line), line
    succeed("check", scene, "--include", shared)
    succeed("check", scene, "--include", folder, "--include", shared)
    succeed("suggest", scene, "--include", shared)
    succeed("map", scene, "--over", "materials.steel.friction.mu=0.1:0.5:2", "--include", shared, "--quiet")


def recordings(folder):
    """What is stored needs no other file, and takes the same assignments."""
    scene = folder / "scene.yaml"
    set_r = ("--set", "use.a{i}.with.r=0.05")
    text, assignments, model = record(scene, folder / "a.h5", "--include", folder / "shared", *set_r)
    assert assignments == "use.a{i}.with.r=0.05\n" and "include" not in text and "coulomb" in text and "sphere" in text
    alone = folder / "alone"
    alone.mkdir()
    (alone / "kept.yaml").write_text(text)
    assert record(alone / "kept.yaml", alone / "b.h5", *set_r) == (text, assignments, model)
    with h5py.File(folder / "a.h5") as a, h5py.File(alone / "b.h5") as b:
        for name in ("a0_ball", "a1_ball"):
            assert (a[f"bodies/{name}/position"][:] == b[f"bodies/{name}/position"][:]).all()
    plain = folder / "plain.yaml"
    plain.write_text("# a comment\nbristle: 1\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}}\nstep: {until: 2 ms}\n")
    assert record(plain, folder / "c.h5")[0] == plain.read_text()


def expand(folder):
    """--expand prints the same model, and the same again."""
    scene = folder / "scene.yaml"
    words = ("--include", folder / "shared", "--set", "bodies.a1_ball.mass=3")
    text = succeed("check", scene, "--expand", *words).stdout
    assert "a1_ball: {mass: 3" in text and "use" not in text and "include" not in text, text
    plain = folder / "expanded.yaml"
    plain.write_text(text)
    assert succeed("check", plain, "--expand").stdout == text
    assert record(scene, folder / "d.h5", *words)[2] == record(plain, folder / "e.h5")[2]
    line = refuse(1, "check", scene, "--expand", "--include", folder / "shared", "--set", "bodies.a7_ball.mass=3")
    assert "there is no key 'a7_ball' here" in line, line


def documented(folder):
    """The examples of docs/scenes/reuse.md are scenes."""
    section = (ROOT / "docs/scenes/reuse.md").read_text()
    blocks = [re.sub("(?m)^    ", "", block) for block in re.findall(r"(?m)(?:^    .*\n)+", section)]
    scenes = [block for block in blocks if block.startswith("bristle: 1")]
    hands = ["bristle: 1\n" + block for block in blocks if block.startswith("parts:")]
    assert len(scenes) == 1 and len(hands) == 1, blocks
    for number, text in enumerate(scenes + hands):
        path = folder / f"documented{number}.yaml"
        path.write_text(text)
        succeed("check", path)


for test in (include, recordings, expand, documented):
    with tempfile.TemporaryDirectory() as place:
        for name, text in FILES.items():
            path = Path(place) / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        try:
            test(Path(place))
            tap.ok(True, test.__doc__)
        except AssertionError as error:
            tap.ok(False, test.__doc__, str(error))
tap.done()
