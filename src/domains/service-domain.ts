/** The domains from which the installation sends its own mail. The keys of these domains belong to no project. */
import { recordChange } from '../accounts/audit.ts';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { rowIs } from '../db/row-is.ts';
import type { Sealer } from '../db/seal.ts';
import * as clock from '../model/clock.ts';
import { encodeId, newUuid } from '../model/ids.ts';
import { copyKey } from './dkim-key.ts';
import { HOSTED_PROJECT_ID } from './hosted.ts';
import { maySend } from './sending-domains.ts';

/** The name of the setting that stores the domain of POSTHORN_MAIL_FROM at the latest start. */
const SETTING = 'service_mail_domain';

/**
 * `exists`: the installation has keys for the domain. `copied`: the keys of a project have just been copied. `pending`: an operator added
 * the domain, and its records are not verified. `unverified`: the installation has no keys, and no project has verified the domain.
 */
export type ServiceDomain = 'exists' | 'copied' | 'pending' | 'unverified';

/**
 * Copies a project's verified claim on a domain to the installation, unless the installation already has keys for the domain.
 * @param name A-labels, lower case
 * @param trustsManualVerification see `maySend`
 * @throws Error if a key was sealed with another secret or was changed
 */
export async function ensureServiceDomain(
  database: Database | DatabaseTransaction,
  sealer: Sealer,
  name: string,
  trustsManualVerification: boolean,
): Promise<ServiceDomain> {
  const own = await findOwn(database, name, trustsManualVerification);
  if (own !== undefined) return own.maySend ? 'exists' : 'pending';
  return database.isTransaction
    ? copyClaim(database as DatabaseTransaction, sealer, name, trustsManualVerification)
    : database.transaction().execute((tx) => copyClaim(tx, sealer, name, trustsManualVerification));
}

/** Records the domain from which service mail is sent, for `isInServiceUse`. */
export async function recordServiceMailDomain(database: Database, name: string): Promise<void> {
  await database
    .insertInto('settings')
    .values({ name: SETTING, value: name })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: name }))
    .execute();
}

/** The domain of POSTHORN_MAIL_FROM at the latest start; null if no start has recorded a domain. */
export async function readServiceMailDomain(database: Database): Promise<string | null> {
  const row = await settingOf(database).executeTakeFirst();
  return row?.value ?? null;
}

/** Like `readServiceMailDomain`, but a starting process that records another domain waits until this transaction ends. */
export async function lockServiceMailDomain(tx: DatabaseTransaction): Promise<string | null> {
  const row = await settingOf(tx).forUpdate().executeTakeFirst();
  return row?.value ?? null;
}

function settingOf(database: Database | DatabaseTransaction) {
  return database.selectFrom('settings').select('value').where('name', '=', SETTING);
}

/** Whether service mail is signed with keys that were copied from this claim. Service mail then needs the claim's DNS records. */
export async function isInServiceUse(
  tx: DatabaseTransaction,
  claim: { projectId: string; id: string; name: string },
): Promise<boolean> {
  const found = await tx
    .selectFrom('settings')
    .innerJoin('domains as d', 'd.name', 'settings.value')
    .innerJoin('dkimKeys as copy', 'copy.domainId', 'd.id')
    .innerJoin('dkimKeys as key', 'key.publicKey', 'copy.publicKey')
    .select('d.id')
    .where('settings.name', '=', SETTING)
    .where('settings.value', '=', claim.name)
    .where('d.projectId', '=', HOSTED_PROJECT_ID)
    .where('copy.projectId', '=', HOSTED_PROJECT_ID)
    .where('key.projectId', '=', claim.projectId)
    .where('key.domainId', '=', claim.id)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

function findOwn(database: Database | DatabaseTransaction, name: string, trustsManualVerification: boolean) {
  return (
    database
      .selectFrom('domains')
      .select(['id', maySend(trustsManualVerification).as('maySend')])
      .where((row) => rowIs(row, { projectId: HOSTED_PROJECT_ID, name }))
      // This lock keeps the domain until the caller has queued its mail: `removeServiceDomain` waits for the lock, and then finds that mail
      // in the queue.
      .forKeyShare()
      .executeTakeFirst()
  );
}

async function copyClaim(
  tx: DatabaseTransaction,
  sealer: Sealer,
  name: string,
  trustsManualVerification: boolean,
): Promise<ServiceDomain> {
  const keys = await tx
    .selectFrom('dkimKeys')
    .innerJoin('domains', (join) =>
      join
        .onRef('domains.projectId', '=', 'dkimKeys.projectId')
        .onRef('domains.id', '=', 'dkimKeys.domainId'),
    )
    .selectAll('dkimKeys')
    .where('domains.name', '=', name)
    .where('domains.projectId', '<>', HOSTED_PROJECT_ID)
    .where('dkimKeys.state', '=', 'active')
    .where(maySend(trustsManualVerification))
    .orderBy('domains.projectId')
    .execute();
  // Outside production, several projects may have verified the domain by hand. Copy the keys of only one of them.
  const copied = keys.filter(({ projectId }) => projectId === keys[0]?.projectId);
  if (copied.length === 0) return 'unverified';
  const now = clock.now();
  const id = newUuid();
  const made = await tx
    .insertInto('domains')
    .values({
      projectId: HOSTED_PROJECT_ID,
      id,
      name,
      status: 'verified',
      createdAt: now,
      verifiedAt: now,
    })
    .onConflict((conflict) => conflict.columns(['projectId', 'name']).doNothing())
    .returning('id')
    .executeTakeFirst();
  if (made === undefined) return 'exists';
  const domainKey = { projectId: HOSTED_PROJECT_ID, domainId: id };
  await tx.insertInto('serviceDomains').values(domainKey).execute();
  await tx
    .insertInto('dkimKeys')
    .values(copied.map((key) => copyKey(sealer, key, { ...domainKey, selector: key.selector })))
    .execute();
  await recordChange(tx, {
    of: 'installation',
    action: 'domain.copy-to-installation',
    target: name,
    after: { domain_id: encodeId('dom', id), dkim_selectors: copied.map(({ selector }) => selector) },
  });
  return 'copied';
}
