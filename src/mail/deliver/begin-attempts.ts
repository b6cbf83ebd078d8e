/** From merely claimed to in hand: recorded, with the `sending` events, before any work on the message begins. */
import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import type { ClaimedRow } from '../../queue/claim.ts';
import { takingInHand } from '../../queue/settle.ts';
import { recordingEvents } from '../events/record-events.ts';

/** The recipients of one email that go out together. */
export interface Job {
  projectId: string;
  emailId: string;
  rows: ClaimedRow[];
}

export interface StoredEmail {
  projectId: string;
  emailId: string;
  sender: string;
  toList: string[];
  cc: string[];
  replyTo: string | null;
  subject: string;
  headers: Record<string, string> | null;
  html: string | null;
  text: string | null;
}

/** Recipients of one email that were claimed together go out together. */
export function groupByEmail(rows: readonly ClaimedRow[]): Job[] {
  const jobs = new Map<string, Job>();
  for (const row of rows) {
    const job = jobs.get(row.emailId);
    if (job === undefined)
      jobs.set(row.emailId, { projectId: row.projectId, emailId: row.emailId, rows: [row] });
    else job.rows.push(row);
  }
  return [...jobs.values()];
}

export interface BegunJob {
  job: Job;
  email: StoredEmail;
}

/** One statement for a batch. Resolves with what may be worked on: rows that are not held any more are left out. */
export async function beginAttempts(
  database: Database,
  epoch: string,
  jobs: readonly Job[],
): Promise<BegunJob[]> {
  const held = takingInHand(
    epoch,
    jobs.flatMap((job) => job.rows),
  );
  const sending = recordingEvents(
    jobs.map((job) => ({ ...job, events: [{ type: 'sending', n: null, recipient: null, detail: null }] })),
    'held',
  );
  const { rows } = await sql<StoredEmail & { held: number[] }>`
    with ${held}, ${sending}
    select h.held, e.project_id, e.id as email_id, e.sender, e.to_list, c.cc, c.reply_to, e.subject, c.headers, c.html, c.text
    from (select project_id, email_id, array_agg(n) as held from held group by project_id, email_id) h
    join emails e on e.project_id = h.project_id and e.id = h.email_id
    join email_contents c on c.project_id = h.project_id and c.email_id = h.email_id`.execute(database);
  const emails = new Map(rows.map((row) => [row.emailId, row]));
  return jobs.flatMap((job) => {
    const email = emails.get(job.emailId);
    if (email === undefined) return [];
    return [{ email, job: { ...job, rows: job.rows.filter((row) => email.held.includes(row.n)) } }];
  });
}
