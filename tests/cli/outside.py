"""The command from outside: running it to its end, for the tests beside this file."""
import os
import re
import subprocess
from pathlib import Path

ROOT = Path(os.environ.get("BRISTLE_ROOT") or Path(__file__).resolve().parent.parent.parent)
BRISTLE = os.environ.get("BRISTLE") or str(ROOT / "build/release/bristle")


def bristle(*words, text=None, environment=None, **options):
    """`text` goes to standard input, `environment` beside the present one; what the command prints must be UTF-8."""
    done = subprocess.run([BRISTLE, *map(str, words)], input=text.encode() if text else None,
                          stdin=None if text else subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=120, env={**os.environ, **(environment or {})}, **options)
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
