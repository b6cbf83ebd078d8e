/** From merely claimed to in hand: recorded, with the `sending` events, before any work on the message begins. */
import { sql } from 'kysely';
import { uuidArray } from '../../db/arrays.ts';
import type { Database } from '../../db/database.ts';
import type { ClaimedRow } from '../../queue/claim.ts';
import type { Life } from '../../queue/life.ts';
import { takeInHand } from '../../queue/settle.ts';
import { recordEvents } from '../events/record-events.ts';

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

/**
 * One transaction for a batch. Resolves with the emails to send, by id.
 * @throws LeaseLost
 */
export async function beginAttempts(
  database: Database,
  life: Life,
  jobs: readonly Job[],
): Promise<Map<string, StoredEmail>> {
  return database.transaction().execute(async (tx) => {
    await life.assertIn(tx);
    await takeInHand(
      tx,
      life.epoch,
      jobs.flatMap((job) => job.rows),
    );
    await recordEvents(
      tx,
      jobs.map((job) => ({ ...job, events: [{ type: 'sending', n: null, recipient: null, detail: null }] })),
    );
    const { rows } = await sql<StoredEmail>`
      select e.project_id, e.id as email_id, e.sender, e.to_list, c.cc, c.reply_to, e.subject, c.headers, c.html, c.text
      from unnest(${uuidArray(jobs.map((job) => job.projectId))}::uuid[], ${uuidArray(jobs.map((job) => job.emailId))}::uuid[])
        as k (project_id, email_id)
      join emails e on e.project_id = k.project_id and e.id = k.email_id
      join email_contents c on c.project_id = k.project_id and c.email_id = k.email_id`.execute(tx);
    return new Map(rows.map((row) => [row.emailId, row]));
  });
}
