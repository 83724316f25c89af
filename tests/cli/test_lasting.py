"""Lasting contacts and curved walls from outside: tables, a scene with them, channels, one word for another model, refusals."""
import csv
import json
import sys
from pathlib import Path

from outside import ROOT, refuse, succeed

sys.path.insert(0, str(ROOT / "scripts"))
import tap  # noqa: E402

# released at rest 20 degrees up the bowl: N = 9.81 cos(20 deg) = 9.218385 N
BOWL = """bristle: 1
parameters: {height: 0}
step: {formulation: smooth, scheme: half-implicit, dt: 1 ms, until: 100 ms}
materials: {wood: {friction: {law: coulomb, mu: 0.5}}}
bodies:
  bowl: {fixed: true, shapes: [{bowl: {semi_axes: [3, 3, 3]}, material: wood}]}
  ball: {mass: 1, inertia: [0.1, 0.1, 0.1], pose: {position: [2.5*sin(20 deg), 0, -2.5*cos(20 deg) + height]},
         shapes: [{sphere: {radius: 0.5}, material: wood}]}
joints:
  roll: {contact: [bowl, ball], friction: {law: tracked, mu_s: 0.5, mu_k: 0.4, stiffness: 1e5, damping: 300}}
record: {every: 1 ms}
"""


def write(folder):
    scene = Path(folder) / "bowl.yaml"
    scene.write_text(BOWL)
    return scene


def test_tables(_folder):
    assert "groove: the inside of a ring" in succeed("shapes").stdout
    assert "contact: a lasting contact" in succeed("joints").stdout
    assert "tracked (friction, of joints)" in succeed("laws").stdout


def test_channels(folder):
    out = Path(folder) / "bowl.csv"
    succeed("run", write(folder), "-o", out)
    rows = list(csv.DictReader(out.open()))
    assert abs(float(rows[0]["roll.normal_force[N]"]) - 9.218385) < 1e-6
    assert float(rows[-1]["roll.mode[1]"]) == 3 and float(rows[-1]["roll.violation[1]"]) < 1e-13
    assert abs(float(rows[-1]["roll.friction_force.x[N]"])) > 0.5


def test_one_word_changes_the_model(folder):
    scene = write(folder)
    ends = [json.loads(succeed("run", scene, "--json", *words).stdout)["bodies"]["ball"]["position"]
            for words in ([], ["--formulation", "timestepping", "--scheme", "hem2"], ["--formulation", "event"])]
    for end in ends[:2]:
        assert all(abs(x - y) < 5e-4 for x, y in zip(end, ends[2])), ends  # half-implicit: order 1


def test_what_does_not_fit(folder):
    scene = write(folder)
    for command in ("check", "run"):
        text = refuse(1, command, scene, "--set", "parameters.height=1cm")
        assert "contact 'roll' does not begin closed: 'bowl' and 'ball' are apart by 0.009" in text, text
        text = refuse(1, command, scene, "--dt", "2 ms", "--set", "record.every=2 ms")
        assert "are stable for dt below 0.0015198 s, and dt is 0.002 s" in text, text
    text = refuse(1, "check", scene, "--set", "joints.roll.friction.law=coulomb")
    assert "tracked" in text, text
    text = refuse(1, "check", scene, "--set", "joints.roll.shapes=[0, 1]")
    assert "body 'ball' has no shape 1" in text, text


tap.run_tests(globals())
