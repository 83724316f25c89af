"""The C headers as pages: each comment beside what it speaks of, each name a link to where it is declared."""
import html
import re
import textwrap

ITEM = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
NAMES = re.compile(r"\b(?:br_\w+|Br[A-Z]\w*|BR_[A-Z]\w*)\b")
SECTION = re.compile(r"/\* -{10,} (.+?) \*/$")


class Block:
    """Lines that belong together: a comment above, and what is declared."""

    def __init__(self, comment, code):
        self.comment, self.code = comment, code


def split(text):
    """The header's opening comment, then its sections: (title, blocks)."""
    opening, rest = re.match(r"/\*(.*?)\*/\n(.*)", text, re.DOTALL).groups()
    rest = re.sub(r'(?m)^#(ifndef BRISTLE_|define BRISTLE_|include|ifdef __cplusplus|endif|if defined|else).*\n|^extern "C" \{\n|^\}\n', "", rest)
    sections, comment, code = [("", [])], "", []

    def close():
        nonlocal comment, code
        if comment or code:
            sections[-1][1].append(Block(comment, re.sub(r"(?m) +\\$", r" \\", "\n".join(code))))
        comment, code = "", []

    for line, depth in walk(rest.splitlines()):
        title = SECTION.match(line)
        if title:
            close()
            sections.append((title[1], []))
        elif depth == "comment":
            if code:
                close()
            comment += line + "\n"
        elif not line.strip() and depth == 0:
            close()
        else:
            code.append(line)
    close()
    sections = [(begin_large(title), blocks) for title, blocks in sections]
    return opening, [(title, blocks) for title, blocks in sections if blocks]


def walk(lines):
    """(line, depth of braces before it), or (line, "comment") of comments that stand by themselves."""
    depth, inside = 0, False
    for line in lines:
        alone = depth == 0 and (inside or line.startswith("/*"))
        if alone:
            inside = "*/" not in line
            yield line, "comment" if not SECTION.match(line) else depth
            continue
        yield line, depth
        bare = ITEM.sub("", line)
        depth += bare.count("{") - bare.count("}")


def read_comment(text):
    """Words of a comment as paragraphs; what is set in further stays as it is."""
    lines = [re.sub(r"^\s*(/\*| \*/?|\*)\s?", "", re.sub(r"\s*\*/\s*$", "", line)) for line in text.strip().splitlines()]
    parts = []
    for paragraph in re.split(r"\n\s*\n", "\n".join(lines)):
        if paragraph.startswith("   "):
            parts.append(f"<pre><code>{html.escape(textwrap.dedent(paragraph))}</code></pre>")
        elif paragraph.strip():
            words = begin_large(html.escape(" ".join(paragraph.split()), quote=False))
            parts.append("<p>" + re.sub(r"`([^`]+)`", r"<code>\1</code>", words) + "</p>")
    return "".join(parts)


def begin_large(words):
    """A comment goes on where the line above it ended; a paragraph begins a sentence."""
    return words[:1].upper() + words[1:]


def find_declared(code):
    """Names that a block declares: functions, types, values, macros; each once."""
    bare = ITEM.sub("", code)
    names = []
    for pattern in (r"(?m)^(?:BR_API|static inline) [^;{(]*?\b(br_\w+)\(", r"\}\s*(Br\w+);", r"typedef [^;{]*?\b(Br\w+);",
                    r"typedef [^;]*\(\*(Br\w+)\)", r"#define (BR_\w+)"):
        names += re.findall(pattern, bare)
    names += [name for body in re.findall(r"enum \w* ?\{(.*?)\}", bare, re.DOTALL) for name in re.findall(r"\bBR_\w+", body)]
    names += re.findall(r"(?m)^BR_DECLARE_ID\((\w+)\)", bare)
    if bare.startswith("BR_DEFAULT("):
        names += re.findall(r"\bbr_default_\w+|\bbr_start_\w+", bare)
    return list(dict.fromkeys(names))


def show(code, declared, where, here):
    """Code with its own names as places and others' as links."""
    placed, left = set(), set(declared)

    def name_one(found):
        name = found[0]
        if name in left and name not in placed:
            placed.add(name)
            return f'<a id="{name}" href="#{name}"><b>{name}</b></a>'
        if name in where:
            page = where[name]
            return f'<a href="{"" if page == here else page}#{name}">{name}</a>'
        return name

    return f'<pre class="c"><code>{NAMES.sub(name_one, html.escape(code, quote=False))}</code></pre>'


def introduce(opening):
    """What stands at the top of a header, without its name."""
    return read_comment(re.sub(r"^\s*bristle/\w+\.h:\s*", "", opening))


def add(site, folder):
    headers = {path: split(path.read_text()) for path in sorted(folder.glob("*.h"))}
    where = {}
    for path, (_, sections) in headers.items():
        for _, blocks in sections:
            for block in blocks:
                for name in find_declared(block.code):
                    where.setdefault(name, path.stem + ".html")
    for path, (opening, sections) in headers.items():
        here = path.stem + ".html"
        body = [f"<h1>bristle/{path.name}</h1>", introduce(opening)]
        for title, blocks in sections:
            if title:
                body.append(f'<h2 id="{title.replace(" ", "-")}">{html.escape(title)}</h2>')
            for block in blocks:
                mine = [name for name in find_declared(block.code) if where[name] == here]
                body.append(read_comment(block.comment))
                if block.code:
                    body.append(show(block.code, mine, where, here))
        site.add(f"c/{path.name}", f"bristle/{path.name}", f"c/{here}", "".join(body))
    site.add("library", "All names", "c/index.html", write_index(headers, where))


def write_index(headers, where):
    rows = "".join(f'<tr><td><a href="{path.stem}.html">bristle/{path.name}</a></td><td>{introduce(opening).split("</p>")[0].removeprefix("<p>")}</td></tr>'
                   for path, (opening, _) in headers.items())
    kinds = [("Functions", "br_"), ("Types", "Br"), ("Values and macros", "BR_")]
    lists = "".join(f'<h2 id="{kind.split()[0].lower()}">{kind}</h2><p>' +
                    " ".join(f'<a href="{where[name]}#{name}"><code>{name}</code></a>' for name in sorted(where) if name.startswith(prefix)) + "</p>"
                    for kind, prefix in kinds)
    return (f"<h1>Library in C</h1><p>Everything that <code>#include &lt;bristle/bristle.h&gt;</code> declares. Names that begin with "
            f"<code>br_</code> are functions, with <code>Br</code> types, with <code>BR_</code> values.</p>"
            f'<h2 id="headers">Headers</h2><table><tr><th>header</th><th>what</th></tr>{rows}</table>{lists}')
