"""What the checks share: TAP lines, the tree's places, and quiet commands."""
import json
import os
import re
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_count = 0
_failed = 0


def ok(passed, name, details=""):
    """One result; the details are shown as comments when it failed."""
    global _count, _failed
    _count += 1
    _failed += not passed
    print(f"{'ok' if passed else 'not ok'} {_count} - {name}")
    if not passed:
        for line in str(details).splitlines():
            print("# " + line)
    sys.stdout.flush()
    return passed


def skip(name, reason):
    global _count
    _count += 1
    print(f"ok {_count} - {name} # SKIP {reason}", flush=True)


def done():
    print(f"1..{_count}")
    sys.exit(1 if _failed else 0)


def run_tests(names):
    """Every function called test_..., each in a folder of its own; then the count."""
    for name, test in list(names.items()):
        if not name.startswith("test_"):
            continue
        with tempfile.TemporaryDirectory(prefix="bristle_") as place:
            try:
                test(place)
                ok(True, name)
            except Exception:  # whatever went wrong, the others still run
                ok(False, name, traceback.format_exc(limit=3))
    done()


def run(command, **options):
    """Runs a command; returns (succeeded, everything it printed)."""
    result = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            text=True, errors="replace", **options)
    return result.returncode == 0, result.stdout


def build(preset, *targets):
    """Makes sure a preset (or some of its targets) is built, unless the caller has just done so."""
    if preset in os.environ.get("BRISTLE_BUILT", "").split():
        return True
    built, output = run([ROOT / "scripts/build", preset, *targets])
    return built or ok(False, f"{preset} builds", output)


def files(*folders, suffixes):
    """The tree's own files with one of the suffixes, sorted: tracked or new, never ignored ones."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z", "--", *folders], cwd=ROOT,
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    if listed.returncode == 0:
        found = [ROOT / name for name in listed.stdout.split("\0") if name]
    else:  # an unpacked archive
        found = [path for folder in folders or ["."] for path in (ROOT / folder).rglob("*")
                 if "build" not in path.relative_to(ROOT).parts]
    return sorted(path for path in set(found) if path.suffix in suffixes and path.is_file())


def objects(preset, target):
    """The object files of one target, as the build knows them (so none that a deleted source left behind)."""
    folder = ROOT / "build" / preset
    commands = json.loads((folder / "compile_commands.json").read_text())
    outputs = [re.search(r" -o (\S+)", command["command"])[1] for command in commands]
    return sorted(folder / path for path in outputs if path.startswith(f"CMakeFiles/{target}.dir/"))
