/** Forgets people, for the user of a mailbox and when a project erases a person. */
import { sql } from 'kysely';
import { columnsOf } from '../db/columns.ts';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { retryingConflicts } from '../db/retry.ts';
import * as clock from '../model/clock.ts';
import type { MailboxKey } from '../store/lock-mailboxes.ts';
import { digestOf } from './found-addresses.ts';
import { MAX_FORGOTTEN } from './limits.ts';
import { deleteEmptyContacts, lockContacts } from './save-contact.ts';

const KEY = columnsOf({ key: 'text' });
const MAILBOX = columnsOf({ projectId: 'uuid', mailboxId: 'uuid' });

/** Forgets the person with an address: all addresses of the contact, or an address that was found in mail. */
export async function forgetContact(database: Database, mailbox: MailboxKey, address: string): Promise<void> {
  const key = address.toLowerCase();
  await retryingConflicts(() =>
    database.transaction().execute(async (tx) => {
      await lockContacts(tx, mailbox);
      const { rows } = await KEY.sql`
        select o.address_key as key from contact_addresses a
        join contact_addresses o on o.project_id = a.project_id and o.mailbox_id = a.mailbox_id and o.contact_id = a.contact_id
        where a.project_id = ${mailbox.projectId} and a.mailbox_id = ${mailbox.mailboxId} and a.address_key = ${key}`.execute(
        tx,
      );
      await forget(tx, mailbox, rows.length === 0 ? [key] : rows.map((row) => row.key));
    }),
  );
}

/** Erases an address from the contacts of all mailboxes of a project. @param projectId null for all projects */
export async function eraseFromContacts(
  tx: DatabaseTransaction,
  projectId: string | null,
  address: string,
): Promise<void> {
  const key = address.toLowerCase();
  const isOf = sql`address_key = ${key} and (${projectId}::uuid is null or project_id = ${projectId})`;
  const { rows: mailboxes } = await MAILBOX.sql`
    select project_id, mailbox_id from written_addresses where ${isOf}
    union select project_id, mailbox_id from contact_addresses where ${isOf}
    order by project_id, mailbox_id`.execute(tx);
  for (const mailbox of mailboxes) {
    await lockContacts(tx, mailbox);
    await forget(tx, mailbox, [key]);
  }
}

async function forget(tx: DatabaseTransaction, mailbox: MailboxKey, keys: readonly string[]): Promise<void> {
  const { projectId, mailboxId } = mailbox;
  const isOf = sql`project_id = ${projectId} and mailbox_id = ${mailboxId}`;
  await sql`delete from written_addresses where ${isOf} and address_key = any(${keys}::text[])`.execute(tx);
  await sql`delete from contact_addresses where ${isOf} and address_key = any(${keys}::text[])`.execute(tx);
  await deleteEmptyContacts(tx, sql`c.project_id = ${projectId} and c.mailbox_id = ${mailboxId}`);
  const forgottenAt = clock.now();
  await tx
    .insertInto('forgottenAddresses')
    .values(keys.map((key) => ({ projectId, mailboxId, digest: digestOf(mailbox, key), forgottenAt })))
    .onConflict((same) => same.columns(['projectId', 'mailboxId', 'digest']).doUpdateSet({ forgottenAt }))
    .execute();
  await sql`
    delete from forgotten_addresses where ${isOf} and digest in (
      select digest from forgotten_addresses where ${isOf} order by forgotten_at desc offset ${MAX_FORGOTTEN})`.execute(
    tx,
  );
}
