#!/usr/bin/env bash
# Run an experiment inside one SLURM job, without dask-jobqueue: sbatch slurm.sh experiment.toml
# One task is for the scheduler and the client, all others are workers. Change the next lines to what you need.
#SBATCH --job-name=termgauge
#SBATCH --ntasks=17
#SBATCH --cpus-per-task=1
#SBATCH --mem-per-cpu=8G
#SBATCH --time=04:00:00
set -euo pipefail

experiment=${1:?"name an experiment file: sbatch slurm.sh experiment.toml"}
file=$PWD/scheduler-$SLURM_JOB_ID.json # on the disk that all nodes share
export NUMBA_NUM_THREADS=1 POLARS_MAX_THREADS=1 OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
export DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED=False DASK_DISTRIBUTED__ADMIN__TICK__INTERVAL=1s # more for the work
export TERMGAUGE_CACHE_DIR=${TERMGAUGE_CACHE_DIR:-$HOME/.cache/termgauge} # the same for all, because of --shared

trap 'kill $(jobs -p) 2>/dev/null || true; rm -f "$file"' EXIT
dask scheduler --port 0 --dashboard-address :0 --scheduler-file "$file" &
scheduler=$!
srun --ntasks=$((SLURM_NTASKS - 1)) dask worker --scheduler-file "$file" --nthreads 1 --memory-limit 7.5GB \
    --death-timeout 120 --local-directory "${TMPDIR:-/tmp}" &
# With GPUs: #SBATCH --gpus-per-task=1 above, and dask worker … --resources GPU=1 here.

until [ -s "$file" ]; do # or until the scheduler has ended
    kill -0 "$scheduler"
    sleep 0.2
done
termgauge run "$experiment" --cluster "$file" --shared
