"""The command from outside: help, exit codes, JSON, recordings, errors, interruption, checkpoints, the progress bar."""
import csv
import json
import math
import os
import pty
import re
import resource
import signal
import struct
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np

from outside import BRISTLE, HANGS, ROOT, bristle, count_rows, grows, refuse, succeed, wait_until

sys.path.insert(0, str(ROOT / "scripts"))
import tap  # noqa: E402

PENDULUM = str(ROOT / "scenes/double-pendulum.yaml")
BODY = "{mass: 1, inertia: [1, 1, 1]}"

# Every kind of channel, and names that two kinds share.
RICH = """bristle: 1
parameters: {k: 40 N/m}
step: {dt: 1 ms, until: 100 ms}
bodies:
  ground: {fixed: true}
  belt: {pose: {position: [0, 0, -1]}}
  arm: {mass: 2, inertia: [0.1, 0.2, 0.2], pose: {position: [0.5, 0, 0]}}
  puck: {mass: 1, inertia: [0.1, 0.1, 0.1], velocity: {linear: [1, 0, 0], angular: [0, 0, 3]}}
joints:
  hinge: {revolute: [ground, arm], at: [0, 0, 0], axis: [0, 1, 0]}
  puck: {planar: [belt, puck], at: [0, 0, 0], axis: [0, 0, 1]}
springs:
  line: {between: [ground, puck], stiffness: k, damping: 1, free_length: 0.1}
  hinge: {joint: hinge, stiffness: 5, damping: 0.1}
motors: {drive: {joint: puck, coordinate: angle, speed: 2 rad/s, max_torque: 1}}
motions: {belt: {body: belt, velocity: [0.1, 0, 0]}}
record: {every: 5 ms}
"""


def run_json(*words, **options):
    return json.loads(succeed("run", *words, "--json", **options).stdout)


def write(folder, name, text):
    path = Path(folder) / name
    path.write_text(text)
    return path


def names(folder):
    return sorted(path.name for path in Path(folder).iterdir())


def datasets(file):
    found = {}
    file.visititems(lambda name, item: found.update({name: item}) if isinstance(item, h5py.Dataset) else None)
    return found


def same_bits(a, b):
    return np.array_equal(np.asarray(a, dtype="<f8").view("<u8"), np.asarray(b, dtype="<f8").view("<u8"))


# ---- Help and wrong use

LOCKED = """bristle: 1
gravity: [0, 0, 0]
step: {scheme: hem2, dt: 1 ms, until: 0.2 s}
bodies: {g: {fixed: true}, a: {mass: 1, inertia: [1, 1, 1], pose: {position: [0.3, 0, 0]}}}
joints:
  h: {revolute: [g, a], at: [0, 0, 0], axis: [0, 0.6, 0.8]}
  w: {revolute: [g, a], at: [0.1, 0.2, 0], axis: [1, 0, 0]}
forces: {f: {body: a, force: [3, "2*sin(40*t)", 1], torque: [1, 2, 3]}}
"""


def test_a_machine_that_cannot_move_is_no_failure(folder):
    """Its books are off by a rounding, and nothing was turned over."""
    (Path(folder) / "locked.yaml").write_text(LOCKED)
    result = json.loads(succeed("run", "locked.yaml", "--json", cwd=folder).stdout)
    assert result["status"] == "ok" and abs(result["energy"]["defect"]) < 1e-15


def test_help(folder):
    for command in ("run", "plot", "solvers"):
        assert succeed("help", command).stdout == succeed(command, "--help").stdout
    assert "did you mean 'run'" in refuse(2, "help", "rum") and "one argument too many" in refuse(2, "help", "run", "plot")
    for words in (["--help"], ["-h"], ["help"]):
        text = succeed(*words)
        assert text.stderr == "" and "Exit codes" in text.stdout
        assert all(re.search(rf"^  {command}\b", text.stdout, re.MULTILINE) for command in ("run", "check", "suggest", "joints", "solve"))
    assert re.fullmatch(r"bristle \d+\.\d+\.\d+ \(numerics \d+\)\n", succeed("--version").stdout)


def test_help_of_commands(folder):
    options = {"run": ["--output", "-o", "--dt", "--until", "--scheme", "--formulation", "--set", "--checkpoint",
                       "--resume", "--realtime", "--budget", "--unstable", "--strict", "--quiet", "-q", "--json"],
               "check": ["--set", "--json"], "joints": ["--json"],
               "suggest": ["--mass", "--mass2", "--load", "--depth", "--E", "--nu", "--radius", "--e", "--mu", "--mu-k",
                           "--speed", "--dt", "--set", "--json"],
               "solve": ["--kind", "--tolerance", "--solver", "--all", "--json"], "solvers": ["--json"]}
    for command, known in options.items():
        for word in ("--help", "-h"):
            done = succeed(command, word)
            assert done.stderr == "" and done.stdout.startswith(f"Usage: bristle {command}")
            assert all(option in done.stdout for option in [*known, "--help"]), done.stdout
            assert all(len(line) <= 120 for line in done.stdout.splitlines())


def test_wrong_use(folder):
    done = bristle()
    assert done.returncode == 2 and done.stdout == "" and "Usage" in done.stderr
    assert "unknown command 'fly'" in refuse(2, "fly")
    assert "did you mean 'reproduce'?" in refuse(2, "repoduce") and "did you mean 'run'?" in refuse(2, "Run")
    assert "did you mean '--formulation'?" in refuse(2, "run", PENDULUM, "--formulatoin=event")
    assert "did you mean" not in refuse(2, "run", PENDULUM, "--xyzzy")
    for command in ("run", "check"):
        assert "which scene?" in refuse(2, command)
        assert "unknown option '--fast'" in refuse(2, command, PENDULUM, "--fast")
        assert "--set needs a value" in refuse(2, command, PENDULUM, "--set")
        assert "--json takes no value" in refuse(2, command, PENDULUM, "--json=yes")
        assert "one argument too many" in refuse(2, command, PENDULUM, PENDULUM)
    assert "too many" in refuse(2, "joints", "revolute")
    assert "needs a value" in refuse(2, "run", PENDULUM, "-o")


# ---- JSON

def test_run_json(folder):
    result = run_json(write(folder, "rich.yaml", RICH))
    assert list(result) == ["status", "time", "steps", "hash", "sleeping", "bodies", "energy", "assembly", "residual", "contacts",
                            "pairs", "joints"]
    assert result["status"] == "ok" and result["steps"] == 100 and abs(result["time"] - 0.1) < 1e-15
    assert re.fullmatch("[0-9a-f]{16}", result["hash"]) and result["contacts"] == []
    assert list(result["bodies"]) == ["ground", "belt", "arm", "puck"]
    for body in result["bodies"].values():
        assert list(body) == ["position", "rotation", "velocity", "angular_velocity"]
        assert [len(body[key]) for key in ("position", "velocity", "angular_velocity")] == [3, 3, 3]
        turn = np.array(body["rotation"])
        assert turn.shape == (3, 3) and np.allclose(turn @ turn.T, np.eye(3), atol=1e-12)
    assert {"kinetic", "potential", "stored", "dissipated", "defect"} <= result["energy"].keys()
    assert {"worst", "contact", "uncertified_steps"} <= result["residual"].keys()
    assert result["residual"]["uncertified_steps"] == 0 and result["residual"]["contact"] is None
    assert list(result["joints"]) == ["hinge", "puck"]
    for joint in result["joints"].values():
        assert list(joint) == ["position", "force", "torque"] and len(joint["force"]) == len(joint["torque"]) == 3
    assert isinstance(result["joints"]["hinge"]["position"], float) and len(result["joints"]["puck"]["position"]) == 3


