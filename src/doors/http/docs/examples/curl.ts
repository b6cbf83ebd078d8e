/** The curl command for an operation, generated from the examples in the OpenAPI document. Ids in a command are shell variables. */
import type { Instance } from '../instance.ts';
import { jsonText } from '../json-text.ts';
import type { DocumentReader, FoundOperation } from '../reference/document.ts';
import { requestOf, variableOf, withVariables } from './example-request.ts';

/** An id in the path besides `{id}`. */
const PART = /\b[a-z]+_[0-7][0-9A-HJKMNP-TV-Z]{25}\b/;
/** The name of the shell variable that contains the API key. */
export const KEY_VARIABLE = 'POSTHORN_KEY';
export const AUTHORIZATION = `-H "Authorization: Bearer $${KEY_VARIABLE}"`;

export function curlOf(operation: FoundOperation, reader: DocumentReader, instance: Instance): string {
  const { method, path, id, query, headers, body } = requestOf(operation, reader);
  const named = id === null ? path : path.replace('{id}', () => `$${variableOf(id) ?? 'ID'}`);
  const filled = named.replace(PART, (part) => `$${variableOf(part) ?? 'ID'}`);
  const url = `${instance.address}${filled}${query}`;
  const lines = [
    `curl -sS ${method === 'GET' ? '' : `-X ${method} `}${filled.includes('$') ? `"${url}"` : quoted(url)}`,
    AUTHORIZATION,
    ...headers.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
  ];
  if (body !== undefined) {
    const text = quoted(jsonText(body));
    lines.push(
      `-H 'Content-Type: application/json'`,
      `-d ${withVariables(text, (variable) => `"'"$${variable}"'"`)}`,
    );
  }
  return lines.join(' \\\n  ');
}

/** Quotes text for a POSIX shell. */
function quoted(text: string): string {
  return /^[\w:/.-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
