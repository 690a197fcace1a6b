"""Cycle-level simulation of Mamba's state-space-model kernels on Hopper GPUs."""

__version__ = "0.1.0"
