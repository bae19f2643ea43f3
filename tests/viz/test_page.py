"""The page: complete, optional in every part, safe against names, and quiet in a browser."""

import re
import subprocess
import sys
from html.parser import HTMLParser
from itertools import combinations

import numpy as np
import pytest

from concolor.certificates import certify
from concolor.coloring import Coloring
from concolor.decoding import sweep
from concolor.errors import InputError
from concolor.graph.core import Graph
from concolor.graph.families import family
from concolor.models.spectral import spectral_sweep
from concolor.solvers.greedy import dsatur
from concolor.solvers.null import null
from concolor.viz import Report, graph, report
from viz.browser import PROGRAM, Browser
from viz.samples import near_prototypes

EVIL = (
    "<script>document.title = 'broken in'</script>",
    "</script></style></title><h1>x</h1>",
    "\"' onload='alert(1)",
    "<img src=x onerror=alert(1)>",
    "&lt;b&gt; {title} %s",
    "\x00\x1b[31m\u202e",
)
VOID = {"meta", "link", "img", "br"}


class Outline(HTMLParser):
    """Checks that tags are closed in order and keeps what a reader sees."""

    def __init__(self, page):
        super().__init__()
        self.open, self.tags, self.text, self.headings = [], [], [], []
        self.attributes = []
        self.feed(page)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if not {"script", "style"} & set(self.open):
            self.text.append(data)
            if "h2" in self.open:
                self.headings.append(data)


def full(coloring=None, **changes):
    """A report with everything in it."""
    coloring = coloring or null(family("queen:5x5"), 5)
    g = coloring.graph
    z = near_prototypes(dsatur(g), 20, noise=0.1)
    found = sweep(g, z, k_max=8, decoder="lines", full=True)
    facts = {
        "raw": found.best,
        "sweep": found,
        "null_curve": {k: null(g, k).conflicts for k in found.curve},
        "spectral": spectral_sweep(g, k_max=8, full=True),
        "z": z,
        "certificate": certify(g, dsatur(g)),
        "seconds": {"embed": 0.25, "decode": 1.5},
        "title": "A title",
        "note": "At most 5 colors were asked for.",
    }
    return Report(coloring=coloring, **{**facts, **changes})


HEADINGS = {
    "z": {"The sphere of embeddings", "How orthogonal the prototypes are"},
    "sweep": {"Conflicts for each number of colors"},
    "certificate": {"Bounds and what they prove"},
    "seconds": {"Where the time went"},
}


@pytest.mark.slow
def test_the_page_tells_all_it_was_given():
    facts = full()
    page = Outline(report(facts))
    text = "".join(page.text)
    assert page.tags[:2] == ["html", "head"] and page.tags.count("h1") == 1
    for word in ("A title", "Not proper", "At most 5 colors", "queen:5x5", "1.75 s", "k* ="):
        assert word in text
    assert "Null: the best of ten" in text and "Spectral: eigenvectors" in text
    for line in facts.certificate.statements:
        assert line.replace("<=", "≤").replace(">=", "≥") in text
    assert f"{facts.coloring.conflicts} of 160 edges" in text
    every = {
        "The colored graph",
        "Nodes by color",
        "Edges in conflict",
        *set().union(*HEADINGS.values()),
    }
    assert set(page.headings) == every and len(page.headings) == len(every)


@pytest.mark.slow
@pytest.mark.parametrize("kept", [set(c) for r in (0, 1, 4) for c in combinations(HEADINGS, r)])
def test_what_is_not_given_has_no_place(kept):
    empty = {"z": None, "sweep": None, "certificate": None, "seconds": {}}
    out = {name: value for name, value in empty.items() if name not in kept}
    page = Outline(report(full(dsatur(family("cycle:7")), raw=None, title=None, **out)))
    expected = {"The colored graph", "Nodes by color"}.union(*(HEADINGS[name] for name in kept))
    assert set(page.headings) == expected
    assert "✓ Proper" in "".join(page.text)
    assert "before polish" not in "".join(page.text)


@pytest.mark.slow
def test_all_conflicts_are_listed_or_the_first_hundred_with_their_number():
    few, many = null(family("queen:5x5"), 5), null(family("queen:8x8"), 3)
    for coloring in (few, many):
        rows = re.findall(
            r"<tr><td>(\d+)</td><td>(\d+)</td><td>(\d+)</td></tr>",
            report(Report(coloring=coloring)),
        )
        expected = [[u, v, coloring.colors[u]] for u, v in coloring.conflicting_edges.tolist()]
        assert [list(map(int, row)) for row in rows] == expected[:100]
    assert few.conflicts <= 100 < many.conflicts
    assert f"The first 100 of {many.conflicts}." in report(Report(coloring=many))


def test_every_node_is_listed_under_its_color():
    names = [f"exam {v}" for v in range(7)]
    g = Graph.from_edges(7, family("cycle:7").edges, names=names)
    text = "".join(Outline(report(Report(coloring=Coloring(g, [3, 1, 3, 1, 3, 1, 9])))).text)
    for line in ("33exam 0, exam 2, exam 4", "13exam 1, exam 3, exam 5", "91exam 6"):
        assert line in text


