import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import { newEmail, PROJECT } from '../../../test/support/emails.ts';
import { newEvent } from '../../../test/support/events.ts';
import { type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import type { EmailList, ListEmailsQuery } from '../../contract/emails.ts';
import type { Database } from '../../db/database.ts';
import { type EmailStage, rankOf } from '../../model/email-status.ts';
import { encodeId, newUuid, timeOf } from '../../model/ids.ts';
import { setUsualStatus } from '../../queue/usual-status.ts';
import { insertEmails } from '../accept/insert-emails.ts';
import { recordEvents } from '../events/record-events.ts';
import { listEmails } from './list-emails.ts';

const EMAILS = 12_000;
const RARE = new Set([3, 2_000, 2_001, 11_900]);

/** The fields of an email that filters compare. */
interface KnownEmail {
  id: string;
  status: EmailStage;
  from: string;
  to: string[];
  tags: string[];
}

let db: TestDatabase;
/** All emails of the project, newest first. */
let known: KnownEmail[];
before(async () => {
  db = await testDatabase();
  await setUsualStatus(db.database, 'direct', undefined);
  known = Array.from({ length: EMAILS }, (_, at): KnownEmail => {
    const which = RARE.has(at) ? 'rare' : at % 2 === 0 ? 'even' : 'odd';
    return {
      id: newUuid(),
      status: RARE.has(at) ? 'bounced' : at % 3 === 0 ? 'sent' : 'delivered',
      from: `${which}@src.test`,
      to: [`${which}@dst.test`, ...(at % 5 === 0 ? ['fifth@dst.test'] : [])],
      tags: [which, 'all', 'all', ...(at < EMAILS / 2 ? ['old'] : [])],
    };
  });
  for (let at = 0; at < EMAILS; at += 500) {
    const emails = known
      .slice(at, at + 500)
      .map(({ id, from, to, tags }) =>
        newEmail({ emailId: id, senderAddress: from, to, recipients: to, tags }),
      );
    const elsewhere = newEmail({
      projectId: newUuid(),
      senderAddress: 'rare@src.test',
      tags: ['rare', 'all'],
    });
    await insertEmails(db.database, [...emails, elsewhere]);
  }
  for (const status of new Set(known.map((email) => email.status))) {
    const ids = known.filter((email) => email.status === status).map(({ id }) => id);
    const rank = sql.lit(rankOf(status));
    await sql`
      with done as (delete from queue where email_id = any(${ids}::uuid[]))
      update emails set status = ${rank}, reached = least(${rank}, 2) where id = any(${ids}::uuid[])`.execute(
      db.database,
    );
  }
  known.reverse();
  await sql`vacuum analyze`.execute(db.database);
});
after(() => db[Symbol.asyncDispose]());

function list(query: Partial<ListEmailsQuery>, database: Database = db.database): Promise<EmailList> {
  return listEmails((statement) => statement(database), PROJECT, { limit: 50, ...query });
}

test('a list by status shows unsent emails as queued or sending, whatever most emails end with', async () => {
  const projectId = newUuid();
  const emails = Array.from({ length: 3 }, () =>
    newEmail({ projectId, recipients: ['a@x.test', 'b@x.test'] }),
  );
  await insertEmails(db.database, emails);
  const [queued = '', sending = '', sent = ''] = emails.map(({ emailId }) => emailId);
  await record(db.database, projectId, sending, ['sending']);
  await record(db.database, projectId, sent, ['sending', 'sent']);
  for (const [status, expected] of [
    ['queued', [queued]],
    ['sending', [sending]],
    ['sent', [sent]],
    ['delivered', []],
  ] as const) {
    const { data } = await listEmails((statement) => statement(db.database), projectId, {
      limit: 50,
      status,
    });
    assert.deepEqual(
      data.map((email) => [email.id, email.status]),
      expected.map((id) => [encodeId('em', id), status]),
    );
  }
});

function record(database: Database, projectId: string, emailId: string, types: ('sending' | 'sent')[]) {
  const events = types.map((type) => newEvent(type, null, null));
  return database.transaction().execute((tx) => recordEvents(tx, [{ projectId, emailId, events }]));
}

function passing({ status, from, to, tag, since, until }: Partial<ListEmailsQuery>): string[] {
  return known
    .filter(
      (email) =>
        (status === undefined || email.status === status) &&
        (from === undefined || email.from === from) &&
        (to === undefined || email.to.includes(to)) &&
        (tag === undefined || email.tags.includes(tag)) &&
        (since === undefined || timeOf(email.id) >= new Date(since)) &&
        (until === undefined || timeOf(email.id) < new Date(until)),
    )
    .map(({ id }) => encodeId('em', id));
}

const some = <T>(...values: T[]) => fc.option(fc.constantFrom(...values), { nil: undefined });
const time = fc.option(
  fc.nat(EMAILS - 1).map((at) => timeOf(known[at]?.id ?? '').toISOString()),
  { nil: undefined },
);
const queries = fc.record({
  status: some<EmailStage>('queued', 'sent', 'delivered', 'bounced'),
  from: some('even@src.test', 'odd@src.test', 'Rare <rare@SRC.test>', 'nobody@src.test').map((from) => from),
  to: some('even@dst.test', 'fifth@dst.test', 'rare@dst.test'),
  tag: some('even', 'odd', 'rare', 'all', 'old', 'ALL'),
  since: time,
  until: time,
  limit: fc.constantFrom(1, 49, 50, 51, 200),
});

test('the pages of a list contain each matching email once, newest first', async () => {
  await fc.assert(
    fc.asyncProperty(queries, async (query) => {
      const filters = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined));
      const expected = passing({
        ...filters,
        ...(query.from?.startsWith('Rare') && { from: 'rare@src.test' }),
      });
      // Reads at most five pages.
      const most = Math.min(expected.length, 5 * query.limit);
      const found: string[] = [];
      let cursor: string | null = null;
      do {
        const page: EmailList = await list({ ...filters, ...(cursor !== null && { cursor }) });
        found.push(...page.data.map(({ id }) => id));
        cursor = page.next_cursor;
        assert.equal(cursor === null, found.length === expected.length);
      } while (cursor !== null && found.length < most);
      assert.deepEqual(found, expected.slice(0, found.length));
      assert.ok(found.length >= most);
    }),
    { numRuns: 100 },
  );
});

