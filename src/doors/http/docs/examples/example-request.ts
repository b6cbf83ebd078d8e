/** The request in an example, built from the examples in the OpenAPI document. All languages show the same request. */
import type { Parameter } from '../../api-document.ts';
import type { DocumentReader, FoundOperation } from '../reference/document.ts';

export interface ExampleRequest {
  method: string;
  /** The path, with `{id}` as it is and example values in place of other parameters. */
  path: string;
  /** The values of the parameters in the path, in order. */
  names: readonly string[];
  /** The query string with its question mark. Empty if there are no query parameters. */
  query: string;
  /** The query parameters by name. */
  parameters: Readonly<Record<string, unknown>>;
  /** The headers except the API key and the content type. */
  headers: readonly (readonly [name: string, value: string])[];
  body: unknown;
}

export function requestOf(operation: FoundOperation, reader: DocumentReader): ExampleRequest {
  const all = reader.parameters(operation);
  const query = all.filter(({ in: place, required }) => place === 'query' && required === true);
  const headers = all.filter(
    (parameter) => parameter.in === 'header' && (parameter.required === true || hasExample(parameter)),
  );
  const named = Array.from(operation.path.matchAll(/\{(\w+)\}/g), ([, name = '']) => name);
  const search = query.map(
    (parameter) => `${parameter.name}=${encodeURIComponent(String(valueOf(parameter)))}`,
  );
  return {
    method: operation.method,
    path: operation.path.replaceAll(/\{(?!id\})(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(exampleNamed(name, operation, reader)),
    ),
    names: named.map((name) =>
      name === 'id' ? exampleIdOf(operation, reader) : exampleNamed(name, operation, reader),
    ),
    query: search.length === 0 ? '' : `?${search.join('&')}`,
    parameters: Object.fromEntries(query.map((parameter) => [parameter.name, valueOf(parameter)])),
    headers: headers.map((header) => [header.name, String(valueOf(header))]),
    body: reader.exampleOf(operation.requestBody?.content['application/json']),
  };
}

/** Replaces the sender's domain with the hosted domain, which needs no DNS records. The Message-ID of an email is at the same domain. */
export function sentFrom(body: unknown, hostedDomain: string): unknown {
  return JSON.parse(
    JSON.stringify(body, (key, value: unknown) =>
      (key === 'from' || key === 'message_id') && typeof value === 'string'
        ? value.replace(/@[^@>]*/, () => `@${hostedDomain}`)
        : value,
    ),
  );
}

/** The id that the examples for the same resource use. */
export function exampleIdOf({ path }: FoundOperation, reader: DocumentReader): string {
  const resource = path.slice(0, path.indexOf('/{'));
  for (const other of reader.operations) {
    if (other.path !== resource && !other.path.startsWith(`${resource}/`)) continue;
    const id = idOf(reader.successExample(other));
    if (id !== null) return id;
  }
  return 'ID';
}

/** The value of the field `name` in the examples for the same resource. */
function exampleNamed(name: string, { path }: FoundOperation, reader: DocumentReader): string {
  const resource = path.slice(0, path.indexOf('/{'));
  for (const other of reader.operations) {
    if (other.path !== resource && !other.path.startsWith(`${resource}/`)) continue;
    const found = new RegExp(`"${name}":"([^"\\\\]*)"`).exec(
      JSON.stringify(reader.successExample(other) ?? null),
    );
    if (found?.[1] !== undefined) return found[1];
  }
  return name.toUpperCase();
}

export function idOf(example: unknown): string | null {
  if (typeof example !== 'object' || example === null) return null;
  if ('id' in example && typeof example.id === 'string') return example.id;
  const list = Object.values(example).find(Array.isArray) as unknown[] | undefined;
  return list === undefined ? null : idOf(list[0]);
}

function hasExample({ example, schema }: Parameter): boolean {
  return example !== undefined || schema.examples?.[0] !== undefined;
}

function valueOf({ name, example, schema }: Parameter): unknown {
  return example ?? schema.examples?.[0] ?? schema.default ?? schema.enum?.[0] ?? name.toUpperCase();
}
