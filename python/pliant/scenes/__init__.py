"""Scenes that come with Pliant, one file each."""
