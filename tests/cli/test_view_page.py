"""`bristle view` in a browser (web/test/view.js): time runs, what buttons, sliders and the mouse do, two tabs, loading again. Pictures stay in
build/view-page. Skipped, with the reason, where there is no Node, no Chromium, or npm cannot reach its packages."""
import subprocess
import sys

from outside import HANGS, ROOT
from viewing import View
from web_packages import CHROMIUM, prepare

sys.path.insert(0, str(ROOT / "scripts"))
import tap  # noqa: E402

PLACE = ROOT / "build/view-page"


def test_a_browser_looks_on_and_meddles(folder):
    missing = prepare(PLACE) or (None if CHROMIUM else "there is no Chromium here")
    if missing:
        tap.skip("a run in a browser", missing)
        return
    with View(folder) as view:
        done = subprocess.run(["node", "test/view.js", f"http://127.0.0.1:{view.port}/{view.token}/", PLACE, CHROMIUM], cwd=PLACE / "web",
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=HANGS)
        assert done.returncode == 0, done.stdout.decode(errors="replace")
        assert view.process.poll() is None


tap.run_tests(globals())
