/**
 * Validates values against their schemas. The first check stops at the first error. If the first check fails, a second check of a bounded
 * part of the value collects all errors. One message per field says what is wrong and what is valid.
 */
import { Ajv2020, type AnySchemaObject, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { TSchema } from 'typebox';
import {
  CONTENT_KEYWORD,
  MAX_BYTES_KEYWORD,
  MAX_LISTED_KEYWORD,
  SECRET_KEYWORD,
} from '../../contract/keywords.ts';
import { elementError } from '../../model/element-errors.ts';
import { shownName } from './json.ts';

/** The error message of each invalid top-level field. */
export type FieldErrors = Record<string, string>;

/** Checks a value. Returns null if the value is valid. Missing fields get their default values. */
export type SchemaCheck = (value: unknown) => FieldErrors | null;

const DATE_TIME = /^(\d{4}-\d{2}-(\d{2}))[Tt]\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:[Zz]|[+-]\d{2}:\d{2})$/;

/** Whether the text is an RFC 3339 date-time that exists. `Date.parse` accepts February 30 as a day in March. */
function isDateTime(text: string): boolean {
  const [, date, day] = DATE_TIME.exec(text) ?? [];
  if (date === undefined || Number.isNaN(Date.parse(text))) return false;
  return new Date(`${date}T00:00:00Z`).getUTCDate() === Number(day);
}

function newAjv(options: { allErrors: boolean; verbose: boolean }): Ajv2020 {
  const ajv = new Ajv2020({
    // Do not validate the schemas: tests cover them, and compiling the meta-schema would take a third of the start-up time.
    validateSchema: false,
    ...options,
    strict: true,
    strictTypes: false,
    strictRequired: false,
    useDefaults: true,
  });
  ajv.addFormat('date-time', isDateTime);
  ajv.addKeyword({
    keyword: MAX_BYTES_KEYWORD,
    type: 'string',
    schemaType: 'number',
    // A UTF-16 unit has at most three bytes in UTF-8, so most strings need no counting.
    validate: (maxBytes: number, text: string) =>
      text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes,
    errors: false,
  });
  ajv.addKeyword({
    keyword: MAX_LISTED_KEYWORD,
    type: 'array',
    schemaType: 'number',
    validate: (most: number, list: readonly unknown[]) => list.length <= most,
    errors: false,
  });
  // Marks for other code. They do not affect which values are valid.
  ajv.addVocabulary([SECRET_KEYWORD, CONTENT_KEYWORD]);
  return ajv;
}

const quick = newAjv({ allErrors: false, verbose: false });
const thorough = newAjv({ allErrors: true, verbose: true });

export function compileCheck(schema: TSchema): SchemaCheck {
  const list = listOfNamed(schema);
  return list === null ? compileOne(schema) : compileList(schema, list);
}

/** Checks each element of a field like a single request, up to the first invalid element. Used if the elements are complete requests. */
function compileList(schema: TSchema, { field, element }: { field: string; element: TSchema }): SchemaCheck {
  const { properties = {}, ...whole } = schema as { $id?: string; properties?: Record<string, object> };
  // The schema compiled below differs from the registered schema with this `$id`.
  delete whole.$id;
  const anyElement = { ...properties[field], items: { type: 'object' } };
  const checkWhole = compileOne({ ...whole, properties: { ...properties, [field]: anyElement } });
  const checkElement = compileOne(element);
  return (value) => {
    const errors = checkWhole(value);
    if (errors !== null) return errors;
    for (const [at, each] of ((value as Record<string, unknown>)[field] as unknown[]).entries()) {
      const found = checkElement(each);
      if (found !== null) return { [field]: elementError(field, at, found) };
    }
    return null;
  };
}

function listOfNamed(schema: TSchema): { field: string; element: TSchema } | null {
  const { properties = {} } = schema as { properties?: Record<string, { items?: TSchema }> };
  for (const [field, { items }] of Object.entries(properties))
    if (items !== undefined && '$id' in items) return { field, element: items };
  return null;
}

function compileOne(schema: TSchema): SchemaCheck {
  // Compile on first use, because all schemas together take a twentieth of the API's start-up time to compile.
  let isValid: ValidateFunction | null = null;
  let explain: ValidateFunction | null = null;
  return (value) => {
    isValid ??= quick.compile(schema as AnySchemaObject);
    if (isValid(value)) return null;
    explain ??= thorough.compile(schema as AnySchemaObject);
    explain(sample(value, schema));
    return fieldErrors(explain.errors ?? [], schema);
  };
}

/** Maximum elements in the checked part. One more than the largest `maxItems`, `x-max-listed` and `maxProperties` of any schema. */
const SAMPLE_SIZE = 1_001;
const UNKNOWN_FIELDS_NAMED = 20;

/**
 * A part of a rejected value that fails for the same reasons as the whole value. Attack: a list of a million invalid elements would produce
 * a million errors. No schema describes values deeper than one level below the fields.
 */
