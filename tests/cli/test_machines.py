"""The machines of scenes/: each begins without a doubt, is certified to its end, and does what a formula on paper says."""
import re
import sys
from pathlib import Path

import h5py
import numpy as np
from outside import ROOT, succeed

sys.path.insert(0, str(ROOT / "scripts"))
import tap  # noqa: E402

G = 9.81  # m/s^2
PI = np.pi
MACHINES = ("arm", "cam-engine", "cam-train", "car", "conveyor", "dominoes", "geneva", "gripper", "jack", "planetary", "robot", "stack")


def scene(name):
    return ROOT / f"scenes/{name}.yaml"


def run(name, folder, *options):
    """The recording of a run whose steps are all certified: channel -> array, a row for each instant. It has what the scene's
    third comment plots."""
    out = Path(folder) / f"{name}.h5"
    done = succeed("run", scene(name), "-o", out, "--strict", "--force", *options)
    assert "warning" not in done.stderr, done.stderr
    succeed("plot", out, *scene(name).read_text().splitlines()[4].split()[4:])
    file = h5py.File(out)
    return lambda channel: file[channel][()]


def near(value, wanted, tolerance):
    """Everywhere, if these are arrays."""
    error = np.abs(np.asarray(value) - wanted)
    assert error.size > 0 and np.max(error) <= tolerance, f"off by {np.max(error)}, allowed is {tolerance}; {value} instead of {wanted}"


def pair(get, first, second, channel):
    """A channel of two bodies that touch, by rows; 0 where they do not."""
    names = [name.decode() for name in get("contacts/bodies")]
    start, a, b, values = (get(f"contacts/pairs/{key}") for key in ("start", "first", "second", channel))
    lines = np.flatnonzero((a == names.index(first)) & (b == names.index(second)))
    rows = np.searchsorted(start, lines, side="right") - 1
    result = np.zeros((len(start) - 1,) + values.shape[1:])
    result[rows] = values[lines]
    return result


def test_nothing_to_doubt(folder):
    for name in MACHINES:
        done = succeed("check", scene(name), "--strict")
        assert "warning" not in done.stderr, done.stderr


def test_what_is_written(folder):
    """Weights by shapes, and first a title and what to run and to look at."""
    for name in MACHINES:
        text = scene(name).read_text()
        lines = text.splitlines()
        assert not re.search(r"\binertia\b", text), name
        assert lines[1].startswith("title: ") and all(line.startswith("# ") for line in lines[2:5]), name
        assert f"bristle run scenes/{name}.yaml -o " in lines[3] and "bristle plot " in lines[4], name
    assert len(scene("dominoes").read_text().splitlines()) < 40


def follow_dominoes(gap, height, n=40):
    """Time (s) from one hit to the next of thin rods whose feet stay where they are, without friction, after n hits: those that have
    fallen lean on the next, h sin(a_j - a_(j-1)) = s cos a_(j-1) with the front one's a_0, and push on; a hit makes the front rod one of
    them, and keeps of the motion what fits (plastic)."""
    def lean(front, count):  # angles of the train behind the front rod
        angles = [front]
        for _ in range(count - 1):
            angles.append(angles[-1] + np.arcsin(min(1, gap * np.cos(angles[-1]) / height)))
        return np.array(angles)

    def rates(front, count, d=1e-6):
        return (lean(front + d, count) - lean(front - d, count)) / (2 * d)

    last, speed, count, times = np.arcsin(gap / height), 0.5, 1, []
    for count in range(1, n + 1):
        inertia, potential = height**2 / 3, lambda a, c: G * height / 2 * np.sum(np.cos(lean(a, c)))
        energy = inertia / 2 * np.sum(rates(1e-5, count)**2) * speed**2 + potential(0, count)
        angles = np.linspace(0, last, 200)
        speeds = [np.sqrt(2 / inertia * (energy - potential(a, count)) / np.sum(rates(a, count)**2)) for a in angles]
        times.append(np.trapezoid(1 / np.array(speeds), angles) if hasattr(np, "trapezoid") else np.trapz(1 / np.array(speeds), angles))
        before = np.concatenate([[0], rates(last, count) * speeds[-1]])
        after = rates(1e-5, count + 1)
        speed = np.dot(after, before) / np.dot(after, after)
    return times[-1]


