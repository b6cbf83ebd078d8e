import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { newMailbox, newMessage } from '../../../../test/support/mail.ts';
import { type TestDatabase, testDatabase } from '../../../../test/support/postgres.ts';
import { FairReads } from '../../../db/fair-reads.ts';
import type { FolderRole } from '../../../model/folder-roles.ts';
import { encodeId, newUuid } from '../../../model/ids.ts';
import { readMessageFacts } from '../../../store/facts/message-facts.ts';
import { FLAG } from '../../../store/flags.ts';
import type { MailboxKey } from '../../../store/lock-mailboxes.ts';
import { indexNext, SEGMENT_DOCUMENTS } from '../../../store/search/index-mailbox.ts';
import { Store } from '../../../store/store.ts';
import { MESSAGES_END } from '../cursors.ts';
import { MailSearch } from './mail-search.ts';

let db: TestDatabase;
let store: Store;
/** With a long timeout, so that a busy machine does not fail the tests. */
let reads: FairReads;
let search: MailSearch;
before(async () => {
  db = await testDatabase();
  store = new Store(db.database);
  reads = new FairReads(db.database, 2, { readTimeoutMs: 60_000 });
  search = new MailSearch({ store, reads });
});
after(() => db[Symbol.asyncDispose]());

interface Letter {
  subject: string;
  from?: string;
  header?: string;
  body?: string;
  folder?: FolderRole;
  flags?: number;
  at?: string;
}

/** The signal of a client that waits for the response. */
const WAITING = new AbortController().signal;

let letters = 0;
function letter(mailbox: MailboxKey, { subject, from = 'Ann <ann@x.example>', ...rest }: Letter) {
  const { header = '', body = 'Hello', folder: role = 'inbox', flags = 0, at } = rest;
  letters += 1;
  const bytes = Buffer.from(
    `From: ${from}\r\nTo: Me <me@hosted.example>\r\nSubject: ${subject}\r\nMessage-ID: <${letters}@x.example>\r\n${header}\r\n${body}\r\n`,
  );
  const internalDate = new Date(at ?? Date.UTC(2026, 0, 1, 0, 0, letters));
  return newMessage(mailbox, {
    bytes,
    facts: readMessageFacts(bytes),
    folder: { role },
    flags,
    internalDate,
  });
}

async function find(mailbox: MailboxKey, q: string, limit = 50) {
  const { data, ...page } = await search.search(mailbox, { q, limit }, WAITING);
  return { subjects: data.map(({ subject }) => subject), ...page };
}

const WITH_FILE = 'Content-Type: multipart/mixed; boundary=b\r\n';
const FILE =
  '--b\r\n\r\nSee the file\r\n--b\r\nContent-Type: application/pdf; name=budget.pdf\r\n\r\nx\r\n--b--';