def test_check_json(folder):
    result = json.loads(succeed("check", PENDULUM, "--json").stdout)
    assert list(result) == ["status", "bodies", "joints", "rows", "redundant_rows", "freedoms", "assembly_move",
                            "velocity_changed", "position_violation", "velocity_violation", "dt", "largest_dt", "sure_dt",
                            "energy_dt", "sure_energy_dt", "separated", "masses", "doubts", "diagnosis", "redundant"]
    assert [result[key] for key in ("status", "bodies", "joints", "rows", "redundant_rows", "freedoms")] == \
        ["ok", 2, 2, 10, 0, 2]
    assert result["dt"] == 1e-3 and result["largest_dt"] is None and result["redundant"] == []
    door = write(folder, "door.yaml", f"""bristle: 1
bodies: {{frame: {{fixed: true}}, door: {BODY}}}
joints:
  lower: {{revolute: [frame, door], at: [0, 0, 0], axis: [0, 0, 1]}}
  upper: {{revolute: [frame, door], at: [0, 0, 2], axis: [0, 0, 1]}}
""")
    result = json.loads(succeed("check", door, "--json").stdout)
    assert (result["rows"], result["redundant_rows"], result["freedoms"]) == (10, 5, 1)
    assert len(result["redundant"]) == 5 and all(list(row) == ["joint", "row"] for row in result["redundant"])
    assert {row["joint"] for row in result["redundant"]} <= {"lower", "upper"}
    assert ": 1 freedom\n" in succeed("check", door).stdout


def test_check_unstable(folder):
    stiff = write(folder, "stiff.yaml", f"""bristle: 1
bodies: {{g: {{fixed: true}}, a: {BODY}}}
springs: {{s: {{between: [g, a], stiffness: 1e9}}}}
""")
    done = bristle("check", stiff, "--json")
    result = json.loads(done.stdout)
    assert done.returncode == 1 and result["status"] == "unstable"
    assert abs(result["largest_dt"] - 2 / math.sqrt(1e9)) < 1e-6  # 2 / omega
    done = bristle("check", stiff)
    assert done.returncode == 1 and "UNSTABLE" in done.stdout and "spring 's'" in done.stdout
    succeed("check", stiff, "--set", "springs.s.stiffness=1e3")


def test_check_knows_how_the_step_is_made(folder):
    """What hem2 makes explode is not called stable because rattle would bear it; event finds its own steps."""
    ball = write(folder, "ball.yaml", f"""bristle: 1
bodies: {{g: {{fixed: true}}, a: {BODY}}}
springs: {{s: {{between: [g, a], stiffness: 100, direction_at_zero: [1, 0, 0]}}}}
step: {{dt: 100 ms}}
""")
    succeed("check", ball, "--scheme", "rattle")
    done = bristle("check", ball, "--scheme", "hem2")
    assert done.returncode == 1 and "UNSTABLE" in done.stdout
    touching = write(folder, "touching.yaml", """bristle: 1
materials: {m: {friction: {law: coulomb, mu: 0.3}}}
bodies:
  g: {fixed: true, shapes: [{plane: {}, material: m}]}
  a: {mass: 1, inertia: [1, 1, 1], pose: {position: [0, 0, 1]}, shapes: [{sphere: {radius: 0.5}, material: m}]}
step: {formulation: event}
""")
    out = succeed("check", touching).stdout
    assert "step: event," in out and "hem2" not in out


def test_check_tells_steps_that_keep_energy(folder):
    """Undamped swings, w = 100 rad/s: at the step that check tells the books stay right to a tenth until the end; at one
    that is stable and too large for that, check and run warn, and a run that gained half has failed."""
    spring = write(folder, "spring.yaml", """bristle: 1
gravity: [0, 0, 0]
step: {scheme: hem2, dt: 2.7 ms, until: 10}
bodies: {g: {fixed: true}, b: {mass: 1, inertia: [1, 1, 1], velocity: {linear: [1, 0, 0]}}}
joints: {p: {prismatic: [g, b], at: [0, 0, 0], axis: [1, 0, 0]}}
springs: {s: {joint: p, stiffness: 1e4}}
""")
    done = bristle("check", spring)
    assert done.returncode == 0 and "spring 's' may be off by more than half within 10 s" in done.stdout
    assert bristle("check", spring, "--strict").returncode == 1
    for until in ("1", "10"):  # E grows by (1 + (w h)^4/4) in each step: by 0.63 in 1 s
        done = bristle("run", spring, "--until", until)
        assert done.returncode == 1 and "the run failed: its energy books are off by" in done.stderr
    for scheme in ("hem2", "rattle", "moreau", "semi-implicit", "rk2", "rk3", "rk4"):
        form = ["--formulation", "compliant"] if scheme in ("semi-implicit", "rk2", "rk3", "rk4") else []
        words = ["--scheme", scheme, *form, "--until", "4 s"]
        told = json.loads(bristle("check", spring, *words, "--json").stdout)["energy_dt"]
        succeed("check", spring, *words, "--dt", 0.99 * told, "--strict", "--set", f"record.every={0.99 * told}")
        books = run_json(spring, *words, "--dt", 0.99 * told, "--set", f"record.every={0.99 * told}")["energy"]
        assert abs(books["defect"]) < 0.1 * 0.5, (scheme, told, books)


def test_run_that_made_no_solution_fails(folder):
    """An exploding oscillator ends with 1 and a sentence, and leaves its recording; one that swings ends with 0."""
    spring = write(folder, "spring.yaml", f"""bristle: 1
gravity: [0, 0, 0]
bodies: {{g: {{fixed: true}}, a: {BODY}}}
springs: {{s: {{between: [g, a], stiffness: 100, free_length: 0.1, direction_at_zero: [1, 0, 0]}}}}
step: {{dt: 100 ms, until: 20 s}}
""")
    recording = os.path.join(folder, "exploded.csv")
    done = bristle("run", spring, "--scheme", "hem2", "-o", recording)
    assert done.returncode == 1 and "the run failed: its energy books are off by" in done.stderr
    assert "FAILED at t = 20 s" in done.stdout and len(open(recording).readlines()) > 200
    assert json.loads(bristle("run", spring, "--scheme", "hem2", "--json").stdout)["status"] == "failed"
    succeed("run", spring, "--scheme", "hem2", "--dt", "5 ms")
    resting = write(folder, "resting.yaml", f"""bristle: 1
bodies: {{g: {{fixed: true}}, a: {BODY}}}
joints: {{weld: {{fixed: [g, a], at: [0, 0, 0]}}}}
""")
    succeed("run", resting)  # nothing is turned over, and that is no failure


