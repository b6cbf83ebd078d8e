/** Removes a domain of the installation for the service's own mail, with its DKIM keys. */
import { recordChange } from '../accounts/audit.ts';
import { columnsOf } from '../db/columns.ts';
import { rowIs } from '../db/row-is.ts';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { AppError } from '../model/app-error.ts';
import { encodeId } from '../model/ids.ts';
import { readKeys } from './claim.ts';
import { HOSTED_PROJECT_ID } from './hosted.ts';
import { findServiceDomain } from './own-service-domains.ts';
import { lockServiceMailDomain } from './service-domain.ts';

interface RemoveOptions {
  /** A-labels, lower case. */
  name: string;
  /** The domain of POSTHORN_MAIL_FROM in the caller's environment; null if it is not set. */
  configuredDomain: string | null;
  /** If false, nothing is removed, and only the obstacles are reported. */
  isConfirmed: boolean;
}

/**
 * Removes the domain. A project's claim on the same name is not changed, and addresses that sent service mail stay reserved. The caller is
 * an operator, and the change is recorded in the audit log of the installation.
 * @returns whether the keys were copies of a project's keys, which the project still has
 * @throws AppError not-found; domain-in-use: POSTHORN_MAIL_FROM names the domain, or service mail from the domain is queued; bad-request:
 * the removal is not confirmed
 */
export async function removeServiceDomain(
  database: Database,
  { name, configuredDomain, isConfirmed }: RemoveOptions,
): Promise<{ hadCopiedKeys: boolean }> {
  return database.transaction().execute(async (tx) => {
    // At the same time, a starting process may record the domain as the one that service mail is sent from. If that process commits first,
    // its record is visible here. Otherwise it waits for this transaction and then finds the domain removed.
    const sender = await lockServiceMailDomain(tx);
    const found = await findServiceDomain(tx, name, 'removal');
    // A hosted domain cannot be removed here, because projects send from it too.
    if (found === undefined || found.hasOwnKeys === null)
      throw new AppError('not-found', `The installation has no domain ${name} for its own mail.`);
    if (name === sender || name === configuredDomain)
      throw new AppError(
        'domain-in-use',
        `The service sends its own mail from ${name}. Set POSTHORN_MAIL_FROM to an address on another domain and restart all servers, then remove it.`,
      );
    // Without a key the queued mail would fail, and its recipient would wait for a link that never arrives.
    const queued = await countQueued(tx, name);
    if (queued > 0)
      throw new AppError(
        'domain-in-use',
        `${queued} ${queued === 1 ? 'recipient of service mail' : 'recipients of service mail'} from ${name} ${queued === 1 ? 'is' : 'are'} still queued and need its keys. Remove the domain when that mail is sent, or withdraw the mail.`,
      );
    if (!isConfirmed)
      throw new AppError(
        'bad-request',
        `This deletes the domain ${name} and its DKIM keys from the installation. Add --yes to confirm.`,
      );
    const keys = await readKeys(tx, [found.id], [HOSTED_PROJECT_ID]);
    await tx
      .deleteFrom('domains')
      .where((row) => rowIs(row, { projectId: HOSTED_PROJECT_ID, id: found.id }))
      .execute();
    await recordChange(tx, {
      of: 'installation',
      action: 'domain.remove-from-installation',
      target: name,
      before: {
        domain_id: encodeId('dom', found.id),
        dkim_selectors: keys.map(({ selector }) => selector).toSorted(),
      },
    });
    return { hadCopiedKeys: !found.hasOwnKeys };
  });
}

const QUEUED = columnsOf({ queued: 'float8' });

/** Counts the recipients of queued service mail from the domain. */
async function countQueued(tx: DatabaseTransaction, name: string): Promise<number> {
  const { rows } = await QUEUED.sql`
    select count(*)::float8 as queued from submissions s join queue q on q.email_id = s.id and q.project_id = s.project_id
    where s.project_id = ${HOSTED_PROJECT_ID}::uuid and s.kind = 'service' and s.from_domain = ${name}`.execute(
    tx,
  );
  return rows[0]?.queued ?? 0;
}
