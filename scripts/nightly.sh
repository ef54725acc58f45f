#!/usr/bin/env bash
# Looks for wrong verdicts for some twenty minutes: random programs of scripts/fuzz (ten minutes), then csmith programs
# (interpreter against compiler), both under both data models.
#
#   scripts/nightly.sh [MINUTES]      (of scripts/fuzz-verdicts.py; default 10)
#
# The seed is the day's number, so that each night has other programs and a night can be repeated:
# NIGHT=20415 scripts/nightly.sh. The folders that the messages name hold what was found; the exit code is then 1.
#
# Environment: REGATTA (the binary, default target/release/regatta), NIGHT, CSMITH_PROGRAMS (default 300).
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export REGATTA=${REGATTA:-target/release/regatta}

minutes=${1:-10}
night=${NIGHT:-$(($(date +%s) / 86400))}
# A night has far fewer seeds.
seed=$((night * 10000))
status=0
echo "night $night"

# Most of the time for verdicts; the interpreter sees a hundred times as many programs in the rest.
nice scripts/fuzz-verdicts.py --seed "$seed" --mode interpret --seconds $((minutes * 15)) || status=1
nice scripts/fuzz-verdicts.py --seed "$seed" --mode verdicts --seconds $((minutes * 45)) || status=1
nice scripts/fuzz-semantics.sh "${CSMITH_PROGRAMS:-300}" "$seed" || status=1
exit $status
