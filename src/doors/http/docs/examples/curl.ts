/**
 * The curl command for an operation, generated from the examples in the OpenAPI document. All commands work when they are pasted in the
 * order of the page. A command that creates a resource saves the id of the resource in a shell variable, which later commands use.
 */
import type { Instance } from '../instance.ts';
import type { DocumentReader, FoundOperation } from '../reference/document.ts';
import { exampleIdOf, idOf, requestOf, sentFrom } from './example-request.ts';

/** The name of the shell variable that contains the API key. */
export const KEY_VARIABLE = 'POSTHORN_KEY';

const AUTHORIZATION = `-H "Authorization: Bearer $${KEY_VARIABLE}"`;

/** The names of shell variables, by id prefix. */
const ID_VARIABLES: Readonly<Record<string, string>> = {
  em: 'EMAIL_ID',
  dom: 'DOMAIN_ID',
  mbx: 'MAILBOX_ID',
  als: 'ALIAS_ID',
  wh: 'WEBHOOK_ID',
  tpl: 'TEMPLATE_ID',
  per: 'PERSON_ID',
};

/** Commands that run before an example and create a resource that no earlier example creates. */
const PRELUDES: Readonly<Record<string, (instance: Instance) => string>> = {
  createMailbox: ({ address }) =>
    `${ID_VARIABLES['dom']}=$(curl -sS ${address}/v1/domains \\\n  ${AUTHORIZATION} | ${idIn('dom')})`,
  // Create a scheduled email, because the email from an earlier example may already have been sent. GNU and BSD have different syntax for
  // "in an hour".
  cancelEmail: ({ address, hostedDomain }) =>
    `later=$(date -u -d '+1 hour' +%Y-%m-%dT%H:%M:%SZ 2>/dev/null || date -u -v+1H +%Y-%m-%dT%H:%M:%SZ)
${ID_VARIABLES['em']}=$(curl -sS -X POST ${address}/v1/emails \\\n  ${AUTHORIZATION} \\\n  -H 'Content-Type: application/json' \\\n  -d '{"from":"orders@${hostedDomain}","to":["customer@example.org"],\n    "text":"Later.","scheduled_at":"'"$later"'"}' | ${idIn('em')})`,
  // Create a mailbox, because the last mailbox example deletes the mailbox that the mailbox examples use.
  createAlias: ({ address }) =>
    `${ID_VARIABLES['mbx']}=$(curl -sS -X POST ${address}/v1/mailboxes \\\n  ${AUTHORIZATION} \\\n  -H 'Content-Type: application/json' \\\n  -d '{"domain_id":"'"$${ID_VARIABLES['dom']}"'","local_part":"team-'"$(date +%s)"'"}' | ${idIn('mbx')})`,
  getTemplate: () =>
    `${ID_VARIABLES['tpl']}=$(npm run -s posthorn -- template create --project default --name "welcome $(date +%s)" \\\n  --subject 'Welcome' --text 'Hello {{name}}' --json | ${idIn('tpl')})`,
};

export function curlOf(operation: FoundOperation, reader: DocumentReader, instance: Instance): string {
  const prelude = PRELUDES[operation.operationId]?.(instance);
  const request = curlRequestOf(operation, reader, instance);
  return [...(prelude === undefined ? [] : [prelude]), ...linesSavingId(operation, reader, request)].join(
    '\n',
  );
}

/** Only the curl command, without the commands that prepare the request or save the id. */
export function curlRequestOf(operation: FoundOperation, reader: DocumentReader, instance: Instance): string {
  const { method, path, query, headers, body } = requestOf(operation, reader);
  const filled = path.replace('{id}', () => `$${variableOf(exampleIdOf(operation, reader))}`);
  const url = `${instance.address}${filled}${query}`;
  const lines = [
    `curl -sS ${method === 'GET' ? '' : `-X ${method} `}${filled.includes('$') ? `"${url}"` : quoted(url)}`,
    AUTHORIZATION,
    ...headers.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
  ];
  if (body !== undefined) {
    lines.push(`-H 'Content-Type: application/json'`, `-d ${bodyText(body, instance)}`);
  }
  return lines.join(' \\\n  ');
}

/** The lines that send the request, print the response and save the id from the response. */
function linesSavingId(operation: FoundOperation, reader: DocumentReader, request: string): string[] {
  const id = idOf(reader.successExample(operation));
  if (operation.method !== 'POST' || operation.path.includes('{') || id === null) return [request];
  return [
    `answer=$(${request})`,
    `printf '%s\\n' "$answer"`,
    `${variableOf(id)}=$(printf '%s' "$answer" | ${idIn(prefixOf(id))})`,
  ];
}

/** A shell filter that prints the first id with this prefix in its input. Uses only `grep` and `head`. */
function idIn(prefix: string): string {
  return `grep -o '${prefix}_[0-9A-Z]*' | head -n 1`;
}

function prefixOf(id: string): string {
  return id.slice(0, id.indexOf('_'));
}

function variableOf(id: string): string {
  return ID_VARIABLES[prefixOf(id)] ?? 'ID';
}

/** The request body as JSON for the shell. Ids of other resources become the shell variables that earlier examples set. */
function bodyText(body: unknown, { hostedDomain }: Instance): string {
  const text = JSON.stringify(sentFrom(body, hostedDomain), null, 2);
  return quoted(text).replaceAll(/"(?!whsec)([a-z]+)_[0-9A-Z]{26}"/g, (whole, prefix: string) => {
    const variable = ID_VARIABLES[prefix];
    return variable === undefined ? whole : `"'"$${variable}"'"`;
  });
}

/** Quotes text for a POSIX shell. */
function quoted(text: string): string {
  return /^[\w:/.-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
