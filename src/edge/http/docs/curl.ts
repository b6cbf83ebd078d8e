/** A command line for an operation, made from the document's examples. */
import type { Parameter } from '../api-document.ts';
import type { DocumentReader, FoundOperation } from './document.ts';

/** Shell variables: the API key, and the address where the document does not know it. */
export const KEY_VARIABLE = 'POSTHORN_KEY';
export const URL_VARIABLE = 'POSTHORN_URL';

export function curlOf(operation: FoundOperation, reader: DocumentReader): string {
  const parameters = reader.parameters(operation);
  const query = parameters.filter(({ in: place, required }) => place === 'query' && required === true);
  const headers = parameters.filter(
    (parameter) => parameter.in === 'header' && (parameter.required === true || hasExample(parameter)),
  );
  const media = operation.requestBody?.content['application/json'];
  const body = reader.exampleOf(media);
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    name === 'id' ? exampleId(operation, reader) : name.toUpperCase(),
  );
  const search = query.map((parameter) => `${parameter.name}=${encodeURIComponent(valueOf(parameter))}`);
  const address = search.length === 0 ? path : `${path}?${search.join('&')}`;
  const lines = [
    `curl -sS ${operation.method === 'GET' ? '' : `-X ${operation.method} `}${urlOf(reader, address)}`,
    `-H "Authorization: Bearer $${KEY_VARIABLE}"`,
    ...headers.map((header) => `-H ${quoted(`${header.name}: ${valueOf(header)}`)}`),
  ];
  if (body !== undefined) {
    lines.push(`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(body, null, 2))}`);
  }
  return lines.join(' \\\n  ');
}

function urlOf({ document }: DocumentReader, address: string): string {
  const base = document.servers[0]?.url ?? '/';
  return base === '/' ? `"$${URL_VARIABLE}${address}"` : quoted(base + address);
}

/** For POSIX shells. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function hasExample({ example, schema }: Parameter): boolean {
  return example !== undefined || schema.examples?.[0] !== undefined;
}

function valueOf({ name, example, schema }: Parameter): string {
  const value = example ?? schema.examples?.[0] ?? schema.default ?? schema.enum?.[0];
  return value === undefined ? name.toUpperCase() : String(value);
}

/** The id that the examples of the same resource show. */
function exampleId({ path }: FoundOperation, reader: DocumentReader): string {
  const resource = path.slice(0, path.indexOf('/{'));
  for (const other of reader.operations) {
    if (other.path !== resource && !other.path.startsWith(`${resource}/`)) continue;
    const id = idIn(reader.successExample(other));
    if (id !== null) return id;
  }
  return 'ID';
}

function idIn(example: unknown): string | null {
  if (typeof example !== 'object' || example === null) return null;
  if ('id' in example && typeof example.id === 'string') return example.id;
  const list = Object.values(example).find(Array.isArray) as unknown[] | undefined;
  return list === undefined ? null : idIn(list[0]);
}