def test_dominoes(folder):
    get = run("dominoes", folder)
    time, n, pitch, height, thick = get("time"), 100, 30e-3, 48e-3, 7.5e-3
    fallen = [get(f"bodies/domino_{i}/rotation").reshape(len(time), 3, 3)[:, 2, 2] < np.cos(0.2) for i in range(n)]
    assert all(row[-1] for row in fallen), "some still stand"
    moments = time[np.argmax(fallen, axis=1)]
    assert np.all(np.diff(moments) >= 0), "they do not fall in order"
    speed = 60 * pitch / (moments[85] - moments[25])
    # From below: a rod that only gravity speeds up between hits, of which each halves its rate: w^2 = 4 g/h (1 - cos a)
    angle = np.arcsin((pitch - thick) / height)
    rate = np.sqrt(4 * G / height * (1 - np.cos(angle)))
    alone = pitch / (angle / (0.75 * rate))
    # From above: all rods behind push on without friction, which slows them here
    pushed = pitch / follow_dominoes(pitch - thick, height)
    assert alone < speed < pushed, (alone, speed, pushed)


def test_conveyor(folder):
    get = run("conveyor", folder)
    time, x, v = get("time"), get("bodies/box/position")[:, 0], get("bodies/box/velocity")
    speed, mu, dt = 1.0, 0.4, 1e-3
    slip = speed / (mu * G)
    sliding = time < slip - dt
    near(v[sliding, 0], mu * G * time[sliding], 1e-9)  # solver
    riding = (time > slip + dt) & (time < 1.2)
    near(v[riding, 0], speed, 1e-9)
    near(x[riding], 0.15 + speed * time[riding] - speed * slip / 2, mu * G * dt**2)  # the step in which it stops slipping
    near(v[-1], [0, speed / 2, 0], 1e-9)


def test_stack(folder):
    get = run("stack", folder, "--set", "record.every=1ms", "--until", "0.9 s")
    ball, box = get("bodies/ball/velocity")[:, 0], get("bodies/box_9/velocity")[:, 0]
    hit = np.argmax(box > 0.1)  # the first row after it
    rope, radius = 2, 0.15
    wanted = np.sqrt(2 * G * rope * (1 - np.cos(PI / 3)) / (1 + 0.4 * (radius / rope)**2))
    near(ball[hit - 1] / wanted, 1, 1e-4)  # at most a step before the lowest point, where it does not gain
    # within the step friction below and the weight change speeds by no more than mu g dt each
    near((box[hit] - ball[hit]) / ball[hit - 1], 0.3, 2 * 0.5 * G * 1e-3 / ball[hit - 1])


def test_gripper(folder):
    get = run("gripper", folder)
    time = get("time")
    held = (time > 0.75) & (time < 3)
    for finger in ("left", "right"):
        near(pair(get, "box", finger, "normal_force_mean")[held], 40 / 2, 1e-6)  # solver, of an impulse of 20 mN s
    above = get("bodies/box/position") - get("bodies/palm/position")
    near(above[held], above[held][0], 1e-9)  # sticks: no creep in 2 s
    near(np.max(get("bodies/box/position")[:, 2]), 0.03 + 0.2, 1e-9)
    near(get("bodies/box/position")[-1], [0, 0, 0.03], 1e-6)


def test_planetary(folder):
    get = run("planetary", folder)
    sun, carrier, planet = (get(f"bodies/{name}/angular_velocity")[:, 2] for name in ("sun", "carrier", "planet_0"))
    ratio = 1 + 60 / 20
    near(sun, ratio * carrier, 1e-9)
    near(planet, (1 - 60 / 20) * carrier, 1e-9)  # rolls in the ring
    steady = get("time") > 0.5
    near(sun[steady], 600 * 2 * PI / 60, 1e-9)
    near(get("motors/drive/effort")[steady], 8 / ratio, 1e-9)  # solver: nothing is lost in the teeth


