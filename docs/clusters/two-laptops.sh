#!/usr/bin/env bash
# Two laptops, or any machines in one network, by hand and with TLS. All of them have this file, and the same
# versions of Python and termgauge: pip install "termgauge[cluster]".
#
#   bash two-laptops.sh keys                                  once; then copy the folder `keys` to the other laptop
#   bash two-laptops.sh scheduler                             on the first one
#   bash two-laptops.sh worker 192.168.1.10                   on both, once for each core that you lend
#   bash two-laptops.sh run 192.168.1.10 experiment.toml      on the one that has your files
#
# 192.168.1.10 is the address of the first one (`hostname -I`). Open these ports to the local network and to nobody
# else, for instance with: ufw allow proto tcp from 192.168.1.0/24 to any port 8786,9000:9199
set -euo pipefail

keys=${TERMGAUGE_KEYS:-$PWD/keys}
tls=DASK_DISTRIBUTED__COMM__TLS
for part in SCHEDULER WORKER CLIENT; do
    export "${tls}__${part}__CERT=$keys/certificate.pem" "${tls}__${part}__KEY=$keys/key.pem"
done
export "${tls}__CA_FILE=$keys/certificate.pem" DASK_DISTRIBUTED__COMM__REQUIRE_ENCRYPTION=true

case ${1:-} in
keys) # who has this folder can run programs on all machines that use it: keep it to yourself
    (umask 077 && mkdir -p "$keys" && openssl req -x509 -newkey rsa:3072 -nodes -days 90 -subj /CN=termgauge \
        -keyout "$keys/key.pem" -out "$keys/certificate.pem" 2>/dev/null)
    ;;
scheduler)
    dask scheduler --protocol tls --port 8786 --dashboard-address 127.0.0.1:8787
    ;;
worker)
    export NUMBA_NUM_THREADS=1 POLARS_MAX_THREADS=1 OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
    dask worker "tls://${2:?"name the scheduler’s address"}:8786" --nthreads 1 --memory-limit "${MEMORY:-4GB}" \
        --worker-port 9000:9099 --nanny-port 9100:9199 --local-directory "${TMPDIR:-/tmp}" --death-timeout 120
    ;;
run)
    termgauge run "${3:?"name an experiment file"}" --cluster "tls://${2:?"name the scheduler’s address"}:8786"
    ;;
*)
    sed -n '2,/^set/{/^#/p}' "$0"
    exit 2
    ;;
esac
