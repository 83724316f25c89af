"""Compliant contact from outside: stable steps, suggested parameters, and runs by the clock."""
import csv
import json
import math
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

from outside import BRISTLE, HANGS, ROOT, bristle, refuse, succeed, wait_until

sys.path.insert(0, str(ROOT / "scripts"))
import tap  # noqa: E402

PENDULUM = str(ROOT / "scenes/double-pendulum.yaml")
CELT = str(ROOT / "scenes/rattleback.yaml")

# A ball that touches at `speed`: m = 2 kg, and 3.5/m is how it gives way across.
BALL = """bristle: 1
parameters: {{speed: {speed}, r: 0.1, m: {mass}}}
step: {{formulation: compliant, scheme: rk4, dt: 1 ms, until: {until}}}
materials:
  stuff: {{compliant: {block}}}
bodies:
  plane: {{fixed: true, shapes: [{{plane: {{normal: [0, 0, 1]}}, material: stuff}}]}}
  ball:
    mass: m
    inertia: [0.4*m*r^2, 0.4*m*r^2, 0.4*m*r^2]
    pose: {{position: [0, 0, r]}}
    velocity: {{linear: [0, 0, -speed]}}
    shapes: [{{sphere: {{radius: r}}, material: stuff}}]
record: {{every: 1 ms}}
"""
HARD = "{normal: {law: gonthier, stiffness: 1e6, e: 0.5}, friction: {law: dwell, mu_s: 0.45, mu_k: 0.4, " \
       "sigma_0: 1e5, sigma_1: 1e4, v_s: 0.1, tau_dw: 0.01}}"


def write_ball(folder, block=HARD, mass=2, speed=1, until="1 s", name="ball.yaml"):
    path = Path(folder) / name
    path.write_text(BALL.format(block=block, mass=mass, speed=speed, until=until))
    return path


# ---- Stable steps

def test_check_tells_the_step(folder):
    ball = write_ball(folder)
    done = bristle("check", ball)
    assert done.returncode == 1 and "valid, but UNSTABLE" in done.stdout and done.stderr == ""
    assert "ball/plane: sigma_1 in stick decays at 17490 1/s, dt/substeps must be below 160 us" in done.stdout
    told = json.loads(bristle("check", ball, "--json").stdout)
    stability = told["stability"]
    assert list(stability) == ["stable", "inner_step", "largest_step", "slow_step", "impact_time", "steps_per_impact",
                               "least_substeps", "substeps", "why"]
    assert told["status"] == "unstable" and not stability["stable"] and stability["inner_step"] == 1e-3
    assert abs(stability["largest_step"] * 17490 - 2.7853) < 0.01  # rk4 on the negative real axis
    assert (stability["least_substeps"], stability["substeps"]) == (7, 13)
    for substeps in (7, 13):
        done = succeed("check", ball, "--set", f"step.substeps={substeps}")
        assert re.search(r"stable, \d+ steps per impact", done.stdout) and "recommended: substeps: 13" in done.stdout


def test_check_of_schemes(folder):
    ball = write_ball(folder)
    largest = {}
    for scheme in ("semi-implicit", "rk2", "rk3", "rk4"):
        told = json.loads(bristle("check", ball, "--scheme", scheme, "--json").stdout)
        largest[scheme] = told["stability"]["largest_step"] * 17490
    for scheme, edge in {"semi-implicit": 2, "rk2": 2, "rk3": 2.5127, "rk4": 2.7853}.items():
        assert abs(largest[scheme] - edge) < 0.02, largest
    told = json.loads(succeed("check", ball, "--scheme", "adaptive", "--json").stdout)
    assert told["status"] == "ok" and told["stability"]["largest_step"] is None
    assert "stability" not in json.loads(succeed("check", PENDULUM, "--json").stdout)


def test_few_steps_per_impact_are_told(folder):
    soft = "{normal: {law: gonthier, stiffness: 1e9, e: 1}, friction: {law: tanh, mu: 0.3, gamma: 1}}"
    done = succeed("check", write_ball(folder, soft, speed=3), "--dt", "0.1 ms")
    assert re.search(r"stable, but [\d.]+ steps per impact do not follow it: add substeps: \d+", done.stdout), done.stdout


