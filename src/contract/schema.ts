/**
 * Building blocks of the schemas. The static type, the validation and the OpenAPI component are derived from one schema. Requests are
 * strict: an unknown field is rejected. Responses are open, because fields may be added to responses of `/v1`.
 */
import { type TSchema, Type } from 'typebox';
import type { IdPrefix } from '../model/ids.ts';
import { CONTENT_KEYWORD, SECRET_KEYWORD } from './keywords.ts';

/** A time in UTC with milliseconds. */
export const Timestamp = Type.String({
  format: 'date-time',
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$',
  examples: ['2026-11-20T15:04:05.123Z'],
});

/** The ids in examples. An object has the same id in every example, so that the examples of several operations fit together. */
export const EXAMPLE_IDS = {
  em: 'em_01KAGK5RB3E2YQ4T7N9PZ6WX8V',
  evt: 'evt_01KAGK5RB4F8M2C6H0S3D5J7KR',
  dom: 'dom_01KAGK5RB2D7X1P3S6M8V5TW4Q',
  mbx: 'mbx_01KAGK5RB5G9N3D7J1T4E6M8QS',
  als: 'als_01KAGK5RB7B3D5F7H9K1M3N5P7',
  wh: 'wh_01KAGK5RB5V7N3X9D2T6Q8M4ZC',
  dlv: 'dlv_01KAGK5RB6P1K8W4Y0G5J3N7SB',
  rt: 'rt_01KAGK5RB8C4E6G8J0K2M4N6P8',
  rm: 'rm_01KAGK5RB9D5F7H9K1M3N5P7Q9',
  tpl: 'tpl_01KAGK5RB3E2YQ4T7N9PZ6WX8V',
  per: 'per_01KAGK5RB3E2YQ4T7N9PZ6WX8V',
} as const satisfies Partial<Record<IdPrefix, string>>;

/** The maximum length of an address. It is that of a header line (RFC 5322, section 2.1.1). */
export const MAX_ADDRESS_LENGTH = 998;

/** The public form of an identifier (`model/ids.ts`). */
export function Id(prefix: IdPrefix) {
  return Type.String({ pattern: `^${prefix}_[0-7][0-9A-HJKMNP-TV-Z]{25}$` });
}

/**
 * A string with a fixed set of values. It becomes a single `enum` in the OpenAPI document; a union of literals would become a list of
 * schemas.
 */
export function Words<const Word extends string>(
  words: readonly Word[],
  options: { $id?: string; description?: string } = {},
) {
  return Type.Unsafe<Word>({ type: 'string', enum: words, ...options });
}

/** The schema, with `null` as an additional type, because OpenAPI 3.1 has no keyword `nullable`. */
export function Nullable<Schema extends TSchema>(schema: Schema) {
  const { type, enum: words } = schema as { type?: unknown; enum?: readonly unknown[] };
  return Type.Unsafe<Type.Static<Schema> | null>({
    ...schema,
    type: [type, 'null'],
    ...(words === undefined ? {} : { enum: [...words, null] }),
  });
}

/**
 * An object that maps names to strings. `Type.Record` has the pattern `^.*$` for names, so it would not check the value of a name that
 * contains a line break.
 */
export function StringMap(
  options: { description?: string; maxProperties?: number } = {},
  maxLength?: number,
) {
  const value = maxLength === undefined ? { type: 'string' } : { type: 'string', maxLength };
  return Type.Unsafe<Record<string, string>>({ type: 'object', additionalProperties: value, ...options });
}

/**
 * Marks a secret: a value that gives its holder access to this service. Responses with a secret are never compressed
 * (`doors/http/compress-json.ts`), and the API log never stores the secrets of a request (`redact.ts`).
 */
export function Secret<Schema extends TSchema>(schema: Schema) {
  return Type.Unsafe<Type.Static<Schema>>({ ...schema, [SECRET_KEYWORD]: true });
}

/** Marks a field of a request whose value the API log stores only for projects that store bodies (`CONTENT_KEYWORD`). */
export function PrivateContent<Schema extends TSchema>(schema: Schema) {
  return Type.Unsafe<Type.Static<Schema>>({ ...schema, [CONTENT_KEYWORD]: true });
}

/** Whether values of the schema can contain a secret. */
export function hasSecret(schema: object): boolean {
  if (SECRET_KEYWORD in schema) return true;
  return Object.values(schema).some((part: unknown) => {
    return typeof part === 'object' && part !== null && hasSecret(part);
  });
}

/**
 * A reference to a schema with an `$id`, so that the OpenAPI document contains the schema only once, as a component. If the schema contains
 * a secret, the reference is marked as one.
 */
export function Ref<Schema extends TSchema>(schema: Schema, description?: string) {
  const { $id } = schema as { $id?: unknown };
  if (typeof $id !== 'string') throw new TypeError('a schema that is referred to needs an $id');
  const own = description === undefined ? {} : { description };
  const mark = hasSecret(schema) ? { [SECRET_KEYWORD]: true } : {};
  return Type.Unsafe<Type.Static<Schema>>({ $ref: `#/components/schemas/${$id}`, ...own, ...mark });
}
