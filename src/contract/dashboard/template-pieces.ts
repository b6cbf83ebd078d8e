/** Layouts and partials of templates (docs/templates.md, Layouts and partials). */
import { Type } from 'typebox';
import { MAX_CONTENT_BYTES } from '../emails.ts';
import { MAX_BYTES_KEYWORD } from '../keywords.ts';
import { Id, Timestamp, Words } from '../schema.ts';

const MAX_NAME_LENGTH = 60;

const Body = Type.String({ [MAX_BYTES_KEYWORD]: MAX_CONTENT_BYTES });
const Kind = Words(['layout', 'partial']);
const content = {
  name: Type.String({ minLength: 1, maxLength: MAX_NAME_LENGTH }),
  html: Body,
  text: Body,
};

export const TemplatePiece = Type.Object(
  {
    id: Id('pce'),
    kind: Kind,
    name: Type.String(),
    updated_at: Timestamp,
    templates: Type.Integer({ description: 'The number of published templates that use it.' }),
  },
  { $id: 'TemplatePiece' },
);
export type TemplatePiece = Type.Static<typeof TemplatePiece>;

export const TemplatePieceList = Type.Object(
  { data: Type.Array(TemplatePiece, { description: 'Sorted by name.' }) },
  { $id: 'TemplatePieceList' },
);
export type TemplatePieceList = Type.Static<typeof TemplatePieceList>;

export const CreateTemplatePiece = Type.Object(
  { kind: Kind, ...content },
  { $id: 'CreateTemplatePiece', additionalProperties: false },
);
export type CreateTemplatePiece = Type.Static<typeof CreateTemplatePiece>;

export const CreatedTemplatePiece = Type.Object({ id: Id('pce') }, { $id: 'CreatedTemplatePiece' });

export const UpdateTemplatePiece = Type.Object(
  {
    ...content,
    based_on: Type.Unsafe<string>({
      ...Timestamp,
      description: 'The `updated_at` of the version that the changes are based on.',
    }),
  },
  { $id: 'UpdateTemplatePiece', additionalProperties: false },
);
export type UpdateTemplatePiece = Type.Static<typeof UpdateTemplatePiece>;

export const TemplatePieceDetail = Type.Object(
  {
    id: Id('pce'),
    kind: Kind,
    ...content,
    updated_at: Timestamp,
    templates: Type.Array(Type.Object({ id: Id('tpl'), name: Type.String() }), {
      description: 'The published templates that use it, sorted by name.',
    }),
  },
  { $id: 'TemplatePieceDetail' },
);
export type TemplatePieceDetail = Type.Static<typeof TemplatePieceDetail>;