def test_geneva(folder):
    """The pin is in a slot while the driver turns by pi - 2 pi/n, which is (n - 2)/(2 n) of a turn."""
    get = run("geneva", folder)
    n, a, play, turns = 4, 0.1, 0.05e-3, 4
    time, angle, rate = get("time"), get("joints/wheel_axle/position"), get("joints/wheel_axle/velocity")
    # The wheel starts with tan(pi/n) w^2 at the rim a cos(pi/n), when the play is used up; so the times may be wrong at both ends
    late = np.sqrt(2 * play / (np.tan(PI / n) * (2 * PI)**2 * a * np.cos(PI / n)))
    near(np.mean(np.abs(rate) < 1e-9), 1 - (n - 2) / (2 * n), 2 * late)
    near(angle[-1], -turns * 2 * PI / n, 2 * play / (a * np.cos(PI / n)))
    near(np.max(np.abs(rate)) / (2 * PI), np.sin(PI / n) / (1 - np.sin(PI / n)), 0.05)  # the slot leads, plus what the play lets it catch up
    for turn in range(1, turns):  # at each start of a turn it stands, a whole quarter further
        row = np.argmin(np.abs(time - turn))
        near(angle[row], -turn * 2 * PI / n, 2 * play / (a * np.cos(PI / n)))
        near(rate[row], 0, 1e-12)


def test_jack(folder):
    get = run("jack", folder)
    time, torque, z = get("time"), get("motors/hand/effort"), get("bodies/load/position")[:, 2]
    lead, r, mu, weight = 5e-3, 11e-3, 0.12, 500 * G
    slope, friction = np.arctan(lead / (2 * PI * r)), np.arctan(mu)
    up, down = (time > 1) & (time < 1.8), (time > 4) & (time < 4.9)
    near(torque[up], weight * r * np.tan(slope + friction), 1e-6)  # solver, and a start that has died out long since
    near(torque[down], -weight * r * np.tan(friction - slope), 1e-6)
    near(weight * lead / (2 * PI) / torque[up], np.tan(slope) / np.tan(slope + friction), 1e-6)  # efficiency
    alone = (time > 2.1) & (time < 3)
    near(torque[alone], 0, 0)
    near(z[alone], z[alone][0], 1e-9)  # holds itself


def test_robot(folder):
    get = run("robot", folder)
    left, right = get("bodies/left_wheel/position"), get("bodies/right_wheel/position")
    v_left, v_right, track = 0.2, 0.4, 0.3
    circling = get("time") > 3
    near(get("bodies/hull/angular_velocity")[circling, 2], (v_right - v_left) / track, 1e-6)  # solver
    middle = ((left + right) / 2)[circling, :2]
    centre = np.linalg.lstsq(np.c_[2 * middle, np.ones(len(middle))], np.sum(middle**2, axis=1), rcond=None)[0][:2]
    wanted = track / 2 * (v_right + v_left) / (v_right - v_left)
    near(np.linalg.norm(middle - centre, axis=1), wanted, 1e-4 * wanted)  # steps of second order, over 10 rad


def test_car(folder):
    get = run("car", folder)
    near(get("bodies/hull/velocity")[-1, 0], 5, 0.05)  # the motors have made good what the bump took
    near(get("bodies/hull/position")[-1, 2], 0.6, 1e-3)  # 1.6 s after it, damped with 0.15 of 10/s: exp(-2.4) of some mm
    still = run("car", folder, "--set", "parameters.speed=0", "--set", "parameters.c=0",
                "--set", "bodies.hull.velocity={linear: [0, 0, 0.1]}", "--until", "3.5 s")
    time, z = still("time"), still("bodies/hull/position")[:, 2] - 0.6
    rising = np.flatnonzero((z[:-1] < 0) & (z[1:] >= 0))
    moments = time[rising] - z[rising] * (time[rising + 1] - time[rising]) / (z[rising + 1] - z[rising])
    frequency = (len(moments) - 1) / (moments[-1] - moments[0])
    near(frequency / (np.sqrt(4 * 25e3 / 1000) / (2 * PI)), 1, 1e-4)  # second order: (w dt)^2/24 = 4e-6; rows are interpolated


