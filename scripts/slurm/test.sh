#!/usr/bin/env bash
# Has a Slurm of two nodes, which this script starts and ends, make 40 runs, and takes both the collector and a node away in the middle.
#
#   scripts/slurm/test.sh [PROGRAM]
#
# PROGRAM is regatta (default: the release build). Debian's slurm-wlm and munge are installed where this runs as root. Where
# they cannot be had, this says so and succeeds. It takes half a minute.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. scripts/environment.sh
. scripts/slurm/cluster.sh

regatta=$(realpath "${1:-${CARGO_TARGET_DIR:-target}/release/regatta}")

skip() {
    printf '\n!! SKIPPED: %s\n\n' "$*" >&2
    exit 0
}

has_slurm() {
    local program
    for program in /usr/sbin/slurmctld /usr/sbin/slurmd /usr/sbin/munged; do
        [ -x "$program" ] || return 1
    done
    command -v sbatch squeue sinfo >/dev/null
}

if ! has_slurm && [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
    echo "Installing slurm-wlm and munge"
    { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends slurm-wlm munge; } \
        </dev/null >/dev/null 2>&1 || true
fi
has_slurm || skip "no Slurm (apt-get install slurm-wlm munge): that runs on a cluster are all made once is not tested with a real one"

work=$(mktemp -d)
cluster=$work/cluster
collector=
end_all() {
    [ -z "$collector" ] || kill -KILL "$collector" 2>/dev/null || true
    cluster_kill
    rm -rf "$work"
}
trap end_all EXIT
trap 'exit 1' INT TERM HUP

echo "== a cluster"
mkdir "$cluster"
cluster_start "$cluster" || fail "the cluster does not start"
sinfo --noheader --Node --format='%N %T'

echo "== 40 runs"
mkdir "$work/e" "$work/e/tasks"
for number in $(seq 10); do
    printf 'int main(void) { unsigned s = 0; for (unsigned i = 0; i < %d; i++) s += i; if (s != %d) { ERROR: __VERIFIER_error(); } }\n' \
        "$number" $((number * (number - 1) / 2)) | sed '1i extern void __VERIFIER_error(void);' >"$work/e/tasks/right-$number.c"
    printf 'int main(void) { unsigned x = __VERIFIER_nondet_uint(); if (x * %d + 1 == %d) { ERROR: __VERIFIER_error(); } }\n' \
        "$number" $((number * 7 + 1)) \
        | sed '1i extern void __VERIFIER_error(void); extern unsigned __VERIFIER_nondet_uint(void);' >"$work/e/tasks/wrong-$number.c"
done
# A run takes long enough for something to happen meanwhile.
printf '#!/bin/sh\nsleep 0.5\nexec "%s" "$@"\n' "$regatta" >"$work/e/verifier"
chmod +x "$work/e/verifier"
cat >"$work/e/e.toml" <<'END'
repetitions = 2
limits.wall = 10
limits.memory = 1000
[[tasks]]
files = ["tasks/right-*.c"]
expected = "true"
[[tasks]]
files = ["tasks/wrong-*.c"]
expected = "false"
[[configuration]]
name = "default"
portfolio = "default"
program = "verifier"
END
cd "$work/e"
# In the background, where the process is the command itself.
collect() {
    exec "$regatta" experiment run e.toml --slurm --interval 1 --partition short --plain
}
collect >"$work/first.log" 2>&1 9>&- &
collector=$!
results() {
    { cat e.results/results.jsonl 2>/dev/null || true; } | wc -l
}
# Whether node-2 has made some runs of a job, and has more than one to make.
is_amid() {
    python3 - <<'END'
import glob
import json
import sys

for file in glob.glob("e.results/slurm/*/runs/*.jsonl"):
    begun = [line for line in open(file) if line.startswith('{"begun"') and '"node":"node-2"' in line]
    if begun and len(begun) + 2 <= len(json.load(open(file[:-1]))):
        sys.exit(0)
sys.exit(1)
END
}
for _ in $(seq 200); do
    if [ "$(results)" -ge 4 ] && is_amid; then break; fi
    kill -0 "$collector" 2>/dev/null || { cat "$work/first.log"; fail "the collector ends"; }
    sleep 0.1
done
is_amid || { cat "$work/first.log"; fail "node-2 makes no runs"; }

echo "== after $(results) runs the collector is killed, and node-2 with all that runs there"
kill -KILL "$collector"
wait "$collector" 2>/dev/null || true
collector=
cluster_kill node-2
[ -z "$(cluster_processes node-2)" ] || fail "something goes on on node-2"
[ "$(results)" -lt 40 ] || fail "all runs were made before"
collect >"$work/second.log" 2>&1 9>&- &
collector=$!
for _ in $(seq 1200); do
    kill -0 "$collector" 2>/dev/null || break
    sleep 0.1
done
kill -0 "$collector" 2>/dev/null && { cat "$work/second.log"; squeue --array; fail "the collector does not come to an end"; }
code=0
wait "$collector" || code=$?
collector=
cat "$work/second.log"
[ "$code" -eq 0 ] || fail "the collector says $code"

python3 - <<'END'
import glob
import json

records = [json.loads(line) for line in open("e.results/results.jsonl")]
runs = {(record["task"], record["repetition"]) for record in records}
assert len(records) == len(runs) == 40, f"{len(records)} results of {len(runs)} runs"
wrong = [record for record in records if record["score"] <= 0]
assert not wrong, wrong
made, begun, cut_short = 0, 0, 0
for file in glob.glob("e.results/slurm/*/runs/*.jsonl"):
    entries = [json.loads(line) for line in open(file) if line.endswith("\n")]
    ended = sum("ended" in entry for entry in entries)
    nodes = {entry["begun"]["node"] for entry in entries if "begun" in entry}
    made += ended
    begun += sum("begun" in entry for entry in entries)
    cut_short += nodes == {"node-2"} and ended < len(json.load(open(file[:-1])))
assert cut_short == 1, f"{cut_short} jobs were lost with the node"
assert made == 40, f"{made} runs were made"
assert len(glob.glob("e.results/slurm/*/job.sh")) >= 2, "nothing was submitted again"
print(f"40 runs, each once; {begun - made} begun in vain")
END
cd /
cluster_kill
[ -z "$(cluster_processes)" ] || fail "something of the cluster goes on"
echo "== all well after $SECONDS s"
