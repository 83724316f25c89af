"""What shells offer when Tab is pressed: `bristle complete`, and the scripts for bash and zsh around it."""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from outside import BRISTLE, ROOT, bristle, succeed

sys.path.insert(0, str(ROOT / "scripts"))
import tap  # noqa: E402

PENDULUM = str(ROOT / "scenes/double-pendulum.yaml")


def offered(*words, cwd=ROOT):
    done = succeed("complete", "--", *words, cwd=cwd)
    assert done.stderr == "", done.stderr
    return done.stdout.split()


def test_words(folder):
    assert {"run", "check", "plot", "reproduce", "complete"} <= set(offered("r"))
    assert offered("help", "") == offered("")
    assert set(offered("run", "--formulation", "")) == {"timestepping", "event", "compliant", "smooth", "hybrid"}
    assert {"moreau", "hem2", "rattle", "bdf2"} <= set(offered("check", "x.yaml", "--scheme", "m"))
    assert offered("run", "") == offered("nonsense", "-") == []  # files, or nothing
    assert {"peiret2016-wheel", "fang-bowl"} <= set(offered("reproduce", "pe"))


def test_help(folder):
    assert "words that may stand next" in succeed("help").stdout and "Usage" in succeed("complete", "--help").stdout
    for words in ([], ["run"], ["--"]):
        assert bristle("complete", *words).returncode == 2


def test_every_option_is_offered(folder):
    for command in set(offered("")) - {"complete"}:
        shown = re.findall(r"^  (?:-\w, )?(--[\w-]+)", succeed(command, "--help").stdout, re.MULTILINE)
        assert [word for word in offered(command, "-") if word != "--help"] == [word for word in shown if word != "--help"]


def test_channels(folder):
    succeed("run", PENDULUM, "--until", "10 ms", "-o", "out.h5", cwd=folder)
    assert {"time", "bodies.upper.position", "energy.kinetic"} <= set(offered("plot", "out.h5", "", cwd=folder))
    (Path(folder) / "bad.h5").write_text("no recording")
    for name in ("bad.h5", "none.h5"):
        assert bristle("complete", "--", "plot", name, "", cwd=folder).stdout == ""


def shell(program, script, folder):
    path = f"{Path(BRISTLE).resolve().parent}:{os.environ['PATH']}"
    done = subprocess.run([program, *(["-f"] if program == "zsh" else ["--norc"]), "-c", script], cwd=folder, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "PATH": path})
    assert done.returncode == 0 and done.stderr == "", done.stderr
    return done.stdout.split()


def test_bash(folder):
    """As bash calls it: the command, the word at hand, the word before."""
    press = f"""source {ROOT}/apps/completion/bristle.bash
        COMP_WORDS=(bristle run scene.yaml --form); COMP_CWORD=3; _bristle bristle --form scene.yaml; echo "${{COMPREPLY[@]}}"
        COMP_WORDS=(bristle repr); COMP_CWORD=1; _bristle bristle repr bristle; echo "${{COMPREPLY[@]}}" """
    assert shell("bash", press, folder) == ["--formulation", "reproduce"]


def test_zsh(folder):
    """With stand-ins for what zsh does with the words."""
    if not shutil.which("zsh"):
        tap.skip("completion for zsh", "it is not installed")
        return
    press = f"""compadd() {{ print -l -- ${{(P)2}} }}; _files() {{ print FILES }}
        words=(bristle help ''); CURRENT=3; source {ROOT}/apps/completion/_bristle
        words=(bristle run ''); CURRENT=3; source {ROOT}/apps/completion/_bristle"""
    found = shell("zsh", press, folder)
    assert {"run", "plot"} <= set(found) and found[-1] == "FILES" and found.count("FILES") == 1, found


tap.run_tests(globals())