def test_check_takes_step_options(folder):
    spring = write(folder, "spring.yaml", f"""bristle: 1
bodies: {{g: {{fixed: true}}, a: {BODY}}}
springs: {{s: {{between: [g, a], stiffness: 100}}}}
""")
    succeed("check", spring, "--dt", "10 ms")
    done = bristle("check", spring, "--dt", "1 s")
    assert done.returncode == 1 and "valid, but UNSTABLE" in done.stdout
    assert "too large for spring 's'" in bristle("run", spring, "--dt", "1 s", "--until", "1 s").stderr


def test_changed_velocities_are_told(folder):
    """A bar that is given a spin but not the velocity of its centre turns slower than its file says."""
    bar = write(folder, "bar.yaml", """bristle: 1
gravity: [0, 0, 0]
bodies:
  g: {fixed: true}
  bar: {mass: 2, inertia: [0.001, 1/6, 1/6], pose: {position: [0.5, 0, 0]}, velocity: {angular: [0, 3, 0]}}
joints: {h: {revolute: [g, bar], at: [0, 0, 0], axis: [0, 1, 0]}}
""")
    assert "given velocities were changed by up to 2.25" in succeed("check", bar).stdout
    done = bristle("run", bar, "--until", "10 ms", "--json")
    assert "given velocities were changed" in done.stderr
    result = json.loads(done.stdout)
    assert abs(result["assembly"]["velocity_changed"] - 2.25) < 1e-9  # 3 - 3 I/(I + m l^2)
    assert abs(result["bodies"]["bar"]["angular_velocity"][1] - 0.75) < 1e-9
    fitting = bristle("run", bar, "--until", "10 ms", "--set", "bodies.bar.velocity.linear=[0, 0, -1.5]")
    assert fitting.returncode == 0 and fitting.stderr == ""


def test_parameters_of_set_must_exist(folder):
    assert "did you mean 'm'?" in refuse(1, "run", PENDULUM, "--set", "parameters.M=7 kg")


def test_effort_of_motions(folder):
    """A flywheel sped up by a motion: its effort is inertia times acceleration."""
    wheel = write(folder, "wheel.yaml", f"""bristle: 1
bodies: {{g: {{fixed: true}}, a: {BODY}}}
joints: {{axle: {{revolute: [g, a], at: [0, 0, 0], axis: [0, 0, 1]}}}}
motions: {{drive: {{joint: axle, speed: "3 rad/s^2*t"}}}}
""")
    succeed("run", wheel, "--until", "10 ms", "-o", "wheel.h5", cwd=folder)
    with h5py.File(Path(folder) / "wheel.h5") as file:
        assert file["motions/drive/effort"].attrs["unit"] == "N m"
        assert abs(file["motions/drive/effort"][:] - 3).max() < 1e-9


def test_joints_json(folder):
    types = json.loads(succeed("joints", "--json").stdout)
    assert [joint["name"] for joint in types] == [
        "revolute", "prismatic", "cylindrical", "spherical", "universal", "fixed", "planar", "screw", "distance",
        "knife_edge", "rolling_wheel", "point_in_plane", "point_on_line", "link", "contact"]
    text = succeed("joints").stdout
    for joint in types:
        assert list(joint) == ["name", "help", "freedoms", "rows", "position_rows", "parameters", "coordinates", "friction"]
        assert joint["freedoms"] + joint["rows"] == 6 and joint["position_rows"] <= joint["rows"] and joint["help"]
        for parameter in joint["parameters"]:
            assert list(parameter) == ["key", "unit", "required", "help"] and parameter["help"]
            assert isinstance(parameter["required"], bool)
        for coordinate in joint["coordinates"]:
            assert list(coordinate) == ["name", "unit", "driveable"] and coordinate["unit"] in ("m", "rad")
        rubs = joint["name"] in ("revolute", "prismatic", "cylindrical", "spherical", "universal", "screw")
        assert bool(joint["friction"]) == rubs
        for parameter in joint["friction"]:
            assert f"friction.{parameter['key']}" in text and parameter["help"]
        assert f"{joint['name']}: {joint['help']}" in text


RUBBING = """bristle: 1
step: {formulation: FORMULATION, until: 20 ms}
bodies: {g: {fixed: true}, a: {mass: 1, inertia: [1e-2, 1e-2, 1e-2], pose: {position: [0.2, 0, 0]}}}
joints: {h: {revolute: [g, a], at: [0, 0, 0], axis: [0, 1, 0], friction: {FRICTION}}}
"""
BEARING = "law: coulomb, mu: 0.2, pin_radius: 5 mm, bearing_spacing: 40 mm"


def rubbing(folder, friction, formulation="timestepping"):
    return write(folder, "rubbing.yaml", RUBBING.replace("FRICTION", friction).replace("FORMULATION", formulation))


def test_joint_friction(folder):
    for formulation in ("timestepping", "smooth", "event"):
        scene = rubbing(folder, BEARING, formulation)
        succeed("run", scene, "--force", "-o", Path(folder) / "out.h5")
        with h5py.File(Path(folder) / "out.h5") as file:
            joint = file["joints/h"]
            assert joint["friction"].attrs["unit"] == "N m" and joint["bearing_1"].attrs["unit"] == "N"
            assert joint["grip"][-1] == 2 and joint["heat"][-1] > 0 and joint["margin"][-1] == 0
            assert abs(joint["friction"][-1] + 5e-3*0.2*2*joint["bearing_1"][-1]) < 1e-9


def test_joint_friction_mistakes(folder):
    for friction, text in (
            ("law: coulom, mu: 0.2", "coulomb"), (BEARING.replace("5 mm", "-5 mm"), "pin_radius is -0.005 m"),
            (BEARING.replace("40 mm", "0"), "needs 'bearing_spacing' above zero"),
            (BEARING + ", ball_radius: 1 mm", "unknown key"), (BEARING.replace("5 mm", "5 kg"), "a value in m is needed"),
            ("law: bristle, mu: 0.2", "coulomb")):
        refused = refuse(1, "check", rubbing(folder, friction))
        assert text in refused and "rubbing.yaml:4:" in refused, refused


def test_json_errors(folder):
    scene = write(folder, "bad.yaml", "bristle: 1\nbodies: {a: {mas: 1}}\n")
    for command in ("run", "check"):
        done = bristle(command, scene, "--json")
        error = json.loads(done.stdout)["error"]
        assert done.returncode == 1 and json.loads(done.stdout)["status"] == "failed"
        assert list(error) == ["name", "text", "file", "line", "column"]
        assert (error["name"], error["file"], error["line"], error["column"]) == ("BR_INVALID_SCENE", str(scene), 2, 14)
        assert done.stderr == f"{scene}:2:14: {error['text']}\n"
    error = json.loads(bristle("run", Path(folder) / "none.yaml", "--json").stdout)["error"]
    assert error["name"] == "BR_IO" and error["line"] == 0


