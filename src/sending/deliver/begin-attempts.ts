/**
 * From merely claimed to in flight: recorded before any work on the message begins, with the `sending` event of each email
 * that goes to anybody: nobody is contacted for a recipient on the suppression list.
 */
import { sql } from 'kysely';
import { cte } from '../../db/cte.ts';
import type { Database } from '../../db/database.ts';
import type { ClaimedRow } from '../../queue/claim.ts';
import { markingInFlight } from '../../queue/settle.ts';
import { recordingEvents } from '../events/record-events.ts';
import { suppresses } from '../suppress/suppressing.ts';
import type { Job } from './job.ts';
import { SENDING } from './outcome-events.ts';
import type { ComposedContent, StoredEmail } from './stored-email.ts';

type Held = { held: number[] | null; suppressed: number[] | null };

export interface BegunJob {
  job: Job;
  email: StoredEmail;
  /** Rows of the job, as far as they are held, whose address is on the project's suppression list. */
  suppressed: ClaimedRow[];
}

/** One statement for a batch. Resolves with what may be worked on: rows that are not held any more are left out. */
export async function beginAttempts(
  database: Database,
  leaseId: string,
  jobs: readonly Job[],
): Promise<BegunJob[]> {
  const held = markingInFlight(
    leaseId,
    jobs.flatMap((job) => job.rows),
  );
  const looked = cte(
    'looked',
    sql`
      select h.*, s.project_id is not null as is_listed
      from ${held.name} h left join suppressions s on ${suppresses('s', 'h')}`,
    held.sql,
  );
  const contacted = cte(
    'contacted',
    sql`select project_id, email_id, recipient_index from ${looked.name} where not is_listed`,
    looked.sql,
  );
  const sending = recordingEvents(
    jobs.map((job) => ({ ...job, events: [SENDING] })),
    contacted,
  );
  const { rows } = await sql<Omit<StoredEmail, 'content'> & ComposedContent & Held>`
    with ${contacted.sql}, ${sending}
    select h.held, h.suppressed, e.project_id, e.id as email_id, e.sender, e.to_list, c.cc, c.reply_to, e.subject, c.headers, c.html, c.text, c.tracking, c.trace_parent
    from (
      select project_id, email_id, array_agg(recipient_index) filter (where not is_listed) as held,
             array_agg(recipient_index) filter (where is_listed) as suppressed
      from ${looked.name}
      group by project_id, email_id
    ) h
    join emails e on e.project_id = h.project_id and e.id = h.email_id
    join email_contents c on c.project_id = h.project_id and c.email_id = h.email_id
    -- Nothing goes out of a deleted project, also not what a request brought that was under way.
    where not exists (select from removals d where d.project_id = h.project_id and d.id = h.project_id)`.execute(
    database,
  );
  const begun = new Map(rows.map((row) => [row.emailId, row]));
  return jobs.flatMap((job) => {
    const row = begun.get(job.emailId);
    if (row === undefined) return [];
    const { projectId, emailId, traceParent, held, suppressed, ...content } = row;
    const among = (indexes: number[] | null) =>
      job.rows.filter(({ recipientIndex }) => indexes?.includes(recipientIndex) === true);
    return [
      {
        email: { projectId, emailId, traceParent, content },
        job: { ...job, rows: among(held) },
        suppressed: among(suppressed),
      },
    ];
  });
}
