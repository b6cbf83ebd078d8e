/**
 * A mailbox gets no members while a user signs in with one of its addresses. A grant, a new alias, and a new user or invitation lock the rows
 * of the same mailboxes, so that one of them sees the other. Not all users and invitations are considered, and addresses can change
 * afterwards; `service-mail.ts` protects users whose mailbox has members.
 */
import { sql } from 'kysely';
import { textArray } from '../../db/arrays.ts';
import { columnsOf } from '../../db/columns.ts';
import type { DatabaseTransaction } from '../../db/database.ts';
import { HOSTED_PROJECT_ID } from '../../domains/hosted.ts';
import { validationError } from '../../model/app-error.ts';
import { parseMailbox } from '../../rfc/address/index.ts';
import { mailboxKey } from '../local-part.ts';
import { isOwnAddress, ownAddresses } from '../own-addresses.ts';

const USED = columnsOf({ emailKey: 'text' });

/**
 * Finds the address of a mailbox, or of one of its aliases, with which a user signs in, or with which a person is invited to the
 * organization of the project. Unverified users and invitations of other organizations are not considered, because anyone can create them
 * for any address and would prevent the mailbox from being shared. Considers only domains whose mail is
 * delivered here. Otherwise, a project could add the domain of another provider and find out which addresses there belong to users.
 * Call after locking the row of the mailbox.
 * @returns null if there is no such address
 */
export async function findSignInAddress(
  tx: DatabaseTransaction,
  { projectId, mailboxId }: { projectId: string; mailboxId: string },
): Promise<string | null> {
  const own = await ownAddresses(tx, projectId, mailboxId);
  const { rows } = await USED.sql`
    select u.email_key from (
      select email_key from users where verifies_by is null
      union select l.email_key from projects p join sign_in_links l on l.organization_id = p.organization_id
        where p.id = ${projectId} and l.email_key is not null and l.expires_at > now()
    ) u join domains d on d.name = regexp_replace(u.email_key, '^.*@', '')
      and (d.project_id = ${HOSTED_PROJECT_ID} or d.project_id = ${projectId} and d.status in ('verified', 'warning'))
    where d.name = any(${textArray(own.map(({ domain }) => domain))}::text[])`.execute(tx);
  for (const { emailKey } of rows) {
    const parsed = parseMailbox(emailKey);
    if (!('error' in parsed) && isOwnAddress(parsed, own)) return emailKey;
  }
  return null;
}

/**
 * Checks the address of a new user or invitation.
 * @param organizationId considers only mailboxes of this organization, because the inviter must not find out whether a mailbox of another
 * organization has members. Null: all mailboxes, for operators
 * @throws AppError validation-failed if mail to the address is delivered to a shared mailbox or a mailbox with members
 */
export async function assertNotShared(
  tx: DatabaseTransaction,
  address: string,
  organizationId: string | null,
): Promise<void> {
  const parsed = parseMailbox(address);
  if ('error' in parsed) return;
  const key = mailboxKey(parsed.localPart);
  const receives = sql`(m.project_id, m.id) in (
    with claims as (
      select id from domains where name = ${parsed.domain} and (project_id = ${HOSTED_PROJECT_ID} or status in ('verified', 'warning'))
    ), receivers as (
    select b.project_id, b.id from claims c join mailboxes b on b.domain_id = c.id and b.local_part_key = ${key}
    union all select t.project_id, t.mailbox_id from claims c
      join aliases l on l.domain_id = c.id and l.local_part_key = ${key}
      join alias_mailboxes t on t.project_id = l.project_id and t.alias_id = l.id
    )
    select r.project_id, r.id from receivers r join projects p on p.id = r.project_id
    where ${organizationId}::uuid is null or p.organization_id = ${organizationId}::uuid)`;
  // In the order in which a grant locks mailboxes, to avoid a deadlock.
  await sql`select from mailboxes m where ${receives} order by m.id for no key update`.execute(tx);
  // A separate statement after the lock, because it sees the grants that were committed while this transaction waited.
  const shared = await sql`
    select from mailboxes m where ${receives} and (m.is_shared
      or exists (select from mailbox_grants g where g.project_id = m.project_id and g.mailbox_id = m.id))`.execute(
    tx,
  );
  if (shared.rows.length > 0)
    throw validationError({
      email:
        'is the address of a mailbox that several people can open, and a sign-in address is never shared. Use another address',
    });
}
