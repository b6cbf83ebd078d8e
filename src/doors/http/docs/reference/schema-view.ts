/** Renders a schema of the OpenAPI document as HTML: its type in words, its limits and its fields. */
import type { Schema } from '../../api-document.ts';
import { type DocumentReader, nameOf } from './document.ts';
import { type Html, html, joined } from '../../html.ts';
import { inline } from '../markdown.ts';

/** A row in a list of fields or parameters. */
export interface Field {
  name: string;
  schema: Schema;
  required: boolean;
  description?: string | undefined;
  /** The location of a parameter: path, query or header. Absent for fields. */
  place?: string;
}

/** Returns the URL at which a named object is described. */
export type SchemaLink = (name: string) => string;

/** Maximum depth of nested fields. Schemas nested more deeply must be named components. */
const MAX_DEPTH = 4;

/** The fields of an object. The fields of nested objects are named by their path, such as `data[].id`. */
export function fieldsOf(schema: Schema, prefix = '', depth = 0): Field[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const field = {
      name: prefix + name,
      schema: property,
      required: schema.required?.includes(name) === true,
      description: property.description,
    };
    if (depth === MAX_DEPTH) return [field];
    const { object, suffix } = innerObject(property);
    const inner = object === null ? [] : fieldsOf(object, `${prefix}${name}${suffix}.`, depth + 1);
    return [field, ...inner];
  });
}

function innerObject(schema: Schema): { object: Schema | null; suffix: string } {
  if (schema.properties !== undefined) return { object: schema, suffix: '' };
  if (schema.items?.properties !== undefined) return { object: schema.items, suffix: '[]' };
  const alternative = (schema.allOf ?? schema.anyOf ?? schema.oneOf ?? []).find(
    (each) => each.properties !== undefined,
  );
  return { object: alternative ?? null, suffix: '' };
}

export function fieldList(fields: readonly Field[], linkOf: SchemaLink): Html {
  return html`<dl class="fields">
${fields.map((field) => fieldEntry(field, linkOf))}</dl>\n`;
}

function fieldEntry({ name, schema, required, description, place }: Field, linkOf: SchemaLink): Html {
  const limits = limitsOf(schema);
  const presence = required ? html`<span class="required">required</span>` : 'optional';
  return html`<div>
<dt><code>${name}</code> <span class="type">${typeOf(schema, linkOf)}</span>${schema.not === undefined ? html` <span class="presence">${place === undefined ? null : `${place}, `}${presence}</span>` : null}</dt>
<dd>${description === undefined ? null : html`<p>${inline(description)}</p>`}${limits.length === 0 ? null : html`<p class="limits">${joined(limits, '; ')}</p>`}</dd>
</div>\n`;
}

/** Rules that concern an object as a whole, such as alternative sets of required fields. Null if there are none. */
export function objectRules(schema: Schema): Html | null {
  const rules: Html[] = [];
  const choices = (schema.anyOf ?? []).map(({ required }) => required ?? []);
  if (choices.length > 0 && choices.every((names) => names.length > 0)) {
    const words = choices.map((names) =>
      joined(
        names.map((name) => html`<code>${name}</code>`),
        ' with ',
      ),
    );
    rules.push(html`At least one of ${joined(words, ', ')} is required.`);
  }
  if (schema.minProperties !== undefined)
    rules.push(html`${range(schema.minProperties, schema.maxProperties)} fields.`);
  if (schema.additionalProperties === false) rules.push(html`Unknown fields are rejected.`);
  return rules.length === 0 ? null : html`<p class="rules">${joined(rules, ' ')}</p>\n`;
}

export function typeOf(schema: Schema, linkOf: SchemaLink): Html {
  const typesOf = (schemas: readonly Schema[]) => schemas.map((each) => typeOf(each, linkOf));
  if (schema.$ref !== undefined) {
    const name = nameOf(schema.$ref);
    return html`<a href="${linkOf(name)}">${name}</a>`;
  }
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (schema.type === undefined && alternatives !== undefined) return joined(typesOf(alternatives), ' or ');
  if (schema.allOf !== undefined) return joined(typesOf(schema.allOf), ' and ');
  if (schema.not !== undefined) return html`not allowed`;
  if (schema.type === undefined) return html`${schema.const === undefined ? 'any' : typeof schema.const}`;
  const types = typeof schema.type === 'string' ? [schema.type] : schema.type;
  return joined(
    types.map((type) => oneType(type, schema, linkOf)),
    ' or ',
  );
}

