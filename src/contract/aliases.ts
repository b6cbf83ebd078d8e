/** Aliases: addresses that deliver to mailboxes (docs/contract.md, Aliases). An addition to the contract. */
import { Type } from 'typebox';
import { EXAMPLE_IDS, Id, Ref, Timestamp } from './schema.ts';

/** The maximum length of a local part in characters, as for a mailbox. The core also limits its octets. */
const MAX_LOCAL_PART_LENGTH = 64;
/** An alias delivers to at most this many mailboxes. A message to the alias is stored in all these mailboxes in one commit. */
const MAX_MAILBOXES = 50;

const MailboxIds = Type.Array(Type.String(), {
  minItems: 1,
  maxItems: MAX_MAILBOXES,
  description:
    'The mailboxes of the project that receive mail for the alias and can send from it. Duplicates count once.',
});

export const CreateAlias = Type.Object(
  {
    domain_id: Type.String({ description: 'A domain of the project, or the hosted domain.' }),
    local_part: Type.String({
      minLength: 1,
      maxLength: MAX_LOCAL_PART_LENGTH,
      description:
        'The part before the @, with the same rules as for mailboxes: mail to name+tag is delivered to name. Must be unique among the mailboxes and aliases of the domain.',
    }),
    mailbox_ids: MailboxIds,
  },
  {
    $id: 'CreateAlias',
    additionalProperties: false,
    description: 'Addition to contract 0.3.0.',
    examples: [
      {
        domain_id: EXAMPLE_IDS.dom,
        local_part: 'sales',
        mailbox_ids: [EXAMPLE_IDS.mbx],
      },
    ],
  },
);
export type CreateAlias = Type.Static<typeof CreateAlias>;

export const UpdateAlias = Type.Object(
  { mailbox_ids: Type.Optional(MailboxIds) },
  {
    $id: 'UpdateAlias',
    additionalProperties: false,
    description: 'Addition to contract 0.3.0. The list replaces the previous one.',
    examples: [{ mailbox_ids: [EXAMPLE_IDS.mbx] }],
  },
);
export type UpdateAlias = Type.Static<typeof UpdateAlias>;

const example = {
  id: EXAMPLE_IDS.als,
  domain_id: EXAMPLE_IDS.dom,
  address: 'sales@acme.example',
  local_part: 'sales',
  domain: 'acme.example',
  mailbox_ids: [EXAMPLE_IDS.mbx],
  created_at: '2026-11-20T15:04:05.123Z',
};

export const Alias = Type.Object(
  {
    id: Id('als'),
    domain_id: Id('dom'),
    address: Type.String({ description: 'local_part@domain' }),
    local_part: Type.String({ description: 'As provided.' }),
    domain: Type.String({ description: 'In lower case; an internationalized name as A-labels.' }),
    mailbox_ids: Type.Array(Id('mbx'), {
      description:
        'Oldest first. A deleted mailbox is removed from the list; deleting the last one deletes the alias.',
    }),
    created_at: Timestamp,
  },
  { $id: 'Alias', description: 'Addition to contract 0.3.0.', examples: [example] },
);
export type Alias = Type.Static<typeof Alias>;

export const AliasList = Type.Object(
  { data: Type.Array(Ref(Alias), { description: 'Oldest first.' }) },
  { $id: 'AliasList', description: 'Addition to contract 0.3.0.', examples: [{ data: [example] }] },
);
export type AliasList = Type.Static<typeof AliasList>;
