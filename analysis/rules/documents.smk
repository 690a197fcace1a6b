# Documents. `all` makes the report's front page alone: it writes under results/ and nowhere else.


# What is said of the tables of evidence, and whether this engine made them.
rule evidence_told:
    input: sorted(str(path) for path in Path("analysis").glob("*.csv"))
    output: "results/evidence.json"
    params: engine=digest("embedded")
    log: "results/logs/evidence.log"
    conda: "../../envs/study.yaml"
    localrule: True
    shell: "python -m ssmsim.study.evidence {output:q} > {log:q} 2>&1 || (tail -n 1 {log:q} >&2; false)"


# What the report opens on: the findings, what was run, how to read it.
rule front_page:
    input: rules.rows.output, DRAWN, rules.evidence_told.output, pages=PAGES
    output: f"{OUT}/report.rst"
    params: study=STUDY, sample=SAMPLE, out=lambda w, output: Path(output[0]).parent
    log: f"{OUT}/logs/report.log"
    conda: "../../envs/study.yaml"
    shell: "python -m analysis.report {params.study:q} {params.sample:q} {params.out:q} {output:q}"
        " > {log:q} 2>&1 || (tail -n 1 {log:q} >&2; false)"


# Fills the generated blocks of README.md and docs/ that are this study's, and copies the pictures that they show.
rule readme:
    input:
        lambda w: check_stated(config, NAME) or DRAWN,
        rules.evidence_told.output,
        pictures="analysis/readme/evidence/silicon.png",
    params: study=NAME, out=lambda w, input: Path(input[0]).parents[1]
    log: f"{OUT}/logs/readme.log"
    conda: "../../envs/study.yaml"
    shell: "python -m analysis.readme {params.study:q} {params.out:q}"
        " > {log:q} 2>&1 || (tail -n 1 {log:q} >&2; false)"


# The documentation's site; a broken link is an error.
rule docs:
    input: config="mkdocs.yml", pages=sorted(str(path) for path in Path("docs").rglob("*") if path.is_file())
    output: directory("results/site")
    log: "results/logs/docs.log"
    conda: "../../envs/study.yaml"
    shell: "python -m mkdocs build --strict --config-file {input.config:q} --site-dir {output:q}"
        " > {log:q} 2>&1 || (tail -n 1 {log:q} >&2; false)"
