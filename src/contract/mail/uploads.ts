/** Files for messages: uploaded first, then attached to drafts. */
import { Type } from 'typebox';
import { Id, MAX_ADDRESS_LENGTH } from '../schema.ts';

export const MAX_FILE_NAME_LENGTH = 255;
const MAX_TYPE_LENGTH = 127;

export const UploadQuery = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: MAX_FILE_NAME_LENGTH,
      description: 'The file name, without folders.',
      examples: ['offer.pdf'],
    }),
    type: Type.Optional(
      Type.String({
        maxLength: MAX_TYPE_LENGTH,
        description: 'The media type. Default, also for invalid types: application/octet-stream.',
        examples: ['application/pdf'],
      }),
    ),
  },
  { additionalProperties: false },
);
export type UploadQuery = Type.Static<typeof UploadQuery>;

export const Upload = Type.Object(
  {
    id: Id('upl'),
    name: Type.String(),
    type: Type.String(),
    octets: Type.Integer({ minimum: 0 }),
    url: Type.String({
      maxLength: MAX_ADDRESS_LENGTH,
      description:
        'The URL of the bytes. An image with this URL in the html of a draft is embedded in the message.',
    }),
  },
  { $id: 'Upload' },
);
export type Upload = Type.Static<typeof Upload>;
