"""What a step minimizes, term by term."""

import pytest
import torch

from concolor.errors import InputError
from concolor.graph.families import family
from concolor.learning.batches import Batch
from concolor.learning.losses import contrastive, line_conflict, soft_conflict, weighted_conflict
from concolor.learning.model import Network
from concolor.learning.objective import objective
from concolor.learning.recipe import Recipe

SMALL = Recipe(hidden=16)
GRAPH = family("cycle:8")
EDGES, COLORS = torch.tensor(GRAPH.edge_index), torch.arange(8) % 2
X = torch.rand(8, 3, generator=torch.Generator().manual_seed(0))
BATCH = Batch(X, EDGES, COLORS, torch.zeros(8, dtype=torch.long), 1)


def network(recipe):
    torch.manual_seed(0)
    return Network(recipe, 3, 2).eval()


def test_the_objective_of_v1_is_the_contrastive_loss():
    made = network(SMALL)
    value = objective(SMALL, made, BATCH)
    assert list(value) == ["contrastive"]
    torch.testing.assert_close(
        value["contrastive"], contrastive(made(X, EDGES), EDGES, COLORS, 0.3)
    )


def test_v2_adds_the_weighted_soft_conflicts_after_the_warmup():
    recipe = SMALL.but(pipeline="v2abs", lambda_soft=0.7, degree_power=2.0, tau_soft=1.5)
    made = network(recipe)
    z = made(X, EDGES)
    first = contrastive(z, EDGES, COLORS, 0.3, absolute=True)
    soft = soft_conflict(made.head(z), EDGES, degree_power=2.0, tau_soft=1.5, weights="mean")
    expected = {"contrastive": first, "soft": 0.7 * soft}
    torch.testing.assert_close(objective(recipe, made, BATCH), expected)
    torch.testing.assert_close(objective(recipe, made, BATCH, soft=False), {"contrastive": first})


@pytest.mark.parametrize("soft", [True, False])
def test_v5_is_the_weighted_conflicts_alone(soft):
    recipe = SMALL.but(pipeline="v5")
    made = network(recipe)
    value = objective(recipe, made, BATCH, soft=soft)
    expected = weighted_conflict(made.head(made(X, EDGES)), EDGES)
    torch.testing.assert_close(value, {"soft": expected})


def test_new_labels_take_the_place_of_those_of_the_batch():
    made, other = network(SMALL), torch.arange(8) % 4
    value = objective(SMALL, made, BATCH, new_labels=lambda z: other)
    expected = contrastive(made(X, EDGES), EDGES, other, 0.3)
    torch.testing.assert_close(value, {"contrastive": expected})


def test_conflicts_between_lines_are_added_where_they_have_a_weight():
    recipe = SMALL.but(pipeline="v1abs", lambda_lines=0.7)
    made = network(recipe)
    z = made(X, EDGES)
    expected = {
        "contrastive": contrastive(z, EDGES, COLORS, 0.3, absolute=True),
        "lines": 0.7 * line_conflict(z, EDGES, COLORS),
    }
    torch.testing.assert_close(objective(recipe, made, BATCH), expected)


def test_pipelines_without_lines_have_no_conflicts_between_them():
    with pytest.raises(InputError, match=r"lambda_lines=0\.7 needs lines"):
        SMALL.but(pipeline="v1", lambda_lines=0.7)
