#!/usr/bin/python3 -B
"""Every `bristle` command that the README and the man page show does what it says: it runs."""
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

import outside

ROOT = pathlib.Path(os.environ.get("BRISTLE_ROOT", ".")).resolve()
BRISTLE = str(pathlib.Path(os.environ["BRISTLE"]).resolve())
sys.path.insert(0, str(ROOT / "scripts"))
import tap  # noqa: E402


def shown_commands():
    """(where, words) of each command line, with the program's path taken off."""
    readme = re.findall(r"^    build/release/bristle (.*)$", (ROOT / "README.md").read_text(), flags=re.MULTILINE)
    page = (ROOT / "man/bristle.1").read_text().replace("\\-", "-")
    manual = re.findall(r"^bristle ([a-z].*)$", page, flags=re.MULTILINE)
    return [("README", line) for line in readme] + [("man page", line) for line in manual]


commands = shown_commands()
tap.ok(len(commands) >= 5, "there are commands to try")
with tempfile.TemporaryDirectory() as folder:
    for name in ("scenes", "experiments"):
        os.symlink(ROOT / name, pathlib.Path(folder) / name)
    for where, line in commands:
        done = subprocess.run([BRISTLE, *shlex.split(line)], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=outside.HANGS)
        tap.ok(done.returncode == 0, f"{where}: bristle {line}", done.stdout)
tap.done()
