/**
 * Checks values against their schemas. A valid value is checked once. Only a refused one is checked again, in a bounded
 * part, to find all that is wrong with it.
 */
import { Ajv2020, type AnySchemaObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { TSchema } from 'typebox';
import { MAX_BYTES_KEYWORD } from '../../contract/schema.ts';
import { type FieldErrors, fieldErrors, knownFields } from './field-errors.ts';

/** Null when the value is valid. Missing fields that have a default are filled in. */
export type Check = (value: unknown) => FieldErrors | null;

const DATE_TIME = /^(\d{4}-\d{2}-(\d{2}))[Tt]\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:[Zz]|[+-]\d{2}:\d{2})$/;

/** An RFC 3339 date-time that exists: JavaScript takes 30 February for a day in March. */
function isDateTime(text: string): boolean {
  const [, date, day] = DATE_TIME.exec(text) ?? [];
  if (date === undefined || Number.isNaN(Date.parse(text))) return false;
  return new Date(`${date}T00:00:00Z`).getUTCDate() === Number(day);
}

function newAjv(options: { allErrors: boolean; verbose: boolean }): Ajv2020 {
  const ajv = new Ajv2020({
    // The schemas are ours, and tests check them: compiling the meta-schema would take a third of the start-up.
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
    // A UTF-16 unit takes three bytes of UTF-8 at most, so that most strings need no counting.
    validate: (maxBytes: number, text: string) =>
      text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes,
    errors: false,
  });
  return ajv;
}

const quick = newAjv({ allErrors: false, verbose: false });
const thorough = newAjv({ allErrors: true, verbose: true });

export function compileCheck(schema: TSchema): Check {
  const isValid = quick.compile(schema as AnySchemaObject);
  let explain: ValidateFunction | null = null;
  return (value) => {
    if (isValid(value)) return null;
    explain ??= thorough.compile(schema as AnySchemaObject);
    explain(sample(value, schema));
    return fieldErrors(explain.errors ?? [], schema);
  };
}

/** One more than the largest `maxItems` and `maxProperties` of any schema. */
const SAMPLE_SIZE = 1_001;
const UNKNOWN_FIELDS_NAMED = 20;

/**
 * A part of a refused value that is refused for the same reasons. Without it a list of a million wrong elements
 * would make a million errors. No schema looks deeper than one level below the fields.
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

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
