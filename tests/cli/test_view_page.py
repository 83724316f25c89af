"""`bristle view` in a browser (web/test/view.js), where Chromium, Node and playwright-core are; screenshots go to
build/screenshots."""
import os
import shutil
import subprocess
import sys

from outside import HANGS, ROOT
from viewing import View

sys.path.insert(0, str(ROOT / "scripts"))
import tap  # noqa: E402

WEB = ROOT / "web"
CHROMIUM = os.environ.get("BRISTLE_CHROMIUM") or shutil.which("chromium")


def test_a_browser_looks_on_and_meddles(place):
    shots = ROOT / "build/screenshots"
    shots.mkdir(parents=True, exist_ok=True)
    with View(place) as view:
        done = subprocess.run(["node", WEB / "test/view.js", f"http://127.0.0.1:{view.port}/{view.token}/", shots, CHROMIUM],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=HANGS)
        assert done.returncode == 0, done.stdout.decode(errors="replace")
        assert view.process.poll() is None


if shutil.which("node") and CHROMIUM and (WEB / "node_modules/playwright-core").is_dir():
    tap.run_tests(globals())
else:
    tap.skip("test_a_browser_looks_on_and_meddles", "needs node, chromium and web/node_modules")
    tap.done()
