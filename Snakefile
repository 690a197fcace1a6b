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
NAME = Path(STUDY).stem
OUT = "results" if NAME == "study" else f"results/studies/{NAME}"  # its tables and figures; simulations are shared
try:
    plan = make_plan(STUDY)  # every name in it is checked here, before anything runs
except SsmsimError as error:
    raise WorkflowError(str(error)) from None
DEVICE, SAMPLE = plan.study.device, str(config.get("sample", plan.study.sample)).lower() == "true"
ENVIRONMENT = "envs/study.yaml"
SHARED = sorted(str(path) for path in Path("analysis").glob("*.py"))
SCRIPTS = [
    (kind, ending, path.stem)
    for kind, ending in (("tables", "csv"), ("figures", "png"))
    for path in sorted(Path("analysis", kind).glob("[!_]*.py"))
]
DRAWN = [f"{OUT}/{kind}/{name}.{ending}" for kind, ending, name in SCRIPTS]

wildcard_constraints: engine="[a-z]+", workload="[^/]+", launch="[^/]+", selection="[^/]+"
localrules: all, rows, readme, captures, capture


rule all:
    input: DRAWN, f"{OUT}/readme.done"


# The smallest launch first: compiles an engine once, so that simulations that start together do not each compile it.
rule engine:
    output: "results/{engine}/ready-{digest}.json"
    params:
        launch=f"traces/{DEVICE}/{'/'.join(plan.smallest)}",
        config=f"simconfigs/{plan.study.baseline}.yaml",
    log: "results/logs/engine/{engine}-{digest}.log"
    conda: ENVIRONMENT
    shell: "python -m ssmsim.cli simulate {params.launch} --config {params.config}"
        " --engine {wildcards.engine} --json {output} > {log} 2>&1 || (tail -n 1 {log} >&2; false)"


# One launch under the configurations of one selection, in one process; results that are current are kept.
rule simulate:
    input:
        ready=lambda w: f"results/{w.engine}/ready-{digest(w.engine)}.json",
        launch="traces/{device}/{workload}/{launch}/launch.json",
    output: touch("results/{engine}/{device}/{workload}/{launch}/{selection}.done")
    params:
        study=STUDY,
        engine=lambda w: digest(w.engine),  # an edited engine simulates everything anew
        runs=lambda w: plan.identity(w.engine, w.workload, w.launch, w.selection),
        sample="--sample" if SAMPLE else "",
    log: "results/logs/{engine}/{device}/{workload}/{launch}/{selection}.log"
    conda: ENVIRONMENT
    shell: "python -m ssmsim.study.batch {params.study} {wildcards.engine} {wildcards.workload} {wildcards.launch}"
        " {wildcards.selection} {params.sample} > {log} 2>&1 || (tail -n 1 {log} >&2; false)"


# Simulated and measured rows, one table, and the hardware of every configuration beside it.
rule rows:
    input: plan.done, plan.measured, *plan.elsewhere.values()
    output: rows=f"{OUT}/rows.csv", hardware=f"{OUT}/hardware.csv"
    params: study=STUDY, runs=len(plan.results)
    log: f"{OUT}/logs/rows.log"
    conda: ENVIRONMENT
    shell: "python -m ssmsim.study.rows {params.study} --rows {output.rows} --hardware {output.hardware} > {log} 2>&1"


for kind, ending, name in SCRIPTS:

    rule:
        name: f"{kind}_{name}"
        input: rules.rows.output, script=f"analysis/{kind}/{name}.py", shared=SHARED
        output:
            report(f"{OUT}/{kind}/{name}.{ending}", caption=f"analysis/{kind}/{name}.rst",
                   category=kind.capitalize(), labels={"name": name}),
        params: script=f"analysis.{kind}.{name}", out=lambda w, input: Path(input[0]).parent
        log: f"{OUT}/logs/{kind}/{name}.log"
        conda: ENVIRONMENT
        localrule: True
        shell: "python -m {params.script} {params.out} {output} > {log} 2>&1"


# Every number and picture in README.md comes from the tables and figures above.
rule readme:
    input: DRAWN
    output: touch(f"{OUT}/readme.done")
    params: study=NAME, out=lambda w, output: Path(output[0]).parent,
        page=f"{OUT}/README.md" if set(config) - {"study"} else "README.md",  # other options leave the README alone
    log: f"{OUT}/logs/readme.log"
    conda: ENVIRONMENT
    shell: "python -m analysis.readme {params.study} {params.out} README.md {params.page} > {log} 2>&1"


# On a machine with a GPU (profile envs/gpu): captures and measures the study's workloads anew.
rule captures:
    input: expand("results/captured/{workload}.done", workload=plan.workloads)


rule capture:
    output: touch("results/captured/{workload}.done")
    params: folder=f"traces/{DEVICE}/{{workload}}",  # tuning: what Triton chose for the capture is measured
        program=f"python -m ssmsim.workloads {{workload}} --tuning traces/{DEVICE}/tuning.json",
    log: "results/logs/capture/{workload}.log"
    conda: ENVIRONMENT
    shell: "(python -m ssmsim.cli capture -o {params.folder} -- {params.program} &&"
        " python -m ssmsim.cli measure -o {params.folder} -- {params.program} --repeat 5) > {log} 2>&1"


onstart:
    take_ownership()
    watch(plan.results)
