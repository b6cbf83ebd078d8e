/** Loaded by each file of tests. */
import { appendFileSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';

/** A file that a server or a timer keeps from ending ends after this. */
const LIMIT_MS = 360_000;
/** Times in /proc are in ticks of the kernel; a second has this many. */
const TICKS = 100;

setTimeout(() => {
  process.stderr.write(`not ended after ${LIMIT_MS / 1_000} s\n`);
  process.exit(1);
}, LIMIT_MS).unref();

const timesFile = process.env['TEST_TIMES_FILE'];
if (timesFile !== undefined) {
  process.once('exit', () => {
    const file = relative(process.cwd(), process.argv[1] ?? '');
    const seconds = (performance.now() / 1_000).toFixed(1);
    appendFileSync(timesFile, `${processorSeconds().toFixed(1)} ${seconds} ${file}\n`);
  });
}

/** What this process used, and those that it started and that have ended. */
function processorSeconds(): number {
  const { user, system } = process.cpuUsage();
  let ofChildren = 0;
  try {
    // After the name, which may have blanks: cutime and cstime (proc_pid_stat(5), 16 and 17).
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    ofChildren = (Number(fields[13]) + Number(fields[14])) / TICKS;
  } catch {
    // Only Linux has it.
  }
  return (user + system) / 1_000_000 + ofChildren;
}
