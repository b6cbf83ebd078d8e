/**
 * `npm run bench [-- --quick] [-- --share 1/2] [-- --before folder] [-- part ...]`: measures the product and its baselines, prints a table,
 * and writes bench/results/<time>.json. The parts in `DETAILS` are left out, unless they are named or the run is quick; `details` names all
 * of them. `--share 1/2` runs the first of every two parts, so that two quick runs can run at the same time;
 * the figures of quick runs mean nothing. `--before` names a checkout of an earlier version, with installed packages, for the parts that
 * compare versions. `--file-mb` sets the size of the file in the part `file-links`. The run fails if a part cannot be measured. A missed
 * goal does not fail the run.
 */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { postfixMissing } from './baselines/postfix.ts';
import { accept } from './parts/accept.ts';
import { attachments } from './parts/attachments.ts';
import { bytes } from './parts/bytes.ts';
import { deferred } from './parts/deferred.ts';
import { destinations } from './parts/destinations.ts';
import { drain } from './parts/drain.ts';
import { e2e } from './parts/e2e.ts';
import { examine } from './parts/examine.ts';
import { fair } from './parts/fair.ts';
import { fileLinks } from './parts/file-links.ts';
import { growth } from './parts/growth.ts';
import { hostile } from './parts/hostile.ts';
import { idle } from './parts/idle.ts';
import { imap } from './parts/imap.ts';
import { imapWrites } from './parts/imap-writes.ts';
import { lists } from './parts/lists.ts';
import { logSearch } from './parts/log-search.ts';
import { loop } from './parts/loop.ts';
import { memory } from './parts/memory.ts';
import { pairs } from './parts/pairs.ts';
import { receive } from './parts/receive.ts';
import { submission } from './parts/submission.ts';
import { retention } from './parts/retention.ts';
import { search } from './parts/search.ts';
import { signingIn } from './parts/sign-in.ts';
import { start } from './parts/start.ts';
import { store } from './parts/store.ts';
import { tracking } from './parts/tracking.ts';
import { webClient } from './parts/web-client.ts';
import { webhooks } from './parts/webhooks.ts';
import { watchOthers } from './support/disturbance.ts';
import { describeMachine, formatMachine } from './support/machine.ts';
import type { Part } from './support/part.ts';
import { closeDown, killAll, stopAll } from './support/processes.ts';
import { formatTable, type JudgedRow, judge } from './support/table.ts';

const PARTS: Readonly<Record<string, Part>> = {
  accept,
  receive,
  submission,
  e2e,
  webhooks,
  memory,
  bytes,
  idle,
  start,
  growth,
  lists,
  drain,
  destinations,
  deferred,
  tracking,
  fair,
  loop,
  hostile,
  retention,
  search,
  'log-search': logSearch,
  examine,
  store,
  imap,
  'imap-writes': imapWrites,
  'web-client': webClient,
  attachments,
  'file-links': fileLinks,
  'sign-in': signingIn,
  pairs,
};
/**
 * The parts about single features. They have no comparison with another program, and run only by name, as `details`, and in quick runs,
 * because all parts together would take more than half an hour.
 */
const DETAILS: readonly string[] = [
  'lists',
  'deferred',
  'tracking',
  'retention',
  'search',
  'log-search',
  'examine',
  'web-client',
  'attachments',
  'sign-in',
];
/**
 * Parts that run at the same time as another part, to save time. They count something that does not depend on the speed of the machine, and
 * use almost no processor time.
 */
const BESIDE: Readonly<Record<string, string>> = { idle: 'fair' };
/** If other processes use less than this share of the processor, their work is mostly kernel work, such as writing pages back. */
const QUIET = 0.1;
const COMPILED = fileURLToPath(new URL('../node_modules/.cache/posthorn-tests/', import.meta.url));
const RESULTS = fileURLToPath(new URL('./results/', import.meta.url));

const { quick, before, fileMb, names } = readArguments();
// A quick run mostly starts processes, each of which would compile all sources, so it uses the compile cache of the tests.
if (quick) process.env['NODE_COMPILE_CACHE'] ??= COMPILED;
const root = mkdtempSync(join(tmpdir(), 'posthorn-bench-'));
// Postfix and its sink run as other users, who need access to this folder.
chmodSync(root, 0o755);
let interrupted = false;
process.once('exit', () => {
  killAll();
  rmSync(root, { recursive: true, force: true, maxRetries: 5 });
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, async () => {
    interrupted = true;
    await closeDown();
    process.exit(130);
  });
}

