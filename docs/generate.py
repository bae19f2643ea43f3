"""Write docs/cli.md and docs/api.md from the code: ``python docs/generate.py``."""

import dataclasses
import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from importlib import import_module
from pathlib import Path
from types import FunctionType, NoneType
from typing import Any, get_args, get_type_hints

import typer
from typer.models import ArgumentInfo, OptionInfo

import concolor as cc
from concolor import viz
from concolor.cli import app, options
from concolor.cli.listing import KINDS

NOTE = "<!-- Written by docs/generate.py from the code; do not edit. -->"
GROUPS = {
    "Color": ("color", "Coloring", "answers", "Answer"),
    "Graphs": (
        *("Graph", "read", "write", "convert", "family", "dataset"),
        *("from_networkx", "to_networkx", "from_scipy", "to_scipy", "from_pyg", "to_pyg"),
        *("line_graph", "power"),
    ),
    "Without a model": (
        *("solve", "Solution", "pareto", "recolor", "Recoloring"),
        *("frequencies", "Frequencies", "dsatur", "null"),
    ),
    "Many graphs": (
        *("many", "color_many", "solve_many", "certify_many", "pareto_many"),
        *("Failed", "Workers", "WorkersLost"),
    ),
    "Matrices": ("color_matrix", "MatrixColoring"),
    "Bounds": ("certify", "Certificate", "verify"),
    "Learning": (
        *("Recipe", "Colorer", "evaluate", "Evaluation", "sweep", "Sweep"),
        *("tune", "Tuning", "Span", "TrainingEpoch", "Validator", "TensorBoard"),
    ),
    "Errors": ("ConcolorError", "Doubt", "Interrupted"),
}
REGISTRIES = {
    "encoders": "concolor.encoders.ENCODERS",
    "pipelines": "concolor.learning.recipe.PIPELINES",
    "features": "concolor.features.FEATURES",
    "decoders": "concolor.decoding.DECODERS",
    "solvers": "concolor.solvers.SOLVERS",
    "datasets": "concolor.graph.datasets.DATASETS",
    "families": "concolor.graph.families.FAMILIES",
    "formats": "concolor.graph.formats.FORMATS",
    "labels": "concolor.learning.labels.LABELERS",
    "recipes": "concolor.learning.recipe.RECIPES",
    "tables": "concolor.experiments.tables.TABLES",
}
DEEPER = {  # by their whole names: title -> what is said of them, and the names
    "Decoding": (
        "Proper by construction, without a sweep over k: where `color` begins, and its control.",
        ("concolor.decoding.guided", "concolor.decoding.unguided"),
    ),
    "Returned": (
        "What some of the functions return, call or raise.",
        (
            *("concolor.graph.datasets.Dataset", "concolor.evaluation.Score"),
            *("concolor.certificates.Verified", "concolor.certificates.Refused"),
            *("concolor.learning.model.History", "concolor.goal.Progress"),
        ),
    ),
}
LISTS = ("Args:", "Attributes:", "Raises:")  # sections of docstrings that name things
WIDTH = 88  # of a signature on one line


def cli_page() -> str:
    """Every command with its help, examples, arguments and options."""
    commands = [(str(command.name), command.callback) for command in app.registered_commands]
    links = [f"- [{name}](#concolor-{name}): {_first(call)}" for name, call in commands]
    return _joined(
        "# The command line",
        NOTE,
        app.info.help,
        app.info.epilog,
        "`concolor COMMAND --help` says the same as this page. A GRAPH is a file, `-` for\n"
        "standard input, or a family such as `queen:8x8`. Results go to standard output,\n"
        "progress and messages to standard error.",
        "Before the command stand, where they are wanted:",
        _options(options),
        "\n".join(links),
        *(part for name, call in commands for part in _command(name, call)),
    )


def _command(name: str, call: Callable[..., Any]) -> Iterator[str]:
    rows = _parameters(call)
    usage = " ".join(word for *_, word in rows if word)
    about, _, examples = inspect.getdoc(call).partition("\b")
    lines = [line.strip() for line in examples.splitlines() if line.startswith("  ")]
    yield f"## concolor {name}"
    yield f"    concolor {name} [OPTIONS] {usage}".rstrip()
    yield about.strip()
    if lines:
        yield "Example:" if len(lines) == 1 else "Examples:"
        yield "\n".join(f"    {line}" for line in lines)
    yield _options(call)


