"""What `check` says of the answers of rigid contact, in words and as JSON: which there are, which are stable, and who takes
which."""
import csv
import json
import math
import sys
from pathlib import Path

from outside import ROOT, refuse, succeed

sys.path.insert(0, str(ROOT / "scripts"))
import tap  # noqa: E402

ROD = ROOT / "experiments/song2000-painleve-map/scene.yaml"
DRAWER = ROOT / "experiments/jamming-drawer/scene.yaml"
CASE_2 = ["--set", "parameters.theta=70 deg", "--set", "parameters.I=1/144", "--set", "parameters.Mz=-1", "--set", "parameters.mu=1"]

GROOVE = """bristle: 1
parameters: {half: 10 deg, pull: 15}
materials: {steel: {friction: {law: coulomb, mu: 0.3}, restitution: 0}}
bodies:
  left: {fixed: true, shapes: [{plane: {normal: ["cos(half)", 0, "sin(half)"]}, material: steel}]}
  right: {fixed: true, shapes: [{plane: {normal: ["-cos(half)", 0, "sin(half)"]}, material: steel}]}
  ball: {mass: 1, inertia: [0.004, 0.004, 0.004], pose: {position: [0, 0, "0.1/sin(half)"]},
         shapes: [{sphere: {radius: 0.1}, material: steel}]}
forces: {pull: {body: ball, force: [0, 0, pull]}}
"""


def diagnose(*words):
    return json.loads(succeed("check", *words, "--json").stdout)["diagnosis"]


def test_one_answer(folder):
    (told,) = diagnose(ROD)
    assert told["verdict"] == "unique" and told["proof"] == "one contact" and told["stable"] == 1 and told["contacts"] == 1
    (contact,) = told["told"][0]["contacts"]
    assert contact["part"] == "contact" and contact["bodies"] == ["rod", "floor"] and contact["mode"] == "slip" and contact["normal_force"] > 0
    text = succeed("check", ROD).stdout
    assert "contacts: rod: one answer: rod/floor slides (stable)" in text and "Painleve's boundary at mu = 1.34715" in text


def test_two_answers_and_who_takes_which(folder):
    (told,) = diagnose(ROD, *CASE_2)
    assert (told["verdict"], told["answers"], told["stable"], told["unstable"]) == ("several", 2, 1, 1)
    forces = [answer["contacts"][0]["normal_force"] for answer in told["told"]]
    assert forces[0] == 0 and abs(forces[1] - 2.329848) < 1e-6  # digits printed in the notes
    assert told["event"] in (0, 1) and told["timestepping"] in (0, 1)
    text = succeed("check", ROD, *CASE_2).stdout
    assert "2 answers" in text and "Contact that yields a little takes the stable one" in text
    assert "event takes the 1st" in text and "it is passed" in text


def test_no_answer(folder):
    (told,) = diagnose(ROD, "--set", "parameters.mu=1.4")
    assert told["verdict"] == "none" and told["answers"] == 0 and told["told"] == [] and told["mu"] > told["mu_painleve"]
    assert "no answer" in succeed("check", ROD, "--set", "parameters.mu=1.4").stdout


def test_a_wedged_ball_says_what_decides(folder):
    scene = Path(folder) / "groove.yaml"
    scene.write_text(GROOVE)
    (told,) = diagnose(scene)
    assert told["verdict"] == "several" and told["told"][1]["stability"] == "dependent"
    assert "How hard its contacts press already decides" in told["text"]


def test_a_jammed_drawer(folder):
    assert "drawer/cabinet slides, drawer/cabinet slides (stable)" in succeed("check", DRAWER).stdout
    assert "drawer/cabinet holds, drawer/cabinet holds" in succeed("check", DRAWER, "--set", "parameters.e=0.4").stdout


HYBRID = ROOT / "experiments/song2000-hybrid/scene.yaml"


