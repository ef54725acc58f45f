#!/usr/bin/env bash
# Makes the papers' tables, and a page with them beside the papers' figures.
#
#   scripts/papers/run.sh [--full] [--slurm [--partition NAME]] [--out FOLDER] [--cpu SECONDS] [--wall SECONDS]
#                         [--regatta PROGRAM] [TABLE ...]
#
# TABLE is the name of an experiment file here without `.toml`; without one, all tables are made. An interrupted command goes
# on where it was if it is called again with the same options.
#
# The small setting (the default) is for a laptop: the programs in `programs`, 5 s of CPU time each (--cpu) on one core; an hour for all
# tables. The limit of wall time, which tells how busy the machine is, is fifteen times as long (--wall). --full is for a cluster:
# the papers' limits, and the tasks beside the clone (../shared/tasks) as well. --slurm makes the runs as jobs of Slurm. The page is
# FOLDER/index.html (default: papers.small or papers.full in the current folder).
set -euo pipefail
here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
repository=$(realpath "$here/../..")

fail() {
    printf 'error: %s\n' "$*" >&2
    exit 3
}

setting=small cpu=5 wall='' out='' regatta='' cluster=() tables=()
while [ $# -gt 0 ]; do
    case $1 in
    --full) setting=full ;;
    --slurm) cluster+=(--slurm) ;;
    --partition) cluster+=(--partition "${2:?--partition needs a name}") && shift ;;
    --out) out=${2:?--out needs a folder} && shift ;;
    --cpu) cpu=${2:?--cpu needs a number of seconds} && shift ;;
    --wall) wall=${2:?--wall needs a number of seconds} && shift ;;
    --regatta) regatta=${2:?--regatta needs a program} && shift ;;
    -h | --help) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}" && exit 0 ;;
    -*) fail "unknown option $1" ;;
    *) tables+=("$1") ;;
    esac
    shift
done
if [ -z "$regatta" ]; then
    regatta=${CARGO_TARGET_DIR:-$repository/target}/release/regatta
    [ -x "$regatta" ] || regatta=$(command -v regatta) || fail "no regatta: build it, or name it with --regatta"
fi
out=${out:-papers.$setting}
wall=${wall:-$(awk -v cpu="$cpu" 'BEGIN { print 15 * cpu }')}
mkdir -p "$out"

known=$(cd "$here" && ls -- *.toml | sed 's/\.toml$//' | grep -vx figures)
[ ${#tables[@]} -gt 0 ] || mapfile -t tables <<<"$known"
for table in "${tables[@]}"; do
    grep -qx -- "$table" <<<"$known" || fail "no table $table; there are: $(tr '\n' ' ' <<<"$known")"
done

note="The shipped programs, $cpu s of CPU time each, on one core."
if [ "$setting" = full ]; then
    note="The papers' limits, the shipped programs and the tasks beside the clone."
    if [ ! -d "$repository/../shared/tasks" ]; then
        note="The papers' limits, but only the shipped programs: there are no tasks beside the clone."
        printf 'warning: %s\n' "$note" >&2
    fi
fi

wrong=0
for table in "${tables[@]}"; do
    printf '== %s\n' "$table"
    scale=(--cpu "$cpu" --wall "$wall" --cores 1)
    if [ "$setting" = full ]; then
        scale=()
        if [ -d "$repository/../shared/tasks" ] && grep -q '^group = "full"' "$here/$table.toml"; then
            scale=(--group full)
        fi
    fi
    code=0
    "$regatta" experiment run "$here/$table.toml" --out "$out/$table.results" --plain "${scale[@]}" "${cluster[@]}" || code=$?
    case $code in
    0) ;;
    1) wrong=1 ;;
    *) exit "$code" ;;
    esac
    "$regatta" experiment report "$out/$table.results"
done
python3 "$here/page.py" --regatta "$regatta" --note "$note" "$out"
[ "$wrong" = 0 ] || fail "an answer is wrong"
