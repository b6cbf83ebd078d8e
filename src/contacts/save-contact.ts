/** Saves contacts. The row of `contact_harvests` is locked, so changes of the contacts of a mailbox follow each other. */
import { sql } from 'kysely';
import type { SaveContact } from '../contract/mail/contacts.ts';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { retryingConflicts } from '../db/retry.ts';
import { rowsOf } from '../db/rows.ts';
import { AppError, validationError } from '../model/app-error.ts';
import * as clock from '../model/clock.ts';
import { newUuid } from '../model/ids.ts';
import { parseMailbox } from '../rfc/address/index.ts';
import type { MailboxKey } from '../store/lock-mailboxes.ts';
import { wordsOf } from './address-words.ts';
import { rememberAgain } from './found-addresses.ts';
import { beginHarvest } from './harvest.ts';
import { MAX_CONTACTS } from './limits.ts';

interface ContactAddress {
  key: string;
  address: string;
}

export interface NewContact {
  name: string | null;
  note: string;
  addresses: readonly ContactAddress[];
}

const ADDRESSES = rowsOf<ContactAddress & { position: number; words: string }>('n', {
  address_key: ['text', ({ key }) => key],
  address: ['text', ({ address }) => address],
  position: ['int4', ({ position }) => position],
  words: ['text', ({ words }) => words],
});

/** @throws AppError validation-failed */
export function contactOf({
  name,
  note,
  addresses,
}: Pick<SaveContact, 'name' | 'note' | 'addresses'>): NewContact {
  const keys = new Map<string, ContactAddress>();
  for (const text of addresses) {
    const parsed = parseMailbox(text.trim());
    if ('error' in parsed)
      throw validationError({ addresses: `${text} is not a valid address: ${parsed.error}` });
    keys.set(parsed.address.toLowerCase(), { key: parsed.address.toLowerCase(), address: parsed.address });
  }
  const clean = (name ?? '').replace(/\s+/g, ' ').trim();
  return { name: clean === '' ? null : clean, note: note.trim(), addresses: [...keys.values()] };
}

/**
 * @param id null to create a contact
 * @returns the id of the contact
 * @throws AppError validation-failed, not-found, already-exists, plan-limit-exceeded
 */
export async function saveContact(
  database: Database,
  mailbox: MailboxKey,
  id: string | null,
  body: SaveContact,
): Promise<string> {
  const contact = contactOf(body);
  return retryingConflicts(() =>
    database.transaction().execute(async (tx) => {
      await lockContacts(tx, mailbox);
      if (id !== null && !(await exists(tx, mailbox, id)))
        throw new AppError('not-found', 'There is no such contact in this mailbox.');
      if (id === null && (await countContacts(tx, mailbox)) >= MAX_CONTACTS)
        throw new AppError(
          'plan-limit-exceeded',
          `A mailbox can have ${MAX_CONTACTS} contacts. Forget some of them first.`,
        );
      const others = await ownersOf(tx, mailbox, contact, id);
      if (others.length > 0 && !body.merge)
        throw new AppError(
          'already-exists',
          'Another contact has one of these addresses. Merge the two contacts.',
        );
      const contactId = id ?? newUuid();
      await putContact(tx, mailbox, contactId, contact);
      return contactId;
    }),
  );
}

/** Waits until no other change of the contacts is in progress. */
export async function lockContacts(tx: DatabaseTransaction, mailbox: MailboxKey): Promise<void> {
  await beginHarvest(tx, mailbox);
  await sql`
    select from contact_harvests where project_id = ${mailbox.projectId} and mailbox_id = ${mailbox.mailboxId} for update`.execute(
    tx,
  );
}

/** Replaces a contact. Addresses of other contacts are moved to it, and contacts that then have no address are deleted. */
export async function putContact(
  tx: DatabaseTransaction,
  mailbox: MailboxKey,
  id: string,
  { name, note, addresses }: NewContact,
): Promise<void> {
  const { projectId, mailboxId } = mailbox;
  const keys = addresses.map(({ key }) => key);
  const isOf = sql`project_id = ${projectId} and mailbox_id = ${mailboxId}`;
  await sql`
    insert into contacts (project_id, mailbox_id, id, name, note, changed_at)
    values (${projectId}, ${mailboxId}, ${id}, ${name}, ${note}, ${clock.now()})
    on conflict (project_id, mailbox_id, id) do update set name = excluded.name, note = excluded.note, changed_at = excluded.changed_at`.execute(
    tx,
  );
  await sql`
    delete from contact_addresses where ${isOf} and (contact_id = ${id} or address_key = any(${keys}::text[]))`.execute(
    tx,
  );
  const rows = addresses.map((one, position) => ({ ...one, position, words: wordsOf(name, one.address) }));
  await sql`
    insert into contact_addresses (project_id, mailbox_id, contact_id, ${ADDRESSES.names})
    select ${projectId}::uuid, ${mailboxId}::uuid, ${id}::uuid, ${ADDRESSES.values} from ${ADDRESSES.from(rows)}`.execute(
    tx,
  );
  await deleteEmptyContacts(tx, sql`c.project_id = ${projectId} and c.mailbox_id = ${mailboxId}`);
  await rememberAgain(tx, mailbox, keys);
}

/** @param which the condition on the row `c` of `contacts` */
export async function deleteEmptyContacts(
  tx: DatabaseTransaction,
  which: ReturnType<typeof sql>,
): Promise<void> {
  await sql`
    delete from contacts c where ${which} and not exists (
      select from contact_addresses a
      where a.project_id = c.project_id and a.mailbox_id = c.mailbox_id and a.contact_id = c.id)`.execute(tx);
}

/** The ids of the other contacts that have one of the addresses. */
export async function ownersOf(
  tx: DatabaseTransaction,
  { projectId, mailboxId }: MailboxKey,
  { addresses }: NewContact,
  id: string | null,
): Promise<string[]> {
  const rows = await tx
    .selectFrom('contactAddresses')
    .select('contactId')
    .distinct()
    .where('projectId', '=', projectId)
    .where('mailboxId', '=', mailboxId)
    .where(
      'addressKey',
      'in',
      addresses.map(({ key }) => key),
    )
    .execute();
  return rows.map(({ contactId }) => contactId).filter((other) => other !== id);
}

export async function countContacts(
  tx: DatabaseTransaction,
  { projectId, mailboxId }: MailboxKey,
): Promise<number> {
  const { count } = await tx
    .selectFrom('contacts')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('projectId', '=', projectId)
    .where('mailboxId', '=', mailboxId)
    .executeTakeFirstOrThrow();
  return count;
}

async function exists(
  tx: DatabaseTransaction,
  { projectId, mailboxId }: MailboxKey,
  id: string,
): Promise<boolean> {
  const row = await tx
    .selectFrom('contacts')
    .select('id')
    .where('projectId', '=', projectId)
    .where('mailboxId', '=', mailboxId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row !== undefined;
}
