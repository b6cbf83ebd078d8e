/**
 * Changes the DKIM key of a domain without a gap (docs/decisions/0069-dkim-rotation.md). A new key is `next` until its record is seen in
 * DNS. Then, in one transaction, the new key becomes `active` and signs, and the old key becomes `retiring`. The record of the old key
 * must remain in DNS for mail in transit. Callers hold the lock of the domain's row, so concurrent changes see each other's results.
 */
import { recordChange } from '../accounts/audit.ts';
import { rowIs } from '../db/row-is.ts';
import type { DatabaseTransaction } from '../db/database.ts';
import { encodeId } from '../model/ids.ts';
import { AppError } from '../model/app-error.ts';
import { type ClaimKey, readKeys } from './claim.ts';
import type { KeyRow } from './dkim-key.ts';
import { expectedKeys } from './expected-records.ts';
import { type Checks, checkKey } from './look-up-records.ts';

/**
 * How long the record of a retiring key must stay in DNS. Receivers may still check its signatures for this long: mail is queued for at
 * most five days, and some forwarders delay mail further.
 */
export const KEEP_RETIRING_MS = 7 * 24 * 60 * 60_000;
/**
 * The maximum number of keys of a domain: one signs, one is next, and the retiring keys are deleted after `KEEP_RETIRING_MS`. Attack: a
 * user rotates endlessly, and so creates any number of keys.
 */
const MAX_KEYS = 6;
/** The delay before DNS is first checked for the record of a new key. The records of a new domain are checked after the same delay. */
const FIRST_SCAN_MS = 60_000;

interface ClaimName {
  projectId: string;
  id: string;
  name: string;
}

/**
 * Adds the next key, unless the domain has one already.
 * @throws AppError bad-request if the domain has too many keys
 */
export async function addNextKey(
  tx: DatabaseTransaction,
  claim: ClaimName,
  key: KeyRow,
  now: Date,
): Promise<void> {
  const keys = await readKeys(tx, [claim.id], [claim.projectId]);
  if (keys.some(({ state }) => state === 'next')) return;
  if (keys.length >= MAX_KEYS) {
    const [first] = keys.flatMap(({ keepUntil }) => keepUntil ?? []).toSorted((a, b) => +a - +b);
    const until = first === undefined ? '' : ` until ${first.toISOString()}`;
    throw new AppError(
      'bad-request',
      `The domain has ${keys.length} DKIM keys, which is the limit. Most of them are retained for mail in transit. Wait${until}, then rotate again.`,
    );
  }
  await tx
    .insertInto('dkimKeys')
    .values({ ...key, state: 'next', createdAt: now })
    .execute();
  await tx
    .updateTable('domains')
    .set(({ fn, val, ref }) => ({
      nextCheckAt: fn<Date>('least', [
        ref('nextCheckAt'),
        val(new Date(now.getTime() + FIRST_SCAN_MS).toISOString()),
      ]),
    }))
    .where((row) => rowIs(row, { projectId: claim.projectId, id: claim.id }))
    .execute();
  await record(tx, claim, 'domain.dkim-rotation-start', { next_selector: key.selector });
}

/** Deletes the next key, if there is one. Its record in DNS is then no longer needed. */
export async function dropNextKey(tx: DatabaseTransaction, claim: ClaimName): Promise<void> {
  const dropped = await tx
    .deleteFrom('dkimKeys')
    .where((row) => rowIs(row, { projectId: claim.projectId, domainId: claim.id, state: 'next' }))
    .returning('selector')
    .executeTakeFirst();
  if (dropped === undefined) return;
  await record(tx, claim, 'domain.dkim-rotation-cancel', undefined, { next_selector: dropped.selector });
}

/**
 * Applies the results of a check: the next key becomes active if its record was seen, and expired keys are deleted.
 * @returns the remaining keys of the domain
 */
export async function moveKeys(
  tx: DatabaseTransaction,
  claim: ClaimName,
  checks: Checks,
  now: Date,
): Promise<ClaimKey[]> {
  const keys = await readKeys(tx, [claim.id], [claim.projectId]);
  const isOver = ({ keepUntil }: ClaimKey) => keepUntil !== null && keepUntil <= now;
  const isSeen = (key: ClaimKey) =>
    expectedKeys(claim.name, [key]).every((expected) => checks[checkKey(expected)]?.status === 'verified');
  const next = keys.find((key) => key.state === 'next' && isSeen(key));
  if (next === undefined && !keys.some(isOver)) return keys;
  const ofClaim = { projectId: claim.projectId, domainId: claim.id };
  await tx
    .deleteFrom('dkimKeys')
    .where((row) => rowIs(row, { ...ofClaim, state: 'retiring' }))
    .where('keepUntil', '<=', now)
    .execute();
  if (next !== undefined) {
    const before = keys.filter(({ state }) => state === 'active').map(({ selector }) => selector);
    await tx
      .updateTable('dkimKeys')
      .set({ state: 'retiring', keepUntil: new Date(now.getTime() + KEEP_RETIRING_MS) })
      .where((row) => rowIs(row, { ...ofClaim, state: 'active' }))
      .execute();
    await tx
      .updateTable('dkimKeys')
      .set({ state: 'active' })
      .where((row) => rowIs(row, { ...ofClaim, selector: next.selector }))
      .execute();
    await record(
      tx,
      claim,
      'domain.dkim-rotation-switch',
      { selector: next.selector },
      { selector: before.join(' ') },
    );
  }
  return readKeys(tx, [claim.id], [claim.projectId]);
}

type Fields = Parameters<typeof recordChange>[1]['after'];

function record(
  tx: DatabaseTransaction,
  { projectId, id, name }: ClaimName,
  action: `domain.${string}`,
  after: Fields,
  before?: Fields,
): Promise<void> {
  return recordChange(tx, {
    of: { projectId },
    action,
    target: encodeId('dom', id),
    targetName: name,
    ...(before !== undefined && { before }),
    ...(after !== undefined && { after }),
  });
}
