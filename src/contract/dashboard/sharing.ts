/** Grants: who may open a mailbox besides its owner, or send for it (docs/shared-mailboxes.md). */
import { type Static, Type } from 'typebox';
import { MAILBOX_ACCESS, SENDING_RIGHTS } from '../../model/mailbox-rights.ts';
import { Id, MAX_ADDRESS_LENGTH, Nullable, Ref, Timestamp, Words } from '../schema.ts';

const Access = Words(MAILBOX_ACCESS, {
  description:
    'read: reads mail and changes nothing. write: also changes, adds and deletes mail and folders.',
});
const Sending = Words(SENDING_RIGHTS, {
  description:
    "on-behalf: sends from the shared mailbox's address, with the member's address in Sender. as: sends without naming the member.",
});
const Member = Type.String({
  minLength: 1,
  maxLength: MAX_ADDRESS_LENGTH,
  description: 'The address of a mailbox of the same project, whose owner gets access.',
});

export const MailboxGrant = Type.Object(
  {
    mailbox_id: Id('mbx'),
    address: Type.String(),
    display_name: Nullable(Type.String()),
    access: Access,
    sending: Sending,
    granted_at: Timestamp,
  },
  { $id: 'MailboxGrant' },
);
export type MailboxGrant = Static<typeof MailboxGrant>;

export const MailboxSharing = Type.Object(
  {
    data: Type.Array(Ref(MailboxGrant), {
      description: 'The members: the mailboxes whose owners have access to this mailbox. Sorted by address.',
    }),
    shared_with_it: Type.Array(Ref(MailboxGrant), {
      description: 'The mailboxes that the owner of this mailbox has access to. Sorted by address.',
    }),
    is_shared: Type.Boolean({ description: 'Whether the mailbox has no login of its own.' }),
  },
  { $id: 'MailboxSharing' },
);
export type MailboxSharing = Static<typeof MailboxSharing>;

export const ShareMailbox = Type.Object(
  { member: Member, access: Access, sending: Sending },
  { $id: 'ShareMailbox', additionalProperties: false },
);
export type ShareMailbox = Static<typeof ShareMailbox>;

export const UnshareMailbox = Type.Object({ member: Member }, { additionalProperties: false });