def test_json_of_odd_names(folder):
    """Names are text: quotes, backslashes and any script; a message cuts no character in two."""
    odd = 'a "b" \\ ä 車'
    scene = write(folder, "odd.yaml", f"bristle: 1\nstep: {{until: 2 ms}}\nbodies: {{{json.dumps(odd)}: {BODY}}}\n")
    assert list(run_json(scene)["bodies"]) == [odd]
    for length in range(50, 70):
        key = "x" * length + "é"
        scene = write(folder, "odd.yaml", f"bristle: 1\nbodies: {{a: {BODY}}}\n{key}: 1\n")
        assert json.loads(bristle("check", scene, "--json").stdout)["status"] == "failed"


# ---- Bad scenes

BAD = {
    "empty": ("", 1, 1),
    "not a scene": ("hello\n", 1, 1),
    "version": ("bristle: 7\n", 1, 10),
    "syntax": ("bristle: 1\nbodies: {a: [}\n", 2, 14),
    "key": (f"bristle: 1\nbodies: {{a: {BODY}}}\nrecrod: {{}}\n", 3, 1),
    "unit": ("bristle: 1\nbodies: {a: {mass: 3 mm, inertia: [1, 1, 1]}}\n", 2, 20),
    "inertia": ("bristle: 1\nbodies: {a: {mass: 1, inertia: [1, 1, 5]}}\n", 2, 32),
    "body": (f"bristle: 1\nbodies: {{a: {BODY}}}\njoints: {{j: {{fixed: [a, c], at: [0, 0, 0]}}}}\n", 3, 25),
    "bytes": ("bristle: 1\nbodies: \x01\n", 2, 9),
    "step": (f"bristle: 1\nstep: {{dt: 0}}\nbodies: {{a: {BODY}}}\n", 2, 12),
}


def test_bad_scenes(folder):
    for name, (text, line, column) in BAD.items():
        write(folder, "bad.yaml", text)
        for command in (["check", "bad.yaml"], ["run", "bad.yaml"], ["run", "bad.yaml", "-o", "out.h5"],
                        ["run", "bad.yaml", "-o", "out.csv", "--checkpoint", "c", "-q"]):
            message = refuse(1, *command, cwd=folder)
            assert message.startswith(f"bad.yaml:{line}:{column}: "), f"{name}: {message}"
            assert names(folder) == ["bad.yaml"], f"{name}: {names(folder)}"


def test_bad_scene_from_standard_input(folder):
    message = refuse(1, "run", "-", text="bristle: 1\nbodies: {}\njonits: {}\n")
    assert message.startswith("<stdin>:3:1: ") and "'joints'" in message


def test_message_is_one_line(folder):
    """Whatever a scene holds, nothing of it drives the terminal."""
    for text in ('bristle: "1\\n2"\n', f'bristle: 1\nbodies: {{a: {BODY}}}\n"\\e[31mred": 1\n',
                 'bristle: 1\nbodies: {"a\\nb": {fixed: true}}\n'):
        write(folder, "bad.yaml", text)
        message = refuse(1, "check", "bad.yaml", cwd=folder)
        assert message.isprintable(), repr(message)


def test_existing_output_is_untouched(folder):
    write(folder, "bad.yaml", BAD["inertia"][0])
    write(folder, "apart.yaml", "bristle: 1\nbodies: {g: {fixed: true}, a: " + BODY + "}\njoints:\n"
          "  j: {distance: [g, a], from_body: [1, 0, 0], length: 9}\n  k: {fixed: [g, a], at: [0, 0, 0]}\n")
    for name in ("out.h5", "out.csv"):
        kept = write(folder, name, "precious")
        for scene in ("bad.yaml", "apart.yaml", "none.yaml"):
            refuse(1, "run", scene, "-o", name, cwd=folder)
        refuse(1, "run", PENDULUM, "--dt", "nonsense", "-o", name, cwd=folder)
        refuse(1, "run", PENDULUM, "--resume", "none", "-o", name, cwd=folder)
        assert kept.read_text() == "precious"
    assert names(folder) == ["apart.yaml", "bad.yaml", "out.csv", "out.h5"]


# ---- Recordings

def expected_columns(file):
    """CSV names and values from the HDF5 file, in the order of the CSV."""
    xyz, rotation = ["x", "y", "z"], [a + b for a in "xyz" for b in "xyz"]
    owners = {}
    for path in datasets(file):
        if path.count("/") == 2:
            owners.setdefault(path.split("/")[1], set()).add(path.split("/")[0])
    columns = {}
    for path, data in datasets(file).items():
        if path == "rows_written":
            continue
        words = path.split("/")
        if len(words) == 3 and len(owners[words[1]]) == 1:
            words = words[1:]
        values = data[:].reshape(len(data), -1)
        parts = {1: [""], 3: ["." + p for p in xyz], 9: ["." + p for p in rotation]}[values.shape[1]]
        for part, column in zip(parts, values.T):
            columns[f"{'.'.join(words)}{part}[{data.attrs['unit']}]"] = column
    return columns


def test_csv_equals_hdf5(folder):
    scene = write(folder, "rich.yaml", RICH)
    succeed("run", scene, "-o", "out.h5", cwd=folder)
    succeed("run", scene, "-o", "out.csv", cwd=folder)
    with open(Path(folder) / "out.csv", newline="") as lines:
        header, *rows = list(csv.reader(lines))
    assert header[0] == "time[s]" and all(re.fullmatch(r"[\w.]+\[[^\[\]]+\]", name) for name in header), header
    for name in ("arm.position.x[m]", "arm.rotation.xy[1]", "bodies.puck.velocity.y[m/s]", "belt.velocity.x[m/s]",
                 "joints.hinge.force.z[N]", "joints.hinge.torque.y[N m]", "joints.puck.position_angle[rad]",
                 "springs.hinge.tension[N m]", "line.tension[N]", "drive.effort[N m]", "energy.kinetic[J]",
                 "certificate.uncertified_steps[1]"):
        assert name in header, f"{name} is not in {header}"
    assert not any(name.startswith(("ground.", "bodies.ground.")) for name in header)
    assert all(len(row) == len(header) for row in rows) and len(set(header)) == len(header)
    with h5py.File(Path(folder) / "out.h5") as file:
        columns = expected_columns(file)
    assert sorted(columns) == sorted(header)
    for i, name in enumerate(header):
        assert same_bits([float(row[i]) for row in rows], columns[name]), name
    assert names(folder) == ["out.csv", "out.h5", "rich.yaml"]


def test_csv_of_odd_names(folder):
    """A comma or a quote in a name is quoted as CSV wants it."""
    scene = write(folder, "odd.yaml", f"bristle: 1\nstep: {{until: 2 ms}}\nbodies: {{'left, \"front\"': {BODY}}}\n")
    succeed("run", scene, "-o", "out.csv", cwd=folder)
    with open(Path(folder) / "out.csv", newline="") as lines:
        header, *rows = list(csv.reader(lines))
    assert all(len(row) == len(header) for row in rows), header[:3]
    assert 'left, "front".position.x[m]' in header, header[:3]


