// Made by tests/opcodes/programs.py: each PTX instruction on the same words, results one after another.
extern "C" __global__ void divide64(const unsigned long long *a, const unsigned long long *b,
                          const unsigned long long *c, unsigned long long *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    unsigned long long x = a[i], y = b[i], z = c[i], r;
    asm volatile("{ .reg .b64 p; .reg .b64 q; mov.b64 p, %1; mov.b64 q, %2; .reg .b64 d; div.rn.f64 d, p, q; mov.b64 %0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[0 * n + i] = r;
    asm volatile("{ .reg .b64 p; mov.b64 p, %1; .reg .b64 d; rcp.rn.f64 d, p; mov.b64 %0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[1 * n + i] = r;
    asm volatile("{ .reg .b64 p; mov.b64 p, %1; .reg .b64 d; sqrt.rn.f64 d, p; mov.b64 %0, d; }" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    out[2 * n + i] = r;
}
