/** A mailbox owner's settings for reading and writing mail (docs/web-client.md, Settings). */
import { Type } from 'typebox';
import { SWIPES } from '../../model/swipes.ts';
import { MAX_DISPLAY_NAME_LENGTH, MAX_SIGNATURE_BYTES } from '../mailboxes.ts';
import { MAX_BYTES_KEYWORD } from '../keywords.ts';
import { Nullable, Words } from '../schema.ts';

const REMOTE_CONTENT = ['ask', 'always'] as const;

const choices = {
  remote_content: Words(REMOTE_CONTENT, {
    description:
      'Remote images in mail from senders that are not trusted. They always load through the proxy.',
  }),
  newest_first: Type.Boolean({ description: 'The order of a conversation.' }),
  swipe_left: Words(SWIPES, { description: 'The action for swiping a row to the left.' }),
  swipe_right: Words(SWIPES),
};

export const MailSettings = Type.Object(
  {
    display_name: Nullable(Type.String({ description: 'The sender name in sent messages.' })),
    reply_to: Nullable(Type.String({ description: "The address for replies, set by the project's admins." })),
    signature_html: Nullable(
      Type.String({ description: 'The signature of messages written in the web client.' }),
    ),
    ...choices,
  },
  { $id: 'MailSettings' },
);
export type MailSettings = Type.Static<typeof MailSettings>;

export const ChangeMailSettings = Type.Partial(
  Type.Object({
    display_name: Type.String({
      maxLength: MAX_DISPLAY_NAME_LENGTH,
      description: 'A single line. Empty: no name.',
    }),
    signature_html: Type.String({
      [MAX_BYTES_KEYWORD]: MAX_SIGNATURE_BYTES,
      description: 'At most 64 KB. Empty: no signature.',
    }),
    ...choices,
  }),
  {
    $id: 'ChangeMailSettings',
    additionalProperties: false,
    description: 'Omitted fields stay unchanged.',
  },
);
export type ChangeMailSettings = Type.Static<typeof ChangeMailSettings>;
