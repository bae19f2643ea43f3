"""The compared methods and the polish: from a graph to a coloring, without a trained model."""
