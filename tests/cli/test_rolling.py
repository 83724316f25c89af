"""The law rolling from outside: its table, a scene with it, its moments in JSON and recordings, what it does not fit."""
import csv
import json
import sys
from pathlib import Path

from outside import ROOT, refuse, succeed

sys.path.insert(0, str(ROOT / "scripts"))
import tap  # noqa: E402

# N = 19.62 N: 39.24 mN m against rolling, 19.62 mN m against spinning
BALL = """bristle: 1
step: {dt: 1 ms, until: 100 ms, scheme: moreau}
materials: {felt: {friction: {law: rolling, mu: 0.5, mu_r: 2 mm, mu_spin: 1 mm}}}
bodies:
  ground: {fixed: true, shapes: [{plane: {normal: [0, 0, 1]}, material: felt}]}
  ball: {mass: 2, inertia: [0.008, 0.008, 0.008], pose: {position: [0, 0, 0.1]},
         velocity: {linear: [1, 0, 0], angular: [0, 10, 5]}, shapes: [{sphere: {radius: 0.1}, material: felt}]}
record: {every: 10 ms}
"""


def write(folder):
    scene = Path(folder) / "ball.yaml"
    scene.write_text(BALL)
    return scene


def near(a, b):
    return all(abs(x - y) < 1e-4 for x, y in zip(a, b))  # moreau turns the axis of rolling by w h of the spin, once


def test_table(_folder):
    laws = succeed("laws").stdout
    table = laws[laws.index("rolling (friction)"):]
    assert "mu_r         m " in table and "mu_spin      m " in table


def test_moments_are_told(folder):
    out = Path(folder) / "ball.csv"
    result = json.loads(succeed("run", write(folder), "-o", out, "--json").stdout)
    contact = result["contacts"][0]
    for mean in ("", "_mean"):
        assert near(contact["rolling_moment" + mean], [0, -0.03924, 0]), contact
        assert near(contact["spinning_moment" + mean], [0, 0, -0.01962]), contact
    rows = list(csv.DictReader(out.open()))
    assert abs(float(rows[-1]["ball/ground.0.rolling_moment.y[N m]"]) + 0.03924) < 1e-4
    assert abs(float(rows[-1]["ball/ground.0.spinning_moment_mean.z[N m]"]) + 0.01962) < 1e-4


def test_what_does_not_fit(folder):
    scene = write(folder)
    text = refuse(1, "run", scene, "--formulation", "event")
    assert "the law 'rolling' works with timestepping and the schemes moreau and hem2; 'event' takes coulomb" in text
    text = refuse(1, "run", scene, "--set", "step.friction_set=box")
    assert "the law 'rolling' works with the friction set cone; 'box' takes coulomb" in text
    text = refuse(1, "run", scene, "--set", "materials.felt.friction.mu_r=-1")
    assert "mu_r is -1 m; allowed is 0 to" in text


tap.run_tests(globals())
