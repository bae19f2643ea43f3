"""The documentation site: ``make docs`` builds it from the Markdown files where they stand.

The source is the whole repository, so that a relative link is the same on the site, in a checkout
and wherever else Markdown is read. Formulas become MathML, and no page needs the network.
"""

from __future__ import annotations

from typing import Any

from docutils import nodes
from docutils.utils.math import latex2mathml
from sphinx.application import Sphinx

import concolor

project = "concolor"
author = copyright = "The concolor authors"
release = version = concolor.__version__

extensions = ["myst_nb"]
root_doc = "docs/index"
include_patterns = [
    *("docs/*.md", "docs/*.ipynb", "docs/how-to/*.md"),
    *("benchmarks/*.md", "results/*.md", "examples/README.md"),
    *("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"),
]
exclude_patterns = [".venv", "build", "dist", "src", "tests"]  # not even looked into

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4
smartquotes = False  # --json in running text is not a dash
nb_execution_mode = "off"  # its outputs are committed, and compared by the tests

html_theme = "furo"
html_title = f"concolor {release}"
html_static_path = ["site/static"]
html_css_files = ["site.css"]
html_extra_path = ["site/index.html"]  # leads to docs/index.html
html_copy_source = False
html_show_sphinx = False
html_math_renderer = "mathml"
html_theme_options = {"navigation_with_keys": True}
pygments_style, pygments_dark_style = "friendly", "monokai"


def setup(app: Sphinx) -> None:
    app.add_html_math_renderer("mathml", (_inline, None), (_displayed, None))


def _inline(writer: Any, node: nodes.math) -> None:
    _write(writer, node, as_block=False)


def _displayed(writer: Any, node: nodes.math_block) -> None:
    _write(writer, node, as_block=True)


def _write(writer: Any, node: nodes.Element, *, as_block: bool) -> None:
    writer.body.append(latex2mathml.tex2mathml(node.astext(), as_block=as_block))
    raise nodes.SkipNode