def test_run_refuses_what_is_far_beyond(folder):
    ball = write_ball(folder, until="20 ms")
    message = refuse(1, "run", ball)
    assert "unstable: ball/plane: sigma_1 in stick" in message and "add substeps: 7, better 13" in message
    error = json.loads(bristle("run", ball, "--json").stdout)["error"]
    assert error["name"] == "BR_UNSUPPORTED"
    for words in (["--unstable"], ["--set", "step.substeps=4"]):  # 1.6 times beyond is only warned of
        done = succeed("run", ball, *words)
        assert "warning: unstable: ball/plane" in done.stderr
    assert succeed("run", ball, "--set", "step.substeps=7").stderr == ""
    assert succeed("run", ball, "--scheme", "adaptive").stderr == ""


# ---- Suggested parameters

def block_of(text):
    return re.search(r"^compliant: (\{.*\})$", text, re.MULTILINE).group(1)


def suggest(*words):
    """As text and as JSON, which agree."""
    block = block_of(succeed("suggest", *words).stdout)
    told = json.loads(succeed("suggest", *words, "--json").stdout)
    assert told["compliant"] == block
    return told


def rows_of(path):
    with open(path, newline="") as lines:
        return list(csv.DictReader(lines))


def test_suggestion_runs_as_told(folder):
    """An impact at the speed asked about, and rest: force, rebound and depth are the ones told."""
    for words, mass in ((["--mass", "2", "--load", "19.62", "--depth", "0.1mm"], 2),
                        (["--mass", "0.5 kg", "--depth", "20 um", "--e", "0.8", "--mu", "0.6", "--mu-k", "0.4"], 0.5),
                        (["--mass", "20", "--E", "10 MPa", "--nu", "0.45", "--radius", "10 cm", "--e", "0.3"], 20)):
        told = suggest(*words, "--speed", "2", "--dt", "1ms")
        ball = write_ball(folder, told["compliant"], mass, speed=2, until="4 s")
        substeps = ("--set", f"step.substeps={told['substeps']}")
        stability = json.loads(succeed("check", ball, *substeps, "--json").stdout)["stability"]
        assert stability["stable"] and stability["steps_per_impact"] >= 15.9
        fine = ("--dt", "50 us", "--set", "step.substeps=4", "--set", "record.every=50 us", "--until", "0.1 s",
                "--set", "gravity=[0, 0, 0]")
        succeed("run", ball, *fine, "--force", "-o", Path(folder) / "impact.csv")
        rows = rows_of(Path(folder) / "impact.csv")
        forces = [float(row["ball/plane.0.normal_force[N]"]) for row in rows]
        assert abs(max(forces) / told["impact_force"] - 1) < 0.005, (words, max(forces), told)
        speeds = [float(row["ball.velocity.z[m/s]"]) for row in rows]
        e = float(re.search(r" e: ([\d.]+)", told["compliant"]).group(1))
        assert abs(max(speeds) / 2 - e) < 0.005, (words, max(speeds), e)
        rest = json.loads(succeed("run", ball, *substeps, "--json").stdout)
        assert abs(0.1 - rest["bodies"]["ball"]["position"][2] - told["depth"]) < 0.01 * told["depth"], (words, rest)


def test_suggestion_by_numbers(folder):
    told = suggest("--mass", "2", "--load", "20", "--depth", "0.1 mm", "--speed", "1 m/s")
    values = {name: float(value) for name, value in re.findall(r"(\w+): ([\d.e+-]+)", told["compliant"])}
    assert abs(values["stiffness"] / (20 / 1e-4 ** 1.5) - 1) < 0.01
    assert abs(0.3 * 20 / values["sigma_0"] - 1e-5) < 1e-7  # a tenth of the depth
    assert abs(values["sigma_1"] / (2 * math.sqrt(values["sigma_0"] * 2 * 2 / 7)) - 1) < 0.01
    half = suggest("--mass", "4", "--mass2", "4", "--load", "20", "--depth", "0.1 mm", "--speed", "1 m/s")
    assert half["impact_force"] == told["impact_force"]  # two masses act as half of one