def _options(call: Callable[..., Any]) -> str:
    rows = (row[:3] for row in _parameters(call))
    return _table(("argument or option", "meaning", "default"), rows)


def _parameters(call: Callable[..., Any]) -> Iterator[tuple[str, str, str, str]]:
    """Spelling, meaning, default, and the word in the usage line, where it needs one."""
    hints = get_type_hints(call, include_extras=True)
    for name, parameter in inspect.signature(call).parameters.items():
        if hints[name] is typer.Context:
            continue
        hint, about = get_args(hints[name])[:2]
        needed = parameter.default is inspect.Parameter.empty
        given = parameter.default
        silent = needed or given is None or given is False
        default = "" if silent else "on" if given is True else str(given)
        many = any(str(kind).startswith("list") for kind in (hint, *get_args(hint)))
        if isinstance(about, ArgumentInfo):
            word = (about.metavar or name.upper()) + ("..." if many else "")
            yield f"`{word}`", about.help, default, word if needed else f"[{word}]"
        else:
            words, value = _spelled(name, hint, about), _value(hint, about)
            spelled = f"`{', '.join(words)}{value}`" + (", repeatable" if many else "")
            usage = f"{words[0]}{value}" if needed else ""
            yield spelled, about.help, "required" if needed else default, usage


def _spelled(name: str, hint: Any, about: OptionInfo) -> list[str]:
    given = [word for word in (about.default, *(about.param_decls or ())) if isinstance(word, str)]
    plain = name.replace("_", "-")
    return given or ([f"--{plain}", f"--no-{plain}"] if hint is bool else [f"--{plain}"])


def _value(hint: Any, about: OptionInfo) -> str:
    """What follows an option, with a space before it."""
    if hint is bool:
        return ""
    kind = next(kind for kind in (get_args(hint) or (hint,)) if kind is not NoneType)
    word = about.metavar or {int: "INT", float: "NUMBER", Path: "PATH"}.get(kind, "TEXT")
    if about.min is None:
        return f" {word}"
    return f" {word}>={about.min}" if about.max is None else f" {word} in {about.min}..{about.max}"


def api_page() -> str:
    """Every public name with its signature and its docstring, then the registries."""
    listed = [name for names in GROUPS.values() for name in names]
    if odd := set(listed) ^ set(cc.__all__):
        raise SystemExit(f"GROUPS of docs/generate.py and concolor.__all__ differ: {sorted(odd)}")
    names = {**GROUPS, "Pictures": tuple(viz.__all__)}
    shown = names | {title: group for title, (_, group) in DEEPER.items()}
    index = [
        f"- [{title}](#{title.lower().replace(' ', '-')}): {', '.join(f'`{n}`' for n in group)}"
        for title, group in shown.items()
    ]
    kinds = ", ".join(f"[{kind}](#{kind})" for kind in KINDS)
    parts: list[str] = []
    for title, group in names.items():
        home = viz if title == "Pictures" else cc
        parts += [f"## {title}", *([_prose(viz.__doc__)] if home is viz else [])]
        for name in group:
            parts += _entry(f"{'viz' if home is viz else 'cc'}.{name}", getattr(home, name))
    for title, (about, paths) in DEEPER.items():
        parts += [f"## {title}", about]
        for path in paths:
            home, _, name = path.rpartition(".")
            parts += _entry(path, getattr(import_module(home), name))
    return _joined(
        "# The Python interface",
        NOTE,
        "`import concolor as cc` gives all names but the pictures, which are in `concolor.viz`.\n"
        "Shapes stand in brackets: `z [n, d]` has a row of d numbers for every node.",
        "\n".join([*index, f"- [Registries](#registries): {kinds}"]),
        *parts,
        *_registries(),
    )


def _registries() -> Iterator[str]:
    yield "## Registries"
    yield "Tables of names. `concolor list KIND` prints them."
    for kind, names in KINDS.items():
        yield f"### {kind}"
        if kind in REGISTRIES:
            yield f"`{REGISTRIES[kind]}`"
        yield _table(("name", "meaning"), ((f"`{n}`", _inline(doc)) for n, doc in names().items()))