def test_hdf5(folder):
    scene = write(folder, "rich.yaml", RICH)
    result = run_json(scene, "-o", "out.h5", "--set", "step.until=0.2", "--set", "bodies.arm.mass=3", cwd=folder)
    with h5py.File(Path(folder) / "out.h5") as file:
        assert {"bristle", "numerics", "scene", "assignments", "model_fingerprint"} <= file.attrs.keys()
        assert file.attrs["scene"] == RICH
        assert file.attrs["assignments"] == "step.until=0.2\nbodies.arm.mass=3\n"
        assert re.fullmatch("[0-9a-f]{16}", file.attrs["model_fingerprint"])
        found = datasets(file)
        rows = int(found.pop("rows_written")[()])
        assert rows == 41  # 200 steps, a row every 5, and the first
        for path, data in found.items():
            assert data.attrs["unit"] and data.attrs["help"], path
            assert data.dtype == "<f8" and len(data) == rows and np.all(np.isfinite(data[:])), path
        assert found["bodies/arm/position"].shape == (rows, 3) and found["bodies/arm/rotation"].shape == (rows, 3, 3)
        assert found["joints/hinge/position"].shape == (rows,) and found["joints/hinge/force"].shape == (rows, 3)
        units = {path: data.attrs["unit"] for path, data in found.items()}
        assert [units[path] for path in ("time", "bodies/arm/velocity", "joints/hinge/torque", "springs/line/tension",
                                         "springs/hinge/tension", "motors/drive/target", "energy/work")] == \
            ["s", "m/s", "N m", "N", "N m", "rad/s", "J"]
        moments = found["time"][:]
        assert moments[0] == 0 and np.allclose(moments, 5e-3 * np.arange(rows), rtol=0, atol=1e-15)
        # the last row is the state that the summary shows, to the bit
        assert same_bits(found["bodies/arm/position"][-1], result["bodies"]["arm"]["position"])
        assert same_bits(found["bodies/puck/rotation"][-1], result["bodies"]["puck"]["rotation"])
        assert same_bits(found["joints/hinge/force"][-1], result["joints"]["hinge"]["force"])
        assert same_bits(found["energy/kinetic"][-1], result["energy"]["kinetic"])


def test_reactions_are_instantaneous(folder):
    """A horizontal bar let go: its hinge carries a quarter of the weight at once; released at rest, nothing else."""
    scene = write(folder, "bar.yaml", """bristle: 1
gravity: [0, 0, -10]
step: {dt: 1 ms, until: 10 ms}
bodies: {g: {fixed: true}, bar: {mass: 2, inertia: [0.01, 1/6, 1/6], pose: {position: [0.5, 0, 0]}}}
joints: {hinge: {revolute: [g, bar], at: [0, 0, 0], axis: [0, 1, 0]}}
record: {every: 1 ms}
""")
    for scheme in ("rattle", "hem2", "moreau"):
        succeed("run", scene, "--force", "-o", "out.h5", "--scheme", scheme, cwd=folder)
        with h5py.File(Path(folder) / "out.h5") as file:
            force, mean = file["joints/hinge/force"][:], file["joints/hinge/force_mean"][:]
            assert np.allclose(force[0], [0, 0, 5], rtol=0, atol=1e-12), force[0]
            assert np.allclose(file["bodies/bar/acceleration"][0], [0, 0, -7.5], rtol=0, atol=1e-12)
            assert np.allclose(file["bodies/bar/angular_acceleration"][0], [0, 15, 0], rtol=0, atol=1e-12)
            assert np.all(mean[0] == 0) and abs(mean[1][2] - 5) < 0.01  # no step before the first row


def test_row_times(folder):
    for until, every, wanted in (("10 ms", "4 ms", [0, 4, 8, 10]), ("0 s", "1 ms", [0]),
                                 ("2.5 ms", "1 ms", [0, 1, 2, 2.5]), ("1.25 ms", "1 ms", [0, 1, 1.25])):
        result = run_json(PENDULUM, "--force", "-o", "out.h5", "--until", until, "--set", f"record.every={every}", cwd=folder)
        with h5py.File(Path(folder) / "out.h5") as file:
            assert np.allclose(file["time"][:] * 1e3, wanted, rtol=0, atol=1e-12), file["time"][:]
            assert file["rows_written"][()] == len(wanted)
        assert abs(result["time"] * 1e3 - wanted[-1]) < 1e-12


# ---- Options

def test_options(folder):
    base = run_json(PENDULUM, "--until", "50 ms")
    assert base["steps"] == 50 and abs(base["time"] - 0.05) < 1e-15
    assert run_json(PENDULUM, "--until=50 ms") == base == run_json(PENDULUM, "--set", "step.until=0.05")
    assert run_json(PENDULUM, "--until", "50 ms", "--dt", "0.5 ms")["steps"] == 100
    assert run_json(PENDULUM, "--until", "50 ms", "--formulation", "timestepping")["hash"] == base["hash"]
    assert json.loads(succeed("run", "--json", "--until", "50 ms", "--", PENDULUM).stdout) == base
    assert run_json("-", "--until", "50 ms", text=Path(PENDULUM).read_text())["hash"] == base["hash"]
    hashes = {run_json(PENDULUM, "--until", "50 ms", "--scheme", scheme)["hash"] for scheme in
              ("rattle", "hem2", "moreau")}
    assert len(hashes) == 3 and base["hash"] in hashes
    heavy = run_json(PENDULUM, "--until", "50 ms", "--set", "parameters.m=4 kg", "--set", "bodies.lower.mass=1")
    assert heavy["hash"] != base["hash"]
    done = succeed("run", PENDULUM, "--until", "50 ms", "-q")
    assert done.stdout == done.stderr == ""
    assert "done at t = 0.05 s, 50 steps" in succeed("run", PENDULUM, "--until", "50 ms").stdout


def test_options_need_no_section(folder):
    """--dt and the others say what the scene leaves out, also where it has no 'step' at all."""
    scene = write(folder, "short.yaml", f"bristle: 1\nbodies: {{a: {BODY}}}\n")
    for words in (["--dt", "2 ms"], ["--until", "1 s"], ["--scheme", "moreau"], ["--formulation", "timestepping"]):
        assert run_json(scene, *words)["status"] == "ok", words
    assert run_json(scene, "--dt", "2 ms", "--until", "10 ms")["steps"] == 5


