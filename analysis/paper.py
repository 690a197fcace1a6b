"""What the characterisation paper states in numbers, on an H100 SXM: forward and backward of the Mamba-2 block.

Baruah et al., "Characterizing the Behavior of Training Mamba-based State Space Models on GPUs" (2025).
"""

TITLE = "Characterizing the Behavior of Training Mamba-based State Space Models on GPUs"
# Table II: direction, class -> (kernels, percent of the time).
CLASSES = {
    ("forward", "tensor"): (1, 2.40),
    ("forward", "vector"): (2, 8.55),
    ("forward", "mixed"): (2, 89.03),
    ("backward", "tensor"): (1, 1.26),
    ("backward", "vector"): (2, 6.86),
    ("backward", "mixed"): (6, 91.87),
}
BANDWIDTH_PCT = 57.5  # section V-C: mean use of the DRAM's peak
HARDWARE_RATIO = 16  # section V-D: fp16 tensor to fp32 vector rate of the H100
CLAIM = "first memory bandwidth, then vector compute"  # our paraphrase of what it suggests, not a quotation

# The claim as the design asks it: the axis that stands for memory bandwidth, and what is looked at (analysis/tables/claim.py).
MEMORY = "dram"
STAGES = ("over all", "memory relieved")
