/** What operators order of the queue. Each order is in their log, and holds for every process of every machine within two seconds. */
import { recordChange } from '../../accounts/audit.ts';
import type { Database, DatabaseTransaction } from '../../db/database.ts';
import { retryingConflicts } from '../../db/retry.ts';
import { AppError, validationError } from '../../model/app-error.ts';
import * as clock from '../../model/clock.ts';
import {
  pauseDestination,
  isPaused,
  resumeDestination,
  tryDestination,
} from '../../queue/paused-destinations.ts';
import { pauseSending, readPause, resumeSending } from '../../queue/pause.ts';
import {
  changeProviderKind,
  type ProviderKind,
  readProviderKind,
  releaseFromSandbox,
} from '../../queue/provider-kind.ts';
import { findDeferred, tryPutOff } from '../../queue/deferred.ts';
import { parseMailbox } from '../../rfc/address/index.ts';
import { withdrawOfKind, withdrawOlder } from '../../sending/deliver/withdraw.ts';

/** In the log of changes. */
const QUEUE = 'queue';
/** Written in one statement. */
const BATCH_ROWS = 1_000;
/** A request does not wait for longer: who asks goes on with the next one. */
const WITHDRAWING_MS = 10_000;

/** Nothing goes out, and no webhook is called. @returns whether that is news */
export function pause(database: Database): Promise<boolean> {
  return database.transaction().execute(async (tx) => {
    const isNews = await pauseSending(tx, clock.now());
    if (isNews) await recordChange(tx, { of: 'installation', action: 'queue.pause', target: QUEUE });
    return isNews;
  });
}

/** @returns whether it was paused */
export function resume(database: Database): Promise<boolean> {
  return database.transaction().execute(async (tx) => {
    const wasPaused = await resumeSending(tx);
    if (wasPaused) await recordChange(tx, { of: 'installation', action: 'queue.resume', target: QUEUE });
    return wasPaused;
  });
}

/**
 * What was accepted before the pause does not go out any more. No more of it than a request may wait for.
 * @returns how many recipients, and whether that was all
 * @throws AppError bad-request
 */
export async function withdraw(database: Database): Promise<{ withdrawn: number; isDone: boolean }> {
  const paused = await readPause(database);
  if (paused === null) throw new AppError('bad-request', 'Sending is not paused: pause it first.');
  const after = { accepted_before: paused.since.toISOString() };
  return withdrawOlder(database, paused.since, {
    forMs: WITHDRAWING_MS,
    onFirst: (tx) => recordChange(tx, { of: 'installation', action: 'queue.withdraw', target: QUEUE, after }),
  });
}

/** What is accepted from now on belongs to this kind of provider. What waits keeps its own. @returns whether that is news */
export function setProvider(database: Database, kind: ProviderKind): Promise<boolean> {
  return database.transaction().execute(async (tx) => {
    const isNews = await changeProviderKind(tx, kind);
    if (isNews)
      await recordChange(tx, {
        of: 'installation',
        action: 'queue.provider',
        target: QUEUE,
        after: { kind },
      });
    return isNews;
  });
}

/**
 * What was accepted while this installation was a sandbox is sent after all.
 * @returns how many recipients
 * @throws AppError bad-request: it is a sandbox now
 */
export async function release(database: Database): Promise<number> {
  if ((await readProviderKind(database)) !== 'real')
    throw new AppError(
      'bad-request',
      'This installation is a sandbox: run posthorn queue provider --set real first.',
    );
  let all = 0;
  for (let last: Awaited<ReturnType<typeof releaseFromSandbox>> = null; ; ) {
    const after = last;
    last = await retryingConflicts(() =>
      database.transaction().execute(async (tx) => {
        const batch = await releaseFromSandbox(tx, after);
        if (batch !== null && after === null)
          await recordChange(tx, { of: 'installation', action: 'queue.release', target: QUEUE });
        return batch;
      }),
    );
    if (last === null) return all;
    all += last.released;
  }
}

/**
 * What was accepted under a kind of provider that this installation does not have any more fails with reason `withdrawn`.
 * @returns how many recipients
 * @throws AppError bad-request: the installation is of this kind
 */
export async function withdrawOther(database: Database, kind: ProviderKind): Promise<number> {
  if ((await readProviderKind(database)) === kind)
    throw new AppError(
      'bad-request',
      `The provider of this installation is ${kind}, so this would withdraw all mail. To do that, pause sending, and resume it with --withdraw-older.`,
    );
  const { withdrawn } = await withdrawOfKind(database, kind, {
    onFirst: (tx) =>
      recordChange(tx, { of: 'installation', action: 'queue.withdraw', target: QUEUE, after: { kind } }),
  });
  return withdrawn;
}

/** Nothing goes to the domain. @returns whether that is news. @throws AppError validation-failed */
export function pauseDomain(database: Database, domain: string): Promise<boolean> {
  return order(database, domain, 'destination.hold', (tx, of) => pauseDestination(tx, of, clock.now()));
}

/** @returns whether it was held. @throws AppError validation-failed */
export function resumeDomain(database: Database, domain: string): Promise<boolean> {
  return order(database, domain, 'destination.resume', (tx, of) => resumeDestination(tx, of, clock.now()));
}

/**
 * A domain that failed is tried at once, and so is what it put off.
 * @returns whether anything waits for it
 * @throws AppError validation-failed, bad-request
 */
export async function tryNow(database: Database, domain: string): Promise<boolean> {
  const putOff = await findDeferred(database, normalDomain(domain));
  const isWaitedFor = await order(database, domain, 'destination.try', async (tx, of) => {
    if (await isPaused(tx, of)) throw new AppError('bad-request', `Mail for ${of} is held: resume it first.`);
    const isKnown = await tryDestination(tx, of);
    return (await tryPutOff(tx, putOff.slice(0, BATCH_ROWS))) > 0 || isKnown;
  });
  // Each with a commit of its own: workers pass over what is locked.
  for (let at = BATCH_ROWS; at < putOff.length; at += BATCH_ROWS)
    await tryPutOff(database, putOff.slice(at, at + BATCH_ROWS));
  return isWaitedFor;
}

async function order(
  database: Database,
  text: string,
  action: 'destination.hold' | 'destination.resume' | 'destination.try',
  work: (tx: DatabaseTransaction, domain: string) => Promise<boolean>,
): Promise<boolean> {
  const domain = normalDomain(text);
  return database.transaction().execute(async (tx) => {
    const hasChanged = await work(tx, domain);
    if (hasChanged) await recordChange(tx, { of: 'installation', action, target: domain });
    return hasChanged;
  });
}

/** As the queue has it: in A-labels and lower case, or an address literal. */
function normalDomain(text: string): string {
  const mailbox = parseMailbox(`x@${text.trim()}`);
  if ('error' in mailbox) throw validationError({ domain: 'is no domain, such as example.net' });
  return mailbox.domain.toLowerCase();
}