test('each operator finds its messages, newest first, and all terms must match', async () => {
  const mailbox = await newMailbox(db.database);
  await store.append([
    letter(mailbox, { subject: 'One', body: 'Best regards from Köln', at: '2025-12-30T23:59:00Z' }),
    letter(mailbox, {
      subject: 'Two',
      from: '"Bob, B." <bob@y.example>',
      header: 'Cc: Carol <carol@z.example>\r\n',
    }),
    letter(mailbox, {
      subject: 'Three plans',
      header: WITH_FILE,
      body: FILE,
      flags: FLAG.seen | FLAG.flagged,
    }),
    letter(mailbox, {
      subject: 'Four',
      folder: 'archive',
      flags: FLAG.seen | FLAG.answered,
      body: 'regards, not the best',
    }),
    letter(mailbox, { subject: 'Five', folder: 'junk', body: 'plans of spam' }),
    letter(mailbox, { subject: 'Six', folder: 'trash', body: 'x'.repeat(3_000) }),
  ]);
  for (const [q, subjects] of Object.entries({
    regards: ['Four', 'One'],
    REGARD: ['Four', 'One'],
    '"best regards"': ['One'],
    'regards -"best regards"': ['Four'],
    'best regards': ['Four', 'One'],
    koln: ['One'],
    plans: ['Three plans'],
    'subject:plans': ['Three plans'],
    'in:junk plans': ['Five'],
    'in:anywhere plans': ['Five', 'Three plans'],
    'in:spam in:archive': ['Five', 'Four'],
    'in:archive': ['Four'],
    '-in:inbox regards': ['Four'],
    'from:bob': ['Two'],
    'from:carol': [],
    'to:carol': ['Two'],
    'cc:carol': ['Two'],
    'cc:me': [],
    'to:me -from:ann': ['Two'],
    'from:"bob, b."': ['Two'],
    'has:file': ['Three plans'],
    budget: ['Three plans'],
    'filename:budget': ['Three plans'],
    'filename:BUDGET.pdf': ['Three plans'],
    'filename:plans': [],
    'filename:ann': [],
    'filename:me@hosted': [],
    '-filename:budget is:starred': [],
    '-filename:other is:starred': ['Three plans'],
    '-has:file is:read': ['Four'],
    'is:starred': ['Three plans'],
    'is:answered': ['Four'],
    'is:unread': ['Two', 'One'],
    'before:2026': ['One'],
    'after:2026-01-01': ['Four', 'Three plans', 'Two'],
    'after:2025-12-30 before:2025-12-31': ['One'],
    'in:trash larger:2k': ['Six'],
    'larger:2k': [],
    'nothing at all': [],
  }))
    assert.deepEqual(
      await find(mailbox, q),
      { subjects, next: null, is_complete: true, problem: null },
      `search for ${q}`,
    );
  assert.deepEqual(await find(mailbox, 'in:Plans before:soon regards'), {
    subjects: ['Four', 'One'],
    next: null,
    is_complete: true,
    problem: 'soon is not a date. Write 2026-11-20, 2026-11 or 2026.',
  });
  assert.match((await find(mailbox, 'in:Plans regards')).problem ?? '', /no folder plans/);
  assert.deepEqual((await find(await newMailbox(db.database), 'regards')).subjects, []);
});

test('a conversation is on one page only, at the position of its newest matching message', async () => {
  const mailbox = await newMailbox(db.database);
  // In each of ten conversations the first message matches, and in every second conversation also the second message.
  for (const round of [1, 2])
    await store.append(
      Array.from({ length: 10 }, (_, n) =>
        letter(mailbox, {
          subject: `Re: no ${n}`,
          header: `References: <root${n}@x.example>\r\n`,
          body: round === 1 || n % 2 === 1 ? 'needle' : 'hay',
        }),
      ),
    );
  const pages: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await search.search(mailbox, { q: 'needle', limit: 3, cursor }, WAITING);
    pages.push(page.data.map(({ subject }) => subject.slice(-1)).join(''));
    cursor = page.next ?? undefined;
    assert.ok(page.data.every(({ messages, unread }) => messages === 2 && unread === 2));
  } while (cursor !== undefined);
  assert.deepEqual(pages.join(''), '9753186420');
  await assert.rejects(search.search(mailbox, { q: 'needle', limit: 3, cursor: 'x' }, WAITING), {
    code: 'validation-failed',
  });
});

/** A message of a large mailbox, with the values in its rows. */
interface TestMessage {
  id: string;
  threadId: string;
  at: number;
  text: string;
  isStarred: boolean;
  isInTrash: boolean;
}

