/**
 * Patches for the service's source, applied when a service under test loads its source, so that the source needs no switches for tests. A
 * patch shortens a time, removes a protection to prove that a test then fails, or injects a fault. A patch names a timing, a marker comment
 * or a module; it never searches for the text of a statement. A patch that does not fit throws an error, so that a test cannot pass because
 * the code has changed.
 */
import { readFileSync } from 'node:fs';
import type { TIMINGS as ACME } from '../../src/certificates/acme/timings.ts';
import type { TIMINGS as BLOBS } from '../../src/blobs/timings.ts';
import type { TIMINGS as DB } from '../../src/db/timings.ts';
import type { TIMINGS as WRITE } from '../../src/webmail/write/timings.ts';
import type { TIMINGS as WORKER } from '../../src/worker/timings.ts';
import type { TIMINGS as SIGN_IN } from '../../src/mailboxes/sign-in/timings.ts';
import type { TIMINGS as NET } from '../../src/net/timings.ts';
import type { TIMINGS as PROCESS } from '../../src/process/timings.ts';
import type { TIMINGS as QUEUE } from '../../src/queue/timings.ts';
import type { TIMINGS as RETENTION } from '../../src/retention/timings.ts';
import type { TIMINGS as DELIVER } from '../../src/sending/deliver/timings.ts';
import type { TIMINGS as DIRECT } from '../../src/sending/deliver/direct/timings.ts';
import type { TIMINGS as SES } from '../../src/sending/deliver/ses/timings.ts';
import type { TIMINGS as WEBHOOKS } from '../../src/webhooks/deliver/timings.ts';

/** The exports of each folder's `timings.ts`. */
interface Folders {
  'src/blobs': typeof BLOBS;
  'src/certificates/acme': typeof ACME;
  'src/db': typeof DB;
  'src/worker': typeof WORKER;
  'src/webmail/write': typeof WRITE;
  'src/mailboxes/sign-in': typeof SIGN_IN;
  'src/net': typeof NET;
  'src/process': typeof PROCESS;
  'src/queue': typeof QUEUE;
  'src/retention': typeof RETENTION;
  'src/sending/deliver': typeof DELIVER;
  'src/sending/deliver/direct': typeof DIRECT;
  'src/sending/deliver/ses': typeof SES;
  'src/webhooks/deliver': typeof WEBHOOKS;
}

/** Overrides values in the `timings.ts` of a folder. If several patches set the same value, the last patch applies. */
type TimingsPatch = {
  [Folder in keyof Folders]: { timings: Folder; values: Partial<Folders[Folder]> };
}[keyof Folders];

/** Replaces the line below the comment `protection: <name>`. */
interface ProtectionPatch {
  /** The path from the repository root. */
  file: string;
  protection: string;
  replace: string;
}

/** Appends code to a module. The code may assign to the module's functions: `send = wrapped(send);`. */
interface AppendPatch {
  file: string;
  append: string;
}

/** Sets the number of processor cores that the service detects. */
interface CoresPatch {
  cores: number;
}

type SourcePatch = TimingsPatch | ProtectionPatch | AppendPatch;
export type Patch = SourcePatch | CoresPatch;

const MARKER = /^ *(?:\/\/|--) protection: (.*)$/;

/** The names of the protections in a source, in order. */
export function protectionsIn(source: string): string[] {
  return source.split('\n').flatMap((line) => MARKER.exec(line)?.[1] ?? []);
}

export function changesSource(patch: Patch): patch is SourcePatch {
  return !('cores' in patch);
}

/** The file that a patch changes, as a path from the repository root. */
export function fileOf(patch: SourcePatch): string {
  return 'timings' in patch ? `${patch.timings}/timings.ts` : patch.file;
}

/**
 * The source with the patch applied.
 * @throws Error if the patch does not fit
 */
export function patched(source: string, patch: SourcePatch): string {
  if ('timings' in patch) return `${source}\n${settingTimings(patch)}`;
  if ('append' in patch) return `${source}\n${patch.append}`;
  const lines = source.split('\n');
  const markers = lines.flatMap((line, at) => (MARKER.exec(line)?.[1] === patch.protection ? [at] : []));
  const [marker] = markers;
  if (marker === undefined || markers.length > 1)
    throw new Error(`${patch.file} has ${markers.length} lines "protection: ${patch.protection}", not one`);
  return lines.with(marker + 1, patch.replace).join('\n');
}

function settingTimings(patch: TimingsPatch): string {
  return `for (const [name, value] of Object.entries(${JSON.stringify(patch.values)})) {
    if (!(name in TIMINGS)) throw new Error(\`${fileOf(patch)} has no \${name}\`);
    TIMINGS[name] = value;
  }`;
}

/**
 * Checks that all patches fit, before a service is started.
 * @throws Error for a patch that does not fit
 */
export function checkPatches(patches: readonly Patch[]): void {
  for (const patch of patches.filter(changesSource))
    patched(readFileSync(new URL(`../../${fileOf(patch)}`, import.meta.url), 'utf8'), patch);
}
