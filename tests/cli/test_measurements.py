"""scripts/measurements: the same rows give the same pages, between their marks and nowhere else."""
import json
import subprocess
import sys
from pathlib import Path

from outside import ROOT

sys.path.insert(0, str(ROOT / "scripts"))
import tap  # noqa: E402

ROW = {"scene": "stack", "engine": "bristle", "setting": "moreau", "us_mean": 26.71, "us_median": 25, "us_p99": 80, "us_p9999": 12345,
       "us_worst": 123456, "ratio_to_best_peer": 1.137, "error_m": 1.7e-14, "certified": 1, "contacts": 40, "steps": 4900,
       "simulated_s": 10, "worst_residual_m_per_s": 1e-14, "bytes_per_contact": 900, "dt_s": 2e-3, "error_of": "way",
       "claim": "stands", "holds": True, "cut": False}
PEER = {**ROW, "engine": "Some 1", "setting": "quick", "us_mean": 23.5, "us_p9999": None, "ratio_to_best_peer": 1, "error_m": 3e-3, "certified": None}
FALLEN = {**PEER, "setting": "quicker", "us_mean": 5, "error_m": None, "holds": False, "cut": True}


def write(folder, rows, code=0):
    (Path(folder) / "rows.json").write_text(json.dumps(rows))
    done = subprocess.run([ROOT / "scripts/measurements", "--rows", f"{folder}/rows.json", f"--into={folder}/pages"],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert done.returncode == code, done.stderr
    return [(Path(folder) / "pages" / page).read_text() for page in ("docs/measurements.md", "README.md")]


def outside_of_marks(text):
    head, rest = text.split("written by scripts/measurements -->")
    return head, rest.split("<!-- rows: end of")[1]


def test_rows(folder):
    page, readme = write(folder, [ROW, PEER, FALLEN])
    lines = [line for line in page.splitlines() if line.startswith("| stack | **bristle") or line.startswith("| stack | Some")]
    assert lines == ["| stack | **bristle, moreau** | 26.7 | 25.0 | 12.35 ms | 0.12 s | 1.14 | 1.7e-14 | 100.0 % | 40 | stands |",
                     "| stack | Some 1, quick | 23.5 | 25.0 | - | 0.12 s | 1.00 | 3.0e-03 | - | 40 | stands |",
                     "| stack | Some 1, quicker | 5.00 | 25.0 | - | 0.12 s | 1.00 | not finite | - | 40 | NOT: stands, cut at 10 s |"]
    # the fastest engine that fell is none
    assert "| stack | 1.14, 2e-14 m | - | Some 1 quick: 1.00, 3e-3 m | Some 1 quick: 1.00, 3e-3 m |" in readme.splitlines()


def test_only_between_the_marks(folder):
    first, second = write(folder, [ROW, PEER]), write(folder, [ROW, PEER])
    assert first == second
    for text, page in zip(first, ("docs/measurements.md", "README.md")):
        assert outside_of_marks(text) == outside_of_marks((ROOT / page).read_text())


def test_alone(folder):
    assert "bristle alone" in write(folder, [ROW])[0]


tap.run_tests(globals())
