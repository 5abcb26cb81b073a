"""The table of trust: small scenes with default options against closed forms and published measurements.

A row is a function that builds a scene in a frame of its own (z up unless it says otherwise), runs it and measures.
The harness turns and shifts the scene against the grid, runs it with each method, and holds the worst place against
a bound.
"""
