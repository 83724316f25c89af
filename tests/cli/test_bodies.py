"""Bodies by density from outside: what check tells of them, and where recordings and JSON say that their frames are."""
import csv
import json
import math
import sys
from pathlib import Path

from outside import ROOT, refuse, succeed

sys.path.insert(0, str(ROOT / "scripts"))
import tap  # noqa: E402

# a rod of 2 kg, 0.6 m long, whose frame is at its end, in the hinge; it starts level
ROD = """bristle: 1
step: {scheme: rattle, dt: 1 ms, until: 0.5 s}
materials: {steel: {friction: {law: coulomb, mu: 0.3}, density: 8000 kg/m^3}}
bodies:
  wall: {fixed: true}
  rod:
    pose: {position: [1, 0, 2], rpy: [0, 0, 30 deg]}
    shapes: [{box: {size: [0.6, 0.02, 1/48]}, at: [0.3, 0, 0], material: steel}]
joints: {hinge: {revolute: [wall, rod], at: {frame: rod}, axis: {frame: rod, direction: [0, 1, 0]}}}
"""


def write(folder):
    scene = Path(folder) / "rod.yaml"
    scene.write_text(ROD)
    return scene


def test_check_tells_masses(folder):
    scene = write(folder)
    assert "mass of 'rod': 2 kg, its centre at [0.3, 0, 0] m in the body's frame" in succeed("check", scene).stdout
    rod = json.loads(succeed("check", scene, "--json").stdout)["masses"]["rod"]
    assert abs(rod["mass"] - 2) < 1e-12 and abs(rod["center_of_mass"][0] - 0.3) < 1e-15
    assert abs(rod["inertia"][2][2] - 2 * (0.6**2 + 0.02**2) / 12) < 1e-12


def test_frames_are_told(folder):
    """position is the centre of mass, frame_position the origin that the pose of the file was given for."""
    scene, out = write(folder), Path(folder) / "rod.csv"
    result = json.loads(succeed("run", scene, "-o", out, "--json").stdout)
    body, angle = result["bodies"]["rod"], result["joints"]["hinge"]["position"]
    along = [math.cos(angle) * math.cos(math.pi / 6), math.cos(angle) * 0.5, -math.sin(angle)]
    for k in range(3):
        assert abs(body["frame_position"][k] - [1, 0, 2][k]) < 1e-12, body  # it hangs there
        assert abs(body["position"][k] - [1, 0, 2][k] - 0.3 * along[k]) < 1e-12, body
    assert "frame_position" not in result["bodies"]["wall"]
    row = list(csv.DictReader(out.open()))[-1]
    for k, axis in enumerate("xyz"):
        assert abs(float(row[f"rod.frame_position.{axis}[m]"]) - [1, 0, 2][k]) < 1e-12
        assert abs(float(row[f"rod.position.{axis}[m]"]) - body["position"][k]) < 1e-12


def test_it_swings_as_rods_do(folder):
    """Half of m v^2 about its end, m L^2/3 and the width's share, is what it fell: rattle keeps energy to (w dt)^2."""
    result = json.loads(succeed("run", write(folder), "--json").stdout)["bodies"]["rod"]
    spin = math.hypot(*result["angular_velocity"])
    inertia = 2 * (0.6**2 + (1 / 48)**2) / 12 + 2 * 0.3**2
    fallen = 2 * 9.81 * (2 - result["position"][2])
    assert fallen > 1 and abs(0.5 * inertia * spin**2 - fallen) < 1e-5 * fallen


def test_slips(folder):
    scene = write(folder)
    assert "rod.yaml:7:" in refuse(1, "check", scene, "--set", "bodies.rod.pose.quaternion=[1, 0, 0, 0]")
    assert "unknown body or frame 'rood'; did you mean 'rod'?" in refuse(1, "check", scene, "--set",
                                                                         "joints.hinge.at.frame=rood")


tap.run_tests(globals())
