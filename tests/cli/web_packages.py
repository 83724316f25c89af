"""What tests need that show pages to a browser: Chromium, Node, and a copy of web/ with its packages."""
import hashlib
import shutil
import subprocess

from outside import HANGS, ROOT

CHROMIUM = next((path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None)


def run_npm(place, *words):
    return subprocess.run(["npm", *words], cwd=place / "web", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=HANGS)


def prepare(place):
    """A copy of web/ in this place with its packages, made once for each of their lists; what is missing, or None."""
    if not shutil.which("node") or not shutil.which("npm"):
        return "there is no Node with npm here"
    copy, wanted = place / "web", hashlib.sha256((ROOT / "web/package-lock.json").read_bytes()).hexdigest()
    stamp = place / "packages"
    place.mkdir(parents=True, exist_ok=True)
    if not (stamp.exists() and stamp.read_text() == wanted):
        shutil.rmtree(copy, ignore_errors=True)
        stamp.unlink(missing_ok=True)
    ignored = shutil.ignore_patterns("node_modules", "dist")
    for part in ("src", "test"):
        shutil.rmtree(copy / part, ignore_errors=True)
    shutil.copytree(ROOT / "web", copy, ignore=ignored, dirs_exist_ok=True)
    if stamp.exists():
        return None
    done = run_npm(place, "ci", "--no-audit", "--no-fund")
    if done.returncode:
        assert "EUSAGE" not in done.stdout, done.stdout  # the list itself is wrong
        return "npm cannot reach its packages: " + done.stdout.strip().splitlines()[0]
    stamp.write_text(wanted)
    return None
