"""Every experiment that comes with bristle passes all its checks."""
import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor

from outside import ROOT, bristle, succeed

sys.path.insert(0, str(ROOT / "scripts"))
import tap  # noqa: E402


def reproduce(name):
    done = bristle("reproduce", name, "--json", cwd=ROOT)
    try:
        checks = json.loads(done.stdout)["checks"]
    except (ValueError, KeyError):
        checks = []
    wrong = [f"{check['name']}: {check['got']}, not {check['expected']} +- {check['tolerance']}" for check in checks
             if not check["pass"]]
    return name, len(checks), done.returncode == 0 and checks and not wrong, "\n".join([*wrong, done.stderr])


names = [item["experiment"] for item in json.loads(succeed("reproduce", "--list", "--json", cwd=ROOT).stdout)]
tap.ok(len(names) >= 18, "the experiments are there", names)
with ThreadPoolExecutor(int(os.environ.get("BRISTLE_JOBS") or 2)) as pool:
    for name, count, good, details in pool.map(reproduce, names):
        tap.ok(good, f"{name}, {count} checks", details)
tap.done()
