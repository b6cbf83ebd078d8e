/** Labels of a mailbox for its owner. A label is an IMAP keyword with a name and a color (docs/mail-apps.md, Labels). */
import { Type } from 'typebox';
import { LABEL_COLORS } from '../../model/label-colors.ts';
import { Nullable, Ref, Words } from '../schema.ts';

export const MAX_KEYWORD = 64;
export const MAX_LABEL_NAME = 60;

const Keyword = Type.String({
  minLength: 1,
  maxLength: MAX_KEYWORD,
  description: 'The keyword that messages have, in lower case.',
});
const Color = Nullable(Words(LABEL_COLORS, { description: 'Null: gray.' }));
const Name = Type.String({ minLength: 1, maxLength: MAX_LABEL_NAME });

export const MailLabel = Type.Object(
  {
    keyword: Keyword,
    name: Name,
    color: Color,
    unread: Type.Integer({
      minimum: 0,
      description: 'Unread messages outside Junk and Trash. Large numbers are counted up to a limit.',
    }),
  },
  { $id: 'MailLabel' },
);
export type MailLabel = Type.Static<typeof MailLabel>;

export const MailLabelList = Type.Object(
  {
    data: Type.Array(Ref(MailLabel), {
      description: 'Sorted by name. Includes keywords that mail apps set, with the keyword as their name.',
    }),
  },
  { $id: 'MailLabelList' },
);
export type MailLabelList = Type.Static<typeof MailLabelList>;

export const SaveMailLabel = Type.Object(
  {
    keyword: Type.Optional(
      Type.Unsafe<string>({ ...Keyword, description: 'The label to change. Absent: a new label.' }),
    ),
    name: Name,
    color: Color,
  },
  { $id: 'SaveMailLabel', additionalProperties: false },
);
export type SaveMailLabel = Type.Static<typeof SaveMailLabel>;

export const RemoveMailLabel = Type.Object(
  { keyword: Keyword },
  { $id: 'RemoveMailLabel', additionalProperties: false },
);

export const RemovedMailLabel = Type.Object(
  {
    is_complete: Type.Boolean({
      description:
        'False: many messages have the label, and some of them still have it. Send the same request again.',
    }),
  },
  { $id: 'RemovedMailLabel' },
);
export type RemovedMailLabel = Type.Static<typeof RemovedMailLabel>;
