/** The stored form of the rules of a mailbox (docs/rules.md). */
import { type Static, type TObject, Type } from 'typebox';
import { Words } from './schema.ts';

const MAX_CONDITIONS = 20;
const MAX_ACTIONS = 10;
const MAX_TEXT = 500;
const MAX_NAME = 100;
const MAX_FOLDER = 255;
const MAX_KEYWORD = 64;
/** The maximum length of an address (RFC 5321, section 4.5.3.1.3). */
const MAX_ADDRESS = 254;
const MAX_REPLY = 200;

/** A single printable line. */
const LINE = '^[^\\p{Cc}\\p{Zl}\\p{Zp}]*$';
const STRICT = { additionalProperties: false };

const Text = Type.String({ minLength: 1, maxLength: MAX_TEXT, pattern: LINE });
/** Negates the condition. */
const not = Type.Optional(Type.Literal(true));
const how = Words(['contains', 'is', 'starts', 'matches']);
const limit = Words(['over', 'under']);

function variant<Fields extends TObject['properties']>(fields: Fields) {
  return Type.Object(fields, STRICT);
}

const Condition = Type.Union([
  variant({ on: Words(['from', 'to', 'subject', 'list', 'file']), how, value: Text, not }),
  variant({
    on: Type.Literal('header'),
    /** The field's name in lower case. */
    name: Type.String({ pattern: '^[!-9;-@\\[-~]{1,76}$' }),
    how,
    value: Text,
    not,
  }),
  variant({
    on: Type.Literal('size'),
    how: limit,
    octets: Type.Integer({ minimum: 0, maximum: 2 ** 40 }),
    not,
  }),
  variant({
    on: Type.Literal('spam'),
    how: limit,
    score: Type.Number({ minimum: -1_000, maximum: 1_000 }),
    not,
  }),
]);
export type RuleCondition = Static<typeof Condition>;

const Action = Type.Union([
  variant({
    do: Type.Literal('file'),
    folder: Type.String({ minLength: 1, maxLength: MAX_FOLDER, pattern: LINE }),
  }),
  variant({ do: Words(['read', 'flag', 'delete', 'stop']) }),
  variant({ do: Type.Literal('keyword'), keyword: Type.String({ minLength: 1, maxLength: MAX_KEYWORD }) }),
  variant({ do: Type.Literal('forward'), to: Type.String({ minLength: 3, maxLength: MAX_ADDRESS }) }),
  variant({
    do: Type.Literal('refuse'),
    text: Type.String({ minLength: 1, maxLength: MAX_REPLY, pattern: '^[ -~]*$' }),
  }),
]);
export type RuleAction = Static<typeof Action>;

export const NewRule = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: MAX_NAME, pattern: LINE }),
    is_any: Type.Boolean(),
    conditions: Type.Array(Condition, { minItems: 1, maxItems: MAX_CONDITIONS }),
    actions: Type.Array(Action, { minItems: 1, maxItems: MAX_ACTIONS }),
  },
  STRICT,
);
export type NewRule = Static<typeof NewRule>;
