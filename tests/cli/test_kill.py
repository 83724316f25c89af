"""kill -9 at a hundred moments: the recording opens and holds what it counts, every checkpoint can be resumed.

Every other run finds an older recording and checkpoint in its way: there must always be the old or the new one. Short
runs are killed anywhere from their start to after their end, long ones also around the moments at which rows and
checkpoints go to the disk (every second).
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

ROOT = Path(os.environ.get("BRISTLE_ROOT") or Path(__file__).resolve().parent.parent.parent)
sys.path.insert(0, str(ROOT / "scripts"))
import tap  # noqa: E402

BRISTLE = os.environ.get("BRISTLE") or str(ROOT / "build/release/bristle")
KILLS = 100
LINKS = 12


def chain():
    """A hanging chain, every step recorded: some hundred numbers each."""
    lines = ["bristle: 1", "step: {dt: 1 ms, until: 10 min}", "record: {every: 1 ms}", "bodies:", "  g: {fixed: true}"]
    for i in range(LINKS):
        lines.append(f"  b{i}: {{mass: 1, inertia: [0.01, 0.1, 0.1], pose: {{position: [{i + 0.5}, 0, 0]}}}}")
    lines.append("joints:")
    for i in range(LINKS):
        lines.append(f"  j{i}: {{revolute: [{f'b{i - 1}' if i else 'g'}, b{i}], at: [{i}, 0, 0], axis: [0, 1, 0]}}")
    return "\n".join(lines) + "\n"


def plan():
    """(seconds until the kill, simulated time): the same list every time."""
    moments = random.Random(1)
    kills = [(moments.uniform(0, 0.25), "10 min") for _ in range(25)]
    kills += [(moments.uniform(0, 0.4), "0.5 s") for _ in range(35)]  # many are over by then
    kills += [(moments.uniform(0.98, 1.1), "60 s") for _ in range(20)]
    kills += [(moments.uniform(0.3, 2.4), "60 s") for _ in range(KILLS - len(kills))]
    moments.shuffle(kills)
    return kills


def check_recording(path):
    """Complaints about a recording, and how many rows it counts."""
    with h5py.File(path) as file:
        rows = int(file["rows_written"][()])
        moments = file["time"][:rows]
        if len(moments) != rows or not np.all(np.isfinite(moments)) or not np.all(np.diff(moments) > 0):
            return [f"time is wrong in the {rows} rows"], rows
        wrong = []

        def visit(name, item):
            if isinstance(item, h5py.Dataset) and item.ndim > 0 and not np.all(np.isfinite(item[:rows])):
                wrong.append(f"{name} is not finite in the {rows} rows")
        file.visititems(visit)
        return wrong, rows


def run(scene, *words, folder):
    done = subprocess.run([BRISTLE, "run", scene, "--json", *words], cwd=folder, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)
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

    def __init__(self, number, scene, delay, until):
        self.number, self.delay, self.until = number, delay, until
        self.recording, self.checkpoint, self.leftovers, self.rows = [], [], [], None
        self.has_checkpoint = self.was_over = False
        old = Path(scene).parent
        with tempfile.TemporaryDirectory(prefix="bristle_kill_") as folder:
            if number % 2:
                shutil.copy(old / "x.h5", folder)
                shutil.copy(old / "c", folder)
            self.end_a_run(scene, folder)
            self.look(scene, Path(folder), (old / "c").read_bytes())

    def end_a_run(self, scene, folder):
        words = ["run", scene, "--until", self.until, "-o", "x.h5", "--checkpoint", "c", "-q"]
        process = subprocess.Popen([BRISTLE, *words], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        time.sleep(self.delay)
        self.was_over = process.poll() is not None
        process.kill()
        process.wait()

    def look(self, scene, folder, old_checkpoint):
        self.leftovers = [path.name for path in folder.iterdir() if path.name not in ("x.h5", "c")
                          and ".tmp" not in path.name]
        if (folder / "x.h5").exists():
            try:
                self.recording, self.rows = check_recording(folder / "x.h5")
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
    run(str(file), "--until", "20 ms", "-o", "x.h5", "--checkpoint", "c", folder=place)
    with ThreadPoolExecutor(2) as pool:
        kills = list(pool.map(lambda entry: Kill(entry[0], str(file), *entry[1]), enumerate(plan())))

for what, name in (("recording", "every recording opens and holds what it counts"),
                   ("checkpoint", "every checkpoint can be resumed"), ("leftovers", "nothing else is left behind")):
    found = [f"killed after {kill.delay:.3f} s of {kill.until}: {complaint}" for kill in kills
             for complaint in getattr(kill, what)]
    tap.ok(not found, name, "\n".join(found))
counts = {"runs that were over": sum(kill.was_over for kill in kills),
          "recordings": sum(kill.rows is not None for kill in kills),
          "recordings with rows": sum(bool(kill.rows) for kill in kills),
          "checkpoints": sum(kill.has_checkpoint for kill in kills),
          "checkpoints of unfinished runs": sum(kill.has_checkpoint and not kill.was_over for kill in kills)}
tap.ok(all(count >= 5 for count in counts.values()), "the kills fell at telling moments", counts)
print(f"# {len(kills)} kills: {counts}")
tap.done()
