/** The settings of a mailbox owner for reading and writing (docs/web-client.md, Settings). */
import { Type } from 'typebox';
import { SWIPES } from '../../model/swipes.ts';
import { MAX_DISPLAY_NAME_LENGTH, MAX_SIGNATURE_BYTES } from '../mailboxes.ts';
import { MAX_BYTES_KEYWORD } from '../keywords.ts';
import { Nullable, Words } from '../schema.ts';

const REMOTE_CONTENT = ['ask', 'always'] as const;

const choices = {
  remote_content: Words(REMOTE_CONTENT, {
    description: 'Pictures from elsewhere in mail of senders that are not trusted. Always through the proxy.',
  }),
  newest_first: Type.Boolean({ description: 'The order of a conversation.' }),
  swipe_left: Words(SWIPES, { description: 'What a row of a list does that is pushed to the left.' }),
  swipe_right: Words(SWIPES),
};

export const MailSettings = Type.Object(
  {
    display_name: Nullable(Type.String({ description: 'The name beside the address in what is sent.' })),
    reply_to: Nullable(
      Type.String({ description: 'Who gets the answers; whoever runs the project sets it.' }),
    ),
    signature_html: Nullable(Type.String({ description: 'Below what is written in the web client.' })),
    ...choices,
  },
  { $id: 'MailSettings' },
);
export type MailSettings = Type.Static<typeof MailSettings>;

export const ChangeMailSettings = Type.Partial(
  Type.Object({
    display_name: Type.String({
      maxLength: MAX_DISPLAY_NAME_LENGTH,
      description: 'On one line. Empty: none.',
    }),
    signature_html: Type.String({
      [MAX_BYTES_KEYWORD]: MAX_SIGNATURE_BYTES,
      description: 'At most 64 KB. Empty: none.',
    }),
    ...choices,
  }),
  {
    $id: 'ChangeMailSettings',
    additionalProperties: false,
    description: 'Fields that are left out stay as they are.',
  },
);
export type ChangeMailSettings = Type.Static<typeof ChangeMailSettings>;
