/** Folders of a mailbox for its owner (docs/mailboxes.md, Folders and messages). */
import { Type } from 'typebox';
import { FOLDER_ROLES, type FolderRole } from '../../model/folder-roles.ts';
import { Id, Nullable, Ref, Words } from '../schema.ts';

const ROLES = Object.keys(FOLDER_ROLES) as FolderRole[];
const Count = Type.Integer({ minimum: 0 });

export const MailFolder = Type.Object(
  {
    id: Id('fld'),
    name: Type.String({ description: 'The last part of the path.' }),
    path: Type.String({ description: 'The full path, with parent folders separated by /.' }),
    role: Nullable(Words(ROLES, { description: 'The role of a standard folder. Null: a custom folder.' })),
    is_snoozed: Type.Boolean({ description: 'Whether it is the folder in which snoozed mail waits.' }),
    messages: Count,
    unread: Count,
    conversations: Count,
  },
  { $id: 'MailFolder' },
);
export type MailFolder = Type.Static<typeof MailFolder>;

const MailQuota = Type.Object({
  octets: Type.Integer({ minimum: 0, description: 'The size of all messages in all folders.' }),
  limit_octets: Type.Integer({ minimum: 0 }),
});

/** The maximum length of a list's state. The state grows with the number of folders, of which a mailbox has at most 1,000. */
export const MAX_STATE_LENGTH = 12_000;
export const MailState = Type.String({
  description: 'The state of the mailbox in this response, for GET changes?since=.',
});

export const MailFolderList = Type.Object(
  {
    state: MailState,
    data: Type.Array(Ref(MailFolder), {
      description: 'Standard folders first (inbox, drafts, sent, archive, junk, trash), then sorted by path.',
    }),
    quota: MailQuota,
  },
  { $id: 'MailFolderList' },
);
export type MailFolderList = Type.Static<typeof MailFolderList>;

const FolderPath = Type.String({
  minLength: 1,
  maxLength: 255,
  description: 'The full path. Missing parent folders are created.',
});

export const CreateMailFolder = Type.Object(
  { path: FolderPath },
  { $id: 'CreateMailFolder', additionalProperties: false },
);

export const RenameMailFolder = Type.Object(
  { path: FolderPath },
  { $id: 'RenameMailFolder', additionalProperties: false },
);
