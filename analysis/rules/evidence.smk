# Evidence beside the study: `snakemake sampling waits silicon ablation spills` makes anew the lines of analysis/NAME.csv that another engine
# made (each has its digest). Not part of `all`: they take minutes to hours, and are kept in the repository.
for name in ("sampling", "waits", "silicon", "ablation", "spills"):

    rule:
        name: name
        params: script=f"ssmsim.study.{name}", table=f"analysis/{name}.csv"
        log: f"results/logs/evidence/{name}.log"
        conda: "../../envs/study.yaml"
        shell: "python -m {params.script:q} {params.table:q}"
            " > {log:q} 2>&1 || (tail -n 1 {log:q} >&2; false)"


# The picture of changes on silicon; `readme` draws it when the table is newer.
rule silicon_figure:
    input: table="analysis/silicon.csv", script="analysis/silicon.py", style="analysis/style.py"
    output: "analysis/readme/evidence/silicon.png"
    log: "results/logs/evidence/silicon_figure.log"
    conda: "../../envs/study.yaml"
    localrule: True
    shell: "python -m analysis.silicon {output:q} > {log:q} 2>&1 || (tail -n 1 {log:q} >&2; false)"
