"""kill -9 at twenty moments, a hundred with BRISTLE_CHECK: the recording opens and holds what it counts, every checkpoint can be resumed.

Every other run finds an older recording and checkpoint in its way: there must always be the old or the new one. A kill is
aimed by what can be seen of the run, not by the clock, so that it hits on a busy machine too: on the way to its first
step, as soon as its recording or its checkpoint is there, when rows or a checkpoint have gone to the disk once more
(every second), each a few random thousandths of a second later; and after the end.
"""
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import h5py
import numpy as np

from outside import BRISTLE, HANGS, ROOT, count_rows, wait_until

sys.path.insert(0, str(ROOT / "scripts"))
import tap  # noqa: E402

LINKS = 12


def chain():
    """A hanging chain, some hundred numbers recorded every hundred steps, and a ball that spins on a plate; longer than anybody
    waits."""
    lines = ["bristle: 1", "step: {dt: 1 ms, until: 10 h}", "record: {every: 100 ms}", 
             "materials: {felt: {friction: {law: coulomb, mu: 0.5}}}", "bodies:",
             "  g: {fixed: true, pose: {position: [0, 50, 0]}, shapes: [{plane: {normal: [0, 0, 1]}, material: felt}]}",
             "  ball: {mass: 2, inertia: [1, 1, 1], pose: {position: [0, 50, 1]}, velocity: {angular: [0, 0, 1]},",
             "         shapes: [{sphere: {radius: 1}, material: felt}]}"]
    for i in range(LINKS):
        lines.append(f"  b{i}: {{mass: 1, inertia: [0.01, 0.1, 0.1], pose: {{position: [{i + 0.5}, 0, 0]}}}}")
    lines.append("joints:")
    for i in range(LINKS):
        lines.append(f"  j{i}: {{revolute: [{f'b{i - 1}' if i else 'g'}, b{i}], at: [{i}, 0, 0], axis: [0, 1, 0]}}")
    return "\n".join(lines) + "\n"


# What is waited for, how many kills of a hundred, and up to how many seconds later they fall (never earlier on a busy machine).
AIMS = {"start": (15, 0.05), "recording": (20, 0.1), "checkpoint": (15, 0.1), "rows": (20, 0.02),
        "checkpoint again": (20, 0.02), "end": (10, 0)}


def plan():
    """(what is waited for, s until the kill): the same list every time."""
    moments = random.Random(1)
    share = 1 if os.environ.get("BRISTLE_CHECK") else 0.2
    kills = [(aim, moments.uniform(0, most)) for aim, (count, most) in AIMS.items() for _ in range(round(share * count))]
    moments.shuffle(kills)
    return kills


def mark(path):
    """Something that changes with every write; None while there is no file."""
    try:
        about = path.stat()
    except FileNotFoundError:
        return None
    return about.st_ino, about.st_mtime_ns


def wait_for(aim, process, folder, before):
    """Until the run has come to the aim; `before` are the marks of the files that were in its way."""
    if aim == "end":
        process.wait(timeout=HANGS)
    if aim in ("start", "end"):
        return
    name = "c" if aim.startswith("checkpoint") else "x.h5"
    wait_until(lambda: mark(folder / name) != before[name], process)
    if aim == "rows":  # layout and buffers come first; what counts is in the disk's copy of the counter
        wait_until(lambda: count_rows(folder / name) > 0, process)
    elif aim == "checkpoint again":
        first = mark(folder / name)
        wait_until(lambda: mark(folder / name) != first, process)


def check_recording(path):
    """Complaints about a recording, and how many rows it counts."""
    with h5py.File(path) as file:
        rows = int(file["rows_written"][()])
        moments = file["time"][:rows]
        if len(moments) != rows or not np.all(np.isfinite(moments)) or not np.all(np.diff(moments) > 0):
            return [f"time is wrong in the {rows} rows"], rows
        wrong = []

        def visit(name, item):
            if isinstance(item, h5py.Dataset) and item.ndim > 0 and item.dtype.kind in "fiu" and not np.all(np.isfinite(item[:rows])):
                wrong.append(f"{name} is not finite in the {rows} rows")
        file.visititems(visit)
    wrong += check_contacts(path, rows)
    return wrong, rows


def check_contacts(path, rows):
    """The ball's weight in every row, from the log beside the recording or its tables."""
    words = ["plot", str(path), "contacts.ball/g.force.z", "contacts.ball/g.0.normal_force", "--json"]
    done = subprocess.run([BRISTLE, *words], capture_output=True, text=True, timeout=HANGS)
    if done.returncode != 0:
        return [] if rows == 0 else [f"contacts cannot be read: {done.stderr}"]
    curves = json.loads(done.stdout)["curves"]
    told = [values for name, values in curves.items() if "ball" in name]
    bad = [values for values in told if len(values) != rows or any(abs(value - 2 * 9.81) > 1e-6 for value in values)]
    return [f"contacts are wrong: {bad}"] if bad or len(told) != 2 else []


