/** The owner's actions on messages in a mailbox. Mail apps see the results immediately. */
import { Type } from 'typebox';
import { Id, Nullable, Timestamp, Words } from '../schema.ts';
import { MAX_KEYWORD } from './labels.ts';
import { MAX_QUERY_LENGTH } from './conversations.ts';

const MAIL_ACTIONS = [
  'move',
  'archive',
  'junk',
  'not-junk',
  'trash',
  'delete',
  'seen',
  'unseen',
  'star',
  'unstar',
  'pin',
  'unpin',
  'mute',
  'unmute',
  'label',
  'unlabel',
  'snooze',
  'unsnooze',
] as const;
export type MailAction = (typeof MAIL_ACTIONS)[number];

/** The maximum number of ids in one request. To change more messages, clients use `all`. */
export const MAX_NAMED = 200;
export const MAX_UNDO_LENGTH = 160 * 1024;
const MAX_CONTINUE_LENGTH = 300;
/** The maximum number of tokens in one `POST actions/undo`. An action on a long list returns several tokens. */
export const MAX_UNDOS = 20;

export const MailActionRequest = Type.Object(
  {
    action: Words(MAIL_ACTIONS, {
      description:
        'junk and not-junk also train the spam filter. delete is permanent, and works only in Trash and Junk. star and pin mark the newest message of a conversation; unstar and unpin clear all of them. mute marks all messages of a conversation and archives it; later mail of the conversation goes to the Archive. snooze moves messages to the folder Snoozed until a time; unsnooze returns them at once.',
    }),
    conversations: Type.Optional(Type.Array(Id('thr'), { minItems: 1, maxItems: MAX_NAMED })),
    messages: Type.Optional(Type.Array(Id('msg'), { minItems: 1, maxItems: MAX_NAMED })),
    all: Type.Optional(
      Type.Object(
        {
          folder: Type.Optional(Id('fld')),
          q: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_QUERY_LENGTH })),
          continue: Type.Optional(
            Type.String({
              maxLength: MAX_CONTINUE_LENGTH,
              description: 'The value from the previous response.',
            }),
          ),
        },
        {
          additionalProperties: false,
          description:
            'Either all messages of a folder, as of the first request, or all conversations that match a search.',
        },
      ),
    ),
    from: Type.Optional(
      Type.Unsafe<string>({
        ...Id('fld'),
        description:
          'Only messages in this folder. Absent: messages in any folder, except that moves leave Sent, Drafts, Junk and Trash alone.',
      }),
    ),
    to: Type.Optional(
      Type.Unsafe<string>({ ...Id('fld'), description: 'The destination of move; only for move.' }),
    ),
    label: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: MAX_KEYWORD,
        description: 'The keyword of the label; only for label and unlabel.',
      }),
    ),
    until: Type.Optional(
      Type.Unsafe<string>({ ...Timestamp, description: 'When the messages return; only for snooze.' }),
    ),
    continue: Type.Optional(
      Type.String({
        maxLength: MAX_CONTINUE_LENGTH,
        description: 'For conversations and messages: the value from the previous response.',
      }),
    ),
  },
  {
    $id: 'MailActionRequest',
    additionalProperties: false,
    description: 'Exactly one of conversations, messages and all selects the messages.',
  },
);
export type MailActionRequest = Type.Static<typeof MailActionRequest>;

export const MailActionResult = Type.Object(
  {
    changed: Type.Integer({ minimum: 0, description: 'The number of messages changed.' }),
    undo: Nullable(
      Type.String({
        description:
          'The token for POST actions/undo, valid for ten minutes. Null: nothing changed, or it cannot be undone.',
      }),
    ),
    continue: Nullable(
      Type.String({
        description:
          'The action is incomplete, as for a long conversation: send the same request again with this value (for all: inside `all`). Null: done.',
      }),
    ),
    remaining: Type.Integer({
      minimum: 0,
      description: 'For all: the number of messages left, as far as is known; otherwise 0.',
    }),
  },
  { $id: 'MailActionResult' },
);
export type MailActionResult = Type.Static<typeof MailActionResult>;

export const UndoMailActions = Type.Object(
  {
    undo: Type.Array(Type.String({ minLength: 1, maxLength: MAX_UNDO_LENGTH }), {
      minItems: 1,
      maxItems: MAX_UNDOS,
      description: 'The tokens of one action, latest first.',
    }),
  },
  { $id: 'UndoMailActions', additionalProperties: false },
);
export type UndoMailActions = Type.Static<typeof UndoMailActions>;

export const UndoneMailActions = Type.Object(
  {
    changed: Type.Integer({
      minimum: 0,
      description:
        'The number of messages restored. A message that was moved again in the meantime is not moved back.',
    }),
  },
  { $id: 'UndoneMailActions' },
);
export type UndoneMailActions = Type.Static<typeof UndoneMailActions>;
