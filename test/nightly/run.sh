#!/usr/bin/env bash
# Runs suites that take too long for each change: the controls of the fault tests, property tests with all of their runs, peers that
# take more than a minute, and each benchmark once. If a suite fails, the other suites still run.
set -uo pipefail
cd "$(dirname "$0")/../.."
failed=()

run() {
  local name=$1
  shift
  printf '\n=== %s: %s\n' "$name" "$*"
  "$@" || failed+=("$name")
}

mapfile -t properties < <(grep -rlE --include='*.test.ts' '\bnumRuns: runs\(' src sdk test)
run properties env TEST_NIGHTLY=on deploy/node test/run.ts "${properties[@]}"
# Only files with controls. In a file without matching tests, Node runs `before` but not `after`, so services would keep running.
mapfile -t controls < <(grep -lE "['\`]control: " test/faults/*.test.ts)
run controls deploy/node test/run.ts '--test-name-pattern=/^control/' "${controls[@]}"
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  run peers deploy/node test/run.ts test/nightly
else
  echo 'Skipped the peers: they need root on Debian.'
fi
# Runs two halves in parallel, because a quick run only checks that each part works; its figures are not used.
run bench bash -c 'npm run -s bench -- --quick --share 1/2 & npm run -s bench -- --quick --share 2/2; second=$?; wait $! && exit $second'

if [ ${#failed[@]} -gt 0 ]; then
  printf '\nFailed: %s\n' "${failed[*]}"
  exit 1
fi
printf '\nAll passed.\n'
