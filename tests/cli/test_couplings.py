"""Couplings from outside: what scenes say of them, what recordings tell, what is refused and where."""
import csv
import json
import sys
from pathlib import Path

from outside import ROOT, refuse, succeed

sys.path.insert(0, str(ROOT / "scripts"))
import tap  # noqa: E402

# One shaft, 0.04 kg m^2 and 1.5 N m, drives a wheel of 0.09 kg m^2, a rack of 3 kg and a nut of 5 kg:
# I = 0.04 + 0.09/4 + 3 R^2 + 5 (lead/2pi)^2
SCENE = """bristle: 1
gravity: [0, 0, 0]
step: {dt: 1 ms, until: 1 s}
bodies:
  frame: {fixed: true}
  shaft: {mass: 1, inertia: [0.04, 0.04, 0.04]}
  wheel: {mass: 2, inertia: [0.09, 0.09, 0.09], pose: {position: [1, 0, 0]}}
  bar: {mass: 3, inertia: [1, 1, 1], pose: {position: [2, 0, 0]}}
  nut: {mass: 5, inertia: [1, 1, 1], pose: {position: [3, 0, 0]}}
joints:
  s: {revolute: [frame, shaft], at: [0, 0, 0], axis: [0, 0, 1]}
  w: {revolute: [frame, wheel], at: [1, 0, 0], axis: [0, 0, 1]}
  b: {prismatic: [frame, bar], at: [2, 0, 0], axis: [1, 0, 0]}
  n: {cylindrical: [frame, nut], at: [3, 0, 0], axis: [0, 1, 0]}
couplings:
  g: {gear: [s, w], ratio: -2}
  r: {rack: [s, b], radius: 100 mm, offset: 0 mm}
  l: {screw: [s, n.slide], lead: 300 mm}
forces:
  push: {body: shaft, torque: 1.5, axis: [0, 0, 1]}
record: {every: 100 ms}
"""
PI = 3.141592653589793
RADIUS, PITCH = 0.1, 0.3 / (2 * PI)
TURNS = 1.5 / (0.04 + 0.09 / 4 + 3 * RADIUS**2 + 5 * PITCH**2)  # rad/s^2


def write(folder, text=SCENE):
    scene = Path(folder) / "gears.yaml"
    scene.write_text(text)
    return scene


def near(value, wanted):
    assert abs(float(value) - wanted) < 1e-9 * max(1, abs(wanted)), (value, wanted)


def test_what_is_recorded(folder):
    out = Path(folder) / "gears.csv"
    for formulation in ("timestepping", "smooth", "event"):
        succeed("run", write(folder), "-o", out, "--formulation", formulation)
        row = list(csv.DictReader(out.open()))[-1]
        near(row["s.velocity[rad/s]"], TURNS)
        near(row["w.velocity[rad/s]"], -TURNS / 2)
        near(row["b.velocity[m/s]"], RADIUS * TURNS)
        near(row["n.velocity_slide[m/s]"], PITCH * TURNS)
        near(row["g.effort_second[N m]"], -0.09 * TURNS / 2)
        near(row["g.effort_first[N m]"], -0.09 * TURNS / 4)
        near(row["g.power[W]"], -0.09 * TURNS**2 / 4)
        near(row["r.effort_first[N m]"], -3 * RADIUS**2 * TURNS)
        near(row["r.effort_second[N]"], 3 * RADIUS * TURNS)
        near(row["l.effort_second[N]"], 5 * PITCH * TURNS)
        near(row["l.error[m]"], 0)
        near(row["g.error[rad]"], 0)
        near(row["energy.defect[J]"], 0)


def test_an_offset_moves_bodies(folder):
    result = json.loads(succeed("run", write(folder), "--set", "couplings.g.offset=10 deg", "--json").stdout)
    assert 0.01 < result["assembly"]["moved"] < 0.2, result["assembly"]


def test_mistakes(folder):
    scene = write(folder)
    for assignment, words in (
            ("couplings.g.gear.0=t", "unknown joint 't'"),
            ("couplings.l.screw.1=n", "joint 'n' (cylindrical) has several coordinates: say 'n.angle' or another"),
            ("couplings.l.screw.1=n.slid", "unknown coordinate 'slid'; did you mean 'slide'?"),
            ("couplings.g.ratio=0", "coupling 'g': ratio is 0; it must be finite and not zero"),
            ("couplings.g.gear.1=b", "a gear couples two angles, or two slides; for 's' and 'b' take a rack or a screw"),
            ("couplings.r.radius=1 kg", "radius"),
            ("couplings.x={gear: [s, w]}", "coupling 'x' needs 'ratio'"),
            ("couplings.x={belt: [s, w], radii: 3}", "radii must be two lengths"),
            ("couplings.x={cog: [s, w]}", "unknown type of coupling 'cog'")):
        text = refuse(1, "run", scene, "--set", assignment)
        assert words in text, (assignment, text)


def test_machines_that_repeat_themselves(folder):
    scene = write(folder)
    text = succeed("check", scene, "--set", "couplings.x={gear: [s, w], ratio: -2}").stdout
    assert "coupling" in text and "redundant" in text, text


tap.run_tests(globals())
