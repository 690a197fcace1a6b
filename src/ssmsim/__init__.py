"""Cycle-level simulation of Mamba's state-space-model kernels on Hopper GPUs."""

__version__ = "0.2.0"
