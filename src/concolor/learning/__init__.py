"""From graphs to a model: the recipe, labels, losses, the one training loop, and model files."""
