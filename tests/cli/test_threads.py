"""Steps on several threads from outside: the same recording as on one; numbers that are none are refused."""
import sys
from pathlib import Path

from outside import ROOT, bristle, refuse, succeed

sys.path.insert(0, str(ROOT / "scripts"))
import tap  # noqa: E402


def pile(threads):
    """Balls in rows, a little beside their places, that fall onto each other."""
    lines = ["bristle: 1", f"step: {{scheme: moreau, dt: 2 ms, until: 20 ms, threads: {threads}}}",
             "record: {every: 10 ms}",
             "materials: {stone: {friction: {law: coulomb, mu: 0.4}, restitution: 0}}", "bodies:",
             "  ground: {fixed: true, shapes: [{plane: {normal: [0, 0, 1]}, material: stone}]}"]
    for i in range(300):
        x, y, z = i % 10, i // 10 % 10, i // 100
        place = f"[{0.1 * x + 0.001 * (i % 7)}, {0.1 * y + 0.001 * (i % 5)}, {0.05 + 0.099 * z}]"
        lines.append(f"  b{i}: {{mass: 1, inertia: [1e-3, 1e-3, 1e-3], pose: {{position: {place}}}, "
                     "shapes: [{sphere: {radius: 0.05}, material: stone}]}")
    return "\n".join(lines) + "\n"


def record(folder, name, scene, *words):
    place = Path(folder) / f"{name}.csv"
    succeed("run", "-", "-q", "-o", place, *words, text=scene)
    return place.read_bytes()


def test_same_recording(folder):
    error = bristle("run", "-", "--until", "2 ms", text=pile(2)).stderr
    if "without OpenMP" in error:  # then that is all there is to say
        return
    one = record(folder, "one", pile(1))
    assert record(folder, "scene", pile(3)) == one
    assert record(folder, "option", pile(1), "--threads", "2") == one


def test_refusals(folder):
    for wrong in ("0", "65", "1.5", "-2"):
        error = refuse(1, "run", "-", "--threads", wrong, text=pile(1))
        assert f"threads is {wrong}" in error and "1 to 64" in error, error
    for wrong in ("0", "65", "none"):
        error = refuse(2, "bench", "--list", "--threads", wrong)
        assert f"--threads is '{wrong}'" in error and "1 to 64" in error, error


tap.run_tests(globals())
