/**
 * Gives a domain that was copied from a project's claim (`service-domain.ts`) its own DKIM keys. The new key is `next`, and the copied keys
 * sign until all required records are seen in DNS, so that service mail never stops. Then, in one transaction, the new key becomes `active`
 * and the copies are deleted. The project's own keys are not changed. If the records are never seen, service mail is always signed with the
 * copied keys.
 */
import { recordChange } from '../accounts/audit.ts';
import { rowIs } from '../db/row-is.ts';
import type { DatabaseTransaction } from '../db/database.ts';
import { encodeId } from '../model/ids.ts';
import type { MailAccess } from '../rfc/mail-setup/mail-access.ts';
import { type ClaimKey, readKeys, recordsOf } from './claim.ts';
import { type ClaimState, nextCheckAt, nextState } from './claim-state.ts';
import type { KeyRow } from './dkim-key.ts';
import type { PublicKey } from './expected-records.ts';
import { HOSTED_PROJECT_ID } from './hosted.ts';
import type { Checks } from './look-up-records.ts';

interface ServiceClaim {
  id: string;
  name: string;
}

/**
 * The keys that will replace the copied keys of a domain. They are returned as if they were active, so that their records count as
 * required. The copied keys are left out, because the project publishes their records.
 */
export function ownKeys<Key extends PublicKey>(keys: readonly Key[]): Key[] {
  return keys.flatMap((key) => (key.state === 'next' ? [{ ...key, state: 'active' as const }] : []));
}

/** Adds a key to a domain with copied keys, unless the domain already has a `next` key. Restarts the checks of the domain's records. */
export async function addOwnKey(
  tx: DatabaseTransaction,
  { id, name }: ServiceClaim,
  key: KeyRow,
  now: Date,
): Promise<void> {
  const keys = await readKeys(tx, [id], [HOSTED_PROJECT_ID]);
  if (ownKeys(keys).length === 0) {
    await tx
      .insertInto('dkimKeys')
      .values({ ...key, state: 'next', createdAt: now })
      .execute();
    await recordChange(tx, {
      of: 'installation',
      action: 'domain.add-keys',
      target: name,
      after: { domain_id: encodeId('dom', id), dkim_selector: key.selector },
    });
  }
  await checkSoon(tx, id, now);
}

/** Restarts the checks of a domain of the installation, with the short intervals of a new domain. */
export async function checkSoon(tx: DatabaseTransaction, id: string, now: Date): Promise<void> {
  await tx
    .updateTable('domains')
    .set({ pendingSince: now, nextCheckAt: nextCheckAt('pending', now, now) })
    .where((row) => rowIs(row, { projectId: HOSTED_PROJECT_ID, id }))
    .execute();
}

interface SeenRecords {
  checks: Checks;
  seenAt: Date;
  mailAccess: MailAccess;
}

/**
 * Moves a domain with copied keys to its own key if a check saw all required records. Otherwise only the results are stored: missing
 * records never change the status of a domain that signs with copied keys. The caller has locked the domain's row.
 * @param claim the row of a domain of the installation
 * @returns whether the domain now has its own keys
 */
export async function moveToOwnKeys(
  tx: DatabaseTransaction,
  claim: ServiceClaim & ClaimState & { pendingSince: Date },
  { checks, seenAt, mailAccess }: SeenRecords,
): Promise<boolean> {
  const ofClaim = { projectId: HOSTED_PROJECT_ID, domainId: claim.id };
  const copied = await tx
    .selectFrom('serviceDomains')
    .select('domainId')
    .where((row) => rowIs(row, { ...ofClaim, hasOwnKeys: false }))
    .executeTakeFirst();
  if (copied === undefined) return true;
  const keys = await readKeys(tx, [claim.id], [HOSTED_PROJECT_ID]);
  const own = ownKeys(keys);
  const records = recordsOf({ ...claim, keys: own, hasMailboxes: false }, mailAccess);
  const after = nextState({ ...claim, status: 'pending' }, records, checks, own.length > 0, seenAt);
  if (after.status === 'verified') {
    await replaceCopiedKeys(tx, claim, keys);
    return true;
  }
  const { spfVerified, dkimVerified, mailFromVerified, dmarcVerified } = after;
  await tx
    .updateTable('domains')
    .set({
      spfVerified,
      dkimVerified,
      mailFromVerified,
      dmarcVerified,
      checks: JSON.stringify(checks),
      lastCheckedAt: seenAt,
      nextCheckAt: own.length === 0 ? null : nextCheckAt('pending', claim.pendingSince, seenAt),
    })
    .where((row) => rowIs(row, { projectId: HOSTED_PROJECT_ID, id: claim.id }))
    .execute();
  return false;
}

async function replaceCopiedKeys(
  tx: DatabaseTransaction,
  { id, name }: ServiceClaim,
  keys: readonly ClaimKey[],
): Promise<void> {
  const ofClaim = { projectId: HOSTED_PROJECT_ID, domainId: id };
  await tx
    .deleteFrom('dkimKeys')
    .where((row) => rowIs(row, ofClaim))
    .where('state', '<>', 'next')
    .execute();
  await tx
    .updateTable('dkimKeys')
    .set({ state: 'active' })
    .where((row) => rowIs(row, ofClaim))
    .execute();
  await tx
    .updateTable('serviceDomains')
    .set({ hasOwnKeys: true })
    .where((row) => rowIs(row, ofClaim))
    .execute();
  const selectors = (which: readonly ClaimKey[]) => which.map(({ selector }) => selector);
  await recordChange(tx, {
    of: 'installation',
    action: 'domain.use-own-keys',
    target: name,
    before: { dkim_selectors: selectors(keys.filter(({ state }) => state !== 'next')) },
    after: { domain_id: encodeId('dom', id), dkim_selectors: selectors(ownKeys(keys)) },
  });
}
