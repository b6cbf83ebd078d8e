/** Implements the operations of `operations.ts`. */
import type { Run } from '../accounts/calls.ts';
import type { SaveContact } from '../contract/mail/contacts.ts';
import type { Database } from '../db/database.ts';
import type { MailboxKey } from '../store/lock-mailboxes.ts';
import { exportCards, importCards } from './contact-cards.ts';
import { forgetContact } from './forget.ts';
import { findContact, listContacts } from './list-contacts.ts';
import type { CONTACT_OPERATIONS } from './operations.ts';
import { saveContact } from './save-contact.ts';

/** The parts of the core that the operations need. */
export interface ContactParts {
  /** The database pool of the web client. */
  mailDatabase: Database;
}

export const run: Run<typeof CONTACT_OPERATIONS, ContactParts> = {
  listContacts: ({ mailDatabase }, { mailbox, query }) => listContacts(mailDatabase, mailbox, query),
  findContact: ({ mailDatabase }, { mailbox, query }) => findContact(mailDatabase, mailbox, query.address),
  createContact: ({ mailDatabase }, { mailbox, body }) => save(mailDatabase, mailbox, null, body),
  changeContact: ({ mailDatabase }, { mailbox, id, body }) => save(mailDatabase, mailbox, id, body),
  forgetContact: ({ mailDatabase }, { mailbox, query }) =>
    forgetContact(mailDatabase, mailbox, query.address),
  exportContacts: async ({ mailDatabase }, { mailbox }) => ({
    cards: await exportCards(mailDatabase, mailbox),
  }),
  importContacts: ({ mailDatabase }, { mailbox, body }) => importCards(mailDatabase, mailbox, body.cards),
};

async function save(database: Database, mailbox: MailboxKey, id: string | null, body: SaveContact) {
  await saveContact(database, mailbox, id, body);
  return findContact(database, mailbox, body.addresses[0] ?? '');
}
