"""Pages of what the command knows: its own helps, laws, joints, shapes, solvers, and the channels of recordings."""
import html
import json
import re
import subprocess
import tempfile
from pathlib import Path


def ask(bristle, *words):
    return subprocess.run([bristle, *words], check=True, capture_output=True, text=True).stdout


def read_list(bristle, word):
    return json.loads(ask(bristle, word, "--json"))


def table(head, rows):
    """Cells are HTML already."""
    return ("<table><tr>" + "".join(f"<th>{word}</th>" for word in head) + "</tr>" +
            "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows) + "</table>")


def text(value):
    return html.escape(str(value))


def code(value):
    return f"<code>{text(value)}</code>"


def number(value):
    return "" if value is None else f"{value:g}"


def heading(name, level=2):
    return f'<h{level} id="{name}">{code(name)}</h{level}>'


def show_range(parameter):
    low, high = parameter["lowest"], parameter["highest"]
    return f"{number(low) or '-&infin;'} to {number(high) or '&infin;'}"


# ------------------------------------------------------------------ laws, joints, shapes, solvers

def show_law(law):
    ways = [word for word, there in [("rigid contact", law["rigid"]), ("compliant contact", law["compliant"]),
                                     ("bearings of joints", law["joints"])] if there]
    body = heading(law["name"]) + f"<p>{text(law['help'])}. For {', '.join(ways) or 'impacts'}. <em>{text(law['reference'])}</em></p>"
    if law["parameters"]:
        body += table(["parameter", "unit", "preset", "range", "what"],
                      [[code(p["name"]), text(p["unit"]), number(p["preset"]) or "must be given", show_range(p), text(p["help"])] for p in law["parameters"]])
    return body


def show_laws(laws):
    body = "<h1>Laws of contact and friction</h1><p>As <code>bristle laws</code> prints them; a scene names them in its " \
           "materials (<a href=\"../scenes/contact.html\">contact</a>).</p>"
    for kind in dict.fromkeys(law["kind"] for law in laws):
        mine = [law for law in laws if law["kind"] == kind]
        body += f'<p><strong>{text(kind).capitalize()}:</strong> ' + ", ".join(f'<a href="#{law["name"]}">{code(law["name"])}</a>' for law in mine) + "</p>"
    seen = set()
    for law in laws:
        shown = show_law(law)
        if law["name"] in seen:  # a law may have a part of each kind
            shown = shown.replace(f'id="{law["name"]}"', f'id="{law["name"]}-{law["kind"]}"')
        seen.add(law["name"])
        body += shown
    return body


def show_parameters(entry):
    return table(["key", "unit", "what"], [[code(p["key"]), text(p["unit"]), text(p["help"]) + ("" if p.get("required", True) else " (may be left out)")]
                                           for p in entry])


def show_joints(joints):
    body = "<h1>Joints</h1><p>As <code>bristle joints</code> prints them; how scenes use them: <a href=\"../scenes/joints.html\">joints</a>, " \
           "<a href=\"../scenes/joint-friction.html\">friction in their bearings</a>.</p>"
    for joint in joints:
        body += heading(joint["name"]) + f"<p>{text(joint['help'])}. Leaves {joint['freedoms']} freedoms, takes {joint['rows']} rows.</p>"
        body += show_parameters(joint["parameters"]) if joint["parameters"] else ""
        if joint["coordinates"]:
            body += "<p>Coordinates: " + ", ".join(code(c["name"] if isinstance(c, dict) else c) for c in joint["coordinates"]) + ".</p>"
        if joint["friction"]:
            body += "<h3>Friction in its bearings</h3>" + show_parameters(joint["friction"])
    return body


def show_shapes(shapes):
    body = "<h1>Shapes</h1><p>As <code>bristle shapes</code> prints them; how scenes use them: <a href=\"../scenes/contact.html\">contact</a>.</p>"
    for shape in shapes:
        body += heading(shape["name"]) + f"<p>{text(shape['help'])}.</p>"
        body += show_parameters(shape["parameters"]) if shape["parameters"] else ""
        body += "<p>Touches " + ", ".join(f'<a href="#{other}">{text(other)}</a>' for other in shape["touches"]) + ".</p>" if shape["touches"] else ""
    return body


def show_solvers(solvers):
    body = "<h1>Solvers</h1><p>The rungs of the ladder, cheapest first, as <code>bristle solvers</code> prints them. Nobody needs to choose: each answer is " \
           "judged by one certificate, and the next rung is asked where it does not hold.</p>"
    return body + table(["name", "how", "from", "answers", "in"],
                        [[code(s["name"]), text(s["help"]), text(s["reference"]), text(", ".join(s["sets"])), text(", ".join(s["solves"]))] for s in solvers])


# ------------------------------------------------------------------ helps

def show_commands(bristle):
    summary = ask(bristle, "help")
    names = [word for word in re.findall(r"(?m)^  (\w+) ", summary) if word != "complete"]
    body = f"<h1>All commands</h1><pre>{text(summary)}</pre>"
    for name in names:
        body += f'<h2 id="{name}">bristle {name}</h2><pre>{text(ask(bristle, "help", name))}</pre>'
    return body


# ------------------------------------------------------------------ channels

def sort_channel(name):
    """(whose, what) of a channel's name: bodies.wheel.position is the position of bodies."""
    parts = name.split(".")
    if parts[0] != "contacts":
        return ("", name) if len(parts) == 1 else (parts[0], parts[-1])
    return ("contacts, of places" if parts[-2].isdigit() else "contacts, of pairs", parts[-1])


def read_channels(bristle, scenes):
    """(whose, what) -> (unit, help, width) of all that short runs of the scenes record."""
    known = {}
    with tempfile.TemporaryDirectory() as place:
        for scene in scenes:
            out = Path(place) / "out.h5"
            ask(bristle, "run", scene, "-o", out, "--force", "--until", "2 ms", "--set", "step.dt=0.5 ms", "--set", "record.every=1 ms")
            for channel in json.loads(ask(bristle, "plot", out, "--list", "--json"))["channels"]:
                known.setdefault(sort_channel(channel["name"]), (channel["unit"], channel["help"], channel["width"]))
    return known


def show_channels(bristle, scenes):
    known = read_channels(bristle, scenes)
    body = "<h1>Channels of recordings</h1><p>What <code>bristle plot --list</code> tells of recordings of the scenes in " \
           "<code>scenes/</code>, by whose they are. What they mean, and those of bushings and sensors: " \
           "<a href=\"../recordings.html\">recordings</a>.</p>"
    for kind in sorted({kind for kind, _ in known}):
        body += f'<h2 id="{kind.replace(", ", "-").replace(" ", "-")}">{text(kind)}</h2>' if kind else ""
        body += table(["channel", "unit", "numbers", "what"], [[code(name), text(unit), str(width), text(told)]
                                                               for (whose, name), (unit, told, width) in sorted(known.items()) if whose == kind])
    return body


def add(site, bristle):
    site.add("commands", "All commands", "commands.html", show_commands(bristle))
    for word, show in [("laws", show_laws), ("joints", show_joints), ("shapes", show_shapes), ("solvers", show_solvers)]:
        site.add(f"catalogue/{word}", word.capitalize(), f"catalogue/{word}.html", show(read_list(bristle, word)))
    scenes = sorted((site.root / "scenes").glob("*.yaml"))
    site.add("catalogue/channels", "Channels", "catalogue/channels.html", show_channels(bristle, scenes))
