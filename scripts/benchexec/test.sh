#!/usr/bin/env bash
# Tests what is here with BenchExec itself: the module's self-test, the unit tests, a run of ten tasks, whose results our tables
# take, and the page that table-generator makes of ours.
#
#   scripts/benchexec/test.sh [--tool-directory FOLDER]
#
# FOLDER has bin/regatta (an unpacked archive) or regatta (the default, the release build). BenchExec is installed into the
# cache folder, from PyPI. Where it cannot be had, this says so and succeeds; also where the machine does not let it
# measure (it needs cgroups: as root with those of version 1 or 2, or as a user with delegated ones of version 2).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. scripts/environment.sh

tool_directory=${CARGO_TARGET_DIR:-target}/release
[ "${1:-}" != --tool-directory ] || tool_directory=${2:?--tool-directory needs a folder}
tool_directory=$(realpath "$tool_directory")
here=$PWD/scripts/benchexec
export PYTHONPATH=$here PYTHONDONTWRITEBYTECODE=1

skip() {
    printf '\n!! SKIPPED: %s\n\n' "$*" >&2
    exit 0
}

venv=$cache/benchexec
if ! cmp -s "$here/requirements.txt" "$venv/requirements.txt"; then
    rm -rf "$venv"
    python3 -m venv "$venv" && "$venv/bin/pip" install --quiet --requirement "$here/requirements.txt" \
        || skip "BenchExec cannot be installed here (python3-venv, and PyPI): nothing of it is tested"
    cp "$here/requirements.txt" "$venv"
fi
python=$venv/bin/python

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

echo "== the module's self-test"
printf 'RESULT: FALSE(unreach-call)\n' >"$work/output"
timeout 120 "$python" -m benchexec.test_tool_info regtool.regatta --no-container --tool-directory "$tool_directory" \
    --tool-output "$work/output" --task-definition "$here"/tasks/bit_fields.yml </dev/null >"$work/self-test" 2>&1 \
    || { cat "$work/self-test"; fail "the self-test fails"; }
# It warns of an absolute path, which is this script's, and of tasks with several files, which Regatta does not take.
if grep 'WARNING' "$work/self-test" | grep -v -e 'executable is absolute' -e 'multiple input files' -e 'not within specified'; then
    fail "the self-test warns"
fi
grep -q '“false(unreach-call)”' "$work/self-test" || fail "the result is not recognised"
grep 'Version: ' "$work/self-test"

echo "== unit tests"
(cd "$here" && "$python" -m unittest --quiet test_entry)

echo "== ten tasks"
"$python" -m benchexec.check_cgroups </dev/null >"$work/cgroups" 2>&1 \
    || skip "the machine does not let BenchExec measure, so no task is run: $(grep -v '^ *$' "$work/cgroups" | tail -n 1)"
# Its own files, which have the environment in them, are not left behind; `env -i` keeps that from them all the same.
timeout 500 env -i PATH="$PATH" HOME="${HOME:-/}" PYTHONPATH="$PYTHONPATH" PYTHONDONTWRITEBYTECODE=1 \
    "$venv/bin/benchexec" "$here/portfolios.xml" -r default --tool-directory "$tool_directory" \
    --read-only-dir / --overlay-dir /tmp --overlay-dir /home --outputpath "$work/results/" </dev/null >"$work/log" 2>&1 \
    || { cat "$work/log"; fail "benchexec fails"; }
grep -v -e '^Skipping' -e '^$' "$work/log" | tail -n 12
grep -q 'correct: *10' "$work/log" || fail "not all of ten tasks are solved"
"$python" "$here/result_rules.py" --environment "$work"/results/*.xml.bz2

echo "== its results in our tables, and ours in its page"
regatta=$tool_directory/bin/regatta
[ -x "$regatta" ] || regatta=$tool_directory/regatta
"$regatta" experiment import --benchexec "$work"/results/*.xml.bz2 --out "$work/imported"
"$python" "$here/import_check.py" "$work/imported" "$work"/results/*.xml.bz2
"$regatta" experiment export --benchexec "$work/imported" --out "$work/exported" >"$work/names"
"$python" "$here/result_rules.py" "$work"/exported/*.xml.bz2
"$regatta" experiment import --benchexec "$work"/exported/*.xml.bz2 --out "$work/again"
for folder in imported again; do
    "$regatta" experiment table "$work/$folder" --tasks >"$work/$folder.table"
done
cmp "$work/imported.table" "$work/again.table" || fail "what is exported and imported has another table"
timeout 120 "$venv/bin/table-generator" --no-diff --outputpath "$work/page" "$work"/exported/*.xml.bz2 </dev/null \
    >"$work/log" 2>&1 || { cat "$work/log"; fail "table-generator fails"; }
if grep 'WARNING' "$work/log"; then fail "table-generator warns"; fi
[ "$(grep -c 'correct\|true\|false' "$work"/page/*.csv)" -ge 10 ] || fail "the page has not ten tasks"
[ -s "$work"/page/*.html ] || fail "there is no page"
echo "== all well"
