#!/usr/bin/env bash
# What takes too long to run for each change: the controls of the fault tests, property tests with all of their runs, peers that take
# more than a minute, and each benchmark once. A suite that fails does not keep the next ones from running.
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
# Only the files that have one: Node runs the `before` of the others too, and not their `after`, so their services would run on.
mapfile -t controls < <(grep -lE "['\`]control: " test/faults/*.test.ts)
run controls deploy/node test/run.ts '--test-name-pattern=/^control/' "${controls[@]}"
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  run peers deploy/node test/run.ts test/nightly
else
  echo 'The peers are left out: they need root on Debian.'
fi
# Two halves at a time: a quick run shows that each part can be measured, and measures nothing.
run bench bash -c 'npm run -s bench -- --quick --share 1/2 & npm run -s bench -- --quick --share 2/2; second=$?; wait $! && exit $second'

if [ ${#failed[@]} -gt 0 ]; then
  printf '\nFailed: %s\n' "${failed[*]}"
  exit 1
fi
printf '\nAll passed.\n'
