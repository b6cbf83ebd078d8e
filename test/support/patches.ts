/**
 * Changes to the product's source, made as a service under test loads it, so that the product has no switch for tests:
 * shorter times, a protection taken out to see a test go red, a fault put in. None of them looks for the text of a
 * statement. A patch that does not fit throws, so a test cannot pass because the code has moved on.
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

/** What the `timings.ts` of each folder exports. */
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

/** Other values in the `timings.ts` of a folder. When several patches name one value, the last counts. */
type TimingsPatch = {
  [Folder in keyof Folders]: { timings: Folder; values: Partial<Folders[Folder]> };
}[keyof Folders];

/** Another line in place of the one below the comment `protection: <its name>`. */
interface ProtectionPatch {
  /** From the root of the repository. */
  file: string;
  protection: string;
  replace: string;
}

/** Code at the end of a module. It may assign to the module's functions: `send = wrapped(send);`. */
interface AppendPatch {
  file: string;
  append: string;
}

/** The number of processor cores that the service sees. */
interface CoresPatch {
  cores: number;
}

type SourcePatch = TimingsPatch | ProtectionPatch | AppendPatch;
export type Patch = SourcePatch | CoresPatch;

const MARKER = /^ *(?:\/\/|--) protection: (.*)$/;

/** The names of the protections that a source has, in their order. */
export function protectionsIn(source: string): string[] {
  return source.split('\n').flatMap((line) => MARKER.exec(line)?.[1] ?? []);
}

export function changesSource(patch: Patch): patch is SourcePatch {
  return !('cores' in patch);
}

/** The file that a patch changes, from the root of the repository. */
export function fileOf(patch: SourcePatch): string {
  return 'timings' in patch ? `${patch.timings}/timings.ts` : patch.file;
}

/**
 * The source with the patch made.
 * @throws Error when the patch does not fit
 */
export function patched(source: string, patch: SourcePatch): string {
  if ('timings' in patch) return `${source}\n${settingTimings(patch)}`;
  if ('append' in patch) return `${source}\n${patch.append}`;
  const lines = source.split('\n');
  const places = lines.flatMap((line, at) => (MARKER.exec(line)?.[1] === patch.protection ? [at] : []));
  const [place] = places;
  if (place === undefined || places.length > 1)
    throw new Error(`${patch.file} has ${places.length} lines "protection: ${patch.protection}", not one`);
  return lines.with(place + 1, patch.replace).join('\n');
}

function settingTimings(patch: TimingsPatch): string {
  return `for (const [name, value] of Object.entries(${JSON.stringify(patch.values)})) {
    if (!(name in TIMINGS)) throw new Error(\`${fileOf(patch)} has no \${name}\`);
    TIMINGS[name] = value;
  }`;
}

/**
 * Looks before a service is started whether all patches fit.
 * @throws Error for one that does not
 */
export function checkPatches(patches: readonly Patch[]): void {
  for (const patch of patches.filter(changesSource))
    patched(readFileSync(new URL(`../../${fileOf(patch)}`, import.meta.url), 'utf8'), patch);
}
