"""What `check` and `run` warn of before anything moves: overlaps, Painleve, wedges, contacts that joints carry."""
import json
import sys
from pathlib import Path

from outside import ROOT, bristle, refuse, succeed

sys.path.insert(0, str(ROOT / "scripts"))
import tap  # noqa: E402

STEEL = "materials: {steel: {friction: {law: coulomb, mu: 0.3}, restitution: 0}}"

SCENES = {
    "overlap": f"""bristle: 1
step: {{dt: 1 ms, until: 2 ms}}
{STEEL}
bodies:
  table: {{fixed: true, shapes: [{{plane: {{normal: [0, 0, 1]}}, material: steel}}]}}
  ball: {{mass: 1, inertia: [0.004, 0.004, 0.004], pose: {{position: [0, 0, 0.099]}},
         shapes: [{{sphere: {{radius: 0.1}}, material: steel}}]}}
""",
    "wedge": f"""bristle: 1
parameters: {{half: 5 deg}}
step: {{dt: 1 ms, until: 2 ms}}
{STEEL}
bodies:
  left: {{fixed: true, shapes: [{{plane: {{normal: ["cos(half)", 0, "sin(half)"]}}, material: steel}}]}}
  right: {{fixed: true, shapes: [{{plane: {{normal: ["-cos(half)", 0, "sin(half)"]}}, material: steel}}]}}
  roll: {{mass: 1, inertia: [0.02, 0.005, 0.02], pose: {{position: [0, 0, "0.1/sin(half)"]}},
         shapes: [{{cylinder: {{radius: 0.1, length: 0.4}}, rotate: [{{x: 90 deg}}], material: steel}}]}}
""",
    "carried": f"""bristle: 1
step: {{dt: 1 ms, until: 2 ms}}
{STEEL}
bodies:
  belt: {{fixed: true, shapes: [{{plane: {{normal: [0, 0, 1]}}, material: steel, surface_velocity: [1, 0, 0]}}]}}
  frame: {{fixed: true}}
  block: {{mass: 1, inertia: [0.1, 0.1, 0.1], pose: {{position: [0, 0, 0.1]}},
          shapes: [{{box: {{size: [0.2, 0.2, 0.2]}}, material: steel}}]}}
joints: {{guide: {{prismatic: [frame, block], at: [0, 0, 0.1], axis: [1, 0, 0]}}}}
""",
    "painleve": """bristle: 1
step: {dt: 1 ms, until: 2 ms}
materials: {chalk: {friction: {law: coulomb, mu: 2}, restitution: 0}}
bodies:
  board: {fixed: true, shapes: [{plane: {normal: [0, 0, 1]}, material: chalk}]}
  rod: {mass: 1, inertia: [1e-4, 1/12, 1/12], velocity: {linear: [1, 0, 0]}, shapes: [{point: {}, at: [-0.5, 0, 0], material: chalk}],
        pose: {position: ["0.5*cos(60 deg)", 0, "0.5*sin(60 deg)"], rotate: [{y: -60 deg}]}}
""",
}

WORDS = {
    "overlap": ["'ball' and 'table'", "0.001 m inside each other", "never: [ball, table]"],
    "wedge": ["'roll' may be wedged between 'left' and 'right'", "enough is 0.0875", "formulations may differ"],
    "carried": ["contact block/belt (4 places) shares its load with joint 'guide' by least norm", "compliant"],
    "painleve": ["rod/board", "may be missing or not unique", "Painleve"],
}

BODIES = {"overlap": ["table", "ball"], "wedge": ["roll", "left", "right"], "carried": ["belt", "block"],
          "painleve": ["board", "rod"]}


def write(folder, kind):
    path = Path(folder) / f"{kind}.yaml"
    path.write_text(SCENES[kind])
    return path


def test_check_warns(folder):
    for kind, words in WORDS.items():
        scene = write(folder, kind)
        done = succeed("check", scene)  # a warning is no failure
        assert done.stdout.count("warning") == 1 and all(word in done.stdout for word in words), done.stdout
        assert bristle("check", scene, "--strict").returncode == 1
        result = json.loads(succeed("check", scene, "--json").stdout)
        assert result["status"] == "ok" and len(result["doubts"]) == 1
        doubt = result["doubts"][0]
        assert doubt["kind"] == kind and doubt["bodies"] == BODIES[kind] and doubt["text"] in done.stdout
        assert doubt["joint"] == ("guide" if kind == "carried" else None)


def test_run_warns_once(folder):
    for kind, words in WORDS.items():
        done = succeed("run", write(folder, kind), "-q")
        assert done.stderr.count("warning") == 1 and all(word in done.stderr for word in words), done.stderr


