from ssmsim.capture.names import short_name


def test_short_names():
    assert short_name("_chunk_scan_fwd_kernel") == "chunk_scan_fwd_kernel"
    elementwise = "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_11FillFunctorIfEESt5arrayIPcLm1EEEEviT0_T1_"
    assert short_name(elementwise) == "vectorized_elementwise_kernel"
    assert short_name("_Z25selective_scan_fwd_kernelI32Selective_Scan_fwd_kernel_traitsEv13SSMParamsBase") == (
        "selective_scan_fwd_kernel"
    )
    assert short_name("sm80_xmma_gemm") == "sm80_xmma_gemm"
    assert "/" not in short_name("_Z3a/b") and short_name("___") == "kernel"