def test_suggestion_for_a_scene(folder):
    text = succeed("suggest", CELT).stdout
    assert text.startswith("# add to the material 'stone':\n")
    told, = json.loads(succeed("suggest", CELT, "--json").stdout)
    assert told["materials"] == ["stone", "stone"] and told["compliant"] == block_of(text)
    added = ("--set", f"materials.stone.compliant={told['compliant']}", "--set", f"step.substeps={told['substeps']}",
             "--formulation", "compliant", "--scheme", "rk4")
    result = json.loads(succeed("run", CELT, *added, "--until", "1 s", "--json").stdout)
    assert result["status"] == "ok" and abs(result["bodies"]["celt"]["position"][2] - 0.015) < 2e-3
    assert "nothing to add" in succeed("suggest", CELT, *added[:2]).stdout
    deeper, = json.loads(succeed("suggest", CELT, "--depth", "1mm", "--json").stdout)
    assert abs(deeper["depth"] - 1e-3) < 1e-5


def test_suggestion_for_pairs(folder):
    scene = Path(folder) / "pair.yaml"
    scene.write_text("""bristle: 1
materials:
  ice: {friction: {law: coulomb, mu: 0.05}}
  tyre: {friction: {law: coulomb, mu_s: 0.9, mu_k: 0.7}, restitution: 0.6}
  unused: {friction: {law: coulomb, mu: 1}}
pairs: [{between: [ice, tyre], friction: {law: coulomb, mu_s: 0.2, mu_k: 0.1}, restitution: 0.4}]
bodies:
  floor: {fixed: true, shapes: [{plane: {normal: [0, 0, 1]}, material: ice}]}
  one: {mass: 1, inertia: [0.1, 0.1, 0.1], pose: {position: [0, 0, 1]}, shapes: [{sphere: {radius: 0.2}, material: tyre}]}
  two: {mass: 3, inertia: [0.1, 0.1, 0.1], pose: {position: [1, 0, 1]}, shapes: [{sphere: {radius: 0.1}, material: tyre}]}
""")
    told = json.loads(succeed("suggest", scene, "--json").stdout)
    assert [entry["materials"] for entry in told] == [["ice", "tyre"], ["tyre", "tyre"]]
    assert all(abs(entry["load"] - 3 * 9.81) < 1e-12 for entry in told)
    assert "e: 0.4" in told[0]["compliant"] and "mu_s: 0.2, mu_k: 0.1" in told[0]["compliant"]
    assert "e: 0.6" in told[1]["compliant"] and "mu_s: 0.9, mu_k: 0.7" in told[1]["compliant"]
    assert "# add to the pair [ice, tyre]:" in succeed("suggest", scene).stdout


def test_suggest_refuses(folder):
    assert "which scene, or which --mass?" in refuse(2, "suggest")
    assert "one of both" in refuse(1, "suggest", "--mass", "1")
    assert "one of both" in refuse(1, "suggest", "--mass", "1", "--depth", "1mm", "--radius", "1mm", "--E", "1GPa")
    assert "--mass: '2 m' is in m; it must be in kg" in refuse(1, "suggest", "--mass", "2 m", "--depth", "1mm")
    assert "mu_k is 0.5" in refuse(1, "suggest", "--mass", "1", "--depth", "1mm", "--mu-k", "0.5")
    for words in (["--mass", "0"], ["--e", "0"], ["--e", "2"], ["--depth", "0"], ["--speed", "-1"], ["--mass", "x"]):
        refuse(1, "suggest", *(["--mass", "1"] if words[0] != "--mass" else []),
               *(["--depth", "1mm"] if words[0] != "--depth" else []), *words)


# ---- By the clock. Nothing here depends on how fast the machine is, or how busy.

SLOW = (PENDULUM, "--dt", "50 ms", "--set", "record.every=100 ms")


def run_json(*words, **options):
    return json.loads(succeed("run", *words, "--json", **options).stdout)


