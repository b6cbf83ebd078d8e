/** Imports and exports contacts as vCards. */
import type { ImportedContacts } from '../contract/mail/contacts.ts';
import { MAX_CONTACT_ADDRESSES, MAX_CONTACT_NAME, MAX_CONTACT_NOTE } from '../contract/mail/contacts.ts';
import { columnsOf } from '../db/columns.ts';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { retryingConflicts } from '../db/retry.ts';
import { newUuid } from '../model/ids.ts';
import { parseMailbox } from '../rfc/address/index.ts';
import { readCards, type Card } from '../rfc/vcard/read-cards.ts';
import { formatCard } from '../rfc/vcard/format-card.ts';
import type { MailboxKey } from '../store/lock-mailboxes.ts';
import { allContacts } from './list-contacts.ts';
import { MAX_CONTACTS } from './limits.ts';
import {
  contactOf,
  countContacts,
  lockContacts,
  type NewContact,
  ownersOf,
  putContact,
} from './save-contact.ts';

/** Cards per transaction, so that mail can be read for addresses in between. */
const SLICE = 200;

export async function exportCards(database: Database, mailbox: MailboxKey): Promise<string> {
  const contacts = await allContacts(database, mailbox);
  return contacts.map(({ name, note, addresses }) => formatCard({ name, note, addresses })).join('');
}

/** Adds the contacts of a file. A card with an address of a saved contact adds its other addresses, and its name and note if the contact has none. */
export async function importCards(
  database: Database,
  mailbox: MailboxKey,
  text: string,
): Promise<ImportedContacts> {
  const { cards, skipped } = readCards(text, MAX_CONTACTS);
  const contacts = cards.map(contactOfCard).filter((contact) => contact !== null);
  let imported = 0;
  for (let at = 0; at < contacts.length; at += SLICE) {
    const slice = contacts.slice(at, at + SLICE);
    imported += await retryingConflicts(() =>
      database.transaction().execute(async (tx) => importSlice(tx, mailbox, slice)),
    );
  }
  return { imported, skipped: skipped + cards.length - imported };
}

async function importSlice(
  tx: DatabaseTransaction,
  mailbox: MailboxKey,
  contacts: readonly NewContact[],
): Promise<number> {
  await lockContacts(tx, mailbox);
  let [count, imported] = [await countContacts(tx, mailbox), 0];
  for (const contact of contacts) {
    const [owner] = await ownersOf(tx, mailbox, contact, null);
    if (owner === undefined && count >= MAX_CONTACTS) continue;
    if (owner === undefined) count++;
    const merged = owner === undefined ? contact : await completed(tx, mailbox, owner, contact);
    await putContact(tx, mailbox, owner ?? newUuid(), merged);
    imported++;
  }
  return imported;
}

const STORED = columnsOf({ name: 'text?', note: 'text', addresses: 'text[]' });

/** A stored contact with the data of a card that it lacks. */
async function completed(
  tx: DatabaseTransaction,
  { projectId, mailboxId }: MailboxKey,
  id: string,
  card: NewContact,
): Promise<NewContact> {
  const { rows } = await STORED.sql`
    select c.name, c.note, array_agg(a.address order by a.position) as addresses from contacts c
    join contact_addresses a on a.project_id = c.project_id and a.mailbox_id = c.mailbox_id and a.contact_id = c.id
    where c.project_id = ${projectId} and c.mailbox_id = ${mailboxId} and c.id = ${id} group by c.name, c.note`.execute(
    tx,
  );
  const [stored] = rows;
  if (stored === undefined) return card;
  const addresses = [...stored.addresses, ...card.addresses.map(({ address }) => address)];
  const all = contactOf({ name: stored.name ?? card.name, note: stored.note || card.note, addresses });
  return {
    ...all,
    addresses: all.addresses.slice(0, Math.max(MAX_CONTACT_ADDRESSES, stored.addresses.length)),
  };
}

function contactOfCard({ name, note, addresses }: Card): NewContact | null {
  const valid = addresses.filter((address) => !('error' in parseMailbox(address.trim())));
  if (valid.length === 0) return null;
  return contactOf({
    name: name?.slice(0, MAX_CONTACT_NAME) ?? null,
    note: note.slice(0, MAX_CONTACT_NOTE),
    addresses: valid.slice(0, MAX_CONTACT_ADDRESSES),
  });
}
