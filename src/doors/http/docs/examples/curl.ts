/**
 * The curl command for an operation, generated from the document's examples. All commands work when pasted in the order of the page: a
 * command that creates a resource saves its id in a shell variable, and later commands for that resource use it.
 */
import type { Instance } from '../instance.ts';
import type { DocumentReader, FoundOperation } from '../reference/document.ts';
import { exampleIdOf, idOf, requestOf, sentFrom } from './example-request.ts';

/** The shell variable with the API key. */
export const KEY_VARIABLE = 'POSTHORN_KEY';

const AUTHORIZATION = `-H "Authorization: Bearer $${KEY_VARIABLE}"`;

/** Shell variables by id prefix. */
const ID_VARIABLES: Readonly<Record<string, string>> = {
  em: 'EMAIL_ID',
  dom: 'DOMAIN_ID',
  mbx: 'MAILBOX_ID',
  als: 'ALIAS_ID',
  wh: 'WEBHOOK_ID',
  tpl: 'TEMPLATE_ID',
  per: 'PERSON_ID',
};

/** Commands that create a resource for an example, where no earlier example creates it. */
const PRELUDES: Readonly<Record<string, (instance: Instance) => string>> = {
  createMailbox: ({ address }) =>
    `${ID_VARIABLES['dom']}=$(curl -sS ${address}/v1/domains ${AUTHORIZATION} | ${idIn('dom')})`,
  // The email of an earlier example may already be sent. GNU and BSD have different syntax for "in an hour".
  cancelEmail: ({ address, hostedDomain }) =>
    `later=$(date -u -d '+1 hour' +%Y-%m-%dT%H:%M:%SZ 2>/dev/null || date -u -v+1H +%Y-%m-%dT%H:%M:%SZ)
${ID_VARIABLES['em']}=$(curl -sS -X POST ${address}/v1/emails ${AUTHORIZATION} -H 'Content-Type: application/json' \\\n  -d '{"from":"orders@${hostedDomain}","to":["customer@example.org"],"text":"Later.","scheduled_at":"'"$later"'"}' | ${idIn('em')})`,
  // The mailbox of the earlier examples is deleted by the last of them.
  createAlias: ({ address }) =>
    `${ID_VARIABLES['mbx']}=$(curl -sS -X POST ${address}/v1/mailboxes ${AUTHORIZATION} -H 'Content-Type: application/json' \\\n  -d '{"domain_id":"'"$${ID_VARIABLES['dom']}"'","local_part":"team-'"$(date +%s)"'"}' | ${idIn('mbx')})`,
  getTemplate: () =>
    `${ID_VARIABLES['tpl']}=$(npm run -s posthorn -- template create --project default --name "welcome $(date +%s)" \\\n  --subject 'Welcome' --text 'Hello {{name}}' --json | ${idIn('tpl')})`,
};

export function curlOf(operation: FoundOperation, reader: DocumentReader, instance: Instance): string {
  const prelude = PRELUDES[operation.operationId]?.(instance);
  const request = curlRequestOf(operation, reader, instance);
  return [...(prelude === undefined ? [] : [prelude]), ...keepingId(operation, reader, request)].join('\n');
}

/** The curl command alone, without the commands that prepare the request or save the id. */
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

/** Prints the response, and saves the id that it contains. */
function keepingId(operation: FoundOperation, reader: DocumentReader, request: string): string[] {
  const id = idOf(reader.successExample(operation));
  if (operation.method !== 'POST' || operation.path.includes('{') || id === null) return [request];
  return [
    `answer=$(${request})`,
    `printf '%s\\n' "$answer"`,
    `${variableOf(id)}=$(printf '%s' "$answer" | ${idIn(prefixOf(id))})`,
  ];
}

/** A shell filter that extracts the first id of a type from its input, without other programs. */
function idIn(prefix: string): string {
  return `grep -o '${prefix}_[0-9A-Z]*' | head -n 1`;
}

function prefixOf(id: string): string {
  return id.slice(0, id.indexOf('_'));
}

function variableOf(id: string): string {
  return ID_VARIABLES[prefixOf(id)] ?? 'ID';
}

/** Ids of other resources come from earlier examples. */
function bodyText(body: unknown, { hostedDomain }: Instance): string {
  const text = JSON.stringify(sentFrom(body, hostedDomain), null, 2);
  return quoted(text).replaceAll(/"(?!whsec)([a-z]+)_[0-9A-Z]{26}"/g, (whole, prefix: string) => {
    const variable = ID_VARIABLES[prefix];
    return variable === undefined ? whole : `"'"$${variable}"'"`;
  });
}

/** Quotes text for POSIX shells. */
function quoted(text: string): string {
  return /^[\w:/.-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
