/** Operations on the contacts of a mailbox. `run.ts` implements them. */
import {
  Contact,
  ContactCards,
  ContactList,
  ContactQuery,
  ContactsQuery,
  ImportedContacts,
  SaveContact,
} from '../contract/mail/contacts.ts';
import { declare } from '../contract/operation.ts';

/** A file of contacts, as JSON. */
const MAX_CARDS_BYTES = 16 * 1_048_576;

export const CONTACT_OPERATIONS = {
  listContacts: declare({
    summary: 'List or search the people that the mailbox knows, by name',
    description:
      'Saved contacts, people found in sent and received mail, and the directory if the project shows it.',
    query: ContactsQuery,
    success: { status: 200, description: 'A page.', body: ContactList },
    doors: { mail: { route: 'GET /mailboxes/{mailbox}/contacts', member: 'read' } },
  }),
  findContact: declare({
    summary: 'Get the person with an address',
    query: ContactQuery,
    success: { status: 200, description: 'The person.', body: Contact },
    errors: ['not-found'],
    doors: { mail: { route: 'GET /mailboxes/{mailbox}/contact', member: 'read' } },
  }),
  createContact: declare({
    summary: 'Save a contact',
    body: SaveContact,
    success: { status: 201, description: 'The contact.', body: Contact },
    errors: ['already-exists', 'plan-limit-exceeded'],
    doors: { mail: { route: 'POST /mailboxes/{mailbox}/contacts', member: 'write' } },
  }),
  changeContact: declare({
    summary: 'Change a contact, or merge contacts',
    body: SaveContact,
    success: { status: 200, description: 'The contact.', body: Contact },
    errors: ['already-exists'],
    doors: {
      mail: {
        route: 'PUT /mailboxes/{mailbox}/contacts/{id}',
        member: 'write',
        resource: { name: 'contact', prefix: 'ctc' },
      },
    },
  }),
  forgetContact: declare({
    summary: 'Forget the person with an address',
    description:
      'Deletes all addresses of the person. Received mail does not bring them back; writing to them does.',
    query: ContactQuery,
    success: { status: 204, description: 'Forgotten.' },
    doors: { mail: { route: 'DELETE /mailboxes/{mailbox}/contacts', member: 'write' } },
  }),
  exportContacts: declare({
    summary: 'Export all people except those of the directory, as vCard',
    success: { status: 200, description: 'The file.', body: ContactCards },
    doors: { mail: { route: 'GET /mailboxes/{mailbox}/contact-cards', member: 'read' } },
  }),
  importContacts: declare({
    summary: 'Import contacts from a vCard file',
    description: 'A card that has an address of a saved contact completes that contact.',
    body: ContactCards,
    success: { status: 200, description: 'How many contacts were imported.', body: ImportedContacts },
    doors: {
      mail: {
        route: 'POST /mailboxes/{mailbox}/contact-cards',
        member: 'write',
        maxBodyBytes: MAX_CARDS_BYTES,
      },
    },
  }),
};
