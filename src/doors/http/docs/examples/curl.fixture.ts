/**
 * Makes the curl commands of the reference run one after the other, in the order of their pages: a command that creates a resource saves
 * its id in the shell variable that later commands use.
 */
import type { Instance } from '../instance.ts';
import type { DocumentReader, FoundOperation } from '../reference/document.ts';
import { AUTHORIZATION } from './curl.ts';
import { variableOf } from './example-request.ts';

/** Commands that run before an example and create a resource that no earlier example creates. */
const PRELUDES: Readonly<Record<string, (instance: Instance) => string>> = {
  createMailbox: ({ address }) =>
    `DOMAIN_ID=$(curl -sS ${address}/v1/domains \\\n  ${AUTHORIZATION} | ${idIn('dom')})`,
  // Create a scheduled email, because the email from an earlier example may already have been sent. GNU and BSD have different syntax for
  // "in an hour".
  cancelEmail: ({ address, hostedDomain }) =>
    `later=$(date -u -d '+1 hour' +%Y-%m-%dT%H:%M:%SZ 2>/dev/null || date -u -v+1H +%Y-%m-%dT%H:%M:%SZ)
EMAIL_ID=$(curl -sS -X POST ${address}/v1/emails \\\n  ${AUTHORIZATION} \\\n  -H 'Content-Type: application/json' \\\n  -d '{"from":"orders@${hostedDomain}","to":["customer@example.org"],\n    "text":"Later.","scheduled_at":"'"$later"'"}' | ${idIn('em')})`,
  // Create a mailbox, because the last mailbox example deletes the mailbox that the mailbox examples use.
  createAlias: ({ address }) =>
    `MAILBOX_ID=$(curl -sS -X POST ${address}/v1/mailboxes \\\n  ${AUTHORIZATION} \\\n  -H 'Content-Type: application/json' \\\n  -d '{"domain_id":"'"$DOMAIN_ID"'","local_part":"team-'"$(date +%s)"'"}' | ${idIn('mbx')})`,
  // Create a route at the hosted domain, whose mail is delivered here, and send it a message.
  getRouteMessage: ({ address, hostedDomain }) =>
    `HOSTED_ID=$(curl -sS ${address}/v1/domains \\\n  ${AUTHORIZATION} | grep -o '{[^{}]*"is_hosted":true' | ${idIn('dom')})
name=support-$(date +%s)
ROUTE_ID=$(curl -sS -X POST ${address}/v1/routes \\\n  ${AUTHORIZATION} \\\n  -H 'Content-Type: application/json' \\\n  -d '{"domain_id":"'"$HOSTED_ID"'","local_part":"'"$name"'","url":"https://hooks.acme.example/incoming"}' | ${idIn('rt')})
curl -sS -o /dev/null -X POST ${address}/v1/emails \\\n  ${AUTHORIZATION} \\\n  -H 'Content-Type: application/json' \\\n  -d '{"from":"orders@${hostedDomain}","to":["'"$name"'@${hostedDomain}"],"text":"Hello."}'
MESSAGE_ID=$(curl -sS "${address}/v1/routes/$ROUTE_ID/messages?wait=30" \\\n  ${AUTHORIZATION} | ${idIn('rm')})`,
  getTemplate: () =>
    `TEMPLATE_ID=$(npm run -s posthorn -- template create --project default --name "welcome $(date +%s)" \\\n  --subject 'Welcome' --text 'Hello {{name}}' --json | ${idIn('tpl')})`,
};

/** @param command the curl command of the operation, as on its page @returns a shell text that prints only the response of the command */
export function runnable(
  command: string,
  operation: FoundOperation,
  { reader, instance }: { reader: DocumentReader; instance: Instance },
): string {
  const prelude = PRELUDES[operation.operationId]?.(instance);
  return [...(prelude === undefined ? [] : [prelude]), ...linesSavingId(command, operation, reader)].join(
    '\n',
  );
}

/** The lines that send the request, print the response and save the id from the response. */
function linesSavingId(command: string, operation: FoundOperation, reader: DocumentReader): string[] {
  const id = idOf(reader.successExample(operation));
  const variable = id === null ? null : variableOf(id);
  if (operation.method !== 'POST' || operation.path.includes('{') || id === null || variable === null)
    return [command];
  return [
    `answer=$(${command})`,
    `printf '%s\\n' "$answer"`,
    `${variable}=$(printf '%s' "$answer" | ${idIn(id.slice(0, id.indexOf('_')))})`,
  ];
}

/** A shell filter that prints the first id with this prefix in its input. Uses only `grep` and `head`. */
function idIn(prefix: string): string {
  return `grep -o '${prefix}_[0-9A-Z]*' | head -n 1`;
}

function idOf(example: unknown): string | null {
  if (typeof example !== 'object' || example === null) return null;
  if ('id' in example && typeof example.id === 'string') return example.id;
  const list = Object.values(example).find(Array.isArray) as unknown[] | undefined;
  return list === undefined ? null : idOf(list[0]);
}
