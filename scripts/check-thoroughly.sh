#!/usr/bin/env bash
# The checker's own tests, and every engine's proofs of the programs in tests/engines, with a second opinion (`--check
# thorough`) on each; then tests/verdicts, with more time for what is to stay open. Needs a second solver: cvc5 (Debian:
# apt-get install cvc5), or what REGATTA_SECOND_SOLVER names. Some 35 minutes on two cores.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/environment.sh
command -v "${REGATTA_SECOND_SOLVER:-cvc5}" >/dev/null || fail "no second solver: apt-get install cvc5"
export REGATTA_CHECK_ALL=1
scripts/test.sh certify::tests::
scripts/test.sh --test engines
scripts/test.sh --test verdicts