def _entry(title: str, thing: Any) -> Iterator[str]:
    """A function, or a class with its public methods and properties."""
    yield f"### {title}"
    if not inspect.isclass(thing):
        yield _signature(title, thing)
        yield _prose(thing.__doc__)
        return
    comments = list(_comments(thing))
    if not comments and not issubclass(thing, Exception):
        yield _signature(title, thing)
    yield _prose(thing.__doc__)
    if comments:
        yield _table(("field", "default", "meaning"), comments)
    members = {name: member for name, member in vars(thing).items() if not name.startswith("_")}
    values = {n: m for n, m in members.items() if isinstance(m, property | cached_property)}
    calls = {n: m for n, m in members.items() if isinstance(m, FunctionType | classmethod)}
    if values:
        rows = ((f"`{name}`", _inline(member.__doc__)) for name, member in values.items())
        yield _table(("property", "meaning"), rows)
    for name, member in calls.items():
        short = f"{title.rpartition('.')[2]}.{name}"
        yield f"#### {short}"
        yield _signature(short, getattr(member, "__func__", member))
        yield _prose(member.__doc__)


def _signature(name: str, call: Callable[..., Any]) -> str:
    found = inspect.signature(call)
    words, star = [], False
    for parameter in found.parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and not star:
            words, star = [*words, "*"], True
        if parameter.name not in ("self", "cls"):
            words.append(_word(parameter))
    result = found.return_annotation
    gives = "" if inspect.isclass(call) or result is found.empty else f" -> {result}"
    line = f"{name}({', '.join(words)}){gives}"
    if len(line) > WIDTH:
        inside = "".join(f"    {word},\n" for word in words)
        line = f"{name}(\n{inside}){gives}"
    return f"```python\n{line}\n```"


def _word(parameter: inspect.Parameter) -> str:
    name = f"**{parameter.name}" if parameter.kind is parameter.VAR_KEYWORD else parameter.name
    kind = parameter.annotation
    typed = name if kind is parameter.empty else f"{name}: {kind}"
    if parameter.default is parameter.empty:
        return typed
    factory = repr(parameter.default) == "<factory>"
    return f"{typed} = {'{}' if factory else repr(parameter.default)}"


def _comments(thing: type) -> Iterator[tuple[str, str, str]]:
    """Field, default and comment of a dataclass that explains its fields beside them."""
    if not dataclasses.is_dataclass(thing) or "Attributes:" in (thing.__doc__ or ""):
        return
    line = r"^    (\w+): [^=#\n]*(?:= ([^#\n]*?))?(?:  # (.*))?$"
    fields = {field.name for field in dataclasses.fields(thing)}
    for name, default, comment in re.findall(line, inspect.getsource(thing), re.MULTILINE):
        if name in fields:
            yield f"`{name}`", f"`{default}`" if default else "", comment


def _prose(doc: str | None) -> str:
    """A docstring as Markdown: named things as a list, doctests as code."""
    blocks = re.split(r"\n\s*\n", _inline(inspect.cleandoc(doc or "")))
    return "\n\n".join(_block(block) for block in blocks if block)


def _block(block: str) -> str:
    head, _, rest = block.partition("\n")
    if head in LISTS:
        items = re.split(r"\n(?=    \S)", "\n" + rest)[1:]
        return "\n".join([f"{head[:-1]}:\n", *map(_item, items)])
    if head.endswith(":") and rest.startswith("    "):  # Returns: and the like
        return f"{head} {_one_line(rest)}"
    if block.startswith(">>>"):
        return f"```pycon\n{block.replace(chr(92) * 2, chr(92))}\n```"
    return block


def _item(text: str) -> str:
    name, _, meaning = text.strip().partition(":")
    return f"- `{name}`: {_one_line(meaning)}"


def _inline(text: str | None) -> str:
    """Roles and double backticks of reStructuredText as Markdown."""
    text = re.sub(r":math:`([^`]*)`", r"$\1$", text or "")
    text = re.sub(r":\w+:`~?(?:[\w.]*\.)?(\w+)`", r"`\1`", text)
    return text.replace("``", "`")


def _first(call: Callable[..., Any]) -> str:
    return inspect.getdoc(call).splitlines()[0]


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    cells = ([_one_line(cell).replace("|", "\\|") for cell in line] for line in lines)
    return "\n".join(f"| {' | '.join(line)} |" for line in cells)


def _joined(*parts: object) -> str:
    return "\n\n".join(str(part) for part in parts) + "\n"


PAGES = {"cli.md": cli_page, "api.md": api_page}

if __name__ == "__main__":
    for name, page in PAGES.items():
        (Path(__file__).parent / name).write_text(page(), encoding="utf-8")
