"""`python one_architecture.py setup.py`: leaves of the nvcc flags in a setup.py those for compute capability 9.0."""

import re
import sys
from pathlib import Path

FLAGS = re.compile(r'cc_flag\.append\("-gencode"\)\s+cc_flag\.append\("arch=compute_(?!90,)\d+,code=sm_\d+"\)')


def main() -> None:
    path = Path(sys.argv[1])
    text, count = FLAGS.subn("pass", path.read_text())
    if not count:
        sys.exit(f"{path}: no -gencode flags of other architectures found; build it as it is, or look at its setup.py")
    path.write_text(text)


if __name__ == "__main__":
    main()
