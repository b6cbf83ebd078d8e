/** The numbers of the queue on Start are those of the emails that their searches find. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import { newEmail } from '../../../test/support/emails.ts';
import { newProject } from '../../../test/support/projects.ts';
import { testDatabase } from '../../../test/support/postgres.ts';
import { newSubmission } from '../../../test/support/submissions.ts';
import { FairReads } from '../../db/fair-reads.ts';
import { QUEUE_STATES } from '../../model/queue-states.ts';
import { insertEmails } from '../../sending/accept/insert-emails.ts';
import { insertSubmissions } from '../../sending/submit/insert-submissions.ts';
import { EmailSearch } from '../search/email-search.ts';
import { readOverview } from './overview.ts';

const db = await testDatabase();
after(() => db[Symbol.asyncDispose]());
const { database } = db;

/** Changes to a row of the queue, by what happened to the recipient. */
const CHANGES = {
  accepted: sql`attempts = 0`,
  sending: sql`in_flight = true, lease_id = ${'01900000-0000-7000-8000-000000000000'}::uuid`,
  deferred: sql`attempts = 2, next_attempt_at = now() + interval '1 hour'`,
  due: sql`attempts = 2`,
  parked: sql`next_attempt_at = 'infinity', destination = 'dst.test'`,
  'parked after an attempt': sql`attempts = 1, next_attempt_at = 'infinity', destination = 'dst.test'`,
  'set aside': sql`next_attempt_at = 'infinity'`,
  scheduled: sql`scheduled_at = now() + interval '1 day', next_attempt_at = now() + interval '1 day'`,
  'late scheduled': sql`scheduled_at = now() - interval '1 hour'`,
} as const;
type Change = keyof typeof CHANGES;

const recipients = fc.array(fc.constantFrom(...(Object.keys(CHANGES) as Change[])), {
  minLength: 1,
  maxLength: 3,
});

test('each number of the queue is the number of recipients that its search finds', async () => {
  const search = new EmailSearch(new FairReads(database, 2), { countMs: 60_000 });
  const other = await newProject(database);
  await insertEmails(database, [newEmail({ projectId: other })]);
  await fc.assert(
    fc.asyncProperty(fc.array(recipients, { maxLength: 8 }), async (emails) => {
      const projectId = await newProject(database);
      await insertSubmissions(database, [newSubmission({ projectId })]);
      for (const changes of emails) {
        const to = changes.map((_, at) => `r${at}@dst.test`);
        const email = newEmail({ projectId, to, recipients: to });
        await insertEmails(database, [email]);
        for (const [at, change] of changes.entries())
          await sql`
            update queue set ${CHANGES[change]}
            where project_id = ${projectId} and email_id = ${email.emailId} and recipient_index = ${at}`.execute(
            database,
          );
      }
      const { queue } = await readOverview(database, projectId, '24h', null);
      assert.deepEqual(
        queue.counts.map(({ state }) => state),
        QUEUE_STATES,
      );
      for (const { state, recipients: number } of queue.counts) {
        const q = `queue:${state}`;
        const count = await search.count(projectId, { q });
        assert.deepEqual([count.recipients, count.is_more], [number, false], q);
        const { data } = await search.search(projectId, { q, limit: 50 });
        assert.equal(data.length, count.emails, q);
        // Together with another term, both must be true for one recipient.
        const gmail = await search.count(projectId, { q: `${q} provider:gmail` });
        assert.deepEqual([gmail.emails, gmail.recipients], [0, 0]);
        assert.equal((await search.count(projectId, { q: `${q} outcome:pending` })).recipients, number);
      }
      const [waiting] = queue.counts;
      assert.equal(waiting?.recipients, emails.flat().filter((change) => change !== 'scheduled').length);
      assert.equal(queue.has_mailbox_mail, true);
    }),
    { numRuns: 15 },
  );
});

test('a search by the queue pages through emails with several recipients', async () => {
  const search = new EmailSearch(new FairReads(database, 2));
  const projectId = await newProject(database);
  const to = ['a@dst.test', 'b@dst.test', 'c@dst.test'];
  const emails = Array.from({ length: 7 }, () => newEmail({ projectId, to, recipients: to }));
  await insertEmails(database, emails);
  const ids: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const q = 'queue:untried';
    const page = await search.search(projectId, { q, limit: 3, ...(cursor !== undefined && { cursor }) });
    ids.push(...page.data.map(({ id }) => id));
    cursor = page.next_cursor;
  }
  assert.equal(ids.length, 7);
  assert.equal(new Set(ids).size, 7);
  const { fault } = await search.search(projectId, { q: 'queue:lost', limit: 3 });
  assert.match(fault ?? '', /^queue:lost is not a state of the queue; use one of waiting, /);
});