def test_names_from_users_stay_text():
    g = Graph.from_edges(6, [(u, v) for u in range(6) for v in range(u)], names=EVIL, name=EVIL[0])
    coloring = Coloring(g, [0, 0, 0, 1, 1, 1])
    stages = {EVIL[1]: 1.0}
    evil = full(coloring, title=EVIL[1], note=EVIL[3], seconds=stages, certificate=None)
    page, plain = (
        Outline(report(evil)),
        Outline(report(full(null(g.but(name="g"), 2), certificate=None))),
    )
    assert page.tags.count("script") == plain.tags.count("script") == 2
    assert page.tags.count("h1") == 1 and "img" not in page.tags
    assert not [name for name, _ in page.attributes if name.startswith("on")]
    text = "".join(page.text)
    for name in EVIL[:-1]:
        assert f"{name} · color" in text
    assert "\x1b" not in text and "\u202e" not in text


def test_parts_of_another_graph_are_refused():
    other = sweep(family("cycle:5"), np.ones((5, 2)), k_max=2)
    with pytest.raises(InputError, match=r"the sweep is of Graph\('cycle:5'"):
        Report(coloring=dsatur(family("cycle:6")), sweep=other)


def test_nothing_points_out_of_the_page():
    page = report(full())
    assert not re.findall(r"""(?:src|href|url)\s*[=(]\s*["']?+(?!data:)[^"' ]*""", page)
    assert set(re.findall(r"https?://[^\"' ]+", page)) == {"http://www.w3.org/2000/svg"}


@pytest.mark.parametrize("n", [0, 1])
def test_tiny_graphs_have_a_page(n):
    coloring = dsatur(Graph.from_edges(n, []))
    Outline(
        report(Report(coloring=coloring, z=np.ones((n, 1)), certificate=certify(coloring.graph)))
    )


@pytest.mark.slow
def test_a_thousand_nodes_fit_below_a_megabyte():
    rng = np.random.default_rng(0)
    g = Graph.from_edges(1000, rng.integers(0, 1000, (20_100, 2)))
    coloring = null(g, 12)
    assert graph.is_drawable(coloring)
    page = report(Report(coloring=coloring, z=near_prototypes(coloring, 64)))
    assert len(page.encode()) < 900_000


