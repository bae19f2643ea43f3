"""Compiled loops over patterns."""