/** Inserts messages whose dates are not in the order of their ids; some were stored late, some are in two folders. */
async function fill(mailbox: MailboxKey, count: number): Promise<TestMessage[]> {
  const folders = await store.folders(mailbox);
  const [inbox, archive, trash] = (['inbox', 'archive', 'trash'] as const).map(
    (role) => folders.find((folder) => folder.role === role)?.id ?? '',
  );
  const threads = Array.from({ length: count / 2 }, () => newUuid());
  const messages = Array.from({ length: count }, (_, n): TestMessage => {
    const words = ['every', n % 40 === 3 ? 'forty' : 'hay', n % 40 === 5 ? 'forty' : 'stack'];
    if (n % 3_000 === 2_999) words.push('seldom');
    if (n % 2 === 0 && n < count / 2) words.push('older');
    return {
      id: newUuid(),
      threadId: threads[(n * 7) % threads.length] ?? '',
      // Some messages have the same time.
      at: Date.UTC(2026, 0, 1) + ((n * 7_919) % count) * (n % 5 === 0 ? 0 : 60_000),
      text: `head${n}\n\n${words.join(' ')}`,
      isStarred: n % 1_500 === 7,
      isInTrash: n % 11 === 0,
    };
  });
  const numbers = messages.map((_, n) => n);
  // This test does not need the conversation lists.
  await sql`update folders set unlisted_below = 2147483647 where mailbox_id = ${mailbox.mailboxId}`.execute(
    db.database,
  );
  await sql`
    insert into message_contents (project_id, mailbox_id, object_id, digest, octets, thread_id, subject, base_subject, addresses,
      preview, attachments, envelope, body_structure, text, is_late)
    select ${mailbox.projectId}, ${mailbox.mailboxId}, id, '', 1, thread_id, '', '', '{"from":[],"to":[],"cc":[],"bcc":[]}', '', 0, '', '', text, n % 1000 = 1
    from unnest(${messages.map(({ id }) => id)}::uuid[], ${messages.map(({ threadId }) => threadId)}::uuid[],
      ${messages.map(({ text }) => text)}::text[], ${numbers}::int[]) t (id, thread_id, text, n)`.execute(
    db.database,
  );
  for (const copies of [false, true])
    await sql`
      insert into messages (project_id, mailbox_id, folder_id, uid, modseq, flags, keywords, object_id, octets, internal_date, save_date)
      select ${mailbox.projectId}, ${mailbox.mailboxId},
        case when ${copies}::bool then ${archive} when is_in_trash then ${trash} else ${inbox} end::uuid, n + 1, 1,
        case when is_starred then 4 else 0 end, '{}', id, 1, to_timestamp(at / 1000), now()
      from unnest(${messages.map(({ id }) => id)}::uuid[], ${messages.map(({ at }) => at)}::float8[], ${messages.map((one) => one.isStarred)}::bool[],
        ${messages.map(({ isInTrash }) => isInTrash)}::bool[], ${numbers}::int[]) t (id, at, is_starred, is_in_trash, n)
      where not ${copies}::bool or (n % 13 = 0 and not is_in_trash)`.execute(db.database);
  // PostgreSQL would analyze the tables by itself within a minute, but would use the wrong index until then.
  await sql`analyze message_contents, messages`.execute(db.database);
  return messages;
}

test('in a large mailbox the word index finds the same messages as a full scan, on all pages', async () => {
  const mailbox = await newMailbox(db.database);
  const messages = await fill(mailbox, 2 * SEGMENT_DOCUMENTS + 700);
  messages.sort((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1));
  const queries: readonly [q: string, matches: (one: TestMessage) => boolean][] = [
    ['every', () => true],
    ['ever stac', ({ text }) => text.includes('stack')],
    ['forty', ({ text }) => text.includes('forty')],
    ['forty hay', ({ text }) => text.includes('forty') && text.includes('hay')],
    ['"hay forty"', ({ text }) => text.includes('hay forty')],
    ['every -forty', ({ text }) => !text.includes('forty')],
    ['-every', () => false],
    ['seldom', ({ text }) => text.includes('seldom')],
    ['older', ({ text }) => text.includes('older')],
    ['older before:2026-01-02', ({ text, at }) => text.includes('older') && at < Date.UTC(2026, 0, 2)],
    ['older seldom', ({ text }) => text.includes('older') && text.includes('seldom')],
    ['absent every', () => false],
    ['is:starred', ({ isStarred }) => isStarred],
    ['forty is:starred', ({ text, isStarred }) => text.includes('forty') && isStarred],
    ['head1', ({ text }) => text.startsWith('head1')],
  ];
  for (const state of ['looked through', 'indexed']) {
    if (state === 'indexed') while (await indexNext(db.database, mailbox, newUuid()));
    for (const [q, matches] of queries) {
      const expected = [
        ...new Set(messages.filter((one) => !one.isInTrash && matches(one)).map(({ threadId }) => threadId)),
      ];
      const found: string[] = [];
      let cursor: string | undefined;
      // A page can be short, because a search ends early on a slow machine.
      while (found.length < 360) {
        const { threadIds, next } = await search.threads(mailbox, { q, limit: 90, cursor });
        found.push(...threadIds);
        if (next === null) break;
        cursor = MESSAGES_END.encode(next);
      }
      assert.deepEqual(found.slice(0, 360), expected.slice(0, 360), `${q}, ${state}`);
    }
  }
});

