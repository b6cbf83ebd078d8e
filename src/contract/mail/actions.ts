/** Actions of the owner on messages of a mailbox. Mail apps see the results immediately. */
import { Type } from 'typebox';
import { Id, Nullable, Words } from '../schema.ts';
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
] as const;
export type MailAction = (typeof MAIL_ACTIONS)[number];

/** The maximum number of ids in one request; `all` handles more. */
export const MAX_NAMED = 200;
export const MAX_UNDO_LENGTH = 160 * 1024;
const MAX_CONTINUE_LENGTH = 300;
/** The maximum number of tokens in one `POST actions/undo`: those of an action on a long list. */
export const MAX_UNDOS = 20;

export const MailActionRequest = Type.Object(
  {
    action: Words(MAIL_ACTIONS, {
      description:
        'junk and not-junk also teach the filter. delete is for ever, and only of what is in Trash or Junk. star marks the newest message of a conversation, unstar all of them.',
    }),
    conversations: Type.Optional(Type.Array(Id('thr'), { minItems: 1, maxItems: MAX_NAMED })),
    messages: Type.Optional(Type.Array(Id('msg'), { minItems: 1, maxItems: MAX_NAMED })),
    all: Type.Optional(
      Type.Object(
        {
          folder: Type.Optional(Id('fld')),
          q: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_QUERY_LENGTH })),
          continue: Type.Optional(
            Type.String({ maxLength: MAX_CONTINUE_LENGTH, description: 'As the answer before had it.' }),
          ),
        },
        {
          additionalProperties: false,
          description:
            'Either all of a folder, as it was at the first request, or all conversations that a search finds.',
        },
      ),
    ),
    from: Type.Optional(
      Type.Unsafe<string>({
        ...Id('fld'),
        description:
          'Only what is in this folder. Without it: what is in any, but for moves out of Sent, Drafts, Junk and Trash.',
      }),
    ),
    to: Type.Optional(Type.Unsafe<string>({ ...Id('fld'), description: 'For move, and only for it.' })),
    continue: Type.Optional(
      Type.String({
        maxLength: MAX_CONTINUE_LENGTH,
        description: 'Of conversations and messages, as the answer before had it.',
      }),
    ),
  },
  {
    $id: 'MailActionRequest',
    additionalProperties: false,
    description: 'One of conversations, messages and all says what it is about.',
  },
);
export type MailActionRequest = Type.Static<typeof MailActionRequest>;

export const MailActionResult = Type.Object(
  {
    changed: Type.Integer({ minimum: 0, description: 'Messages that are now as they were not before.' }),
    undo: Nullable(
      Type.String({
        description: 'For POST actions/undo, for ten minutes. Null: nothing changed, or it is for ever.',
      }),
    ),
    continue: Nullable(
      Type.String({
        description:
          'There is more to do, as of a long conversation; send the same request with it (of all: within it). Null: all is done.',
      }),
    ),
    remaining: Type.Integer({
      minimum: 0,
      description: 'Of all: how many messages are left, as far as is known; else 0.',
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
      description: 'Of one action or the turns of one, the last turn first.',
    }),
  },
  { $id: 'UndoMailActions', additionalProperties: false },
);
export type UndoMailActions = Type.Static<typeof UndoMailActions>;

export const UndoneMailActions = Type.Object(
  {
    changed: Type.Integer({
      minimum: 0,
      description: 'Messages that are as they were. One that somebody has moved on since stays where it is.',
    }),
  },
  { $id: 'UndoneMailActions' },
);
export type UndoneMailActions = Type.Static<typeof UndoneMailActions>;
