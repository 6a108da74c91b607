"""docs/clusters/slurm.py and slurm.sh, with commands of SLURM that do their work here."""

from __future__ import annotations

import re
import sys

import pytest

from tests.docs.machines import FILES, SCORED, command, environment, finished, same_results, workers_of
from tests.engine.small_experiment import write_experiment

pytest.importorskip("dask_jobqueue")

# A job is a group of processes, and its number that of the first.
SBATCH = """\
cp "${@: -1}" "$JOBS/script-$$"
setsid bash "$JOBS/script-$$" < /dev/null > "$JOBS/log-$$" 2>&1 &
echo "Submitted batch job $!"
"""
SCANCEL = 'for job; do kill -- "-$job"; echo "$job" >> "$JOBS/cancelled"; done\n'
DASK = f"""\
if [ "$1" = scheduler ]; then sleep 6; fi  # long enough for the others to look for its file before there is one
exec "{sys.executable}" -m dask "$@"
"""
SRUN = """\
tasks=${1#--ntasks=}
shift
for _ in $(seq "$tasks"); do "$@" & done
wait
"""


def test_a_job_is_one_worker_with_one_thread(tmp_path):
    env = environment(tmp_path / "cache", TERMGAUGE_QUEUE="short")
    script = finished([sys.executable, str(FILES / "slurm.py"), "none.toml", "--script"], env, tmp_path)
    assert "#SBATCH -p short\n" in script
    assert "#SBATCH --cpus-per-task=1\n" in script
    assert "#SBATCH --mem=8G\n" in script
    assert f"export TERMGAUGE_CACHE_DIR='{tmp_path / 'cache'}'\n" in script
    worker = script.strip().splitlines()[-1]
    assert "--nthreads 1" in worker
    assert re.search(r"--memory-limit 7\.\d+GiB", worker)
    assert "GPU" not in script


def test_a_job_with_a_gpu_says_so(tmp_path):
    words = [sys.executable, str(FILES / "slurm.py"), "none.toml", "--script", "--gpu"]
    script = finished(words, environment(tmp_path / "cache"), tmp_path)
    assert "#SBATCH --gres=gpu:1\n" in script
    assert "--resources GPU=1" in script.strip().splitlines()[-1]


def test_jobs_of_dask_jobqueue(tmp_path, run_alone):
    command(tmp_path / "bin", "sbatch", SBATCH)
    command(tmp_path / "bin", "scancel", SCANCEL)
    jobs = tmp_path / "jobs"
    jobs.mkdir()
    env = environment(tmp_path / "cache", tmp_path / "bin", JOBS=str(jobs))
    path = write_experiment(tmp_path / "home", SCORED)
    finished([sys.executable, str(FILES / "slurm.py"), path.name, "--jobs", "2"], env, path.parent)
    same_results(path.parent / "run", run_alone)
    assert workers_of(path.parent / "run")
    assert len(list(jobs.glob("script-*"))) == 2
    assert len((jobs / "cancelled").read_text().split()) == 2


def test_one_job_for_all(tmp_path, run_alone):
    command(tmp_path / "bin", "srun", SRUN)
    command(tmp_path / "bin", "dask", DASK)
    path = write_experiment(tmp_path / "home", SCORED)
    env = environment(tmp_path / "cache", tmp_path / "bin", SLURM_JOB_ID="7", SLURM_NTASKS="3")
    finished(["bash", str(FILES / "slurm.sh"), path.name], env, path.parent)
    same_results(path.parent / "run", run_alone)
    assert workers_of(path.parent / "run")
    assert not (path.parent / "scheduler-7.json").exists()