test('a search that runs out of time continues on the next page, until all matches are found', async () => {
  const mailbox = await newMailbox(db.database);
  const messages = await fill(mailbox, 2_500);
  const expected = new Set(messages.filter((one) => !one.isInTrash).map(({ threadId }) => threadId));
  const hasty = new MailSearch({ store, reads, timings: { searchMs: 0 } });
  const found: string[] = [];
  let [pages, cursor]: [number, string | undefined] = [0, undefined];
  do {
    const page = await hasty.threads(mailbox, { q: 'every', limit: 2_500, cursor });
    assert.equal(page.isComplete, page.next === null);
    found.push(...page.threadIds);
    cursor = page.next === null ? undefined : MESSAGES_END.encode(page.next);
    pages += 1;
  } while (cursor !== undefined);
  assert.ok(pages > 2, `${pages}`);
  assert.equal(found.length, expected.size);
  assert.deepEqual(new Set(found), expected);
});

test('concurrent searches of a mailbox complete, unless their request is aborted', async () => {
  const [mailbox, other] = [await newMailbox(db.database), await newMailbox(db.database)];
  for (const each of [mailbox, other]) await store.append([letter(each, { subject: 'Plan' })]);
  const aborted = new AbortController();
  const tabs = Array.from({ length: 5 }, (_, n) => find(mailbox, `pla${'n'.repeat(n % 2)}`));
  const left = search.search(mailbox, { q: 'plan', limit: 50 }, aborted.signal);
  aborted.abort(new Error('typed on'));
  await assert.rejects(left, { message: 'typed on' });
  for (const { subjects } of await Promise.all([...tabs, find(other, 'plan')]))
    assert.deepEqual(subjects, ['Plan']);
});

test('a search is rejected if too many searches of the mailbox are already running and waiting', async () => {
  const mailbox = await newMailbox(db.database);
  const searches = await Promise.allSettled(Array.from({ length: 30 }, () => find(mailbox, 'plan')));
  const refused = searches.flatMap((each) => (each.status === 'rejected' ? [each.reason.code] : []));
  assert.deepEqual(refused, Array(30 - 22).fill('unavailable'));
});

test('a row shows the text around the words that it does not show otherwise, and the folder of the message', async () => {
  const mailbox = await newMailbox(db.database);
  const long = `${'before '.repeat(30)}the Quarterly garden plan${' after'.repeat(60)}`;
  await store.append([
    letter(mailbox, { subject: 'Garden', folder: 'archive', body: long }),
    letter(mailbox, { subject: 'Short', body: 'A quarterly note.' }),
    letter(mailbox, { subject: 'Hostile', body: '<script>alert("quarterly")</script> \u202equarterly %_' }),
  ]);
  const folders = await db.database
    .selectFrom('folders')
    .select(['id', 'role'])
    .where('mailboxId', '=', mailbox.mailboxId)
    .execute();
  const roleOf = (id: string) => folders.find((folder) => encodeId('fld', folder.id) === id)?.role;
  const found = async (q: string) => {
    const { data } = await search.search(mailbox, { q, limit: 50 }, WAITING);
    return data.map((row) => [
      row.subject,
      row.found && roleOf(row.found.folder),
      row.found?.snippet ?? null,
    ]);
  };
  assert.deepEqual(await found('garden'), [['Garden', 'archive', null]]);
  const [hostile, short, garden] = await found('quarterly');
  assert.deepEqual(short, ['Short', 'inbox', 'a quarterly note.']);
  assert.match(String(hostile?.[2]), /quarterly/);
  assert.match(String(garden?.[2]), /^…before .*the quarterly garden plan after.* after…$/);
  assert.ok(String(garden?.[2]).length <= 202);
  assert.deepEqual((await found('subject:short'))[0], ['Short', 'inbox', null]);
});

test('results are counted up to a limit', async () => {
  const mailbox = await newMailbox(db.database);
  await store.append(Array.from({ length: 1_001 }, () => letter(mailbox, { subject: 'Many' })));
  await store.append([letter(mailbox, { subject: 'Few' })]);
  assert.deepEqual(await search.count(mailbox, 'few', WAITING), { count: 1, is_exact: true });
  assert.deepEqual(await search.count(mailbox, 'many', WAITING), { count: 1_000, is_exact: false });
});