test('emails accepted between two statements of a list do not displace other emails from it', async () => {
  const projectId = newUuid();
  // Many emails match one of the filters, and one email matches both: the second to last of the newest thousand.
  const emails = Array.from({ length: 2_100 }, (_, at) =>
    newEmail({
      projectId,
      senderAddress: at % 2 === 0 ? 'even@src.test' : 'odd@src.test',
      tags: at % 2 === 1 || at === 2_100 - 998 ? ['odd'] : [],
    }),
  );
  for (let at = 0; at < emails.length; at += 500) await insertEmails(db.database, emails.slice(at, at + 500));
  const { data } = await listEmails(
    async (statement) => {
      const result = await statement(db.database);
      await insertEmails(
        db.database,
        Array.from({ length: 10 }, () => newEmail({ projectId })),
      );
      return result;
    },
    projectId,
    { limit: 50, from: 'even@src.test', tag: 'odd' },
  );
  assert.deepEqual(
    data.map(({ id }) => id),
    [encodeId('em', emails[2_100 - 998]?.emailId ?? '')],
  );
});

/** The number of rows that the session has read so far. */
async function rowsRead(database: Database): Promise<number> {
  const { rows } = await sql<{ read: number }>`
    select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int as read
    from pg_stat_xact_user_tables where relname ~ '^(emails|email_recipients|email_tags)_'`.execute(database);
  return rows[0]?.read ?? Number.NaN;
}

const few: Partial<ListEmailsQuery>[] = [
  { status: 'bounced' },
  { status: 'queued' },
  { from: 'rare@src.test' },
  { to: 'rare@dst.test' },
  { tag: 'rare' },
  { status: 'bounced', tag: 'all' },
  { status: 'delivered', tag: 'rare' },
  { from: 'rare@src.test', to: 'rare@dst.test' },
];
const many: Partial<ListEmailsQuery>[] = [
  {},
  { status: 'delivered' },
  { from: 'even@src.test' },
  { to: 'even@dst.test' },
  { tag: 'old' },
  { status: 'delivered', tag: 'all' },
];

for (const [hits, queries] of Object.entries({ few, many })) {
  for (const query of queries) {
    const filters = Object.entries(query).map(([name, value]) => `${name} ${value}`);
    test(`a list reads few of ${EMAILS} emails if ${hits} match: ${filters.join(', ') || 'no filter'}`, async () => {
      const read = await db.database.transaction().execute(async (tx) => {
        const before = await rowsRead(tx);
        const { data } = await list(query, tx);
        assert.deepEqual(
          data.map(({ id }) => id),
          passing(query).slice(0, 50),
        );
        return (await rowsRead(tx)) - before;
      });
      // With several filters, the list reads up to a thousand ids per filter and of all emails, and then fetches these emails.
      const most = filters.length < 2 ? 200 : 1_000 * (filters.length + 2);
      assert.ok(read < most, `${read} rows were read`);
    });
  }
}
