"""The types that cross the middle, from tracers to engines, and Accel-Sim's file format."""