@pytest.mark.slow
def test_nothing_loads_torch_or_matplotlib():
    program = (
        "import sys, concolor as cc, numpy as np\n"
        "from concolor.viz import Report, report\n"
        "assert not {'torch', 'matplotlib', 'numba'} & set(sys.modules)\n"
        "g = cc.family('cycle:6')\n"
        "z = np.eye(6)\n"
        "report(Report(coloring=cc.dsatur(g), z=z, sweep=cc.sweep(g, z, k_max=3)))\n"
        "assert not {'torch', 'matplotlib'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.slow
@pytest.mark.skipif(PROGRAM is None, reason="no Chromium on this machine")
class TestInABrowser:
    def test_the_page_is_quiet_and_alive(self, tmp_path):
        g = family("queen:5x5")
        g = Graph.from_edges(g.n, g.edges, names=[*EVIL, *map(str, range(g.n - len(EVIL)))])
        file = tmp_path / "r.html"
        file.write_text(report(full(null(g, 5))), encoding="utf-8")
        with Browser() as browser:
            browser.screen(400)
            browser.open(file)
            assert browser.run("document.documentElement.scrollWidth") <= 400
            before = places(browser)
            browser.run("document.getElementById('sphere').focus()")
            browser.call("Input.dispatchKeyEvent", type="keyDown", key="ArrowLeft")
            browser.call("Input.dispatchKeyEvent", type="keyDown", key="ArrowRight")
            browser.run("new Promise(requestAnimationFrame)")
            back = places(browser)
            browser.call("Input.dispatchKeyEvent", type="keyDown", key="ArrowUp")
            browser.run("new Promise(requestAnimationFrame)")
            assert back == pytest.approx(before, abs=0.5)  # the script agrees with the picture
            assert places(browser) != pytest.approx(back, abs=0.5)
            self.hover_and_drag(browser)
            assert browser.run("document.title").startswith("A title")
            assert browser.complaints == [] and browser.requests == [file.as_uri()]

    def hover_and_drag(self, browser):
        node = "document.querySelectorAll('.nodes')[0].children[0]"
        browser.run(f"{node}.scrollIntoView({{block: 'center'}})")
        box = browser.run(f"JSON.parse(JSON.stringify({node}.getBoundingClientRect()))")
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        tip = browser.run("document.getElementById('tip').textContent")
        assert tip.startswith(EVIL[0]) and "degree" in tip
        browser.run("document.getElementById('sphere').scrollIntoView({block: 'center'})")
        still = places(browser)
        for kind, x in (("mousePressed", 150), ("mouseMoved", 210), ("mouseReleased", 210)):
            browser.call(
                "Input.dispatchMouseEvent",
                type=kind, x=x, y=450, button="left", buttons=1, clickCount=1,
            )  # fmt: skip
        browser.run("new Promise(requestAnimationFrame)")
        assert places(browser) != pytest.approx(still, abs=0.5)

    def test_without_scripts_it_is_a_still_page(self, tmp_path):
        file = tmp_path / "r.html"
        file.write_text(report(full()), encoding="utf-8")
        with Browser() as browser:
            browser.call("Emulation.setScriptExecutionDisabled", value=True)
            browser.screen(1280, dark=True)
            browser.open(file)
            assert browser.run("document.querySelectorAll('#sphere .nodes > *').length") >= 25
            assert browser.run("document.getElementById('tip')") is None
            shown = "getComputedStyle(document.querySelector('.hint')).display"
            assert browser.run(shown) == "none"
            paper = "getComputedStyle(document.body).backgroundColor"
            assert browser.run(paper) == "rgb(13, 17, 23)"
            assert browser.complaints == []

    @pytest.mark.parametrize("width", [260, 420, 900])
    def test_in_a_notebook_it_keeps_its_style_and_leaves_that_of_others(self, tmp_path, width):
        """Twice, among text whose style is as far from the page's own as that of old notebooks."""
        file = tmp_path / "notebook.html"
        page = report(full())
        file.write_text(NOTEBOOK.format(width=width, page=page), encoding="utf-8")
        with Browser() as browser:
            browser.screen(1280)
            browser.open(file)
            foreign = "getComputedStyle(document.body).backgroundColor"
            assert browser.run(foreign) == "rgb(255, 255, 255)"
            assert (
                browser.run("document.getElementById('icon').getBoundingClientRect().width") == 16
            )
            assert browser.run("document.querySelectorAll('.report.live #tip').length") == 2
            boxes = browser.run(TILES)
            assert len(boxes) == 2 * 8
            for place, tile in enumerate(boxes):
                assert not any(_meet(tile["all"], other["all"]) for other in boxes[:place])
                assert all(_holds(tile["all"], line) for line in tile["lines"])
                assert not any(_meet(a, b) for a, b in combinations(tile["lines"], 2))
                assert len({round(line[0]) for line in tile["lines"]}) == 1
            wide = "Math.max(...[...document.querySelectorAll('.cell')].map(e => e.scrollWidth))"
            assert browser.run(wide) <= width
            padding = "getComputedStyle(document.querySelector('section')).paddingLeft"
            assert browser.run(padding) == ("16px" if width == 900 else "10px")

    def test_the_watch_would_notice(self, tmp_path):
        file = tmp_path / "bad.html"
        file.write_text("<img src='other.png'><script>console.error('no'); undefined.x</script>")
        with Browser() as browser:
            browser.open(file)
            kinds = {event["method"] for event in browser.complaints}
            assert {"Runtime.consoleAPICalled", "Runtime.exceptionThrown"} <= kinds
            assert (tmp_path / "other.png").as_uri() in browser.requests

    def test_a_foreign_script_would_not_run(self, tmp_path):
        file = tmp_path / "r.html"
        page = report(Report(coloring=dsatur(family("cycle:5"))))
        file.write_text(page.replace("<header>", f"<header>{EVIL[0]}"), encoding="utf-8")
        with Browser() as browser:
            browser.open(file)
            assert browser.run("document.title") == "cycle:5 · concolor"
            assert browser.complaints  # the policy says what it stopped


NOTEBOOK = """<!DOCTYPE html><html style="font-size: 10px"><head><style>
body {{ background: #fff }}
.cell {{ width: {width}px; overflow: auto; font-size: 14px; line-height: 8px; text-align: right }}
.cell dt {{ float: left; width: 80% }}
.cell dd {{ margin-left: 60% }}
</style></head><body><svg id="icon" width="16" height="16"></svg>
<div class="cell">{page}</div><div class="cell">{page}</div></body></html>"""
TILES = """[...document.querySelectorAll('dl > div')].map(tile => {
  const box = (r) => [r.left, r.top, r.right, r.bottom];
  const words = document.createTreeWalker(tile, NodeFilter.SHOW_TEXT), lines = [];
  while (words.nextNode()) {
    const range = document.createRange();
    range.selectNodeContents(words.currentNode);
    lines.push(...[...range.getClientRects()].map(box));
  }
  return {all: box(tile.getBoundingClientRect()), lines};
})"""


def _meet(a, b):
    """Two boxes overlap by more than the ascenders and descenders of their letters."""
    return min(a[2], b[2]) - max(a[0], b[0]) > 1 and min(a[3], b[3]) - max(a[1], b[1]) > 3


def _holds(box, line):
    return line[0] >= box[0] and line[1] >= box[1] and line[2] <= box[2] and line[3] <= box[3]


def places(browser):
    """Where the nodes stand on the sphere, in the order of their titles."""
    nodes = "[...document.querySelectorAll('#sphere .nodes > *')]"
    found = browser.run(f"{nodes}.map(m => [m.textContent, m.getAttribute('transform')])")
    numbers = [re.findall(r"[\d.]+", transform) for _, transform in sorted(found)]
    return [float(number) for pair in numbers for number in pair]
