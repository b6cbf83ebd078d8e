/** Converts JSON Schema to unformatted TypeScript. Unsupported schemas are errors, so that no type becomes `any` unnoticed. */
import type { Schema } from '../../src/doors/http/api-document.ts';

const PRIMITIVES: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
};
const REF_PREFIX = '#/components/schemas/';
const COMMENT_WIDTH = 100;

/** @throws TypeError for an unsupported schema */
export function typeOf(schema: Schema): string {
  const { $ref, type, not, anyOf, oneOf, allOf } = schema;
  if ($ref !== undefined) return referenced($ref);
  if (not !== undefined) return 'never';
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (allOf !== undefined) return allOf.map((part) => `(${typeOf(part)})`).join(' & ');
  const alternatives = anyOf ?? oneOf;
  if (alternatives !== undefined) {
    if (type === 'object') return `${objectType(schema)} & (${requirements(schema, alternatives)})`;
    return alternatives.map((part) => typeOf(part)).join(' | ');
  }
  if (typeof type === 'object') return type.map((one) => typeOf({ ...schema, type: one })).join(' | ');
  if (type === 'array') return `(${typeOf(schema.items ?? {})})[]`;
  if (type === 'object') return objectType(schema);
  const isAnything = type === undefined && Object.keys(schema).every((key) => key === 'description');
  const found = isAnything ? 'unknown' : PRIMITIVES[String(type)];
  if (found === undefined)
    throw new TypeError(`The schema has no TypeScript type: ${JSON.stringify(schema)}`);
  return found;
}

/** A component: an interface if possible, otherwise a type alias. */
export function declarationOf(name: string, schema: Schema): string {
  const isInterface =
    schema.properties !== undefined && schema.anyOf === undefined && schema.type === 'object';
  const head = isInterface ? `interface ${name}` : `type ${name} =`;
  return `${commentOf(schema.description)}export ${head} ${typeOf(schema)}\n`;
}

/** A JSDoc comment, or an empty string. */
export function commentOf(text: string | undefined): string {
  if (text === undefined || text === '') return '';
  const lines = text.replaceAll('*/', '*\\/').split('\n').flatMap(wrapped);
  if (lines.length === 1) return `/** ${lines[0]} */\n`;
  return `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join('\n')}\n */\n`;
}

function objectType({ properties, required = [], additionalProperties }: Schema): string {
  if (properties === undefined) {
    const value = typeof additionalProperties === 'object' ? typeOf(additionalProperties) : 'unknown';
    return `Record<string, ${value}>`;
  }
  const members = Object.entries(properties).map(([name, schema]) => {
    const type = typeOf(schema);
    // Callers with `exactOptionalPropertyTypes` can pass `undefined` only if the type includes it. JSON omits undefined properties.
    const member = required.includes(name)
      ? `: ${type}`
      : `?: ${type === 'never' ? '' : `${type} | `}undefined`;
    return `${commentOf(schema.description)}${JSON.stringify(name)}${member};\n`;
  });
  const isShort = members.length <= 2 && !members.some((member) => member.startsWith('/**'));
  return isShort ? `{ ${members.join(' ').replaceAll('\n', '')} }` : `{\n${members.join('')}}`;
}

/** The type for an `anyOf` whose alternatives only list required properties. */
function requirements({ properties = {} }: Schema, alternatives: readonly Schema[]): string {
  const shapes = alternatives.map(({ required, ...rest }) => {
    if (required === undefined || Object.keys(rest).length > 0) {
      throw new TypeError('anyOf beside properties may only contain required');
    }
    return `{ ${required.map((name) => `${JSON.stringify(name)}: ${typeOf(properties[name] ?? {})}`).join('; ')} }`;
  });
  return shapes.join(' | ');
}

function referenced($ref: string): string {
  if (!$ref.startsWith(REF_PREFIX)) throw new TypeError(`The reference is not a component: ${$ref}`);
  return $ref.slice(REF_PREFIX.length);
}

function wrapped(line: string): string[] {
  const lines: string[] = [];
  let current = '';
  for (const word of line.split(' ')) {
    const longer = current === '' ? word : `${current} ${word}`;
    if (current !== '' && longer.length > COMMENT_WIDTH) {
      lines.push(current);
      current = word;
    } else current = longer;
  }
  return [...lines, current];
}
