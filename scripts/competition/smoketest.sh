#!/usr/bin/env bash
# Whether this copy of Regatta works here: some seconds. Writes to a temporary folder alone; can be started from any
# folder. The exit code is 0 if all is well.
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
regatta=$here/bin/regatta
examples=$here/share/regatta/examples
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
    echo "smoke test failed: $*" >&2
    exit 1
}

# verify RESULT FILE [OPTION…]: runs it as the competition does, and looks at the answer and the witness.
verify() {
    local expected=$1 file=$2 line
    shift 2
    rm -f witness.yml
    line=$("$regatta" --portfolio svcomp --cpu-limit 60 --property "$examples/unreach-call.prp" --witness witness.yml \
        "$@" "$examples/$file" | tail -n 1) || true # the exit code tells the verdict, too
    echo "$file: $line"
    [ "$line" = "RESULT: $expected" ] || fail "expected $expected for $file"
    grep -q format_version witness.yml || fail "no witness for $file"
    [ "$(ls -A)" = witness.yml ] || fail "there is more than a witness: $(ls -A)"
}

"$regatta" --version
verify TRUE holds.i --data-model ILP32
verify TRUE holds.i --data-model LP64
verify "FALSE(unreach-call)" violated.i --data-model ILP32
"$regatta" validate --cpu-limit 60 --property "$examples/unreach-call.prp" --data-model ILP32 --witness witness.yml \
    "$examples/violated.i" >/dev/null 2>&1 && fail "a violation is not confirmed" || [ $? -eq 1 ] \
    || fail "its witness is not confirmed"
if command -v "${CC:-cc}" >/dev/null; then
    verify TRUE headers.c --data-model ILP32
    verify TRUE headers.c --data-model LP64
else
    echo "no C compiler here: programs that are not preprocessed (.c) cannot be verified"
fi
echo "all well"
