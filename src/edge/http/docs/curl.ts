/**
 * A command line for an operation, made from the document's examples. Pasted in the order of the page, all of them work: what
 * makes something keeps its id in a variable of the shell, and what is about that thing uses it.
 */
import type { Parameter } from '../api-document.ts';
import type { DocumentReader, FoundOperation } from './document.ts';

/** Where the examples are pasted. */
export interface Instance {
  /** Where clients find the API, without a trailing slash. */
  address: string;
  /** The domain that every project may send from. */
  hostedDomain: string;
}

/** The variable of the shell with the API key. */
export const KEY_VARIABLE = 'POSTHORN_KEY';

const AUTHORIZATION = `-H "Authorization: Bearer $${KEY_VARIABLE}"`;

/** By the prefix of the id. */
const ID_VARIABLES: Readonly<Record<string, string>> = {
  em: 'EMAIL_ID',
  dom: 'DOMAIN_ID',
  mbx: 'MAILBOX_ID',
  als: 'ALIAS_ID',
  wh: 'WEBHOOK_ID',
  tpl: 'TEMPLATE_ID',
  per: 'PERSON_ID',
};

/** What makes an id for an example that no other example makes one for. */
const PRELUDES: Readonly<Record<string, (instance: Instance) => string>> = {
  createMailbox: ({ address }) =>
    `${ID_VARIABLES['dom']}=$(curl -sS ${address}/v1/domains ${AUTHORIZATION} | ${idIn('dom')})`,
  // That of the examples before is deleted by the last of them.
  createAlias: ({ address }) =>
    `${ID_VARIABLES['mbx']}=$(curl -sS -X POST ${address}/v1/mailboxes ${AUTHORIZATION} -H 'Content-Type: application/json' \\\n  -d '{"domain_id":"'"$${ID_VARIABLES['dom']}"'","local_part":"team-'"$(date +%s)"'"}' | ${idIn('mbx')})`,
  getTemplate: () =>
    `${ID_VARIABLES['tpl']}=$(npm run -s posthorn -- template create --project default --name "welcome $(date +%s)" \\\n  --subject 'Welcome' --text 'Hello {{name}}' --json | ${idIn('tpl')})`,
};

export function curlOf(operation: FoundOperation, reader: DocumentReader, instance: Instance): string {
  const prelude = PRELUDES[operation.operationId]?.(instance);
  const request = requestOf(operation, reader, instance);
  return [...(prelude === undefined ? [] : [prelude]), ...keepingId(operation, reader, request)].join('\n');
}

/** The command that makes the request, and nothing else. */
export function requestOf(operation: FoundOperation, reader: DocumentReader, instance: Instance): string {
  const parameters = reader.parameters(operation);
  const query = parameters.filter(({ in: place, required }) => place === 'query' && required === true);
  const headers = parameters.filter(
    (parameter) => parameter.in === 'header' && (parameter.required === true || hasExample(parameter)),
  );
  const body = reader.exampleOf(operation.requestBody?.content['application/json']);
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    name === 'id' ? `$${variableOf(exampleId(operation, reader))}` : name.toUpperCase(),
  );
  const search = query.map((parameter) => `${parameter.name}=${encodeURIComponent(valueOf(parameter))}`);
  const url = `${instance.address}${search.length === 0 ? path : `${path}?${search.join('&')}`}`;
  const lines = [
    `curl -sS ${operation.method === 'GET' ? '' : `-X ${operation.method} `}${path.includes('$') ? `"${url}"` : quoted(url)}`,
    AUTHORIZATION,
    ...headers.map((header) => `-H ${quoted(`${header.name}: ${valueOf(header)}`)}`),
  ];
  if (body !== undefined) {
    lines.push(`-H 'Content-Type: application/json'`, `-d ${bodyText(body, instance)}`);
  }
  return lines.join(' \\\n  ');
}

/** The answer is shown, and the id in it is kept. */
function keepingId(operation: FoundOperation, reader: DocumentReader, request: string): string[] {
  const id = idOf(reader.successExample(operation));
  if (operation.method !== 'POST' || operation.path.includes('{') || id === null) return [request];
  return [
    `answer=$(${request})`,
    `printf '%s\\n' "$answer"`,
    `${variableOf(id)}=$(printf '%s' "$answer" | ${idIn(prefixOf(id))})`,
  ];
}

/** The first id of a kind in what comes: a filter of the shell, which needs no other program. */
function idIn(prefix: string): string {
  return `grep -o '${prefix}_[0-9A-Z]*' | head -n 1`;
}

function prefixOf(id: string): string {
  return id.slice(0, id.indexOf('_'));
}

function variableOf(id: string): string {
  return ID_VARIABLES[prefixOf(id)] ?? 'ID';
}

/** Senders are on the hosted domain, which needs no DNS; ids of other things are those of earlier examples. */
function bodyText(body: unknown, { hostedDomain }: Instance): string {
  const text = JSON.stringify(
    body,
    (key, value: unknown) =>
      key === 'from' && typeof value === 'string' ? value.replace(/@[^@>]*/, `@${hostedDomain}`) : value,
    2,
  );
  return quoted(text).replaceAll(/"(?!whsec)([a-z]+)_[0-9A-Z]{26}"/g, (whole, prefix: string) => {
    const variable = ID_VARIABLES[prefix];
    return variable === undefined ? whole : `"'"$${variable}"'"`;
  });
}

/** For POSIX shells. */
function quoted(text: string): string {
  return /^[\w:/.-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
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
    const id = idOf(reader.successExample(other));
    if (id !== null) return id;
  }
  return 'ID';
}

function idOf(example: unknown): string | null {
  if (typeof example !== 'object' || example === null) return null;
  if ('id' in example && typeof example.id === 'string') return example.id;
  const list = Object.values(example).find(Array.isArray) as unknown[] | undefined;
  return list === undefined ? null : idOf(list[0]);
}
