/** The findings of the validator as a message for each field: what is wrong, and what would be right. */
import type { ErrorObject } from 'ajv/dist/2020.js';
import type { TSchema } from 'typebox';
import { MAX_BYTES_KEYWORD } from '../../contract/schema.ts';
import { shownName } from './json.ts';

/** The name of a top-level field, and what is wrong with it. */
export type FieldErrors = Record<string, string>;

export function knownFields(schema: TSchema): string[] {
  return Object.keys((schema as { properties?: object }).properties ?? {});
}

/** The first thing that is wrong with each field. */
export function fieldErrors(errors: readonly ErrorObject[], schema: TSchema): FieldErrors {
  const found = new Map<string, string>();
  const add = (field: string, message: string) => {
    if (!found.has(field)) found.set(field, message);
  };
  for (const error of errors) {
    const [, field, ...path] = error.instancePath.split('/').map(unescapePointer);
    if (field !== undefined) add(shownName(field), elementName(field, path) + messageOf(error));
    else if (error.keyword === 'additionalProperties') {
      add(shownName(String(error.params['additionalProperty'])), unknownField(knownFields(schema)));
    } else if (error.keyword === 'anyOf') {
      const names = alternatives(error.schema);
      for (const name of names) add(name, `${names.join(' or ')} is required`);
    } else if (error.keyword === 'required') {
      // It is one of several alternatives: the error of the `anyOf` around it names them all.
      if (!error.schemaPath.startsWith('#/anyOf/'))
        add(String(error.params['missingProperty']), 'is required');
    } else add('body', messageOf(error));
  }
  return Object.fromEntries(found);
}

/** RFC 6901, section 4. */
function unescapePointer(token: string): string {
  return token.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** The names in `anyOf: [{ required: [a] }, { required: [b] }]`. */
function alternatives(schemas: unknown): string[] {
  if (!Array.isArray(schemas)) return [];
  return schemas.flatMap((schema: { required?: string[] }) => schema.required ?? []);
}

/** `to[0]: ` or `headers["X-Name"]: `, for an element of a field. */
function elementName(field: string, path: readonly string[]): string {
  if (path.length === 0) return '';
  const parts = path.map((part) =>
    /^\d+$/.test(part) ? `[${part}]` : `[${JSON.stringify(shownName(part))}]`,
  );
  return `${field}${parts.join('')}: `;
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'a string',
  integer: 'an integer',
  number: 'a number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  null: 'null',
};

function unknownField(known: readonly string[]): string {
  return known.length === 0
    ? 'unknown; nothing is taken here'
    : `unknown field; known are ${known.join(', ')}`;
}

function messageOf({ keyword, params, parentSchema }: ErrorObject): string {
  const { minimum, maximum, type, description } = (parentSchema ?? {}) as Record<string, unknown>;
  switch (keyword) {
    case 'type':
    case 'minimum':
    case 'maximum': {
      const names = [type].flat().map((name) => TYPE_NAMES[String(name)] ?? String(name));
      const range = minimum === undefined || maximum === undefined ? '' : ` from ${minimum} to ${maximum}`;
      return `must be ${names.join(' or ')}${range}`;
    }
    case 'minLength':
      return params['limit'] === 1 ? 'must not be empty' : `must have at least ${params['limit']} characters`;
    case 'maxLength':
      return `must have at most ${params['limit']} characters`;
    case MAX_BYTES_KEYWORD:
      return `must have at most ${(parentSchema as Record<string, unknown>)[MAX_BYTES_KEYWORD]} bytes`;
    case 'minItems':
      return params['limit'] === 1 ? 'must not be empty' : `must have at least ${params['limit']} elements`;
    case 'maxItems':
      return `must have at most ${params['limit']} elements`;
    case 'maxProperties':
      return `must have at most ${params['limit']} entries`;
    case 'enum':
      return `must be one of ${(params['allowedValues'] as unknown[]).map(String).join(', ')}`;
    case 'uniqueItems':
      return 'must not name anything twice';
    case 'format':
      return FORMAT_MESSAGES[String(params['format'])] ?? 'has the wrong form';
    case 'not':
      return String(description ?? 'is not accepted');
    default:
      return 'is not valid';
  }
}

const FORMAT_MESSAGES: Readonly<Record<string, string>> = {
  'date-time': 'must be a date-time such as 2026-11-20T15:04:05.123Z (in a URL, + is written %2B)',
};
