"""Every block of code in README and docs/ is tried: commands run, scenes are valid, lines of scenes in worlds of doc_worlds.py,
lines of the cookbook stand in the scene that the recipe names, messages are ours, programs in Python run. What remains (equations,
diagrams, and sketches with "..." in them) is told apart by what it looks like."""
import contextlib
import io
import re
import shlex
import sys
from pathlib import Path

import h5py
from doc_worlds import BAR, FIGURES, FILES, WORLDS
from outside import ROOT, bristle, succeed

sys.path.insert(0, str(ROOT / "scripts"))
import tap  # noqa: E402

DRAWN = ["docs/theory/README.md", "docs/theory/tolerances.md", "docs/architecture.md"]  # equations and diagrams
PAGES = [page for page in [*sorted((ROOT / "docs").rglob("*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
         if str(page.relative_to(ROOT)) not in DRAWN]
# Commands that take minutes, or need what is not here: their options must be known.
LONG = re.compile(r"bench|--realtime|--frames|view|reproduce (--all|'|\.\./)|scene\.yaml|make ")


def blocks(page):
    """(the line of words before, text) of each indented block of a page."""
    before, lines = "", []
    for line in page.read_text().splitlines() + ["."]:
        if line.startswith("    "):
            lines.append(line[4:])
        elif not line.strip():
            lines += [""] if lines else []
        else:
            if lines:
                yield before, "\n".join(lines).rstrip() + "\n"
            before, lines = line, []


def stand_in(world, text):
    """The world with the block where its "@" is."""
    depth = re.search(r"(?m)^( *)@", world)[1]
    return world.replace(depth + "@", "".join(depth + line if line.strip() else line for line in text.splitlines(keepends=True)))


# ------------------------------------------------------------------ kinds of blocks; true: it is of this kind, and was tried

def try_scene(before, text, folder, page):
    if not text.startswith("bristle: 1") or "{...}" in text:
        return False
    name = re.search(r"`([\w-]+\.yaml)`:?$", before.strip())
    path = folder / (name[1] if name else "scene-of-the-page.yaml")
    path.write_text(text)
    succeed("check", "--strict", path.name, cwd=folder)
    return True


def try_world(before, text, folder, page):
    for begin, world in WORLDS.items():
        if text.startswith(begin):
            (folder / "world.yaml").write_text(stand_in(world, text))
            succeed("check", "world.yaml", cwd=folder)
            return True
    return False


def try_recipe(before, text, folder, page):
    """Lines of the cookbook, in the order in which the scene has them."""
    if page.name != "cookbook.md":
        return False
    section = next(part for part in page.read_text().split("\n## ") if text.splitlines()[0] in part)
    scenes = [(page.parent / name).read_text() for name in re.findall(r"\((\.\./scenes/[\w-]+\.yaml)\)", section)]

    def has_all(scene):
        at = 0
        for line in text.splitlines():
            words = re.sub(r"\s+#.*$", "", line).strip()
            at = scene.find(words, at) + len(words) if scene.find(words, at) >= 0 else -1
            if at < 0:
                return False
        return True

    assert any(has_all(scene) for scene in scenes), f"not as its scene has it:\n{text}"
    return True


def known_options(command):
    return bristle("help", command).stdout


def try_command(line, folder):
    line, _, into = line.partition(" > ")
    line = re.split(r"\s{2,}", line)[0]
    words = shlex.split(line, comments=True)
    if words[0] == "make":
        assert re.search(rf"(?m)^{words[1] if len(words) > 1 else 'build'}:", (ROOT / "Makefile").read_text()), line
        return
    if words[0] == "ffmpeg":
        return  # a program of others
    words = words[1:]
    if LONG.search(line):
        told = known_options(words[0])
        assert all(re.search(rf"{re.escape(word)}\b", told) for word in words if word.startswith("--")), line
        return
    done = bristle(*words, cwd=folder)
    assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
    if into:
        (folder / into.strip()).write_text(done.stdout)


def try_commands(before, text, folder, page):
    lines = [line for line in text.splitlines() if line.strip()]
    if not re.match(r"(build/release/)?bristle [a-z]|make\b", lines[0]):
        return False
    if lines[0].startswith("bristle compare"):  # behind the command stands what it prints
        done = bristle(*shlex.split(lines[0])[1:], cwd=folder)
        said = [line.split() for line in done.stdout.splitlines()]
        assert done.returncode == 0 and lines[1].split() in said, done.stdout
        for line in lines[2:]:  # all but the times, which are the machine's
            mine = line.split()
            assert mine == ["..."] or any(mine[:3] + mine[5:] == row[:3] + row[5:] for row in said), line
        return True
    for line in lines:
        try_command(line, folder)
    return True


def try_problem(before, text, folder, page):
    """A file that the page names, which a command of the page reads."""
    name = re.search(r"`([\w-]+\.dat)`", before)
    if name:
        (folder / name[1]).write_text(text)
    return bool(name)


def try_experiment(before, text, folder, page):
    if page.name != "experiments.md" or "..." in text:
        return False
    if text.startswith("experiment: bar"):
        place, written = folder / "bar", text
    elif text.startswith("energy:"):
        place, written = folder / "figures", stand_in(FIGURES, text)
    else:
        return False
    place.mkdir()
    (place / "scene.yaml").write_text(BAR)
    (place / "experiment.yaml").write_text(written)
    succeed("reproduce", place, "-o", folder / "drawn")
    return True


def try_python(before, text, folder, page):
    if "h5py" not in text and "pairs[" not in text:
        return False
    succeed("run", "scenes/stack.yaml", "-o", "build/double-pendulum.h5", "--until", "20 ms", "--force", cwd=folder)
    succeed("run", "scenes/double-pendulum.yaml", "-o", "double.h5", "--until", "20 ms", "--force", cwd=folder)
    recording = "double.h5" if "shoulder" in text else "build/double-pendulum.h5"
    names = {"f": h5py.File(folder / recording), "i": 3}
    program = text.replace('"build/double-pendulum.h5"', f'"{folder / recording}"')
    if "shoulder" in text:  # the pendulum touches nothing
        program = "\n".join(line for line in program.splitlines() if "contacts/" not in line)
    with contextlib.redirect_stdout(io.StringIO()) as said:
        exec(program, names)
    assert "shoulder" in text or said.getvalue()
    return True


def try_message(before, text, folder, page):
    """What the command says: its words, apart from numbers and names, stand in the sources."""
    if page.name not in ("check.md", "stable-steps.md", "step.md") or text.startswith("bristle map"):
        return False
    sources = "\n".join(path.read_text() for place in ("src", "apps") for path in sorted((ROOT / place).rglob("*.c")))
    plain = re.sub(r'"\s*\n\s*"', "", sources)
    for piece in re.split(r"'[^']*'|[-\d.e]*\d[-\d.e]*|[:;,()\[\]{}\n]|\b(?:event|rattle|in stick)\b", text):
        words = " ".join(piece.split())
        if len(words.split()) >= 4:
            assert words in plain, f"nobody says: {words}"
    return True


def is_sketch(before, text, folder, page):
    """Equations, names alone, a program's call, a protocol, or "..." for what is left to the reader."""
    return bool(re.search(r"\.\.\.", text) or re.match(r"u = W r|contacts\.wheel|peer-NAME|cc pendulum|GET  /TOKEN|\{\"scene\"", text))


KINDS = [try_scene, try_experiment, try_world, try_recipe, try_problem, try_python, try_commands, try_message, is_sketch]


def make_folder(place, number):
    """Where a page is followed: what one leaves is not there for another."""
    folder = Path(place) / str(number)
    folder.mkdir()
    for name in ("scenes", "experiments"):
        (folder / name).symlink_to(ROOT / name)
    (folder / "build").mkdir()
    for name, text in FILES.items():
        (folder / name).write_text(text)
    return folder


def test_every_block(place):
    sketches, wrong = 0, []
    for number, page in enumerate(PAGES):
        folder = make_folder(place, number)
        for before, text in blocks(page):
            for kind in KINDS:
                try:
                    tried = kind(before, text, folder, page)
                except Exception as error:
                    wrong.append(f"{page.relative_to(ROOT)}: {text.splitlines()[0]}: {error}")
                    break
                if tried:
                    sketches += kind is is_sketch
                    break
            else:
                wrong.append(f"{page.relative_to(ROOT)}: nobody tries: {text.splitlines()[0]}")
    assert not wrong, "\n".join(wrong)
    assert sketches <= 12, sketches  # the rest is tried


tap.run_tests(globals())