def lift_of_roller(angle, roller, radius):
    """Height of a roller's centre over the shaft of a cam that has turned by `angle`; radius(phi) from the cam's y axis, to the left."""
    phi = np.linspace(-PI / 2, PI / 2, 20001)  # seen from the shaft, to the left of the roller
    r = radius(phi - angle)
    x, y = -r * np.sin(phi), r * np.cos(phi)
    near_enough = np.abs(x) < roller
    return np.max(y[near_enough] + np.sqrt(roller**2 - x[near_enough]**2))


SPLINE = 2e-5  # m: 72 points round a cam: a spline through them is off by some (5 deg)^4/384 of the lift; and the contact's first step


def test_cam_train(folder):
    get = run("cam-train", folder)
    time, n, base, lift, roller = get("time"), 5, 30e-3, 10e-3, 8e-3
    rows = np.flatnonzero(time > 0.5)[::50]
    for i in range(n):
        shaft, centre = get(f"joints/shaft_{i}/position"), get(f"bodies/follower_{i}/position")[:, 1]
        sense = (-1)**i
        near(shaft[rows], sense * get("joints/shaft_0/position")[rows], 1e-9)
        for row in rows:
            turned = shaft[row] - sense * i * 2 * PI / n
            near(centre[row], lift_of_roller(turned, roller, lambda phi: base + lift / 2 * (1 - np.cos(phi))), SPLINE)


def test_cam_engine(folder):
    get = run("cam-engine", folder)
    time, r, l, base, lift, roller = get("time"), 0.05, 0.2, 0.02, 8e-3, 6e-3
    crank = 2 * PI * 10 * time
    near(get("joints/main/position"), crank, 1e-9)
    near(get("joints/bore/position"), r * np.cos(crank) + np.sqrt(l**2 - (r * np.sin(crank))**2) - r - l, 1e-9)
    near(get("joints/camshaft/position"), -crank / 2, 1e-9)
    centre = get("bodies/valve/position")[:, 1] - 0.15
    for row in range(0, len(time), 20):
        near(centre[row], lift_of_roller(PI - crank[row] / 2, roller,
                                         lambda phi: base + lift * np.maximum(0, np.cos(phi))**4), SPLINE)


def test_arm(folder):
    creeps = []
    for dt in ("1 ms", "0.5 ms"):
        get = run("arm", folder, "--dt", dt)
        time, box, hand = get("time"), get("bodies/box/position"), get("bodies/hand/position")
        # Servos stand off by what they carry: less than 1.2 g/(0.6 m (2 pi 30 Hz)^2) each, two in a row over 0.6 m
        sag = 2 * 1.2 * G / (2 * PI * 30)**2 * 3
        near(box[-1], [0, 0.6, 0.03 + 0.3], sag)
        near(get("bodies/box/rotation")[-1].reshape(3, 3), np.eye(3), sag / 0.3)
        swung = (time > 1.55) & (time < 2.95)  # what presses the box round comes from one finger, and is missing at the other
        forces = [pair(get, "box", finger, "normal_force_mean")[swung] for finger in ("left", "right")]
        near(sum(forces), 40, 1e-3)
        carried = (time > 0.8) & (time < 3.6)
        turns = get("bodies/hand/rotation").reshape(len(time), 3, 3)
        within = np.einsum("kji,kj->ki", turns, box - hand)[carried]  # in the hand's axes
        creeps.append(np.max(np.abs(within - within[0])))
    assert creeps[0] < 0.2e-3 and creeps[1] < 0.75 * creeps[0], creeps  # it sticks: what moves is moreau's error, of order 1


tap.run_tests(globals())
