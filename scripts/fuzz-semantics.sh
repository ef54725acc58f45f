#!/usr/bin/env bash
# Compares the interpreter with the compiler on random programs by csmith, under both data models.
#
#   scripts/fuzz-semantics.sh [COUNT [FIRST_SEED]]      (default: 300 programs, seeds from 1)
#
# A csmith program folds all its global state into the checksum `crc32_context`: the compiled
# program prints the inverted checksum, `regatta interpret` the variable. Programs that do not end
# soon, compiled or interpreted, are skipped and counted. What differs stays in the directory that
# the last lines name, and the exit code is then 1. If nothing was compared, that is an error too.
#
# Environment: REGATTA (the binary, default target/release/regatta), CC (default cc), CSMITH
# (default csmith), CSMITH_INCLUDE (its headers), TIME_LIMIT (seconds a run may take, default 20).
set -u -o pipefail
cd "$(dirname "$0")/.."

count=${1:-300}
first=${2:-1}
regatta=$(realpath "${REGATTA:-target/release/regatta}")
compiler=${CC:-cc}
generator=${CSMITH:-csmith}
limit=${TIME_LIMIT:-20}

fail() { echo "fuzz-semantics: $*" >&2; exit 2; }
[[ $count =~ ^[0-9]+$ && $first =~ ^[0-9]+$ ]] || fail "COUNT and FIRST_SEED are numbers"
[[ -x $regatta ]] || fail "no regatta binary at $regatta: build it, or set REGATTA"
command -v "$generator" >/dev/null || fail "csmith is missing: apt-get install csmith libcsmith-dev"
for headers in "${CSMITH_INCLUDE:-}" /usr/include/csmith /usr/local/include/csmith /usr/include/csmith-*; do
    [[ -n $headers && -f $headers/csmith.h ]] && break
done
[[ -f $headers/csmith.h ]] || fail "csmith.h is missing: apt-get install libcsmith-dev, or set CSMITH_INCLUDE"

work=$(mktemp -d)
trap 'rmdir "$work" 2>/dev/null || true' EXIT
flags=(-O0 -fwrapv -ffp-contract=off -w -I "$headers")

declare -A machine=([LP64]="-m64" [ILP32]="-m32 -msse2 -mfpmath=sse")
models=()
for model in LP64 ILP32; do
    # shellcheck disable=SC2086  # several options in one word
    if echo 'int main(void) { return 0; }' |
        "$compiler" ${machine[$model]} -x c - -o "$work/probe" 2>/dev/null && "$work/probe"; then
        models+=("$model")
    else
        echo "SKIPPED: $model, because $compiler ${machine[$model]} does not work here (gcc-multilib?)" >&2
    fi
done
rm -f "$work/probe"
[[ ${#models[@]} -gt 0 ]] || fail "$compiler makes no programs that run here"

agreed=0 differing=0 slow_compiled=0 slow_interpreted=0 failed=0

# One program under one data model; what is not needed any more goes.
compare() {
    local seed=$1 model=$2 base=$work/$1.$2
    # shellcheck disable=SC2086
    "$compiler" ${machine[$model]} "${flags[@]}" -E "$work/$seed.c" -o "$base.i" &&
        "$compiler" ${machine[$model]} "${flags[@]}" "$base.i" -o "$base.out" || fail "$compiler refuses seed $seed"

    local printed expected status
    printed=$(timeout 2 "$base.out")
    status=$?
    rm -f "$base.out"
    if [[ $status -ne 0 ]]; then
        slow_compiled=$((slow_compiled + 1))
        rm -f "$base.i"
        return
    fi
    expected=$(printf '%x' $((16#${printed##*= } ^ 0xffffffff)))

    local found
    found=$(timeout "$limit" "$regatta" interpret "$base.i" --checks assertions --data-model "$model" \
        --print-global crc32_context 2>"$base.err")
    status=$?
    if [[ $status -eq 124 ]] || grep -q 'step limit' "$base.err"; then
        slow_interpreted=$((slow_interpreted + 1))
    elif [[ $status -ne 0 ]]; then
        failed=$((failed + 1))
        echo "FAILED: seed $seed, $model: exit code $status: $(head -n 1 "$base.err")"
        return
    elif [[ $((16#${found#0x})) -ne $((16#$expected)) ]]; then
        differing=$((differing + 1))
        echo "DIFFERS: seed $seed, $model: compiled $expected, interpreted $found"
        return
    else
        agreed=$((agreed + 1))
    fi
    rm -f "$base.i" "$base.err"
}

for ((seed = first; seed < first + count; seed++)); do
    # Small programs: many different ones find more than a few that run long.
    options=(--seed "$seed" --no-argc --no-packed-struct --concise --max-funcs 6 --max-block-depth 4)
    ((seed % 3 == 0)) && options+=(--builtins --disable-builtin-kinds x86)
    ((seed % 4 == 0)) && options+=(--float)
    # csmith writes platform.info where it stands.
    (cd "$work" && timeout 30 "$generator" "${options[@]}" >"$seed.c") || {
        slow_compiled=$((slow_compiled + ${#models[@]}))
        rm -f "$work/$seed.c"
        continue
    }
    for model in "${models[@]}"; do
        compare "$seed" "$model"
    done
    compgen -G "$work/$seed.*.i" >/dev/null || rm -f "$work/$seed.c"
done
rm -f "$work/platform.info"

echo "$count programs under ${models[*]}: $agreed agree, $differing differ, $failed failed;" \
    "skipped: $slow_compiled slow when compiled, $slow_interpreted over the interpreter's limit"
if [[ $((differing + failed)) -gt 0 ]]; then
    echo "The programs are in $work"
    exit 1
fi
[[ $agreed -gt 0 ]] || fail "nothing was compared"