def test_realtime(folder):
    start = time.monotonic()
    result = run_json(*SLOW, "--until", "0.5 s", "--realtime", "20 Hz")
    assert time.monotonic() - start >= 0.5
    clock = result["realtime"]
    assert list(clock) == ["period", "budget", "mean", "percentile_99", "worst", "worst_start", "steps", "overruns",
                           "late_starts", "skipped", "rows", "rows_left_out", "histogram"]
    assert clock["period"] == clock["budget"] == 0.05 and clock["steps"] == 10 and clock["rows"] == 0
    assert sum(bin["count"] for bin in clock["histogram"]) == 10
    assert all(abs(math.log2(bin["below"] * 1e6) % 1) < 1e-9 for bin in clock["histogram"])
    assert 0 < clock["mean"] <= clock["worst"] and clock["percentile_99"] <= clock["worst"]
    assert clock["worst"] < clock["histogram"][-1]["below"]
    plain = run_json(*SLOW, "--until", "0.5 s")
    assert "realtime" not in plain and plain["hash"] == result["hash"]  # the clock changes no physics
    text = succeed("run", *SLOW, "--until", "0.2 s", "--realtime", "20 Hz").stdout
    assert "real time: 4 periods of 50 ms, budget 50 ms" in text and re.search(r"^    below .* #+$", text, re.MULTILINE)


def test_realtime_overload(folder):
    """No step fits into a nanosecond: all are over budget, rows give way first, physics never."""
    words = (PENDULUM, "--dt", "10 ms", "--until", "0.1 s", "--set", "record.every=10 ms")
    result = run_json(*words, "--realtime", "100 Hz", "--budget", "1e-9", "-o", "out.csv", cwd=folder)
    clock = result["realtime"]
    assert clock["overruns"] == clock["steps"] == 10
    assert clock["rows"] == 2 and clock["rows_left_out"] == 9
    assert [float(row["time[s]"]) for row in rows_of(Path(folder) / "out.csv")] == [0, result["time"]]
    assert result["hash"] == run_json(*words)["hash"]
    words = (PENDULUM, "--dt", "1 us", "--until", "1 ms")  # no clock wakes anyone so often
    result = run_json(*words, "--realtime", "1000 kHz")
    assert result["realtime"]["steps"] == 1000 and result["realtime"]["skipped"] > 0
    assert result["hash"] == run_json(*words)["hash"]


def test_realtime_records_in_the_slack(folder):
    clock = run_json(*SLOW, "--until", "0.5 s", "--realtime", "20 Hz", "-o", "out.csv", cwd=folder)["realtime"]
    assert clock["rows"] + clock["rows_left_out"] == 6
    assert len(rows_of(Path(folder) / "out.csv")) == clock["rows"]


def interrupt_later(folder, delay):
    process = subprocess.Popen([BRISTLE, "run", PENDULUM, "--dt", "10 ms", "--until", "1 h", "--realtime", "100 Hz",
                                "-o", "out.csv", "--json"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    wait_until((Path(folder) / "out.csv").exists, process)
    time.sleep(delay)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=HANGS)
    assert process.returncode == 130 and err == b"", err
    return json.loads(out)


def test_realtime_interrupted(folder):
    """Whenever the signal comes; once more and later while a busy machine has not come to its first step by then."""
    delay, steps = 0.1, 0
    while steps == 0:
        result = interrupt_later(folder, delay)
        steps = result["realtime"]["steps"]
        assert result["status"] == "interrupted" and steps == result["steps"]
        assert float(rows_of(Path(folder) / "out.csv")[-1]["time[s]"]) == result["time"]
        (Path(folder) / "out.csv").unlink()
        delay *= 2


def test_realtime_refuses(folder):
    message = refuse(1, "run", PENDULUM, "--realtime", "500 Hz")
    assert "dt is 0.001 s" in message and "use --dt 0.002 or --realtime '1000 Hz'" in message
    assert "--budget goes with --realtime" in refuse(2, "run", PENDULUM, "--budget", "1ms")
    for words in (["--realtime", "fast"], ["--realtime", "1 ms"], ["--realtime", "0"], ["--realtime", "-1 kHz"],
                  ["--realtime", "1kHz", "--budget", "2 ms"], ["--realtime", "1kHz", "--budget", "1 m"],
                  ["--realtime", "1kHz", "--budget", "0"]):
        refuse(2, "run", PENDULUM, *words)


tap.run_tests(globals())
