/** Canned responses: texts that members of a mailbox insert into messages. */
import { Type } from 'typebox';
import { MAX_BYTES_KEYWORD } from '../keywords.ts';
import { Id, Nullable, Ref } from '../schema.ts';

/** The maximum number of canned responses of a mailbox. */
export const MAX_CANNED_RESPONSES = 200;
const MAX_NAME_LENGTH = 100;
const MAX_SUBJECT_LENGTH = 998;
const MAX_RESPONSE_BYTES = 64 * 1024;

export const SaveCannedResponse = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: MAX_NAME_LENGTH,
      description: 'A single line, unique in the mailbox regardless of case.',
    }),
    subject: Nullable(
      Type.String({
        maxLength: MAX_SUBJECT_LENGTH,
        description: 'The subject of a message that has none. Null: none.',
      }),
    ),
    html: Type.String({
      [MAX_BYTES_KEYWORD]: MAX_RESPONSE_BYTES,
      description: 'At most 64 KB. Cleaned like a message.',
    }),
  },
  { $id: 'SaveCannedResponse', additionalProperties: false },
);
export type SaveCannedResponse = Type.Static<typeof SaveCannedResponse>;

const head = {
  id: Id('can'),
  name: Type.String(),
  subject: Nullable(Type.String()),
};

export const CannedResponse = Type.Object(
  { ...head, html: Type.String({ description: 'Made safe to show.' }) },
  { $id: 'CannedResponse' },
);
export type CannedResponse = Type.Static<typeof CannedResponse>;

export const CannedResponseHead = Type.Object(
  { ...head, preview: Type.String({ description: 'The beginning of the text.' }) },
  { $id: 'CannedResponseHead' },
);

export const CannedResponses = Type.Object(
  { data: Type.Array(Ref(CannedResponseHead), { description: 'By name.' }) },
  { $id: 'CannedResponses' },
);
export type CannedResponses = Type.Static<typeof CannedResponses>;