def test_bad_options(folder):
    assert "expected" in refuse(1, "run", PENDULUM, "--dt", "nonsense")
    assert "must be positive" in refuse(1, "run", PENDULUM, "--dt", "0")
    assert "is in m, but a value in s" in refuse(1, "run", PENDULUM, "--until", "3 m")
    assert "did you mean 'rattle'" in refuse(1, "run", PENDULUM, "--scheme", "ratle")
    stopped = write(folder, "stopped.yaml", RICH.replace("axis: [0, 1, 0]}", "axis: [0, 1, 0], limits: [-1, 1]}"))
    assert "without joint limits" in refuse(1, "run", stopped, "--formulation", "smooth")
    assert run_json(stopped, "--formulation", "event")["status"] == "ok"
    assert "known: timestepping, event" in refuse(1, "run", PENDULUM, "--formulation", "soft")
    assert "did you mean 'bodies'" in refuse(1, "run", PENDULUM, "--set", "bodeis.upper.mass=1")
    assert "no '='" in refuse(1, "check", PENDULUM, "--set", "bodies")
    message = refuse(1, "run", PENDULUM, "--set", "step.dt=2 ms", "--set", "bodies.upper.mass=-1")
    assert message.startswith("--set bodies.upper.mass: "), message  # which of them
    assert "multiple of the step" in refuse(1, "run", PENDULUM, "--dt", "3 ms")  # the scene records every 10 ms


# ---- Files that cannot be written

def test_unwritable_output(folder):
    (Path(folder) / "taken.h5").mkdir()
    (Path(folder) / "taken.csv").mkdir()
    for output in ("none/out.h5", "none/out.csv", "taken.h5", "taken.csv"):
        message = refuse(1, "run", PENDULUM, "-o", output, cwd=folder)
        assert output in message and ("No such file" in message or "Is a directory" in message), message
    for output in ("out.txt", "out", ".h5", ""):
        assert "must end in .h5" in refuse(1, "run", PENDULUM, "-o", output, cwd=folder)
    assert "x" * 100 in refuse(1, "run", PENDULUM, "-o", "x" * 300 + ".h5", cwd=folder)
    message = refuse(1, "run", PENDULUM, "--checkpoint", "none/c", "--until", "10 ms", cwd=folder)
    assert "checkpoint 'none/c'" in message and "No such file" in message
    assert names(folder) == ["taken.csv", "taken.h5"] and names(Path(folder) / "taken.h5") == []


def test_files_stay_apart(folder):
    """No output is another one or an input, by whatever name or link; nothing is written then."""
    folder = Path(folder)
    scene = write(folder, "s.csv", Path(PENDULUM).read_text())
    scene.with_name("s.yaml").symlink_to("s.csv")
    os.link(scene, folder / "hard.csv")
    (folder / "to.csv").symlink_to("yet.csv")  # leads to nothing yet
    (folder / "sub").mkdir()
    succeed("run", PENDULUM, "--until", "10 ms", "--checkpoint", "c.csv", "-q", cwd=folder)
    before = {name: (folder / name).read_bytes() for name in names(folder) if (folder / name).is_file()}
    for options, first, second in [
            (["-o", "x.h5", "--checkpoint", "x.h5"], "--output 'x.h5'", "--checkpoint 'x.h5'"),
            (["-o", "x.csv", "--checkpoint", "./x.csv"], "--output 'x.csv'", "--checkpoint './x.csv'"),
            (["-o", "x.csv", "--checkpoint", "sub/../x.csv"], "--output", "--checkpoint"),
            (["-o", "x.csv", "--checkpoint", folder / "x.csv"], "--output", "--checkpoint"),
            (["-o", "to.csv", "--checkpoint", "yet.csv"], "--output", "--checkpoint"),
            (["-o", "s.csv"], "SCENE 's.yaml'", "--output 's.csv'"),
            (["-o", "hard.csv"], "SCENE", "--output 'hard.csv'"),
            (["--checkpoint", "s.yaml"], "SCENE", "--checkpoint 's.yaml'"),
            (["--checkpoint", "hard.csv"], "SCENE", "--checkpoint 'hard.csv'"),
            (["--resume", "c.csv", "-o", "c.csv"], "--resume 'c.csv'", "--output 'c.csv'")]:
        message = refuse(2, "run", "s.yaml", "--until", "10 ms", *options, cwd=folder)
        assert first in message and second in message and "same file" in message, message
        assert before == {name: (folder / name).read_bytes() for name in names(folder) if (folder / name).is_file()}
    with open(scene) as text:
        done = subprocess.run([BRISTLE, "run", "-", "-o", "s.csv"], stdin=text, cwd=folder, stderr=subprocess.PIPE)
    assert done.returncode == 2 and scene.read_bytes() == before["s.csv"]
    # a checkpoint may follow the one it came from
    succeed("run", PENDULUM, "--until", "20 ms", "--resume", "c.csv", "--checkpoint", "c.csv", "-q", cwd=folder)
    succeed("run", PENDULUM, "--until", "10 ms", "-o", "x.csv", "--checkpoint", "sub/x.csv", "-q", cwd=folder)
    (folder / "x.svg").symlink_to("x.csv")
    message = refuse(2, "plot", "x.csv", "energy.kinetic", "-o", "x.svg", cwd=folder)
    assert "RECORDING 'x.csv'" in message and "--output 'x.svg'" in message
    message = refuse(2, "bench", "--only", "slope", "--csv", "b", "--svg", "./b", cwd=folder)
    assert "--csv 'b'" in message and "--svg './b'" in message and "b" not in names(folder)


def test_full_disk(folder):
    """A file that may not grow stands for a full disk: one message, no crash, nothing half-made left behind."""
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
    for output in ("out.h5", "out.csv"):  # Python ignores SIGXFSZ, and so does the command then
        message = refuse(1, "run", PENDULUM, "-o", output, cwd=folder, preexec_fn=limit, restore_signals=False)
        assert output in message and "File too large" in message, message
    assert not [name for name in names(folder) if ".tmp" in name]


# ---- Interruption

