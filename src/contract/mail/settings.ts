/** A mailbox owner's settings for reading and writing mail (docs/web-client.md, Settings). */
import { Type } from 'typebox';
import { SWIPES } from '../../model/swipes.ts';
import { UNDO_SECONDS } from '../../model/undo-seconds.ts';
import { Words } from '../schema.ts';

const REMOTE_CONTENT = ['ask', 'always'] as const;

const choices = {
  remote_content: Words(REMOTE_CONTENT, {
    description:
      'Remote images in mail from senders that are not trusted. They always load through the proxy.',
  }),
  newest_first: Type.Boolean({ description: 'The order of a conversation.' }),
  swipe_left: Words(SWIPES, { description: 'The action for swiping a row to the left.' }),
  swipe_right: Words(SWIPES),
  undo_seconds: Type.Unsafe<(typeof UNDO_SECONDS)[number]>({
    type: 'integer',
    enum: [...UNDO_SECONDS],
    description: 'How long sending can be undone.',
  }),
};

export const MailSettings = Type.Object({ ...choices }, { $id: 'MailSettings' });
export type MailSettings = Type.Static<typeof MailSettings>;

export const ChangeMailSettings = Type.Partial(Type.Object({ ...choices }), {
  $id: 'ChangeMailSettings',
  additionalProperties: false,
  description: 'Omitted fields stay unchanged.',
});
export type ChangeMailSettings = Type.Static<typeof ChangeMailSettings>;