const missing = postfixMissing();
const machine = await describeMachine(root, missing);
say(`${formatMachine(machine)}\n`);
if (machine.fileSystem === 'tmpfs')
  say('The data folder is in memory, so syncing costs nothing. Set TMPDIR to a folder on a disk.\n');
if (missing !== null) say(`skipped: comparisons with Postfix: ${missing}\n`);

const startedAt = new Date();
const startMs = performance.now();
const rows: JudgedRow[] = [];
const failures: string[] = [];
/** The share of the processor that other processes used during each part. */
const others: Record<string, number> = {};
/** How many seconds each part took. */
const seconds: Record<string, number> = {};
for (const name of names) {
  const runsBeside = (other: string): boolean => names.includes(BESIDE[other] ?? '');
  if (!runsBeside(name)) await runParts([name, ...names.filter((other) => BESIDE[other] === name)]);
  if (interrupted) break;
}
// After an interrupt, the signal handler ends the process.
if (!interrupted) {
  report();
  process.exit(failures.length === 0 ? 0 : 1);
}

async function runParts(together: readonly string[]): Promise<void> {
  await Promise.all(together.map(runPart));
  await stopAll();
  for (const name of together) rmSync(join(root, name), { recursive: true, force: true, maxRetries: 5 });
}

async function runPart(name: string): Promise<void> {
  const folder = join(root, name);
  mkdirSync(folder);
  const shareOfOthers = watchOthers();
  const startedMs = performance.now();
  try {
    const log = (text: string): void => say(`  ${name}, ${secondsSince(startedMs)} s: ${text}`);
    rows.push(
      ...((await PARTS[name]?.({ quick, folder, before, fileMb, postfixMissing: missing, log })) ?? []).map(
        judge,
      ),
    );
  } catch (error) {
    failures.push(`${name}: ${messageOf(error)}`);
  }
  others[name] = shareOfOthers();
  seconds[name] = secondsSince(startedMs);
  say(`  ${name}: took ${seconds[name]} s`);
}

function report(): void {
  mkdirSync(RESULTS, { recursive: true });
  const path = join(RESULTS, `${startedAt.toISOString().replaceAll(':', '-')}.json`);
  const result = { startedAt, quick, machine, postfixMissing: missing, seconds, others, rows, failures };
  writeFileSync(path, `${JSON.stringify(result, null, 2)}\n`);
  say(`\n${formatTable(rows)}\n`);
  for (const [name, share] of Object.entries(others)) {
    if (share > QUIET)
      say(
        `${name}: other processes used ${Math.round(share * 100)} % of the processor. Run it again on an idle machine.`,
      );
  }
  if (quick) say('This was a quick run, so its figures do not count.');
  for (const failure of failures) say(`failed: ${failure}`);
  say(`${secondsSince(startMs)} s in total`);
  say(`results: ${path}`);
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

function readArguments(): { quick: boolean; before: string | null; names: string[]; fileMb: number } {
  const all = Object.keys(PARTS);
  try {
    const options = {
      quick: { type: 'boolean', default: false },
      share: { type: 'string', default: '1/1' },
      before: { type: 'string' },
      // Plans allow files of at most 10 GiB, which takes three minutes.
      'file-mb': { type: 'string', default: '2048' },
    } as const;
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    const named = positionals.flatMap((name) => (name === 'details' ? DETAILS : name));
    const unknown = named.find((name) => !all.includes(name));
    if (unknown !== undefined)
      throw new Error(`There is no part ${unknown}. Choose one of the parts listed below.`);
    const [share = 0, shares = 0] = values.share.split('/').map(Number);
    if (!(share >= 1 && share <= shares))
      throw new Error(`--share is "${values.share}". It must be of the form 1/2.`);
    const isChosen = (name: string): boolean =>
      named.length === 0 ? values.quick || !DETAILS.includes(name) : named.includes(name);
    const chosen = all.filter(isChosen).filter((_, at) => at % shares === share - 1);
    const before = values.before === undefined ? null : resolve(values.before);
    const fileMb = Number(values['file-mb']);
    if (!(Number.isInteger(fileMb) && fileMb >= 1 && fileMb <= 10_240))
      throw new Error('--file-mb must be a number of MiB from 1 to 10240.');
    return { quick: values.quick, before, fileMb, names: chosen };
  } catch (error) {
    process.stderr.write(
      `${messageOf(error)}\nusage: npm run bench -- [--quick] [--share 1/2] [--before folder] [--file-mb 1024] [details] [${all.join('] [')}]\n`,
    );
    return process.exit(2);
  }
}

function secondsSince(startedMs: number): number {
  return Math.round((performance.now() - startedMs) / 1_000);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
