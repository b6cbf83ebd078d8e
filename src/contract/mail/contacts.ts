/** The contacts of a mailbox (docs/web-client.md, People). */
import { Type } from 'typebox';
import { Id, MAX_ADDRESS_LENGTH, Nullable, Ref, Words } from '../schema.ts';

export const MAX_CONTACT_NAME = 256;
export const MAX_CONTACT_NOTE = 4_000;
export const MAX_CONTACT_ADDRESSES = 20;
export const MAX_CONTACTS_PAGE = 100;
/** The maximum number of characters in a file of contacts. */
export const MAX_CARDS = 5_000_000;

export const Contact = Type.Object(
  {
    id: Nullable(
      Type.Unsafe<string>({
        ...Id('ctc'),
        description: 'Null: found in mail or in the directory, and not saved.',
      }),
    ),
    source: Words(['contact', 'mail', 'directory'], {
      description:
        'Saved by a user of the mailbox, found in its mail, or listed in the directory of the project.',
    }),
    name: Nullable(Type.String()),
    note: Type.String({ description: 'Empty: none.' }),
    addresses: Type.Array(Type.String(), { minItems: 1, description: 'The preferred address first.' }),
  },
  { $id: 'Contact' },
);
export type Contact = Type.Static<typeof Contact>;

export const ContactsQuery = Type.Object(
  {
    q: Type.Optional(
      Type.String({ maxLength: 100, description: 'The beginnings of words of a name or an address.' }),
    ),
    at: Type.Integer({
      minimum: 0,
      maximum: 50_000,
      default: 0,
      description: 'The index of the first contact.',
    }),
    limit: Type.Integer({ minimum: 1, maximum: MAX_CONTACTS_PAGE, default: MAX_CONTACTS_PAGE }),
  },
  { additionalProperties: false },
);
export type ContactsQuery = Type.Static<typeof ContactsQuery>;

export const ContactList = Type.Object(
  {
    data: Type.Array(Ref(Contact), { description: 'By name.' }),
    total: Type.Integer({ minimum: 0 }),
    is_complete: Type.Boolean({
      description: 'False while the mail of the mailbox is being read for addresses.',
    }),
  },
  { $id: 'ContactList' },
);
export type ContactList = Type.Static<typeof ContactList>;

const Address = Type.String({ maxLength: MAX_ADDRESS_LENGTH });

export const ContactQuery = Type.Object({ address: Address }, { additionalProperties: false });

export const SaveContact = Type.Object(
  {
    name: Nullable(Type.String({ maxLength: MAX_CONTACT_NAME })),
    note: Type.String({ maxLength: MAX_CONTACT_NOTE, default: '' }),
    addresses: Type.Array(Address, { minItems: 1, maxItems: MAX_CONTACT_ADDRESSES }),
    merge: Type.Boolean({
      default: false,
      description:
        'Whether addresses of other contacts are moved to this contact. A contact without addresses is deleted. False: returns 409 already-exists.',
    }),
  },
  { $id: 'SaveContact', additionalProperties: false },
);
export type SaveContact = Type.Static<typeof SaveContact>;

export const ContactCards = Type.Object(
  { cards: Type.String({ maxLength: MAX_CARDS, description: 'A file of contacts in the format vCard.' }) },
  { $id: 'ContactCards', additionalProperties: false },
);

export const ImportedContacts = Type.Object(
  {
    imported: Type.Integer({
      minimum: 0,
      description: 'The number of contacts that were added or completed.',
    }),
    skipped: Type.Integer({
      minimum: 0,
      description: 'The number of cards without a valid address, or beyond the limit.',
    }),
  },
  { $id: 'ImportedContacts' },
);
export type ImportedContacts = Type.Static<typeof ImportedContacts>;