function sample(value: unknown, schema: TSchema): unknown {
  if (!isObject(value)) return value;
  const known = new Set(knownFields(schema));
  const part: [string, unknown][] = [];
  let unknown = 0;
  for (const name of Object.keys(value)) {
    if (known.has(name)) part.push([name, sampleField(value[name])]);
    else if (unknown++ < UNKNOWN_FIELDS_NAMED) part.push([name, null]);
  }
  return Object.fromEntries(part);
}

function sampleField(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, SAMPLE_SIZE);
  if (!isObject(value)) return value;
  const names = Object.keys(value).slice(0, SAMPLE_SIZE);
  return Object.fromEntries(names.map((name) => [name, value[name]]));
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function knownFields(schema: TSchema): string[] {
  return Object.keys((schema as { properties?: object }).properties ?? {});
}

/** The fields that are accepted. Leaves out fields that are declared only to explain why they are rejected. */
function acceptedFields(schema: TSchema): string[] {
  const { properties = {} } = schema as { properties?: Record<string, object> };
  return Object.keys(properties).filter((name) => !('not' in (properties[name] ?? {})));
}

/** The first error for each field. */
function fieldErrors(errors: readonly ErrorObject[], schema: TSchema): FieldErrors {
  const found = new Map<string, string>();
  const add = (field: string, message: string) => {
    if (!found.has(field)) found.set(field, message);
  };
  for (const error of errors) {
    const [, field, ...path] = error.instancePath.split('/').map(unescapePointer);
    if (field !== undefined) add(shownName(field), elementName(field, path) + messageOf(error));
    else if (error.keyword === 'additionalProperties') {
      add(shownName(String(error.params['additionalProperty'])), unknownFieldError(schema));
    } else if (error.keyword === 'anyOf') {
      const names = alternatives(error.schema).filter((name) => !isAddition(schema, name));
      for (const name of names) add(name, `${names.join(' or ')} is required`);
    } else if (error.keyword === 'required') {
      // Skip the error for a single alternative. The error for the enclosing `anyOf` names all alternatives.
      if (!error.schemaPath.startsWith('#/anyOf/'))
        add(String(error.params['missingProperty']), 'is required');
    } else add('body', messageOf(error));
  }
  return Object.fromEntries(found);
}

/** Decodes a token of a JSON pointer (RFC 6901, section 4). */
function unescapePointer(token: string): string {
  return token.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** The names in `anyOf: [{ required: [a] }, { required: [b] }]`. */
function alternatives(schemas: unknown): string[] {
  if (!Array.isArray(schemas)) return [];
  return schemas.flatMap((schema: { required?: string[] }) => schema.required ?? []);
}

/** Whether a field is marked as an addition to contract 0.3.0. Additions are optional, so errors do not list them as missing. */
function isAddition(schema: TSchema, name: string): boolean {
  const { properties = {} } = schema as { properties?: Record<string, { description?: string }> };
  return properties[name]?.description?.startsWith('Addition to contract 0.3.0.') === true;
}

/** The prefix of messages about an element: `to[0]: ` or `headers["X-Name"]: `. */
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

/** @param schema of the body or query. Undefined if the request takes none. */
export function unknownFieldError(schema: TSchema | undefined): string {
  const known = acceptedFields(schema ?? {});
  return known.length === 0
    ? 'unknown field; this request takes no fields'
    : `unknown field; the known fields are ${known.join(', ')}`;
}

function messageOf({ keyword, params, parentSchema, instancePath }: ErrorObject): string {
  const { minimum, maximum, type, description, examples } = (parentSchema ?? {}) as Record<string, unknown>;
  switch (keyword) {
    case 'type':
    case 'minimum':
    case 'maximum': {
      const names = [type].flat().map((name) => TYPE_NAMES[String(name)] ?? String(name));
      const range = minimum === undefined || maximum === undefined ? '' : ` from ${minimum} to ${maximum}`;
      return `must be ${names.join(' or ')}${range}${type === 'array' ? arrayForm(instancePath, examples) : ''}`;
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
      return 'must not contain duplicates';
    case 'format':
      return FORMAT_MESSAGES[String(params['format'])] ?? 'has an invalid format';
    case 'not':
    case MAX_LISTED_KEYWORD:
      return String(description ?? 'is not accepted');
    default:
      return 'is not valid';
  }
}

/** An example such as `, such as "to": ["ada@example.com"]`, for clients that send a single string instead of an array. */
function arrayForm(instancePath: string, examples: unknown): string {
  const field = unescapePointer(instancePath.slice(1));
  return Array.isArray(examples) ? `, such as ${JSON.stringify(field)}: ${JSON.stringify(examples[0])}` : '';
}

const FORMAT_MESSAGES: Readonly<Record<string, string>> = {
  'date-time': 'must be a date-time such as 2026-11-20T15:04:05.123Z (in a URL, + is written %2B)',
};
