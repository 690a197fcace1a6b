# On a machine with a GPU (profile envs/gpu): captures and measures the study's workloads anew.
rule captures:
    input: expand("results/captured/{workload}.done", workload=plan.workloads)


rule capture:
    output: touch("results/captured/{workload}.done")
    params: folder=f"traces/{DEVICE}/{{workload}}",  # tuning: what Triton chose for the capture is measured
        tuning=f"traces/{DEVICE}/tuning.json",
    log: "results/logs/capture/{workload}.log"
    conda: "../../envs/study.yaml"
    shell: "(python -m ssmsim.cli capture -o {params.folder:q}"
        " -- python -m ssmsim.workloads {wildcards.workload:q} --tuning {params.tuning:q} &&"
        " python -m ssmsim.cli measure -o {params.folder:q}"
        " -- python -m ssmsim.workloads {wildcards.workload:q} --tuning {params.tuning:q} --repeat 5)"
        " > {log:q} 2>&1 || (tail -n 1 {log:q} >&2; false)"
