#!/usr/bin/env bash
# On a machine with a Hopper GPU, a driver and CUDA 13: everything that capture and measurement need, by one command:
#     bash envs/gpu/setup.sh
# ssmsim with PyTorch and Triton, mamba-ssm and causal-conv1d with their CUDA extensions built for this GPU alone (their own
# setup builds nine architectures), and Nsight Compute found or named. Without a network: PIP_NO_INDEX=1 PIP_FIND_LINKS=FOLDER
# with what pip would fetch. Takes some ten minutes on 16 cores.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python=${PYTHON:-python3}

fail() { echo "setup.sh: $*" >&2; exit 1; }
command -v nvidia-smi >/dev/null || fail "no nvidia-smi: needs a machine with an NVIDIA GPU and its driver"
nvidia-smi --query-gpu=name,compute_cap,driver_version --format=csv,noheader
nvidia-smi --query-gpu=compute_cap --format=csv,noheader | grep -q '^9\.0' || fail "the GPU is not a Hopper (compute capability 9.0)"
command -v nvcc >/dev/null || fail "no nvcc on the PATH: install the CUDA toolkit that PyTorch was built with"

export CUDA_HOME=${CUDA_HOME:-$(nvcc --dryrun -x cu /dev/null 2>&1 | sed -n 's/^#\$ TOP=//p')}  # nvcc may be a script elsewhere

"$python" -c 'import torch, triton' 2>/dev/null || "$python" -m pip install -c "$root/envs/requirements-gpu.txt" torch triton
"$python" -m pip install -q packaging ninja einops 'setuptools>=77' wheel transformers
"$python" -m pip install -q --no-build-isolation "$root[gpu]" 'snakemake>=9'

# The sources of one package, cut to compute capability 9.0, built and installed without what they name as requirements
# (mamba-ssm asks for tilelang and quack, which only Mamba-3 takes).
build() {
    local package=$1
    MAMBA_SKIP_CUDA_BUILD=TRUE CAUSAL_CONV1D_SKIP_CUDA_BUILD=TRUE "$python" -m pip download -q --no-deps \
        --no-build-isolation --no-binary :all: -d "$work/$package" "$package"
    tar xzf "$work/$package"/*.tar.gz -C "$work/$package"
    local sources
    sources=$(find "$work/$package" -mindepth 1 -maxdepth 1 -type d)
    "$python" "$here/one_architecture.py" "$sources/setup.py"
    MAMBA_FORCE_BUILD=TRUE CAUSAL_CONV1D_FORCE_BUILD=TRUE MAX_JOBS=${MAX_JOBS:-$(nproc)} \
        "$python" -m pip install -q --no-deps --no-build-isolation "$sources"
}
builds=()
for package in mamba-ssm causal-conv1d; do
    build "$(grep "^$package==" "$root/envs/requirements-gpu.txt")" &
    builds+=($!)
done
for process in "${builds[@]}"; do wait "$process" || fail "an extension was not built; what pip said stands above"; done

"$python" -c 'import torch, selective_scan_cuda, causal_conv1d_cuda' || fail "an extension cannot be loaded"
ncu=$("$python" -c 'from ssmsim.capture.ncu import find; print(find())') || fail "no Nsight Compute: install it (part of the CUDA toolkit)"
echo "Nsight Compute: $ncu ($("$ncu" --version | tail -n 1))"
echo "ready: snakemake --profile envs/gpu captures"
