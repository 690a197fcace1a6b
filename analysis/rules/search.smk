# `snakemake --cores 16 search [--config study=analysis/search.yaml]`: the cheapest configuration that reaches a speed-up.
# Not part of `all`. Its simulations are kept, so it goes on where it was killed; see docs/how-to/search-for-a-configuration.md.
import sys

from ssmsim.study.search.schema import is_search

SEARCH = str(config.get("study", "analysis/search.yaml"))
if is_search(SEARCH) and any(word == "search" or word.startswith("search:") for word in sys.argv):
    config.pop("study", None)  # the rest of the workflow is the study's


rule search:
    params: file=SEARCH
    log: f"results/logs/search/{Path(SEARCH).stem}.log"
    threads: 1024  # all that --cores gives
    conda: "../../envs/study.yaml"
    shell: "python -m ssmsim.study.search {params.file:q} --cores {threads}"
        " > {log:q} 2>&1 || (tail -n 1 {log:q} >&2; false)"
