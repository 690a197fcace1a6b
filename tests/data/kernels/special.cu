// nvcc -arch=sm_90a -cubin -O3 special.cu -o special.cubin
#define G(n, name) { unsigned v; asm volatile("mov.u32 %0, " name ";" : "=r"(v)); out[n*blockDim.x*gridDim.x+blockIdx.x*blockDim.x+threadIdx.x]=v; }
#define G64(n, name) { unsigned long long v; asm volatile("mov.u64 %0, " name ";" : "=l"(v)); out[n*blockDim.x*gridDim.x+blockIdx.x*blockDim.x+threadIdx.x]=(unsigned)v; }
extern "C" __global__ void sr(unsigned *out) {
 G(0,"%warpid") G(1,"%nwarpid") G(2,"%smid") G(3,"%nsmid") G(4,"%lanemask_lt") G(5,"%total_smem_size") G(6,"%aggr_smem_size") G(7,"%dynamic_smem_size")
 G64(8,"%gridid") G(9,"%clusterid.x") G(10,"%nclusterid.x") G(11,"%cluster_ctaid.x") G(12,"%cluster_nctaid.x") G(13,"%cluster_ctarank") G(14,"%cluster_nctarank")
 G(15,"%envreg1") G(16,"%envreg2") G(17,"%envreg0")
 G(18,"%reserved_smem_offset_begin") G(19,"%reserved_smem_offset_end") G(20,"%reserved_smem_offset_cap") G(21,"%reserved_smem_offset_0") G(22,"%reserved_smem_offset_1")
 { unsigned v; asm volatile("{.reg .pred p; mov.pred p, %is_explicit_cluster; selp.u32 %0,1,0,p;}" : "=r"(v)); out[23*blockDim.x*gridDim.x+blockIdx.x*blockDim.x+threadIdx.x]=v; }
 G64(24,"%current_graph_exec") G(25,"%pm0") G(26,"%clock") G(27,"%clock_hi") G64(28,"%globaltimer") G(29,"%globaltimer_lo") G(30,"%globaltimer_hi") G(31,"%lanemask_eq")
 G64(32, "%pm0_64")
}
