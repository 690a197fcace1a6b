# From captured kernels (traces/) and configurations (simconfigs/) to tables, figures and a report (results/).
# What to simulate is data: analysis/study.yaml. A table or a figure is a script in analysis/, found by listing.
from pathlib import Path

from snakemake.exceptions import WorkflowError

from ssmsim.cost.figures import FILE as COSTS  # of areas and energies
from ssmsim.errors import SsmsimError
from ssmsim.study.names import PATTERN, check_script
from ssmsim.study.plan import digest, make_plan
from ssmsim.study.progress import watch
from ssmsim.study.session import begin, check_options, check_stated, give_up_ownership, take_ownership
from ssmsim.study.state import resume

begin(workflow)
include: "analysis/rules/search.smk"  # first: it takes a search's file out of `config`
STUDY = str(config.get("study", "analysis/study.yaml"))
NAME = Path(STUDY).stem
OUT = "results" if NAME == "study" else f"results/studies/{NAME}"  # its tables and figures; simulations are shared
SCRIPTS = [
    (kind, ending, path.stem)
    for kind, ending in (("tables", "csv"), ("figures", "png"))
    for path in sorted(Path("analysis", kind).glob("[!_]*.py"))
]
try:
    check_options(config)
    plan = make_plan(STUDY, sample=config.get("sample"))  # every name in it is checked here, before anything runs
    for kind, _, name in SCRIPTS:
        check_script(name, f"analysis/{kind}")
except SsmsimError as error:
    raise WorkflowError(str(error)) from None
resume(workflow, plan)
DEVICE, SAMPLE, ENVIRONMENT = plan.study.device, str(plan.sample).lower(), "envs/study.yaml"
PAGES = [f"analysis/{name}.py" for name in ("evidence", "readme", "report", "rulegraph", "silicon")]  # no table or figure needs them
SHARED = [*sorted({str(path) for path in Path("analysis").glob("*.py")} - set(PAGES)), str(COSTS)]
DRAWN = [f"{OUT}/{kind}/{name}.{ending}" for kind, ending, name in SCRIPTS]

report: f"{OUT}/report.rst"  # the report's front page
wildcard_constraints: engine="[a-z]+", workload=PATTERN, launch=PATTERN, selection=PATTERN
localrules: all, rows, front_page, readme, docs


rule all:
    input: DRAWN, f"{OUT}/report.rst"


# One launch under the configurations of one selection, in one process; results that are current are kept.
rule simulate:
    input:
        launch="traces/{device}/{workload}/{launch}/launch.json",
    output: touch("results/{engine}/{device}/{workload}/{launch}/{selection}.done")
    params:
        study=STUDY,
        sample=SAMPLE,
        runs=lambda w: plan.identity(w.engine, w.workload, w.launch, w.selection),  # hashes of all that goes in
    log: "results/logs/{engine}/{device}/{workload}/{launch}/{selection}.log"
    conda: ENVIRONMENT
    shell: "(python -m ssmsim.study.ready {params.study:q} {wildcards.engine:q}"
        " && python -m ssmsim.study.batch {params.study:q} {wildcards.engine:q} {wildcards.workload:q}"
        " {wildcards.launch:q} {wildcards.selection:q} --sample {params.sample:q})"
        " > {log:q} 2>&1 || (tail -n 1 {log:q} >&2; false)"


# Simulated and measured rows, one table; the hardware of every configuration and the factorial designs beside it.
rule rows:
    input: plan.done, plan.measured, *plan.elsewhere.values()
    output: rows=f"{OUT}/rows.csv", hardware=f"{OUT}/hardware.csv", designs=f"{OUT}/designs.csv"
    params: study=STUDY, sample=SAMPLE, runs=len(plan.results)
    log: f"{OUT}/logs/rows.log"
    conda: ENVIRONMENT
    shell: "python -m ssmsim.study.rows {params.study:q} --sample {params.sample:q}"
        " --rows {output.rows:q} --hardware {output.hardware:q} --designs {output.designs:q}"
        " > {log:q} 2>&1 || (tail -n 1 {log:q} >&2; false)"


for kind, ending, name in SCRIPTS:

    rule:
        name: f"{kind}_{name}"
        input: rules.rows.output, script=f"analysis/{kind}/{name}.py", shared=SHARED
        output:
            *([f"{OUT}/{kind}/{name}.svg"] if kind == "figures" else []),
            made=report(f"{OUT}/{kind}/{name}.{ending}", caption=f"analysis/{kind}/{name}.rst",
                        category=kind.capitalize(), labels={"name": name}),
        params: script=f"analysis.{kind}.{name}", out=lambda w, input: Path(input[0]).parent
        log: f"{OUT}/logs/{kind}/{name}.log"
        conda: ENVIRONMENT
        localrule: True
        shell: "python -m {params.script:q} {params.out:q} {output.made:q}"
            " > {log:q} 2>&1 || (tail -n 1 {log:q} >&2; false)"


include: "analysis/rules/documents.smk"
include: "analysis/rules/evidence.smk"


onstart:
    take_ownership()
    watch(plan.results)


onsuccess:
    give_up_ownership()


onerror:
    give_up_ownership()
