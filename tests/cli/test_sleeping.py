"""Sleep from outside: a stack sleeps while a ball rolls on; it is told, recorded and continued to the same bits."""
import csv
import json
import sys
from pathlib import Path

from outside import ROOT, refuse, succeed

sys.path.insert(0, str(ROOT / "scripts"))
import tap  # noqa: E402

SCENE = """bristle: 1
gravity: [0, 0, -9.81]
step: {scheme: SCHEME, dt: 2 ms, until: 0.4 s, sleeping: true}
record: {every: 100 ms}
materials: {wood: {friction: {law: coulomb, mu: 0.5}, restitution: 0}}
bodies:
  ground: {fixed: true, shapes: [{plane: {normal: [0, 0, 1]}, material: wood}]}
  low: {mass: 1, inertia: [0.01, 0.01, 0.01], pose: {position: [0, 0, 0.1]}, shapes: [{box: {size: [0.2, 0.2, 0.2]}, material: wood}]}
  high: {mass: 1, inertia: [0.01, 0.01, 0.01], pose: {position: [0, 0, 0.3]}, shapes: [{box: {size: [0.2, 0.2, 0.2]}, material: wood}]}
  ball: {mass: 1, inertia: [0.004, 0.004, 0.004], pose: {position: [2, 0, 0.1]}, velocity: {linear: [1, 0, 0], angular: [0, 10, 0]},
         shapes: [{sphere: {radius: 0.1}, material: wood}]}
"""


def run(*words, scheme="moreau"):
    return json.loads(succeed("run", "-", "--json", *words, text=SCENE.replace("SCHEME", scheme)).stdout)


def test_told_and_recorded(folder):
    for scheme in ("moreau", "hem2"):
        place = Path(folder) / f"{scheme}.csv"
        result = run("-o", place, scheme=scheme)
        assert result["status"] == "ok" and result["sleeping"] == 2
        with open(place, newline="") as lines:
            assert [float(row["certificate.sleeping[1]"]) for row in csv.DictReader(lines)] == [0, 0, 2, 2, 2]
        assert result["bodies"]["high"]["velocity"] == [0, 0, 0]
        weight = sum(c["normal_force_mean"] for c in result["contacts"] if c["bodies"] == ["low", "ground"])
        assert abs(weight - 2 * 9.81) < 1e-6, weight
    assert run("--sleeping", "false")["sleeping"] == 0
    assert "2 bodies sleep" in succeed("run", "-", text=SCENE.replace("SCHEME", "hem2")).stdout


def test_continued(folder):
    kept = Path(folder) / "kept"
    whole = run()
    run("--until", "0.2 s", "--checkpoint", kept)
    assert run("--resume", kept)["hash"] == whole["hash"]


def test_refusals(folder):
    error = refuse(1, "run", "-", "--sleeping", "perhaps", text=SCENE.replace("SCHEME", "moreau"))
    assert "sleeping must be true or false, not 'perhaps'" in error, error
    error = refuse(1, "run", "-", "--formulation", "event", text=SCENE.replace("SCHEME", "moreau"))
    assert "sleeping works with timestepping" in error and "'event'" in error, error


tap.run_tests(globals())
