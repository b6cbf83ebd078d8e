/** Loaded by each file of tests: ends one that does not end by itself, because of a server or a timer that is left. */
const LIMIT_MS = 360_000;

setTimeout(() => {
  process.stderr.write(`not ended after ${LIMIT_MS / 1_000} s\n`);
  process.exit(1);
}, LIMIT_MS).unref();
