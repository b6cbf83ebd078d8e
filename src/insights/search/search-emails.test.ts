import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import { pino } from 'pino';
import { newEmail } from '../../../test/support/emails.ts';
import { type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { FairReads } from '../../db/fair-reads.ts';
import type { LoggedEmail } from '../../contract/dashboard/email-log.ts';
import { EMPTY_QUERY, printEmailQuery, type WordTerm } from '../../model/email-query.ts';
import { EMAIL_STAGES, type EmailStage, rankOf } from '../../model/email-status.ts';
import { encodeId, firstUuidAt, newUuid, NIL_UUID, timeOf } from '../../model/ids.ts';
import { setUsualStatus } from '../../queue/usual-status.ts';
import { deleteEndedEmails } from '../../retention/delete-emails.ts';
import { deleting } from '../../retention/deleting.ts';
import { eraseAddress } from '../../retention/erase.ts';
import { insertEmails, type NewEmail } from '../../sending/accept/insert-emails.ts';
import { EmailIndexer } from './email-indexer.ts';
import { EmailSearch } from './email-search.ts';
import { hasWord, searchTermsOf } from './searched-email.ts';
import { findOpen, indexAgain, indexNext, LEAST_EMAILS, settle, unindexBefore } from './segments.ts';

/** The greatest possible ID. */
const ALL = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
const NAMES = ['anna', 'ben', 'Zoë', 'o.reilly', 'max-muster', '李', 'ops', 'a_b'];
const HOSTS = ['acme.example', 'mail.acme.example', 'post.test', 'bücher.test'];
const SUBJECTS = [
  'Your order',
  'Order 42 shipped',
  'Ihre Rechnung für März',
  'ご注文の確認',
  'Re: [acme] #4711-A',
  'RESET',
  '',
  'x'.repeat(70),
];
const TAGS = ['order', 'order-late', 'reset', 'Größe M', 'vip'];

let db: TestDatabase;
before(async () => {
  db = await testDatabase();
  await setUsualStatus(db.database, 'direct', undefined);
});
after(() => db[Symbol.asyncDispose]());

function searchOf(): EmailSearch {
  return new EmailSearch(new FairReads(db.database, 2));
}

/** A pseudorandom number that is the same in each run. */
function mixed(n: number, salt: number): number {
  return ((n + 1) * 2_654_435_761 + salt * 40_503 * (n + 7)) % 1_000_003;
}

function pick<Value>(values: readonly [Value, ...Value[]] | readonly Value[], n: number): Value {
  return values[n % values.length] as Value;
}

function emailAt(projectId: string, n: number, nowMs: number): NewEmail {
  const address = `${pick(NAMES, mixed(n, 1))}${mixed(n, 2) % 50}@${pick(HOSTS, mixed(n, 3))}`;
  const sender = `${pick(NAMES, mixed(n, 4))}@${pick(HOSTS, mixed(n, 5))}`;
  return newEmail({
    projectId,
    emailId: newUuid(nowMs),
    sender: n % 3 === 0 ? `Acme Läden <${sender}>` : sender,
    senderAddress: sender,
    to: n % 5 === 0 ? [`Dr. Müller <${address}>`] : [address],
    recipients: n % 7 === 0 ? [address, `hidden${n % 20}@post.test`] : [address],
    subject: `${pick(SUBJECTS, mixed(n, 6))}${n % 4 === 0 ? ` ${n}` : ''}`,
    tags: n % 2 === 0 ? [pick(TAGS, mixed(n, 7))] : [],
    stream: n % 9 === 0 ? 'bulk' : 'transactional',
  });
}

interface FilledProject {
  projectId: string;
  /** The emails, newest first. */
  emails: (NewEmail & { status: EmailStage })[];
}

/** Inserts emails from the last three hours, with different statuses. */
async function fill(count: number): Promise<FilledProject> {
  const projectId = newUuid();
  const firstMs = Date.now() - 3 * 3_600_000;
  const emails = Array.from({ length: count }, (_, n) => ({
    ...emailAt(projectId, n, firstMs + n),
    status: pick(EMAIL_STAGES, n % 11 === 0 ? mixed(n, 8) : 3),
  }));
  // The IDs have the order of their times, whatever the order in which a process created the IDs.
  for (const [n, email] of emails.entries())
    email.emailId = `${firstUuidAt(new Date(firstMs + n * 1_000)).slice(0, 24)}${newUuid().slice(24, 35)}0`;
  for (let at = 0; at < count; at += 500) await insertEmails(db.database, emails.slice(at, at + 500));
  for (const status of EMAIL_STAGES) {
    const ids = emails.filter((email) => email.status === status).map(({ emailId }) => emailId);
    await sql`update emails set status = ${rankOf(status)}, reached = ${Math.min(rankOf(status), 2)} where project_id = ${projectId} and id = any(${ids}::uuid[])`.execute(
      db.database,
    );
  }
  return { projectId, emails: emails.toReversed() };
}

function scan({ emails }: FilledProject, words: readonly WordTerm[], status: EmailStage | null): string[] {
  const terms = searchTermsOf(words);
  assert.ok(!('error' in terms));
  return emails
    .filter((email) => {
      const { emailId: id, subject, sender, to, tags, recipients, stream } = email;
      const searched = {
        id,
        subject,
        sender,
        stream,
        status: rankOf(email.status),
        scheduledAt: null,
        toList: [...to],
        tags: [...tags],
        addresses: [...recipients],
      };
      return (status === null || email.status === status) && terms.every((word) => hasWord(searched, word));
    })
    .map(({ emailId }) => emailId);
}

async function everyPage(search: EmailSearch, projectId: string, q: string): Promise<LoggedEmail[]> {
  const found: LoggedEmail[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await search.search(projectId, { q, limit: 200, ...(cursor !== undefined && { cursor }) });
    found.push(...page.data);
    cursor = page.next_cursor;
  }
  return found;
}

const pieces = [
  ...NAMES,
  ...HOSTS,
  ...SUBJECTS,
  ...TAGS,
  'müller',
  'hidden3',
  'Acme Läden',
  '4711',
  '注文',
  '40',
  'z',
];
const term: fc.Arbitrary<WordTerm> = fc
  .record({
    field: fc.constantFrom(
      'any' as const,
      'any' as const,
      'to' as const,
      'from' as const,
      'subject' as const,
      'tag' as const,
    ),
    piece: fc.constantFrom(...pieces.filter((piece) => piece !== '')),
    from: fc.nat(4),
    length: fc.integer({ min: 1, max: 12 }),
  })
  .map(({ field, piece, from, length }) => ({ field, text: piece.slice(from, from + length).trim() }))
  .filter(({ text }) => /[\p{L}\p{N}]/u.test(text) && text.isWellFormed());

function ids(emails: readonly NewEmail[]): string[] {
  return emails.map(({ emailId }) => encodeId('em', emailId));
}

async function idsOf(projectId: string, q: string): Promise<string[]> {
  return (await everyPage(searchOf(), projectId, q)).map(({ id }) => id);
}

test('a search finds the same emails as a full scan, however many emails are indexed', async () => {
  const filled = await fill(2_000);
  const check = (numRuns: number): Promise<void> =>
    fc.assert(
      fc.asyncProperty(
        fc.array(term, { minLength: 1, maxLength: 3 }),
        fc.option(fc.constantFrom(...EMAIL_STAGES)),
        async (words, status) => {
          const q = printEmailQuery({ ...EMPTY_QUERY, words, status });
          const expected = scan(filled, words, status).map((id) => encodeId('em', id));
          assert.deepEqual(await idsOf(filled.projectId, q), expected, q);
        },
      ),
      { numRuns },
    );
  await check(15);
  const middle = filled.emails[900]?.emailId ?? '';
  while (await indexNext(db.database, filled.projectId, middle));
  await check(30);
  while (await indexNext(db.database, filled.projectId, ALL));
  await check(30);
});

test('a search finds emails by time, by prefix of an ID, and by ID', async () => {
  const { projectId, emails } = await fill(20);
  const [newest, second] = ids(emails);
  const at = timeOf(emails[4]?.emailId ?? '').toISOString();
  assert.deepEqual(await idsOf(projectId, `since:${at}`), ids(emails.slice(0, 5)));
  assert.deepEqual(await idsOf(projectId, `until:${at}`), ids(emails.slice(5)));
  assert.deepEqual(await idsOf(projectId, 'since:1h'), []);
  assert.deepEqual(await idsOf(projectId, second ?? ''), [second]);
  assert.deepEqual(await idsOf(projectId, `id:${newest?.slice(0, 8).toLowerCase()}`), ids(emails));
});

test('a search reports words that no email contains', async () => {
  const { projectId } = await fill(LEAST_EMAILS);
  assert.equal(await indexNext(db.database, projectId, ALL), true);
  const page = await searchOf().search(projectId, { q: 'order subject:nowhere zzzz', limit: 10 });
  assert.deepEqual(page.unmatched, ['subject:nowhere', 'zzzz']);
});

test('a search reports terms that cannot be searched', async () => {
  const faultOf = async (q: string) => (await searchOf().search(newUuid(), { q, limit: 1 })).fault;
  assert.equal(await faultOf('to:###'), 'to:### has no letter or digit to search for');
  assert.match((await faultOf('status:lost')) ?? '', /^status:lost is not a status/);
  await assert.rejects(searchOf().search(newUuid(), { limit: 1, cursor: 'x' }), {
    code: 'validation-failed',
  });
  await assert.rejects(
    searchOf().exporting(newUuid(), 'to:###', async () => {}),
    { code: 'validation-failed' },
  );
});

test('a search with `after` returns the emails after the given email, and the emails of the minute before it', async () => {
  const { projectId, emails } = await fill(200);
  const after = ids(emails)[10];
  const page = await searchOf().search(projectId, { limit: 200, ...(after !== undefined && { after }) });
  // Consecutive emails are a second apart.
  assert.deepEqual(
    page.data.map(({ id }) => id),
    ids(emails.slice(0, 71)),
  );
});

test('a count is the number of emails that an export has, also from a cursor on', async () => {
  const { projectId } = await fill(1_500);
  const search = searchOf();
  for (const q of [
    '',
    'status:delivered',
    'status:queued',
    'status:scheduled',
    'since:1h',
    'anna',
    // Counted in two parts.
    'post.test',
    'order status:bounced',
    'tag:order',
  ]) {
    const all = await everyPage(search, projectId, q);
    assert.deepEqual(
      await search.count(projectId, { q }),
      { emails: all.length, recipients: null, is_more: false },
      q,
    );
    const { next_cursor: cursor, data } = await search.search(projectId, { q, limit: 5 });
    if (cursor === null) continue;
    const rest = all.length - data.length;
    assert.deepEqual(
      await search.count(projectId, { q, cursor }),
      { emails: rest, recipients: null, is_more: false },
      q,
    );
  }
  await assert.rejects(search.count(projectId, { q: 'status:lost' }), /invalid fields/);
});

test('a count of more than 10,000 emails ends there', async () => {
  const projectId = newUuid();
  await db.database.transaction().execute(async (trx) => {
    for (let n = 0; n < 11; n++)
      await insertEmails(
        trx,
        Array.from({ length: 1_000 }, () => newEmail({ projectId, emailId: newUuid(), subject: 'Counted' })),
      );
  });
  for (const q of ['', 'status:queued']) {
    assert.deepEqual(
      await searchOf().count(projectId, { q }),
      { emails: 10_000, recipients: null, is_more: true },
      q,
    );
  }
  // Most of these emails are not indexed yet.
  const { is_more: isMore } = await searchOf().count(projectId, { q: 'counted' });
  assert.ok(isMore);
});

test('a count whose time is over answers with what was counted, and a project has one count at a time', async () => {
  const { projectId } = await fill(10);
  const unknown = { emails: 0, recipients: null, is_more: true };
  const late = new EmailSearch(new FairReads(db.database, 2), { countMs: 0 });
  for (const q of ['', 'anna']) assert.deepEqual(await late.count(projectId, { q }), unknown, q);
  const search = searchOf();
  const first = search.count(projectId, { q: 'anna' });
  assert.deepEqual(await search.count(projectId, { q: '' }), unknown);
  await first;
  // That answer was not cached.
  assert.deepEqual(await search.count(projectId, { q: '' }), {
    emails: 10,
    recipients: null,
    is_more: false,
  });
});

test('an export checks before each page whether it may continue', async () => {
  const { projectId } = await fill(LEAST_EMAILS);
  let checks = 0;
  const assertAllowed = async () => {
    if (++checks > 1) throw new Error('signed out');
  };
  const pages = await searchOf().exporting(projectId, '', assertAllowed);
  const rows: number[] = [];
  await assert.rejects(async () => {
    for await (const page of pages) rows.push(page.length);
  }, /signed out/);
  assert.deepEqual(rows, [200, 200]);
});

test('a search finds an email whose transaction committed after later emails were indexed', async () => {
  const { projectId, emails } = await fill(LEAST_EMAILS);
  const [late] = emails.splice(100, 1);
  assert.ok(late);
  for (const table of ['email_contents', 'email_recipients', 'queue'])
    await sql`delete from ${sql.table(table)} where project_id = ${projectId} and email_id = ${late.emailId}`.execute(
      db.database,
    );
  await sql`delete from emails where project_id = ${projectId} and id = ${late.emailId}`.execute(db.database);
  await indexAgain(db.database, projectId, { afterId: NIL_UUID, lastId: emails[0]?.emailId ?? '' });
  await sql`update email_segments set is_settled = false where project_id = ${projectId}`.execute(
    db.database,
  );
  await insertEmails(db.database, [{ ...late, subject: 'came late' }]);
  assert.deepEqual(await idsOf(projectId, '"came late"'), []);
  while ((await settle(db.database, ALL, 5)) === 5);
  assert.deepEqual(await idsOf(projectId, '"came late"'), ids([late]));
  for (const { projectId: of, ...range } of await findOpen(db.database, 50))
    await indexAgain(db.database, of, range);
  assert.deepEqual(await idsOf(projectId, '"came late"'), ids([late]));
  assert.equal((await findOpen(db.database, 50)).length, 0);
});

test('eight small segments in a row are merged', async () => {
  const { projectId, emails } = await fill(LEAST_EMAILS * 8);
  const ends = Array.from({ length: 7 }, (_, at) => emails[LEAST_EMAILS * (7 - at)]?.emailId ?? '');
  for (const end of [...ends, ALL]) await indexNext(db.database, projectId, idAfter(end));
  const { rows } = await sql<{ documents: number }>`
    select documents from email_segments where project_id = ${projectId}`.execute(db.database);
  assert.deepEqual(rows, [{ documents: LEAST_EMAILS * 8 }]);
});

function idAfter(id: string): string {
  return id === ALL ? ALL : `${id.slice(0, -1)}1`;
}

/** The words of all segments of a project. */
async function wordsOf(projectId: string): Promise<string> {
  const { rows } = await sql<{ words: string }>`
    select words from email_words where project_id = ${projectId}`.execute(db.database);
  return rows.map(({ words }) => words).join('');
}

test('erasing an address removes it from the index in the same transaction', async () => {
  const { projectId, emails } = await fill(LEAST_EMAILS);
  const erased = 'erika.mustermann@gone.example';
  const alone = newEmail({
    projectId,
    emailId: newUuid(Date.now() - 60_000),
    to: [erased],
    recipients: [erased],
  });
  const both = [erased, 'other@stays.example'];
  const together = newEmail({
    projectId,
    emailId: newUuid(Date.now() - 60_000),
    to: both,
    recipients: both,
    subject: 'For Erika',
  });
  await insertEmails(db.database, [alone, together]);
  await sql`delete from queue where project_id = ${projectId}`.execute(db.database);
  assert.equal(await indexNext(db.database, projectId, ALL), true);
  assert.deepEqual(await idsOf(projectId, erased), ids([together, alone]));
  assert.match(await wordsOf(projectId), /erika/);

  await eraseAddress(db.database, projectId, erased, false);
  assert.doesNotMatch(await wordsOf(projectId), /erika/);
  assert.deepEqual(await idsOf(projectId, erased), []);
  assert.deepEqual(await idsOf(projectId, 'erika'), []);
  assert.equal((await idsOf(projectId, '')).length, emails.length + 1);
  assert.deepEqual(await idsOf(projectId, 'other@stays.example'), ids([together]));

  for (const { projectId: of, ...range } of await findOpen(db.database, 50))
    await indexAgain(db.database, of, range);
  assert.doesNotMatch(await wordsOf(projectId), /erika/);
  assert.deepEqual(await idsOf(projectId, 'other@stays.example'), ids([together]));
});

test('deleting emails removes their words from the index, and empty segments are deleted', async () => {
  const { projectId, emails } = await fill(LEAST_EMAILS);
  assert.equal(await indexNext(db.database, projectId, ALL), true);
  await sql`delete from queue where project_id = ${projectId}`.execute(db.database);
  for (let at = 0; at < emails.length; at += 200)
    await deleting(db.database, (tx) =>
      deleteEndedEmails(
        tx,
        projectId,
        emails.slice(at, at + 200).map(({ emailId }) => emailId),
      ),
    );
  assert.equal(await wordsOf(projectId), '');
  for (const { projectId: of, ...range } of await findOpen(db.database, 50))
    await indexAgain(db.database, of, range);
  const { rows } = await sql`select from email_segments where project_id = ${projectId}`.execute(db.database);
  assert.equal(rows.length, 0);
});

test('dropping a partition removes its segments from the index, and the words of a segment that is partly in the partition', async () => {
  const { projectId, emails } = await fill(LEAST_EMAILS * 2);
  const middle = emails[LEAST_EMAILS - 1]?.emailId ?? '';
  assert.equal(await indexNext(db.database, projectId, middle), true);
  assert.equal(await indexNext(db.database, projectId, ALL), true);
  const until = emails[10]?.emailId ?? '';
  await db.database.transaction().execute((tx) => unindexBefore(tx, until));
  assert.equal(await wordsOf(projectId), '');
  const open = (await findOpen(db.database, 50)).filter((one) => one.projectId === projectId);
  assert.deepEqual(
    open.map(({ lastId }) => lastId),
    [emails[0]?.emailId],
  );
});

test('a worker indexes the new emails of each project that has enough new emails', async () => {
  const organization = newUuid();
  const filled = [await fill(LEAST_EMAILS), await fill(LEAST_EMAILS), await fill(3)];
  await sql`insert into organizations (id, name, created_at) values (${organization}, 'o', now())`.execute(
    db.database,
  );
  for (const { projectId } of filled)
    await sql`insert into projects (id, organization_id, name, plan, created_at)
      values (${projectId}, ${organization}, ${projectId}, 'paid', now())`.execute(db.database);
  await using indexer = new EmailIndexer({
    database: db.database,
    logger: pino({ enabled: false }),
    timings: { rest: 0 },
  });
  await indexer.scan();
  const { rows } = await sql<{ projectId: string; documents: number }>`
    select project_id, documents from email_segments where project_id = any(${filled.map(({ projectId }) => projectId)}::uuid[])
    order by project_id`.execute(db.database);
  assert.deepEqual(
    rows,
    [filled[0], filled[1]]
      .map((one) => ({ projectId: one?.projectId, documents: LEAST_EMAILS }))
      .toSorted((a, b) => (String(a.projectId) < String(b.projectId) ? -1 : 1)),
  );
});

test('a pass of the indexer is complete only if its time was long enough', async () => {
  const options = { database: db.database, logger: pino({ enabled: false }) };
  await using indexer = new EmailIndexer({ ...options, timings: { rest: 0 } });
  assert.ok(await indexer.scan());
  await using hasty = new EmailIndexer({ ...options, timings: { rest: 0, maxPassMs: 0 } });
  assert.equal(await hasty.scan(), false);
});
