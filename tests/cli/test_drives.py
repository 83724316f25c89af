"""Motors, soft limits and bushings from outside: what recordings tell of them against closed forms."""
import csv
import math
import sys
from pathlib import Path

from outside import ROOT, refuse, succeed

sys.path.insert(0, str(ROOT / "scripts"))
import tap  # noqa: E402

# Under gravity along x: a servo that hangs off by m g/k, a motor by force, a block on a soft stop, one in a bushing.
SCENE = """bristle: 1
gravity: [9.81, 0, 0]
step: {dt: 1 ms, until: 3 s}
bodies:
  frame: {fixed: true}
  a: {mass: 2, inertia: [1, 1, 1], pose: {position: [0, 1, 0]}}
  b: {mass: 3, inertia: [1, 1, 1], pose: {position: [0, 2, 0]}}
  c: {mass: 5, inertia: [1, 1, 1], pose: {position: [0, 3, 0]}}
  d: {mass: 7, inertia: [1, 1, 1], pose: {position: [0, 4, 0]}}
joints:
  ra: {prismatic: [frame, a], at: [0, 1, 0], axis: [1, 0, 0]}
  rb: {prismatic: [frame, b], at: [0, 2, 0], axis: [1, 0, 0]}
  rc: {prismatic: [frame, c], at: [0, 3, 0], axis: [1, 0, 0], limits: {slide: ["-", 10 mm], stiffness: 2 kN/m, damping: 200}}
motors:
  servo: {joint: ra, position: 0.1, frequency: 4 Hz}
  push: {joint: rb, force: "-29.43 + 6*t", max_force: 25}
springs:
  mount: {bushing: [frame, d], at: [0, 4, 0], stiffness: [700, 500, 500], damping: [140, 100, 100],
          torsional_stiffness: [50, 50, 50], torsional_damping: [1, 1, 1]}
record: {every: 100 ms}
"""
G = 9.81


def write(folder):
    scene = Path(folder) / "drives.yaml"
    scene.write_text(SCENE)
    return scene


def near(value, wanted, bound):
    assert abs(float(value) - wanted) < bound, (value, wanted)


def test_what_is_recorded(folder):
    out = Path(folder) / "drives.csv"
    for formulation in ("timestepping", "smooth", "event", "compliant"):
        succeed("run", write(folder), "-o", out, "--formulation", formulation)
        row = list(csv.DictReader(out.open()))[-1]
        near(row["servo.target[m]"], 0.1, 1e-15)
        near(row["servo.effort[N]"], -2 * G, 1e-6)
        near(row["ra.position[m]"], 0.1 + G / (2 * math.pi * 4) ** 2, 1e-9)
        near(row["servo.saturated[1]"], 0, 0.5)
        near(row["push.target[N]"], -29.43 + 18, 1e-9)
        near(row["push.effort[N]"], -29.43 + 18, 1e-9)
        # 25 N at most: until 0.7383 s it lacks 4.43 - 6 t
        near(row["rb.velocity[m/s]"], (0.5 * 6 * 9 + 0.5 * 4.43**2 / 6) / 3, 2e-2 if formulation == "smooth" else 5e-3)
        near(row["push.power[W]"], float(row["push.effort[N]"]) * float(row["rb.velocity[m/s]"]), 1e-9)
        near(row["rc.position[m]"], 0.01 + 5 * G / 2000, 1e-6)
        near(row["rc stop.tension[N]"], 5 * G, 2e-3)
        near(row["mount.deflection.x[m]"], 7 * G / 700, 1e-6)
        near(row["mount.force.x[N]"], -7 * G, 1e-3)
        near(row["mount.turn.z[rad]"], 0, 1e-12)
    first = list(csv.DictReader(out.open()))[0]
    near(first["push.effort[N]"], -25, 1e-12)
    near(first["push.saturated[1]"], 1, 0.5)


def test_mistakes(folder):
    scene = write(folder)
    for assignment, words in (
            ("motors.servo.speed=1", "follows a position"),
            ("step.scheme=rattle", "motor 'servo' is a servo"),
            ("springs.mount.stiffness=3", "stiffness"),
            ("springs.mount.torsional_stiffness=[1, -1, 1]", "none negative"),
            ("joints.rc.limits.stiffness=0", "stiffness is 0; it must be positive")):
        text = refuse(1, "run", scene, "--set", assignment)
        assert words in text, (assignment, text)


tap.run_tests(globals())
