/**
 * Assigns test files to processes. Starting a process and loading the sources takes up to half a second of processor time, more than the
 * tests of most files. Therefore all files in a folder below `src` run in one process, one after the other, together with files from
 * neighboring folders up to a limit. The files of `test/web` also share a service and a browser (`shared.ts`).
 */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Files directly in `test`. They read the sources and pages as texts, so any change can break them. */
export const OF_ALL_TEXTS = 'test/*.test.ts';
/** The files of the everyday suite: all tests that need no other software, except the fault tests. */
export const EVERYDAY = [
  OF_ALL_TEXTS,
  ...['src', 'sdk', 'test/support', 'test/e2e'].map((folder) => `${folder}/**/*.test.ts`),
];
const SHARING = `src${sep}`;
const WEB = join('test', 'web', sep);
/** The number of processes for `test/web`: more than run at once, so that at the end of the run short processes use the free cores. */
const WEB_PROCESSES = 6;
/** The comment in files that change their process permanently, or that measure the whole process. */
const ALONE = /^\/\/ Runs in its own process: /m;
const RUNNER = new URL('run-files.ts', import.meta.url).href;

/** The maximum number of files from several folders in one process. */
const MAX_FILES = 30;

interface TestProcess {
  /** The name of the process in the list of times. */
  name: string;
  files: string[];
}

/**
 * Writes a program for each test process.
 * @param files paths from the current folder
 * @param folder the folder for the programs. The names of the programs are in the order in which the processes should start
 */
export function writeTestProcesses(
  files: readonly string[],
  folder: string,
): { name: string; program: string }[] {
  return plan(files).map(({ name, files: own }, at) => {
    const program = join(folder, `${String(at).padStart(3, '0')}.mjs`);
    const urls = own.map((file) => pathToFileURL(resolve(file)).href);
    writeFileSync(
      program,
      `import { runFiles } from ${JSON.stringify(RUNNER)};\nawait runFiles(${JSON.stringify(name)}, ${JSON.stringify(urls)});\n`,
    );
    return { name, program };
  });
}

function plan(files: readonly string[]): TestProcess[] {
  const together = files.filter((file) => !isAlone(file));
  const web = together.filter((file) => file.startsWith(WEB));
  const folders = Map.groupBy(
    together.filter((file) => !file.startsWith(WEB)),
    (file) => dirname(file),
  );
  const shared: TestProcess[] = [];
  for (const [name, own] of [...folders].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    const last = shared.at(-1);
    if (last !== undefined && last.files.length + own.length <= MAX_FILES) last.files.push(...own);
    else shared.push({ name, files: own });
  }
  const alone = files.filter(isAlone).map((file) => ({ name: file, files: [file] }));
  // The total size of its files is an estimate of how long a process takes. Short processes start last, so that no core is idle at the end.
  return [...shared, ...evenly(web), ...alone].toSorted((one, other) => sizeOf(other) - sizeOf(one));
}

/** Distributes the files of `test/web` among processes of similar total size. */
function evenly(files: readonly string[]): TestProcess[] {
  const processes = Array.from(
    { length: Math.min(WEB_PROCESSES, files.length) },
    (_, at): TestProcess => ({ name: `${WEB}${at + 1}`, files: [] }),
  );
  const longestFirst = files.toSorted((one, other) => statSync(other).size - statSync(one).size);
  for (const file of longestFirst)
    processes.toSorted((one, other) => sizeOf(one) - sizeOf(other))[0]?.files.push(file);
  return processes.map((each) => (each.files.length === 1 ? { ...each, name: each.files.join() } : each));
}

function sizeOf({ files }: TestProcess): number {
  return files.reduce((sum, file) => sum + statSync(file).size, 0);
}

function isAlone(file: string): boolean {
  return !(file.startsWith(SHARING) || file.startsWith(WEB)) || ALONE.test(readFileSync(file, 'utf8'));
}
