# Documents: none of these is part of `all`, which writes under results/ alone.


# Fills the generated blocks of README.md and docs/ that are this study's, and copies the pictures that they show.
rule readme:
    input: DRAWN
    params: study=NAME, out=OUT, options=[f"{key}={value}" for key, value in config.items() if key != "study"]
    log: f"{OUT}/logs/readme.log"
    conda: "../../envs/study.yaml"
    shell: "python -m analysis.readme {params.study:q} {params.out:q} {params.options:q} " + LOGGED


# The documentation's site; a broken link is an error.
rule docs:
    input: "mkdocs.yml"
    output: directory("results/site")
    log: "results/logs/docs.log"
    conda: "../../envs/study.yaml"
    shell: "python -m mkdocs build --strict --config-file {input:q} --site-dir \"$PWD\"/{output:q} " + LOGGED
