/**
 * Keeps service mail, such as password resets and invitations, out of mailboxes that several people can open. A grant and a delivery of
 * service mail lock the row of the mailbox, so that one of them sees the other:
 *
 * - A mailbox that is shared or has members receives no service mail, whatever address the mail was sent to (alias, catch-all).
 * - The same applies for a minute after a member was removed, because a request that was admitted before may still run.
 * - A mailbox that received service mail cannot be shared before the links in the mail have expired.
 */
import { sql } from 'kysely';
import { INVITATION_HOURS } from '../../accounts/limits.ts';
import { columnsOf } from '../../db/columns.ts';
import type { Database, DatabaseTransaction } from '../../db/database.ts';
import { validationError } from '../../model/app-error.ts';
import { addressOf } from '../local-part.ts';

interface MailboxId {
  projectId: string;
  mailboxId: string;
}

/** Longer than a request of a former member can run that was admitted before the grant was revoked. */
const AFTER_UNSHARED_SECONDS = 60;

const SHARABLE = columnsOf({ localPart: 'text', domain: 'text', freeAt: 'timestamptz?' });

/**
 * Finds a mailbox for a grant, whose row the caller has locked.
 *
 * @returns null if the project has no such mailbox
 * @throws AppError validation-failed while links in its service mail may be valid
 */
export async function findSharable(
  tx: DatabaseTransaction,
  { projectId, mailboxId }: MailboxId,
): Promise<{ address: string } | null> {
  const { rows } = await SHARABLE.sql`
    select local_part, domain,
      case when service_mail_at > now() - ${INVITATION_HOURS} * interval '1 hour' then service_mail_at + ${INVITATION_HOURS} * interval '1 hour' end
        as free_at
    from mailboxes where project_id = ${projectId} and id = ${mailboxId}`.execute(tx);
  const [row] = rows;
  if (row === undefined) return null;
  const { localPart, domain, freeAt } = row;
  if (freeAt !== null)
    throw validationError({
      member: `cannot get access yet: the mailbox contains mail of the service with links that may open an account. Share it after ${freeAt.toISOString().slice(0, 16).replace('T', ' ')} UTC, when the links have expired`,
    });
  return { address: addressOf({ localPart, domain }) };
}

/**
 * Records that service mail is about to be stored in a mailbox.
 * @returns false if several people can open the mailbox or could until a moment ago, so that the mail must not be stored
 */
export function admitServiceMail(database: Database, { projectId, mailboxId }: MailboxId): Promise<boolean> {
  return database.transaction().execute(async (tx) => {
    await sql`select from mailboxes where project_id = ${projectId} and id = ${mailboxId} for no key update`.execute(
      tx,
    );
    // A separate statement after the lock, because it sees the grants that were committed while this transaction waited.
    const { numAffectedRows } = await sql`
      update mailboxes m set service_mail_at = now() where project_id = ${projectId} and id = ${mailboxId} and not is_shared
        and (unshared_at is null or unshared_at < clock_timestamp() - ${AFTER_UNSHARED_SECONDS} * interval '1 second')
        and not exists (select from mailbox_grants g where g.project_id = m.project_id and g.mailbox_id = m.id)`.execute(
      tx,
    );
    return numAffectedRows === 1n;
  });
}
