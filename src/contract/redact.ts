/**
 * Removes from the body of a rejected request what the API log must not store, by the marks in the schema of the body, and shortens the
 * rest. Imports only keywords, because the thread that reads large bodies loads it.
 */
import { CONTENT_KEYWORD, SECRET_KEYWORD } from './keywords.ts';

/** These texts replace values in a stored body. */
export const REDACTED = {
  secret: '<secret>',
  content: '<content>',
  /** The schema does not have the field, so it may contain anything: a password with a misspelled name. */
  unknown: '<unknown field>',
  /** Anything else where the schema has an object: a text may be the object as JSON. An object or a list where the schema has neither. */
  value: '<value>',
  object: '<object>',
  list: '<list>',
  cut: '<cut>',
} as const;

const REPLACEMENTS: ReadonlySet<unknown> = new Set(Object.values(REDACTED));

/** The maximum length of a text in a stored body. */
const MAX_STORED_TEXT = 1_000;
/** The maximum length of all texts and names in a stored body. */
export const MAX_STORED_BODY = 8_000;
/** What a value costs in addition to its text, because an empty object takes some 80 bytes of memory. Bounds the number of values. */
const VALUE_COST = 16;
/** The maximum length of the name of a field. */
export const MAX_NAME = 100;
const MAX_DEPTH = 8;

type Schema = Readonly<Record<string, unknown>>;

interface Kept {
  /** Whether to keep fields that are marked as content. */
  keepsContent: boolean;
}

/**
 * Returns a copy of a value without secrets and without fields that the schema does not have. The copy is bounded, so that copying a body
 * of megabytes takes less than a millisecond. Redacting a copy again removes nothing else, unless content is no longer kept.
 */
export function redact(value: unknown, schema: object, { keepsContent }: Kept): unknown {
  let left = MAX_STORED_BODY;

  function textOf(text: string): string {
    const cut = shorten(text, Math.min(MAX_STORED_TEXT, Math.max(left, 0)));
    left -= cut.length;
    return cut;
  }

  /** @param of null for a value inside of content with any structure */
  function copy(at: unknown, of: Schema | null, depth: number): unknown {
    left -= VALUE_COST;
    if (at === null || at === undefined) return null;
    if (of !== null && SECRET_KEYWORD in of) return REDACTED.secret;
    if (of !== null && CONTENT_KEYWORD in of && !keepsContent) return REDACTED.content;
    if (left <= 0 || depth > MAX_DEPTH) return REDACTED.cut;
    if (Array.isArray(at)) return copyList(at, of, depth);
    if (typeof at === 'object' && at !== null) return copyObject(at as Schema, of, depth);
    if (REPLACEMENTS.has(at)) return at;
    const ofItem = itemOf(of);
    if (ofItem !== null && SECRET_KEYWORD in ofItem) return REDACTED.secret;
    if (ofItem !== null && CONTENT_KEYWORD in ofItem && !keepsContent) return REDACTED.content;
    if (ofItem !== null && hasObject(ofItem)) return REDACTED.value;
    return typeof at === 'string' ? textOf(at) : at;
  }

  function copyList(list: readonly unknown[], of: Schema | null, depth: number): unknown {
    const items = of === null ? null : schemaIn(of, 'items');
    if (items === undefined) return REDACTED.list;
    const copies: unknown[] = [];
    for (const item of list) {
      copies.push(left <= 0 ? REDACTED.cut : copy(item, items, depth + 1));
      if (left <= 0) break;
    }
    return copies;
  }

  function copyObject(object: Schema, of: Schema | null, depth: number): unknown {
    const fieldOf = fieldsOf(of);
    if (fieldOf === null) return REDACTED.object;
    const copies: [string, unknown][] = [];
    for (const name in object) {
      if (left <= 0) break;
      const field = fieldOf(name);
      const shown = shorten(name, MAX_NAME);
      left -= shown.length + (field === undefined ? VALUE_COST : 0);
      copies.push([shown, field === undefined ? REDACTED.unknown : copy(object[name], field, depth + 1)]);
    }
    return Object.fromEntries(copies);
  }

  return copy(value, schema as Schema, 0);
}

/**
 * The name of an entry of a map in an error message: `headers["X-Order"]: `. Error messages quote nothing else from marked fields. An example
 * such as `"to": ["ada@example.com"]` has no name before the bracket. A message that was cut may end within the name.
 */
const QUOTED_NAME = /(?<=\w)\["(?:[^"\\]|\\.)*(?:"\]|$)/g;
/** A name of digits is not quoted, because it looks like the number of an element. */
const NUMERIC_NAME = /(?<=\b(?:headers|variables))\[\d+\]/g;

/** Removes from the errors of a request what they quote from fields with content. */
export function errorsWithoutContent(errors: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(errors).map(([field, message]) => [
      field,
      message
        .replaceAll(QUOTED_NAME, `["${REDACTED.content}"]`)
        .replaceAll(NUMERIC_NAME, `["${REDACTED.content}"]`),
    ]),
  );
}

/** Removes names that were cut from an error message, because no erasure would find the part of an address that may be at the end. */
export function withoutCutNames(message: string): string {
  return message
    .replaceAll(QUOTED_NAME, (quoted) => (/[^…]"\]$/.test(quoted) ? quoted : '["…"]'))
    .replaceAll(/[^\s"]+…/g, '…');
}

/**
 * Cuts a text at white space, so that no part of an address stays that an erasure of the address would not find.
 * @returns a text of at most `most` characters, with `…` if it was cut
 */
export function shorten(text: string, most: number): string {
  if (text.length <= most) return text;
  const part = text.slice(0, Math.max(most - 1, 0));
  const end = part.search(/\s\S*$/u);
  return `${end === -1 ? '' : part.slice(0, end)}…`;
}

/**
 * Returns a function that finds the schema of a field: null for a field of content with any structure, undefined for an unknown field.
 * Null if the schema does not describe an object.
 */
function fieldsOf(of: Schema | null): ((name: string) => Schema | null | undefined) | null {
  if (of === null) return () => null;
  const properties = schemaIn(of, 'properties');
  const others = of['additionalProperties'];
  if (properties !== undefined)
    return (name) => (Object.hasOwn(properties, name) ? (properties[name] as Schema) : undefined);
  if (typeof others === 'object' && others !== null) return () => others as Schema;
  // An object with any fields, such as the variables of a template.
  return of['type'] === 'object' && others === undefined ? () => null : null;
}

function schemaIn(of: Schema, name: string): Schema | undefined {
  const found = of[name];
  return typeof found === 'object' && found !== null ? (found as Schema) : undefined;
}

/** The schema of the items of a list, even of a list of lists. A text that was sent instead of a list is treated like its only item. */
function itemOf(of: Schema | null): Schema | null {
  const items = of === null ? undefined : schemaIn(of, 'items');
  return items === undefined ? of : itemOf(items);
}

/** Whether a value of the schema may be an object. */
function hasObject({ type, anyOf, properties }: Schema): boolean {
  if (properties !== undefined || [type].flat().includes('object')) return true;
  return Array.isArray(anyOf) && anyOf.some((one: Schema) => hasObject(itemOf(one) ?? one));
}
