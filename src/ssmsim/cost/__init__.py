"""What hardware costs: area and power of a configuration, energy of a kernel, from published figures with their range."""
