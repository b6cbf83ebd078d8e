import { InvalidArgumentError } from 'commander';
import type { ListEmailsQuery } from '../../../contract/emails.ts';
import { listEmails } from '../../../sending/read/list-emails.ts';
import { type ProjectOptions, withProject } from '../command.ts';
import { age, printList } from '../table.ts';

const MAX_LIMIT = 200;

export function limitFrom(text: string): number {
  const limit = Number(text);
  if (/^\d{1,3}$/.test(text) && limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${MAX_LIMIT}.`);
}

/** Parses a date or a time. A date without a time means midnight UTC. */
export function timeFrom(text: string): string {
  const time = new Date(text);
  if (!Number.isNaN(time.getTime())) return time.toISOString();
  throw new InvalidArgumentError('It must be a date or a time: 2027-01-31 or 2027-01-31T12:00:00Z.');
}

/** Prints one page of emails, as GET /v1/emails returns them. */
export async function listProjectEmails({
  project,
  json,
  ...query
}: ProjectOptions & ListEmailsQuery): Promise<void> {
  await withProject(project, async ({ database }, projectId) => {
    const list = await listEmails((statement) => statement(database), projectId, query);
    printList(json, list, {
      columns: [
        { title: 'ID' },
        { title: 'STATUS' },
        { title: 'AGE' },
        { title: 'TO', isCut: true },
        { title: 'SUBJECT', isCut: true },
      ],
      rowOf: ({ id, status, created_at, to, subject }) => [
        id,
        status,
        age(created_at),
        to.join(', '),
        subject,
      ],
      none: 'No emails.',
    });
    if (json !== true && list.next_cursor !== null)
      process.stderr.write(`More emails: --cursor ${list.next_cursor}\n`);
  });
}
