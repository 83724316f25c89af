"""Steps that take too long: refused, made by timestepping instead, or interrupted; and how a run ends then."""
import csv
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import h5py

from outside import BRISTLE, HANGS, ROOT, bristle, refuse, succeed, wait_until

sys.path.insert(0, str(ROOT / "scripts"))
import tap  # noqa: E402

# A rod that slides on its end and jams: no forces of rigid contact fit there [Painleve 1895].
ROD = """bristle: 1
step: {formulation: event, dt: 1 ms, until: 5 ms}
materials: {chalk: {friction: {law: coulomb, mu: 2}, restitution: 0}}
bodies:
  ground: {fixed: true, shapes: [{plane: {normal: [0, 0, 1]}, material: chalk}]}
  rod:
    mass: 1
    inertia: [1e-4, 1/12, 1/12]
    pose: {position: ["0.5*cos(65 deg)", 0, "0.5*sin(65 deg)"], rotate: [{y: -65 deg}]}
    velocity: {linear: [-1, 0, 0]}
    shapes: [{point: {}, at: [-0.5, 0, 0], material: chalk}]
"""

# A box that flies, with cheap steps, and lands on its four corners 50 ms later, with a dear one.
BOX = """bristle: 1
gravity: [0, 0, 0]
step: {formulation: event, dt: 2 ms, until: 0.2 s, most_work: %s}
record: {every: 20 ms}
materials: {wood: {friction: {law: coulomb, mu: 0.5}, restitution: 0}}
bodies:
  ground: {fixed: true, shapes: [{plane: {normal: [0, 0, 1]}, material: wood}]}
  box: {mass: 1, inertia: [1, 1, 1], pose: {position: [0, 0, 0.555]}, velocity: {linear: [0, 0, -1]},
        shapes: [{box: {size: [1, 1, 1]}, material: wood}]}
"""


def stack():
    """Boxes under one a million times heavier: a step that the event formulation takes hours for."""
    lines = ["bristle: 1", "step: {formulation: event, dt: 0.1 s, until: 1 s, most_work: 1e16}",
             "materials: {wood: {friction: {law: coulomb, mu: 0.5}, restitution: 0}}", "bodies:",
             "  ground: {fixed: true, shapes: [{plane: {normal: [0, 0, 1]}, material: wood}]}"]
    for i in range(12):
        mass = 1e6 if i == 11 else 1
        lines.append(f"  b{i}: {{mass: {mass}, inertia: [{mass / 6}, {mass / 6}, {mass / 6}], "
                     f"pose: {{position: [{0.001 * (i % 3)}, 0, {i + 0.5}]}}, "
                     "shapes: [{box: {size: [1, 1, 1]}, material: wood}]}")
    return "\n".join(lines) + "\n"


def write(folder, name, text):
    path = Path(folder) / name
    path.write_text(text)
    return path


def read_csv(path):
    with open(path, newline="") as lines:
        header, *rows = list(csv.reader(lines))
    return {name: [float(row[i]) for row in rows] for i, name in enumerate(header)}


# ---- Refused

def test_refused_step_ends_the_run(folder):
    """With a sentence and a remedy; what came before it is recorded, also where no row was due."""
    scene = write(folder, "box.yaml", BOX % "2e6")
    done = bristle("run", scene, "-o", "out.h5", "--checkpoint", "c", "--json", cwd=folder)
    assert done.returncode == 1, done.stderr
    result = json.loads(done.stdout)
    assert result["status"] == "refused" and result["error"]["name"] == "BR_TOO_MUCH_WORK"
    # it lands after 55 ms; rows are due at 40 and 60
    assert abs(result["time"] - 0.054) < 1e-9 and result["steps"] == 27
    assert abs(result["bodies"]["box"]["position"][2] - 0.501) < 1e-9
    assert "most_work = 2e+06" in done.stderr and "raise most_work" in done.stderr and "(fallback)" in done.stderr
    assert "the run ends at t = 0.054 s" in done.stderr and done.stderr.count("\n") == 1
    with h5py.File(Path(folder) / "out.h5") as file:
        assert list(file["time"][:]) == [0, 0.02, 0.04, result["time"]] and file["rows_written"][()] == 4
        assert list(file["bodies/box/position"][-1]) == result["bodies"]["box"]["position"]
    # the checkpoint is of the same state, and the run goes on from there when it may
    resumed = json.loads(succeed("run", scene, "--resume", "c", "--most-work", "1e9", "--json", cwd=folder).stdout)
    whole = json.loads(succeed("run", scene, "--most-work", "1e9", "--json", cwd=folder).stdout)
    assert resumed["hash"] == whole["hash"] and whole["residual"]["fell_back_steps"] == 0
    text = bristle("run", scene, cwd=folder)
    assert text.returncode == 1 and "REFUSED at t = 0.054 s" in text.stdout and "most_work" in text.stderr


def test_quiet_refusal_is_one_line(folder):
    scene = write(folder, "box.yaml", BOX % "2e6")
    assert "most_work" in refuse(1, "run", scene, "-q")


# ---- Fallback