def test_hybrid_says_what_it_does(folder):
    """Sliding at 65 degrees there is no answer, sliding back there is one; nobody is warned of what is followed."""
    told = json.loads(succeed("check", HYBRID, "--json").stdout)
    assert told["hybrid"] == {"kind": "compliant", "reason": "no answer"} and told["doubts"] == []
    text = succeed("check", HYBRID).stdout
    assert "hybrid: the first step is compliant (no answer)" in text and "warning" not in text
    back = ["--set", "parameters.v0=1"]
    assert json.loads(succeed("check", HYBRID, *back, "--json").stdout)["hybrid"] == {"kind": "rigid", "reason": "none"}
    run = json.loads(succeed("run", HYBRID, "--until", "0.5 s", "--json").stdout)["switches"]
    assert [(s["kind"], s["reason"]) for s in run][0] == ("compliant", "no answer") and run[0]["time"] == 0
    assert run[0]["contact"] == "rod/table" and run[0]["mu"] == 1.6 and abs(run[0]["safe"] - 1.336580) < 1e-6  # (4 + t^2)/(3 t)
    text = succeed("run", HYBRID, "--until", "10 ms").stdout
    assert "hybrid: t = 0 s: compliant from here on (rod/table: no answer); mu is 1.6, safe below 1.337" in text
    assert "hybrid: rigid all the way" in succeed("run", HYBRID, *back, "--until", "10 ms").stdout
    assert "warning" in succeed("check", HYBRID, "--formulation", "timestepping").stdout


def test_nothing_touches(folder):
    assert diagnose(ROOT / "scenes/double-pendulum.yaml") == []


def test_what_a_scheme_leaves_is_no_impact(folder):
    """A wheel whose normal turns: moreau leaves it an approach of the order of its step, which strikes nothing."""
    wheel = ROOT / "experiments/peiret2016-wheel/scene.yaml"
    for scheme in ("moreau", "hem2"):
        words = ("run", wheel, "--scheme", scheme, "--until", "3 s", "--diagnose", "--json")
        told = json.loads(succeed(*words, cwd=folder).stdout)["diagnosis"]
        assert told["islands"] == told["proved"] == told["unique"]["count"] == told["looks"] > 2999, (scheme, told)


def test_a_run_is_diagnosed_and_stays_what_it_is(folder):
    """Case 2 keeps two answers until its contact leaves, where the formulation keeps it; a rod that slides has one."""
    words = ["run", ROD, "--until", "50 ms", "--formulation", "timestepping", "--json"]
    plain, told = (json.loads(succeed(*words, *more).stdout) for more in ([], ["--diagnose"]))
    assert plain["hash"] == told["hash"] and "diagnosis" not in plain
    found = told["diagnosis"]
    assert found["looks"] == found["islands"] == found["unique"]["count"] == found["proved"] == 51
    assert found["none"]["count"] == found["several"]["count"] == 0 and found["none"]["first"] is None
    assert 0 < found["margin"] < 1
    fewer = json.loads(succeed(*words, "--diagnose=10").stdout)["diagnosis"]
    assert fewer["looks"] == 6
    beyond = json.loads(succeed(*words, *CASE_2, "--diagnose").stdout)["diagnosis"]
    assert beyond["several"]["count"] >= 1 and beyond["several"]["first"] == 0 and "2 answers" in beyond["several"]["text"]
    assert beyond["margin"] < 0
    text = succeed("run", ROD, "--until", "50 ms", "--formulation", "timestepping", "--diagnose").stdout
    assert "rigid contact: one answer in 51 of 51 looks at what touches (51 proved)" in text
    table = Path(folder) / "run.csv"
    succeed("run", ROD, *CASE_2, "--until", "20 ms", "--formulation", "timestepping", "--diagnose", "-q", "-o", table)
    rows = [dict(zip(line, row)) for line, *rest in [list(csv.reader(table.open()))] for row in rest]
    assert [float(row["diagnosis.answers[1]"]) for row in rows][0] == 2 and float(rows[0]["diagnosis.verdict[1]"]) == 1
    assert float(rows[-1]["diagnosis.answers[1]"]) == 1 and float(rows[0]["diagnosis.margin[1]"]) < 0
    sine, cosine = math.sin(math.radians(70)), math.cos(math.radians(70))  # I = 1/144: L^2/I is 36
    g, slope = 1 + 36 * cosine**2 - 36 * sine * cosine, -72 * sine * cosine - 36 * (cosine**2 - sine**2)
    assert abs(float(rows[0]["diagnosis.turn[rad]"]) - g / abs(slope)) < 1e-6 and rows[0]["diagnosis.move[m]"] == "inf"
    refuse(2, "run", ROD, "--diagnose=0")
    refuse(2, "run", ROD, "--diagnose", "--realtime", "1kHz")


tap.run_tests(globals())