function oneType(type: string, { items, additionalProperties, format }: Schema, linkOf: SchemaLink): Html {
  if (type === 'array' && items !== undefined) return html`array of ${pluralOf(items, linkOf)}`;
  if (type === 'object' && typeof additionalProperties === 'object')
    return html`map of ${pluralOf(additionalProperties, linkOf)}`;
  return type === 'string' && format !== undefined ? html`${type} (${format})` : html`${type}`;
}

/** `strings`; a type of more than one word, and the name of a schema, stay as they are. */
function pluralOf(schema: Schema, linkOf: SchemaLink): Html {
  const one = typeOf(schema, linkOf);
  return String(one) === schema.type ? html`${one}s` : one;
}

/** A description with these words states the limit for users. The number in the schema only bounds how much is read and is not shown. */
const MENTIONS_MAX = /\bat most\b/i;

/** The limits on a value in words, without limits that its type or description already states. */
export function limitsOf(schema: Schema): Html[] {
  const limits: Html[] = [];
  const isMentioned = MENTIONS_MAX.test(schema.description ?? '');
  const add = (minimum?: number, most?: number, one = '', many = ''): void => {
    const maximum = isMentioned ? undefined : most;
    if (minimum === undefined && maximum === undefined) return;
    limits.push(html`${range(minimum, maximum)}${(maximum ?? minimum) === 1 ? one : many}`);
  };
  if (schema.enum !== undefined)
    limits.push(
      html`one of ${joined(
        schema.enum.map((value) => valueText(value)),
        ', ',
      )}`,
    );
  if (schema.const !== undefined) limits.push(html`always ${valueText(schema.const)}`);
  add(schema.minimum, schema.maximum);
  if (schema.exclusiveMinimum !== undefined) limits.push(html`more than ${schema.exclusiveMinimum}`);
  if (schema.exclusiveMaximum !== undefined) limits.push(html`less than ${schema.exclusiveMaximum}`);
  add(schema.minLength, schema.maxLength, ' character', ' characters');
  add(undefined, schema['x-max-bytes'], ' byte in UTF-8', ' bytes in UTF-8');
  add(schema.minItems, schema.maxItems, ' item', ' items');
  if (schema.uniqueItems === true) limits.push(html`each once`);
  if (schema.properties === undefined) add(schema.minProperties, schema.maxProperties, ' entry', ' entries');
  if (schema.pattern !== undefined) limits.push(html`matches <code>${schema.pattern}</code>`);
  if (schema.default !== undefined) limits.push(html`default ${valueText(schema.default)}`);
  const each = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : schema.items;
  const inner = each === undefined ? [] : limitsOf(each);
  if (inner.length > 0) limits.push(html`each ${joined(inner, ', ')}`);
  return limits;
}

function valueText(value: unknown): Html {
  return html`<code>${typeof value === 'string' ? value : JSON.stringify(value)}</code>`;
}

function range(minimum: number | undefined, maximum: number | undefined): string {
  if (maximum === undefined) return `at least ${number(minimum ?? 0)}`;
  if (minimum === undefined) return `at most ${number(maximum)}`;
  return minimum === maximum ? `exactly ${number(maximum)}` : `${number(minimum)} to ${number(maximum)}`;
}

function number(value: number): string {
  return value.toLocaleString('en');
}

/** Describes a component by its fields. A component that is not an object is described by its type and limits. */
export function schemaBody(schema: Schema, reader: DocumentReader, linkOf: SchemaLink): Html {
  const fields = fieldsOf(schema);
  if (fields.length > 0) return html`${objectRules(schema)}${fieldList(fields, linkOf)}`;
  const parts = (schema.allOf ?? schema.anyOf ?? schema.oneOf ?? []).map((part) =>
    reader.deref<Schema>(part),
  );
  if (parts.length > 0)
    return html`<p>${typeOf(schema, linkOf)}</p>${parts.map((part) => schemaBody(part, reader, linkOf))}`;
  const limits = limitsOf(schema);
  return html`<p>${typeOf(schema, linkOf)}${limits.length === 0 ? null : html`; ${joined(limits, '; ')}`}</p>\n`;
}