def test_separate(folder):
    """The ball comes out of the table by what it was inside, before anything moves; the same of a run."""
    scene = write(folder, "overlap")
    done = succeed("check", scene, "--separate", "--strict")
    assert "separated: 'ball' was moved by 0.001 m, [0, 0, 0.001]" in done.stdout and "warning" not in done.stdout
    result = json.loads(succeed("check", scene, "--separate", "--json").stdout)
    assert abs(result["separated"] - 0.001) < 1e-9 and result["doubts"] == []
    way = json.loads(succeed("check", scene, "--json").stdout)["doubts"][0]["way"]
    assert abs(way[2] - 0.001) < 1e-12 and way[:2] == [0, 0]
    done = succeed("run", scene, "--separate", "--json")
    assert "separated: 'ball'" in done.stderr and "warning" not in done.stderr
    result = json.loads(done.stdout)
    assert abs(result["bodies"]["ball"]["position"][2] - 0.1) < 1e-9
    assert abs(result["assembly"]["separated"] - 0.001) < 1e-9
    point = Path(folder) / "end.state"
    succeed("run", scene, "--separate", "-q", "--checkpoint", point)
    assert "--separate is for where a run begins" in refuse(2, "run", scene, "--separate", "--resume", point)


def test_where_runs_begin(folder):
    """Told by check and by run, with what would do."""
    scene = Path(folder) / "odd.yaml"
    scene.write_text("""bristle: 1
step: {scheme: moreau, dt: 1 ms, until: 1 ms}
materials: {steel: {friction: {law: coulomb, mu: 0.3}, density: 7.8}}
bodies:
  wall: {fixed: true, shapes: [{plane: {normal: [0, 0, 1]}, material: steel}]}
  shot: {shapes: [{sphere: {radius: 5 mm}, material: steel}], pose: {position: [0, 0, 1]}, velocity: {linear: [40, 0, 0]}}
  heap: {mass: 1, inertia: [400, 400, 400], shapes: [{sphere: {radius: 0.1}, material: steel}], pose: {position: [1, 0, 0.1]},
         velocity: {linear: [0, 0, -1]}}
  arm: {mass: 1, inertia: [1, 1, 1], pose: {position: [0, 5, 0]}}
joints: {hinge: {revolute: [wall, arm], at: [0, 5, 0], axis: [0, 0, 1], limits: [0.1, 1]}}
""")
    words = {"density": "density: 7.8 g/cm^3", "inertia": "about 0.004 kg m^2 would be usual", "limit": "start: 0.1 rad",
             "step": "take dt = 0.00025 s, or the scheme hem2", "approach": "approach each other at 1 m/s"}
    text = succeed("run", scene, "-q").stderr
    assert all(word in text for word in words.values()), text
    doubts = {doubt["kind"]: doubt for doubt in json.loads(succeed("check", scene, "--json").stdout)["doubts"]}
    assert set(doubts) == set(words) and doubts["limit"]["joint"] == "hinge"
    fixed = ["materials.steel.density=7.8 g/cm^3", "bodies.heap.inertia=[0.004, 0.004, 0.004]", "joints.hinge.start=0.1",
             "step.dt=0.25 ms", "bodies.heap.velocity.linear=[0, 0, 0]"]
    succeed("check", scene, "--strict", *[word for change in fixed for word in ("--set", change)])


def test_ordinary_scenes_pass(folder):
    for scene in sorted((ROOT / "scenes").glob("*.yaml")):
        succeed("check", scene, "--strict")
    succeed("check", write(folder, "wedge"), "--strict", "--set", "parameters.half=20 deg")
    succeed("check", write(folder, "painleve"), "--strict", "--set", "materials.chalk.friction.mu=1.3")


def test_many_doubts_are_cut_short(folder):
    """In words; JSON has all of them."""
    scene = Path(folder) / "many.yaml"
    balls = "".join(f"  b{i}: {{mass: 1, inertia: [1, 1, 1], pose: {{position: [{i}, 0, 0.4]}}, "
                    "shapes: [{sphere: {radius: 0.45}, material: steel}]}\n" for i in range(30))
    scene.write_text("bristle: 1\n" + STEEL + "\nbodies:\n  table: {fixed: true, shapes: [{plane: {normal: [0, 0, 1]}, "
                     "material: steel}]}\n" + balls)
    assert succeed("check", scene).stdout.count("warning") == 9
    assert len(json.loads(succeed("check", scene, "--json").stdout)["doubts"]) == 30


tap.run_tests(globals())