def test_steps_fall_back(folder):
    """Only those that must: the rod jams in its first step, and lifts off then."""
    scene = write(folder, "rod.yaml", ROD)
    done = bristle("run", scene, "-q")
    foreseen, sentence = done.stderr.splitlines()
    assert done.returncode == 1 and "Painleve" in foreseen and "jams" in sentence
    done = succeed("run", scene, "--fallback", "timestepping", "-o", "out.csv", cwd=folder)
    assert "1 steps were made by timestepping, which event gave up" in done.stdout
    result = json.loads(succeed("run", scene, "--fallback=timestepping", "--json").stdout)
    assert result["status"] == "ok" and result["residual"]["fell_back_steps"] == 1
    assert read_csv(Path(folder) / "out.csv")["certificate.fell_back[1]"] == [0, 1, 0, 0, 0, 0]
    scene = write(folder, "rod.yaml", ROD.replace("until: 5 ms", "until: 5 ms, fallback: timestepping"))
    assert json.loads(succeed("run", scene, "--json").stdout)["hash"] == result["hash"]
    assert "jams" in bristle("run", scene, "-q", "--fallback", "none").stderr


def test_wrong_words(folder):
    scene = write(folder, "rod.yaml", ROD)
    assert "goes with event and compliant" in refuse(1, "run", scene, "--fallback", "timestepping", "--formulation",
                                                     "timestepping")
    assert "known: none, timestepping" in refuse(1, "run", scene, "--fallback", "compliant")
    assert "must be positive" in refuse(1, "run", scene, "--most-work", "0")
    write(folder, "bad.yaml", ROD.replace("until: 5 ms", "until: 5 ms, most_work: -1"))
    assert "bad.yaml:2:" in refuse(1, "run", Path(folder) / "bad.yaml")


def test_contact_effort(folder):
    """A tower of 20 that has just been let go: a budget of a microsecond is not enough, and the run says so."""
    lines = ["bristle: 1", "step: {scheme: moreau, dt: 2 ms, until: 0.02 s%s}",
             "materials: {wood: {friction: {law: coulomb, mu: 0.5}}}",
             "bodies:", "  floor: {fixed: true, shapes: [{plane: {normal: [0, 0, 1]}, material: wood}]}"]
    for k in range(20):
        lines.append(f"  b{k}: {{mass: 1, inertia: [0.01, 0.01, 0.01], pose: {{position: [{0.01 * (k % 2)}, 0, {0.1 + 0.2 * k}]}}, "
                     "shapes: [{box: {size: [0.2, 0.2, 0.2]}, material: wood}]}")
    tower = "\n".join(lines) + "\n"

    def residual(effort):
        scene = write(folder, "tower.yaml", tower % effort)
        return json.loads(succeed("run", scene, "--json").stdout)["residual"]
    usual, hurried, loose = residual(""), residual(", contact: {budget: 1 us}"), residual(", contact: {tolerance: 1e-3}")
    assert usual["uncertified_steps"] == loose["uncertified_steps"] == 0
    assert hurried["uncertified_steps"] > 0 and hurried["contact_worst"] > usual["contact_worst"]
    for word, text in [("budget: 0", "must be positive"), ("budget: 3 m", "s"), ("tolerance: 1", "1e-15 to 0.1"),
                       ("speed: 1", "tolerance, budget")]:
        write(folder, "bad.yaml", tower % f", contact: {{{word}}}")
        assert text in refuse(1, "run", Path(folder) / "bad.yaml")


# ---- Interrupted within a step

def worked(process):
    """s of processor time."""
    fields = (Path("/proc") / str(process.pid) / "stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_interrupted_within_a_step(folder):
    """The recording is there, so it runs; and a second of work later it can only be within its first step."""
    scene = write(folder, "stack.yaml", stack())
    for number in (signal.SIGINT, signal.SIGTERM):
        process = subprocess.Popen([BRISTLE, "run", scene, "-o", "out.h5", "--force", "--checkpoint", "c", "--json"], cwd=folder,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        wait_until((Path(folder) / "out.h5").exists, process)
        began = worked(process)
        wait_until(lambda: worked(process) > began + 1, process)
        process.send_signal(number)
        out, err = (text.decode() for text in process.communicate(timeout=HANGS))
        assert process.returncode == 128 + number and err == "", err
        result = json.loads(out)
        assert result["status"] == "interrupted" and result["steps"] == 0 and "error" not in result
        with h5py.File(Path(folder) / "out.h5") as file:
            assert list(file["time"][:]) == [0]
        (Path(folder) / "out.h5").unlink()


def test_experiment_interrupted_within_a_step(folder):
    home = Path(folder) / "slow"
    home.mkdir()
    write(home, "scene.yaml", stack())
    write(home, "experiment.yaml", "experiment: slow\nscene: scene.yaml\nruns: {main: {}}\n"
          "metrics: {height: {run: main, channel: bodies.b0.position.z, reduce: last}}\n")
    process = subprocess.Popen([BRISTLE, "reproduce", str(home)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    wait_until(lambda: worked(process) > 2, process)
    process.send_signal(signal.SIGINT)
    out, err = (text.decode() for text in process.communicate(timeout=HANGS))
    assert process.returncode == 130 and "stopped at t = 0 s of run 'main'" in err, out + err


tap.run_tests(globals())
