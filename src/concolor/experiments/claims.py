"""What the paper claims, claim by claim, and what our results say of it.

A claim is judged by a function of the result lines, so that the page changes with the results.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from concolor.experiments import judges
from concolor.experiments.comparison import Lines
from concolor.experiments.judges import BESIDE, Judged, NotRun, Results
from concolor.experiments.tables import TABLES


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper in our words, where it stands, and how it is judged."""

    where: str
    says: str
    judge: Callable[[Results], Judged]


def judged(lines: Lines) -> list[tuple[Claim, Judged]]:
    """Every claim with what became of it."""
    results = Results(lines)
    found = []
    for claim in CLAIMS:
        try:
            found.append((claim, claim.judge(results)))
        except NotRun as missing:
            found.append((claim, Judged("not run", f"{missing} is missing", ())))
    return found


CLAIMS: tuple[Claim, ...] = (
    Claim(
        "abstract", "Contrastive encoders generalize and leave few conflicts.", judges.generalizes
    ),
    Claim(
        "abstract", "They match and sometimes improve on greedy colorings.", judges.matches_greedy
    ),
    Claim("introduction", "They generalize to larger graphs.", judges.size),
    Claim(
        "experiments",
        "GatedGCN, UnitaryMP, GPS-SAGE and GPS-GCN are the strongest encoders.",
        judges.best_encoders,
    ),
    Claim(
        "experiments",
        "Book and Queen want random features, Mycielski structural ones.",
        judges.features,
    ),
    Claim(
        "experiments",
        "Absolute losses are competitive on COLOR, but not the best.",
        judges.absolute,
    ),
    Claim("experiments", "Neural baselines often do not finish on COLOR.", judges.finishes),
    Claim(
        "experiments",
        "Structural features transfer from Cora, less well than training on the target.",
        judges.structural,
    ),
    Claim("experiments", "Adapted words transfer better than structural features.", judges.adapted),
    Claim(
        "experiments",
        "Hybrid GPS-SAGE has the best CiteSeer row; on PubMed Hybrid GatedGCN has the lowest rho, "
        "Hybrid GPS-SAGE the fewest conflicts.",
        judges.winners,
    ),
    Claim(
        "experiments",
        "v1abs with GatedGCN is the strongest recipe trained on cycles.",
        judges.strongest,
    ),
    Claim(
        "experiments", "On small graphs PI-GNN and full-GCN need fewer colors.", judges.efficient
    ),
    Claim("experiments", "That costs them much more time.", judges.costs),
    Claim("experiments", "On 7000-cycles both run out of 15 minutes a graph.", judges.times_out),
    Claim("experiments", "Learned methods take well under 0.1 s for a 7000-cycle.", judges.instant),
    Claim("experiments", "Training takes 5 to 20 seconds.", judges.training),
    Claim("appendix", "Tuning the soft term of v2 lowers rho.", judges.tuning),
    Claim("appendix", "The SignNet head beats canonical signs.", judges.signnet),
    Claim("appendix", "Exphormer is the weakest encoder on Cora.", judges.weak),
)


def claims_page(lines: Lines) -> str:
    """The claims in one table, with what became of them; the same results give the same text."""
    found = judged(lines)
    heads = ["claim", "where", "verdict", "ours", *BESIDE, "rows"]
    rows = [
        [claim.says, claim.where, f"**{what.verdict}**", what.ours]
        + [what.beside.get(name, "") for name in BESIDE]
        + [", ".join(f"[{table}]({_link(table)})" for table in what.tables)]
        for claim, what in found
    ]
    counts = Counter(what.verdict for _, what in found)
    return "\n".join(
        [
            _HEAD,
            "; ".join(f"{count} {verdict}" for verdict, count in counts.most_common()) + ".",
            "",
            *("| " + " | ".join(cells) + " |" for cells in (heads, ["---"] * len(heads), *rows)),
            "",
        ]
    )


def _link(table: str) -> str:
    """The place of a table on the page of results, as GitHub and the site name headings."""
    title = TABLES[table].title.lower()
    kept = "".join(letter for letter in title if letter.isalnum() or letter in " -_")
    return f"results.md#{kept.replace(' ', '-')}"


_HEAD = """# What the paper claims, and what we find

Written by `concolor reproduce --claims docs/claims.md` from the lines in `results/`, by the rules
in `experiments/judges.py`: no figure and no verdict is typed in. rho is colors over DSATUR's (over
the chromatic number for cycles), at most 5 % conflicts; DSATUR itself is proper, TabuCol has one
second a graph and the same 5 %. A claim with several parts holds partly where some of them do.
"""
