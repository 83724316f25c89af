"""The command from outside: running it to its end or to a moment, for the tests beside this file.

No test waits for seconds to pass: a busy machine needs many. Moments are waited for by what can be seen of them.
"""
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import h5py

ROOT = Path(os.environ.get("BRISTLE_ROOT") or Path(__file__).resolve().parent.parent.parent)
BRISTLE = os.environ.get("BRISTLE") or str(ROOT / "build/release/bristle")
HANGS = 3600  # s: nothing here takes so long, on however busy a machine

for number in (signal.SIGINT, signal.SIGTERM):  # in the background of a script they are ignored, and children inherit it
    if signal.getsignal(number) == signal.SIG_IGN:
        signal.signal(number, signal.SIG_DFL)


def bristle(*words, text=None, environment=None, **options):
    """`text` goes to standard input, `environment` beside the present one; what the command prints must be UTF-8."""
    done = subprocess.run([BRISTLE, *map(str, words)], input=text.encode() if text else None,
                          stdin=None if text else subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=HANGS, env={**os.environ, **(environment or {})}, **options)
    done.stdout, done.stderr = done.stdout.decode(), done.stderr.decode()
    return done


def succeed(*words, **options):
    done = bristle(*words, **options)
    assert done.returncode == 0, f"exit code {done.returncode}: {done.stdout}{done.stderr}"
    return done


def refuse(code, *words, **options):
    """Ends with this code and one line on standard error, which is returned."""
    done = bristle(*words, **options)
    assert done.returncode == code, f"exit code {done.returncode} instead of {code}: {done.stdout}{done.stderr}"
    assert re.fullmatch(r"[^\n]+\n", done.stderr), f"not one line: {done.stderr!r}"
    return done.stderr.rstrip("\n")


def wait_until(seen, process=None):
    """Until `seen()` is true; a process that should get there must not end before."""
    end = time.monotonic() + HANGS
    while True:
        over = process is not None and process.poll() is not None  # asked first: it may get there and end in between
        if seen():
            return
        assert not over, f"ended with {process.returncode} before what was waited for"
        assert time.monotonic() < end, "it hangs"
        time.sleep(0.001)


def grows(path):
    """A condition for wait_until(): the file is there, and has become longer than it was when first seen."""
    first = []

    def seen():
        if path.exists():
            first.append(path.stat().st_size)
        return first and first[-1] > first[0]
    return seen


def count_rows(path):
    """Of an HDF5 recording that is being written; 0 while there is none."""
    try:
        with h5py.File(path, locking=False) as file:
            return int(file["rows_written"][()])
    except OSError:
        return 0
