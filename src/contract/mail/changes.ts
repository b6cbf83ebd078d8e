/** The changes in a mailbox since a list of messages was read. */
import { Type } from 'typebox';
import { Id, Ref } from '../schema.ts';
import { ConversationRow } from './conversations.ts';
import { MailFolder, MailState, MAX_STATE_LENGTH } from './folders.ts';

export const MailChangesQuery = Type.Object(
  {
    since: Type.String({
      minLength: 1,
      maxLength: MAX_STATE_LENGTH,
      description: 'A state of this mailbox.',
    }),
  },
  { additionalProperties: false },
);
export type MailChangesQuery = Type.Static<typeof MailChangesQuery>;

export const MailChanges = Type.Object(
  {
    state: MailState,
    folders: Type.Array(Ref(MailFolder), { description: 'All of them, in the order of GET folders.' }),
    conversations: Type.Object({
      changed: Type.Array(Ref(ConversationRow), {
        description: 'New and changed conversations, each with its folder, in their current state.',
      }),
      gone: Type.Array(Type.Object({ folder: Id('fld'), id: Id('thr') })),
    }),
    too_many: Type.Boolean({
      description:
        'True: there were too many changes, or the state is too old. Both lists are then empty: reload the list of conversations.',
    }),
  },
  { $id: 'MailChanges' },
);
export type MailChanges = Type.Static<typeof MailChanges>;

/** The data of `event: change` in GET events. */
export const MailChangeEvent = Type.Object(
  {
    folders: Type.Array(Id('fld'), {
      description: 'The folders that changed. Empty: any folder may have changed; request the changes.',
    }),
  },
  { $id: 'MailChangeEvent' },
);
export type MailChangeEvent = Type.Static<typeof MailChangeEvent>;