def interrupt(number, *words, cwd, output):
    """Starts a long run, waits until rows are on the disk, sends the signal; returns the process."""
    process = subprocess.Popen([BRISTLE, "run", *map(str, words), "-o", output], cwd=cwd, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    path = Path(cwd) / output
    wait_until(grows(path) if output.endswith(".csv") else lambda: count_rows(path) > 1, process)
    process.send_signal(number)
    process.out, process.err = (text.decode() for text in process.communicate(timeout=HANGS))
    return process


def test_interrupted_hdf5(folder):
    for number in (signal.SIGINT, signal.SIGTERM):
        process = interrupt(number, PENDULUM, "--until", "1 h", "--json", cwd=folder, output="out.h5")
        assert process.returncode == 128 + number and process.err == "", process.err
        result = json.loads(process.out)
        assert result["status"] == "interrupted" and 0 < result["time"] < 3600
        with h5py.File(Path(folder) / "out.h5") as file:
            moments, rows = file["time"][:], int(file["rows_written"][()])
            assert rows == len(moments) > 1 and np.all(np.diff(moments) > 0) and moments[-1] == result["time"]
            for path, data in datasets(file).items():
                assert path == "rows_written" or (len(data) == rows and np.all(np.isfinite(data[:]))), path
            assert same_bits(file["bodies/lower/position"][-1], result["bodies"]["lower"]["position"])
        assert names(folder) == ["out.h5"]
        (Path(folder) / "out.h5").unlink()


def test_interrupted_csv(folder):
    process = interrupt(signal.SIGINT, PENDULUM, "--until", "1 h", cwd=folder, output="out.csv")
    assert process.returncode == 130 and process.err == "" and "interrupted at t =" in process.out
    with open(Path(folder) / "out.csv", newline="") as lines:
        header, *rows = list(csv.reader(lines))
    assert len(rows) > 1 and all(len(row) == len(header) for row in rows)
    moments = [float(row[0]) for row in rows]
    assert all(a < b for a, b in zip(moments, moments[1:]))


def test_interrupted_and_resumed(folder):
    process = interrupt(signal.SIGINT, PENDULUM, "--until", "1 h", "--checkpoint", "c", "--json",
                        cwd=folder, output="out.h5")
    reached = json.loads(process.out)["steps"]
    until = f"{reached + 100} ms"
    resumed = run_json(PENDULUM, "--resume", "c", "--until", until, cwd=folder)
    assert resumed["steps"] == reached + 100 and resumed["hash"] == run_json(PENDULUM, "--until", until)["hash"]


def test_nohup(folder):
    """A signal that the caller wants ignored stays ignored, as nohup and shell scripts do it."""
    for number in (signal.SIGHUP, signal.SIGINT):
        process = subprocess.Popen([BRISTLE, "run", PENDULUM, "--until", "20 s", "-o", "out.csv", "-q"], cwd=folder,
                                   preexec_fn=lambda: signal.signal(number, signal.SIG_IGN))
        wait_until((Path(folder) / "out.csv").exists, process)
        process.send_signal(number)
        assert process.wait(timeout=HANGS) == 0, number
        (Path(folder) / "out.csv").unlink()


def test_full_standard_output(folder):
    """An answer that nobody gets is no success."""
    for words in (["joints"], ["joints", "--json"], ["check", PENDULUM], ["run", PENDULUM, "--until", "1 ms", "--json"]):
        with open("/dev/full", "w") as full:
            done = subprocess.run([BRISTLE, *words], stdout=full, stderr=subprocess.PIPE, timeout=HANGS)
        assert done.returncode == 1, f"{words} ended with {done.returncode}"


# ---- Checkpoints

def test_resume(folder):
    for scheme in ("rattle", "hem2", "moreau"):
        for scene in (PENDULUM, write(folder, "rich.yaml", RICH)):
            whole = run_json(scene, "--until", "2 s", "--scheme", scheme)
            first = run_json(scene, "--until", "1 s", "--scheme", scheme, "--force", "--checkpoint", "c", cwd=folder)
            second = run_json(scene, "--until", "2 s", "--scheme", scheme, "--resume", "c", "--force", "-o", "out.h5", cwd=folder)
            assert first["time"] == 1 and second["hash"] == whole["hash"] and second["time"] == whole["time"]
            assert second["bodies"] == whole["bodies"] and second["energy"] == whole["energy"]
            with h5py.File(Path(folder) / "out.h5") as file:
                moments = file["time"][:]
                assert moments[0] == 1 and moments[-1] == 2 and np.all(np.diff(moments) > 0)
    assert names(folder) == ["c", "out.h5", "rich.yaml"]
    again = run_json(PENDULUM, "--until", "1 s", "--force", "--checkpoint", "c", cwd=folder)
    assert run_json(PENDULUM, "--until", "1 s", "--resume", "c", cwd=folder)["hash"] == again["hash"]


def test_resume_ends_on_time(folder):
    """The end of a run is a time, whatever steps led to the checkpoint and whatever steps lead on."""
    for first, second in ((["--until", "0.1005 s"], []), (["--until", "100 ms"], ["--dt", "2 ms"]),
                          (["--until", "100 ms"], ["--dt", "0.5 ms"]), (["--until", "100 ms", "--dt", "10 ms"], [])):
        run_json(PENDULUM, *first, "--force", "--checkpoint", "c", cwd=folder)
        result = run_json(PENDULUM, "--until", "200 ms", *second, "--resume", "c", "--force", "-o", "out.h5", cwd=folder)
        assert abs(result["time"] - 0.2) < 1e-12, f"{first} then {second}: ended at t = {result['time']}"
        with h5py.File(Path(folder) / "out.h5") as file:
            assert np.all(np.diff(file["time"][:]) > 0) and abs(file["time"][-1] - 0.2) < 1e-12


def test_resume_refused(folder):
    run_json(PENDULUM, "--until", "10 ms", "--force", "--checkpoint", "c", cwd=folder)
    good = (Path(folder) / "c").read_bytes()
    rich = write(folder, "rich.yaml", RICH)
    assert "another model" in refuse(1, "run", rich, "--resume", "c", "-o", "out.h5", cwd=folder)
    assert "another scene" in refuse(1, "run", PENDULUM, "--resume", "c", "--set", "bodies.upper.mass=3", cwd=folder)
    assert "past the end" in refuse(1, "run", PENDULUM, "--resume", "c", "--until", "5 ms", cwd=folder)
    assert "No such file" in refuse(1, "run", PENDULUM, "--resume", "none", cwd=folder)
    damaged = [good[:-1], good + b"x", good[:20], b"", b"not a checkpoint" * 100, bytes(len(good)), good[:32] * 100]
    for place in [*range(0, 32, 3), *range(32, len(good), len(good) // 40)]:
        damaged.append(good[:place] + bytes([good[place] ^ 0x10]) + good[place + 1:])
    damaged.append(good[:16] + struct.pack("<Q", 1 << 62) + good[24:])  # a size that no memory has
    for bytes_ in damaged:
        (Path(folder) / "broken").write_bytes(bytes_)
        message = refuse(1, "run", PENDULUM, "--resume", "broken", "-o", "out.h5", cwd=folder)
        assert "broken" in message, message
    assert names(folder) == ["broken", "c", "rich.yaml"]


def test_finished_run_replaces_what_was_there(folder):
    for name in ("out.h5", "out.csv", "c"):
        write(folder, name, "old")
    succeed("run", PENDULUM, "--until", "10 ms", "-o", "out.h5", "--checkpoint", "c", "--force", cwd=folder)
    succeed("run", PENDULUM, "--until", "10 ms", "-o", "out.csv", "--force", cwd=folder)
    assert names(folder) == ["c", "out.csv", "out.h5"]
    h5py.File(Path(folder) / "out.h5").close()
    assert (Path(folder) / "out.csv").read_text().startswith("time[s],")
    assert run_json(PENDULUM, "--until", "10 ms", "--resume", "c", cwd=folder)["steps"] == 10


def test_what_is_there_is_kept(folder):
    """Recordings go to the next free name, which is said; other files are refused. Empty ones have nothing to lose."""
    for name in ("out.csv", "out-2.csv", "c"):
        write(folder, name, "old")
    write(folder, "empty.csv", "")
    done = succeed("run", PENDULUM, "--until", "10 ms", "-o", "out.csv", "--json", cwd=folder)
    assert json.loads(done.stdout)["recording"] == "out-3.csv" and "recording to 'out-3.csv' (--force" in done.stderr
    assert (Path(folder) / "out-3.csv").read_text().startswith("time[s],")
    assert succeed("run", PENDULUM, "--until", "10 ms", "-o", "empty.csv", "-q", cwd=folder).stderr == ""
    message = refuse(2, "run", PENDULUM, "--until", "10 ms", "--checkpoint", "c", cwd=folder)
    assert "--resume" in message and "--force" in message
    write(folder, "out.svg", "old")
    message = refuse(2, "plot", "out-3.csv", "energy.kinetic", "-o", "out.svg", cwd=folder)
    assert "'out.svg' is there already and is kept" in message
    assert all((Path(folder) / name).read_text() == "old" for name in ("out.csv", "out-2.csv", "c", "out.svg"))
    assert names(folder) == ["c", "empty.csv", "out-2.csv", "out-3.csv", "out.csv", "out.svg"]


def answer(folder, text):
    """Asked on a terminal whether a recording may be overwritten; returns what was asked."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen([BRISTLE, "run", PENDULUM, "--until", "10 ms", "-o", "out.csv"], cwd=folder, stdin=theirs,
                               stdout=subprocess.DEVNULL, stderr=theirs)
    os.close(theirs)
    seen = b""
    while b"[y/N" not in seen:
        seen += os.read(ours, 4096)
    os.write(ours, text)
    assert process.wait(timeout=HANGS) == 0
    os.close(ours)
    return seen.decode()


def test_the_terminal_is_asked(folder):
    write(folder, "out.csv", "old")
    assert "record to 'out-2.csv'" in answer(folder, b"n\n")
    assert (Path(folder) / "out.csv").read_text() == "old" and names(folder) == ["out-2.csv", "out.csv"]
    answer(folder, b"what?\ny\n")
    assert (Path(folder) / "out.csv").read_text().startswith("time[s],") and names(folder) == ["out-2.csv", "out.csv"]


# ---- The progress bar

def run_on_terminal(until, *words):
    """What a run prints to a terminal on standard error."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen([BRISTLE, "run", PENDULUM, "--until", until, *words], stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=theirs)
    os.close(theirs)
    seen = b""
    while True:
        try:
            piece = os.read(ours, 4096)
        except OSError:  # the other end is closed
            piece = b""
        if not piece:
            break
        seen += piece
    os.close(ours)
    assert process.wait() == 0
    return seen.decode()


def test_progress(folder):
    seen = run_on_terminal("5 min")  # a bar comes after a tenth of a second, on however fast a machine
    bars = re.findall(r"\r\[(#* *)\] +(\d+) %  t = (\S+) s, \d+ s left ", seen)
    assert bars, repr(seen)
    assert all(len(bar) == 40 for bar, _, _ in bars)
    assert [float(t) for _, _, t in bars] == sorted(float(t) for _, _, t in bars)
    assert re.search(r"\r +\r$", seen), "the bar is not wiped away"
    assert run_on_terminal("1 min", "-q") == "" and run_on_terminal("1 min", "--json") == ""
    assert succeed("run", PENDULUM, "--until", "1 min").stderr == ""


DIODE = "2 0 2 2 2 2\n2 1\n1 2\n-5 -6\n"  # u = [2 1; 1 2] r - (5, 6): r = (4/3, 7/3)


def test_solve(folder):
    path = write(folder, "diode.dat", DIODE)
    told = json.loads(succeed("solve", path, "--json").stdout)
    assert told["status"] == "solved" and told["kind"] == "lcp" and told["rows"] == 2 and told["proof"] is None
    assert told["relative_residual"] <= told["tolerance"] == 1e-8
    assert np.allclose(told["r"], [4 / 3, 7 / 3], atol=1e-12) and np.allclose(told["u"], 0, atol=1e-12)
    for solver in ("pivoting", "lemke", "enumeration"):
        assert solver in succeed("solve", path, "--solver", solver, "--kind=lcp").stdout
    assert "solved" in succeed("solve", "-", text=DIODE).stdout


def test_solve_all(folder):
    path = write(folder, "two.dat", "2 0 2 2 2 2\n-1 0\n0 -1\n1 2\n")  # each row has two answers by itself
    told = json.loads(succeed("solve", path, "--kind", "lcp", "--all", "--json").stdout)
    assert told["count"] == 4 and told["complete"] and not told["endless"]
    assert sorted(solution["r"] for solution in told["solutions"]) == [[0, 0], [0, 2], [1, 0], [1, 2]]
    assert all(solution["relative_residual"] < 1e-12 for solution in told["solutions"])
    assert "4 solutions; there are no others" in succeed("solve", path, "--kind", "lcp", "--all").stdout
    assert "not the only one: 4 solutions are known" in succeed("solve", path, "--kind", "lcp").stdout
    assert "not the only one" not in succeed("solve", "-", text=DIODE).stdout
    refuse(2, "solve", write(folder, "relay.dat", "1 0 1 1 1 1\n1\n0\n-1\n1\n"), "--kind", "relay", "--all")


def test_solvers_and_their_sets(folder):
    told = json.loads(succeed("solvers", "--json").stdout)
    names = [one["name"] for one in told]
    assert len(set(names)) == len(names) and {"cone", "pivoting", "newton", "sweeps", "augmented", "proximal"} <= set(names)
    assert all(one["help"] and one["reference"] and one["sets"] and one["solves"] for one in told)
    text = succeed("solvers").stdout
    assert all(re.search(rf"^{name}: ", text, re.MULTILINE) for name in names)
    # what the list says of files is what solve does: one contact in the plane, and a row with a bound
    contact = write(folder, "contact.dat", "2 1 0 2 2 2 2\n1 0\n0 1\n-1 1\n0.5\n")
    row = write(folder, "row.dat", "1 0 1 1 1 1 2 -1\n")
    for one in told:
        if "files" not in one["solves"]:
            refuse(2, "solve", row, "--solver", one["name"])
            continue
        for path, kind, needed in ((contact, "friction", "friction cones"), (row, "lcp", "rows with bounds")):
            if needed in one["sets"]:
                assert "solved" in succeed("solve", path, "--kind", kind, "--solver", one["name"]).stdout
            else:
                assert needed in refuse(2, "solve", path, "--kind", kind, "--solver", one["name"])


def test_solve_without_solution(folder):
    path = write(folder, "none.dat", "1 0 1 1 1 1 0 -1")  # u = -1 whatever r
    done = bristle("solve", path, "--json")
    told = json.loads(done.stdout)
    assert done.returncode == 1 and told["status"] == "no solution" and told["proof"]
    assert bristle("solve", path).returncode == 1


def test_solve_refuses(folder):
    path = write(folder, "diode.dat", DIODE)
    refuse(2, "solve")
    assert "magic" in refuse(2, "solve", path, "--solver", "magic")
    assert "circus" in refuse(2, "solve", path, "--kind", "circus")
    for tolerance in ("0", "-1", "nan", "1e-8x", "2"):
        refuse(2, "solve", path, "--tolerance", tolerance)
    refuse(1, "solve", Path(folder) / "nothing.dat")
    cut = write(folder, "cut.dat", DIODE[:-4])
    assert f"{cut}:4:" in refuse(1, "solve", cut, "--kind", "lcp")


tap.run_tests(globals())
