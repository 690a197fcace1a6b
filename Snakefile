# From captured kernels (traces/) and configurations (simconfigs/) to tables, figures and a report (results/).
# What to simulate is data: analysis/study.yaml. A table or a figure is a script in analysis/, found by listing.
from pathlib import Path

from snakemake.exceptions import WorkflowError

from ssmsim.errors import SsmsimError
from ssmsim.study.plan import digest, make_plan
from ssmsim.study.progress import watch
from ssmsim.study.session import begin, take_ownership

begin(workflow)
STUDY = config.get("study", "analysis/study.yaml")
try:
    plan = make_plan(STUDY)  # every name in it is checked here, before anything runs
except SsmsimError as error:
    raise WorkflowError(str(error)) from None
DEVICE, SAMPLE = plan.study.device, config.get("sample", plan.study.sample)
TABLES = sorted(path.stem for path in Path("analysis/tables").glob("[!_]*.py"))
FIGURES = sorted(path.stem for path in Path("analysis/figures").glob("[!_]*.py"))
ENVIRONMENT = "envs/study.yaml"


wildcard_constraints:
    engine=r"[a-z]+",
    workload=r"[^/]+",
    launch=r"[^/]+",
    config=r"[^/]+",
    cache="cold|warm",


localrules: all, configuration, rows, readme


rule all:
    input:
        expand("results/tables/{table}.csv", table=TABLES),
        expand("results/figures/{figure}.png", figure=FIGURES),
        "results/readme.done",


# The smallest launch first: compiles an engine once, so that simulations that start together do not each compile it.
rule engine:
    output: "results/{engine}/ready-{digest}.json"
    params:
        launch=f"traces/{DEVICE}/{plan.smallest.workload}/{plan.smallest.launch}",
        config=f"simconfigs/{plan.study.baseline}.yaml",
    log: "results/logs/engine/{engine}-{digest}.log"
    conda: ENVIRONMENT
    shell: "ssmsim simulate {params.launch} --config {params.config} --engine {wildcards.engine} --json {output} > {log} 2>&1"


# A sweep point declared in the study: the baseline and what differs.
rule configuration:
    output: "results/configs/{config}.yaml"
    params: text=lambda w: plan.generated[w.config]
    log: "results/logs/configs/{config}.log"
    conda: ENVIRONMENT
    shell: "printf %s {params.text:q} > {output} 2> {log}"


rule simulate:
    input:
        ready=lambda w: f"results/{w.engine}/ready-{digest(w.engine)}.json",
        launch="traces/{device}/{workload}/{launch}/launch.json",
        config=lambda w: plan.config_files(w.config),
    output: "results/{engine}/{device}/{workload}/{launch}/{config}.{cache}.json"
    params:
        engine=lambda w: digest(w.engine),
        sample=f"--sample {SAMPLE}" if SAMPLE else "",
        launch=subpath(input.launch, parent=True),
    log: "results/logs/{engine}/{device}/{workload}/{launch}/{config}.{cache}.log"
    conda: ENVIRONMENT
    shell:
        "ssmsim simulate {params.launch} --config {input.config[0]} --engine {wildcards.engine}"
        " --cache {wildcards.cache} {params.sample} --json {output} > {log} 2>&1"


# Simulated and measured rows, one table, and the hardware of every configuration beside it.
rule rows:
    input: plan.results, plan.measured
    output: rows="results/rows.csv", hardware="results/hardware.csv"
    params: runs=plan.results, study=STUDY
    log: "results/logs/rows.log"
    conda: ENVIRONMENT
    shell: "python -m ssmsim.study.rows {params.study} --rows {output.rows} --hardware {output.hardware} > {log} 2>&1"


for name in TABLES:

    rule:
        name: f"table_{name}"
        input: rows=rules.rows.output, script=f"analysis/tables/{name}.py", shared=["analysis/data.py", "analysis/paper.py"]
        output: report(f"results/tables/{name}.csv", category="Tables", labels={"table": name})
        params: name=name
        log: f"results/logs/tables/{name}.log"
        conda: ENVIRONMENT
        shell: "python -m analysis.tables.{params.name} results {output} > {log} 2>&1"


for name in FIGURES:

    rule:
        name: f"figure_{name}"
        input: rows=rules.rows.output, script=f"analysis/figures/{name}.py", shared=["analysis/data.py", "analysis/style.py"]
        output: report(f"results/figures/{name}.png", caption=f"analysis/figures/{name}.rst", category="Figures", labels={"figure": name})
        params: name=name
        log: f"results/logs/figures/{name}.log"
        conda: ENVIRONMENT
        shell: "python -m analysis.figures.{params.name} results {output} > {log} 2>&1"


# Every number and picture in README.md comes from the tables and figures above.
rule readme:
    input: expand("results/tables/{table}.csv", table=TABLES), expand("results/figures/{figure}.png", figure=FIGURES)
    output: touch("results/readme.done")
    log: "results/logs/readme.log"
    conda: ENVIRONMENT
    shell: "python -m analysis.readme results README.md > {log} 2>&1"


onstart:
    take_ownership()
    watch(plan.results)