def run(scene, *words, folder):
    done = subprocess.run([BRISTLE, "run", scene, "--json", *words], cwd=folder, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=HANGS)
    return done.returncode, json.loads(done.stdout)


def check_checkpoint(scene, folder, compare):
    """Complaints about a checkpoint: it must lead on, and (compared for some) to the bits of a run in one go."""
    code, result = run(scene, "--resume", "c", "--until", "0", folder=folder)
    words = result.get("error", {}).get("text", "").split()
    if code == 0:  # written before the first step
        moment = 0.0
    elif code == 1 and "past" in words:  # it says at which time it is, past an end at 0
        moment = float(words[words.index("=") + 1])
    else:
        return [f"the checkpoint is refused: {result}"]
    until = f"{round(1000 * moment) + 20} ms"
    code, result = run(scene, "--resume", "c", "--until", until, folder=folder)
    if code != 0:
        return [f"the checkpoint cannot be resumed: {result}"]
    if compare and run(scene, "--until", until, folder=folder)[1]["hash"] != result["hash"]:
        return ["the resumed run has other bits"]
    return []


class Kill:
    """One run that was killed, and what was found."""

    def __init__(self, number, scene, aim, delay):
        self.number, self.aim, self.delay = number, aim, delay
        self.recording, self.checkpoint, self.leftovers, self.rows = [], [], [], None
        self.has_checkpoint = self.was_over = False
        old = Path(scene).parent
        with tempfile.TemporaryDirectory(prefix="bristle_kill_") as folder:
            if number % 2:
                shutil.copy(old / "x.h5", folder)
                shutil.copy(old / "c", folder)
            self.end_a_run(scene, Path(folder))
            self.look(scene, Path(folder), (old / "c").read_bytes())

    def end_a_run(self, scene, folder):
        before = {name: mark(folder / name) for name in ("x.h5", "c")}
        words = ["run", scene, "--force", "-o", "x.h5", "--checkpoint", "c", "-q"]
        words += ["--until", "2 s"] if self.aim == "end" else []
        process = subprocess.Popen([BRISTLE, *words], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        wait_for(self.aim, process, folder, before)
        time.sleep(self.delay)
        self.was_over = process.poll() is not None
        process.kill()
        process.wait()

    def look(self, scene, folder, old_checkpoint):
        self.leftovers = [path.name for path in folder.iterdir() if path.name not in ("x.h5", "c", "x.h5.contacts")
                          and ".tmp" not in path.name]
        if (folder / "x.h5").exists():
            try:
                self.recording, self.rows = check_recording(folder / "x.h5")
                if self.aim == "end" and (folder / "x.h5.contacts").exists():
                    self.recording.append("the log of contacts is still there")
            except Exception as error:
                self.recording = [f"the recording cannot be opened: {error}"]
        elif self.number % 2:
            self.recording = ["the old recording is gone, and there is no new one"]
        if (folder / "c").exists():
            self.has_checkpoint = (folder / "c").read_bytes() != old_checkpoint
            self.checkpoint = check_checkpoint(scene, folder, self.number % 10 == 0)
        elif self.number % 2:
            self.checkpoint = ["the old checkpoint is gone, and there is no new one"]


with tempfile.TemporaryDirectory(prefix="bristle_kill_") as place:
    file = Path(place) / "chain.yaml"
    file.write_text(chain())
    run(str(file), "--until", "200 ms", "-o", "x.h5", "--checkpoint", "c", folder=place)
    with ThreadPoolExecutor(2) as pool:
        kills = list(pool.map(lambda entry: Kill(entry[0], str(file), *entry[1]), enumerate(plan())))

for what, name in (("recording", "every recording opens and holds what it counts"),
                   ("checkpoint", "every checkpoint can be resumed"), ("leftovers", "nothing else is left behind")):
    found = [f"killed {kill.delay:.3f} s after '{kill.aim}': {complaint}" for kill in kills
             for complaint in getattr(kill, what)]
    tap.ok(not found, name, "\n".join(found))
tap.ok(all(kill.rows for kill in kills if kill.aim in ("rows", "end")), "rows that were there are there")
tap.ok(all(kill.has_checkpoint for kill in kills if kill.aim in ("checkpoint", "checkpoint again", "end")),
       "checkpoints that were there are there")
tap.ok(all(kill.was_over == (kill.aim == "end") for kill in kills), "the others were at work")
tap.done()
