import type { EmailDetail } from '../../../contract/emails.ts';
import { printable } from '../../../rfc/smtp/reply.ts';
import { getEmail } from '../../../sending/read/get-email.ts';
import { idFrom, noSuch, print, type ProjectOptions, withProject } from '../command.ts';
import { detailOf } from '../event-detail.ts';
import { table, timeInWords } from '../table.ts';

/** Prints the response to GET /v1/emails/{id}. The text output leaves out the bodies of the email, which `email raw` prints. */
export async function showEmail({ project, id, json }: ProjectOptions & { id: string }): Promise<void> {
  await withProject(project, async ({ database }, projectId) => {
    const email = await getEmail(database, projectId, idFrom('em', id));
    if (email === null) throw noSuch(project, 'email');
    print(json, email, describe(email));
  });
}

const MAX_VALUE = 1_000;

function describe(email: EmailDetail): string {
  const fields: readonly [name: string, value: string][] = [
    ['id', email.id],
    ['status', email.status],
    ['created', timeInWords(email.created_at)],
    ['from', email.from],
    ['to', email.to.join(', ')],
    ['cc', email.cc.join(', ')],
    ['bcc', email.bcc.join(', ')],
    ['reply to', email.reply_to ?? ''],
    ['subject', email.subject],
    ...Object.entries(email.headers).map(([name, value]): [string, string] => [
      'header',
      `${name}: ${value}`,
    ]),
    ['tags', email.tags.join(', ')],
    ['stream', email.stream],
    ['message id', email.message_id],
    ['html', sizeOf(email.html)],
    ['text', sizeOf(email.text)],
  ];
  const lines = fields
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${`${name}:`.padEnd(12)}${printable(value, MAX_VALUE)}`);
  const events = email.events.map((event) => [
    timeInWords(event.created_at),
    event.type,
    event.recipient ?? '',
    detailOf(event),
  ]);
  // Do not truncate any column: the server's reply, in the last column, is what the reader came for.
  const columns = [{ title: 'TIME (UTC)' }, { title: 'EVENT' }, { title: 'RECIPIENT' }, { title: 'DETAIL' }];
  return [...lines, '', table(columns, events)].join('\n');
}

function sizeOf(body: string): string {
  return body === '' ? '' : `${Buffer.byteLength(body)} bytes`;
}
