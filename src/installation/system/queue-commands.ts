/**
 * Operators' commands that change the queue. Each command is recorded in the audit log and takes effect in every process on every machine
 * within two seconds.
 */
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
import { findDeferred, makeDeferredDue } from '../../queue/deferred.ts';
import { parseMailbox } from '../../rfc/address/index.ts';
import { withdrawOfKind, withdrawOlder } from '../../sending/deliver/withdraw.ts';

/** The `target` of the changes in the audit log. */
const QUEUE = 'queue';
/** Rows per statement. */
const BATCH_ROWS = 1_000;
/** Time limit of one request. The client repeats the request to continue. */
const WITHDRAWING_MS = 10_000;

/** Pauses sending and webhooks. @returns false if sending and webhooks were already paused */
export function pause(database: Database): Promise<boolean> {
  return database.transaction().execute(async (tx) => {
    const hasChanged = await pauseSending(tx, clock.now());
    if (hasChanged) await recordChange(tx, { of: 'installation', action: 'queue.pause', target: QUEUE });
    return hasChanged;
  });
}

/** Resumes sending and webhooks. @returns whether sending and webhooks were paused */
export function resume(database: Database): Promise<boolean> {
  return database.transaction().execute(async (tx) => {
    const wasPaused = await resumeSending(tx);
    if (wasPaused) await recordChange(tx, { of: 'installation', action: 'queue.resume', target: QUEUE });
    return wasPaused;
  });
}

/**
 * Withdraws recipients whose mail was accepted before the pause, for at most `WITHDRAWING_MS`.
 * @returns the number of withdrawn recipients, and whether no recipients are left
 * @throws AppError bad-request if sending is not paused
 */
export async function withdraw(database: Database): Promise<{ withdrawn: number; isDone: boolean }> {
  const paused = await readPause(database);
  if (paused === null) throw new AppError('bad-request', 'Sending is not paused. Pause it first.');
  const after = { accepted_before: paused.since.toISOString() };
  return withdrawOlder(database, paused.since, {
    forMs: WITHDRAWING_MS,
    onFirst: (tx) => recordChange(tx, { of: 'installation', action: 'queue.withdraw', target: QUEUE, after }),
  });
}

/** Sets the kind of provider for mail accepted from now on. Waiting mail keeps its kind. @returns whether the kind has changed */
export function setProvider(database: Database, kind: ProviderKind): Promise<boolean> {
  return database.transaction().execute(async (tx) => {
    const hasChanged = await changeProviderKind(tx, kind);
    if (hasChanged)
      await recordChange(tx, {
        of: 'installation',
        action: 'queue.provider',
        target: QUEUE,
        after: { kind },
      });
    return hasChanged;
  });
}

/**
 * Releases mail that was accepted while this installation was a sandbox, so that it is sent.
 * @returns the number of released recipients
 * @throws AppError bad-request if the installation is still a sandbox
 */
export async function release(database: Database): Promise<number> {
  if ((await readProviderKind(database)) !== 'real')
    throw new AppError(
      'bad-request',
      'This installation is a sandbox. Run posthorn queue provider --set real first.',
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
 * Withdraws mail that was accepted for a kind of provider that this installation no longer has. The mail fails with reason `withdrawn`.
 * @returns the number of withdrawn recipients
 * @throws AppError bad-request if the installation has a provider of the given kind
 */
export async function withdrawOther(database: Database, kind: ProviderKind): Promise<number> {
  if ((await readProviderKind(database)) === kind)
    throw new AppError(
      'bad-request',
      `The provider of this installation is ${kind}, so this command would withdraw all mail. To withdraw all mail, pause sending, then resume it with --withdraw-older.`,
    );
  const { withdrawn } = await withdrawOfKind(database, kind, {
    onFirst: (tx) =>
      recordChange(tx, { of: 'installation', action: 'queue.withdraw', target: QUEUE, after: { kind } }),
  });
  return withdrawn;
}

/** Pauses a destination. @returns false if the destination was already paused @throws AppError validation-failed */
export function pauseDomain(database: Database, domain: string): Promise<boolean> {
  return runCommand(database, domain, 'destination.hold', (tx, of) => pauseDestination(tx, of, clock.now()));
}

/** Resumes a destination. @returns whether the destination was paused @throws AppError validation-failed */
export function resumeDomain(database: Database, domain: string): Promise<boolean> {
  return runCommand(database, domain, 'destination.resume', (tx, of) =>
    resumeDestination(tx, of, clock.now()),
  );
}

/**
 * Retries mail to a failing domain now, including mail that the domain deferred.
 * @returns whether the domain is failing or has deferred mail
 * @throws AppError validation-failed; bad-request if the destination is paused
 */
export async function tryNow(database: Database, domain: string): Promise<boolean> {
  const deferred = await findDeferred(database, normalDomain(domain));
  const hasMail = await runCommand(database, domain, 'destination.try', async (tx, of) => {
    if (await isPaused(tx, of))
      throw new AppError('bad-request', `Mail to ${of} is paused. Resume it first.`);
    const isKnown = await tryDestination(tx, of);
    return (await makeDeferredDue(tx, deferred.slice(0, BATCH_ROWS))) > 0 || isKnown;
  });
  // Each batch is committed separately, because workers skip locked rows.
  for (let at = BATCH_ROWS; at < deferred.length; at += BATCH_ROWS)
    await makeDeferredDue(database, deferred.slice(at, at + BATCH_ROWS));
  return hasMail;
}

async function runCommand(
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

/** The domain as stored in the queue: A-labels in lower case, or an address literal. */
function normalDomain(text: string): string {
  const mailbox = parseMailbox(`x@${text.trim()}`);
  if ('error' in mailbox) throw validationError({ domain: 'must be a domain, such as example.net' });
  return mailbox.domain.toLowerCase();
}
