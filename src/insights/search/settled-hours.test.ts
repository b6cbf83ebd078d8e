import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { countEmails } from '../../../test/support/count-emails.ts';
import { newEmail } from '../../../test/support/emails.ts';
import { newEvent } from '../../../test/support/events.ts';
import { newProject } from '../../../test/support/projects.ts';
import { type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { FairReads } from '../../db/fair-reads.ts';
import { HOUR_MS } from '../../model/day.ts';
import { encodeId, firstUuidAt, newUuid, restartIds, timeOf } from '../../model/ids.ts';
import { insertEmails } from '../../sending/accept/insert-emails.ts';
import { type NewEvent, recordEvents } from '../../sending/events/record-events.ts';
import { NUMBERS, type Numbers } from '../counts/tally.ts';
import { EmailSearch } from './email-search.ts';
import type { NumberTerms } from './number-filters.ts';
import { rangesWithMatches } from './settled-hours.ts';

const NOW_MS = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
const ALL = { before: 'ffffffff-ffff-ffff-ffff-ffffffffffff', from: '00000000-0000-0000-0000-000000000000' };

let db: TestDatabase;
before(async () => {
  db = await testDatabase();
});
after(() => db[Symbol.asyncDispose]());

const hoursAgo = (hours: number) => new Date(NOW_MS - hours * HOUR_MS);

interface Counted {
  ago: number;
  recipients?: number;
  delivered?: number;
  failed?: number;
  bounced?: number;
  /** How long after the end of the hour it was counted. */
  afterMs?: number;
}

async function count(projectId: string, hours: readonly Counted[]): Promise<void> {
  const rows = hours.map(
    ({ ago, recipients = 9_000, delivered = recipients, failed = 0, bounced = 0, afterMs = HOUR_MS }) => ({
      projectId,
      hour: hoursAgo(ago),
      emails: recipients,
      recipients,
      delivered,
      failed,
      bounced,
      opened: 0,
      clicked: 0,
      complained: 0,
      countedAt: new Date(hoursAgo(ago - 1).getTime() + afterMs),
      nextAt: new Date(),
      metricsAt: null,
    }),
  );
  await db.database.insertInto('emailCounts').values(rows).execute();
}

/** The hours that are searched: pairs of begin and end, in hours before now. Null is the end of the whole range. */
async function searched(projectId: string, range = ALL): Promise<(number | null)[][]> {
  const ago = (uuid: string) => {
    const hours = (NOW_MS - timeOf(uuid).getTime()) / HOUR_MS;
    return Math.abs(hours) > 10_000 ? null : hours;
  };
  const terms = { outcome: 'pending', provider: null } as const;
  const parts = await rangesWithMatches((statement) => statement(db.database), projectId, terms, range);
  return parts.map(({ before, from }) => [ago(from), ago(before)]);
}

const CASES: Record<string, { hours: Counted[]; searched: (number | null)[][] }> = {
  'no hour is counted': { hours: [], searched: [[null, null]] },
  'all recipients of an hour have an outcome': {
    hours: [{ ago: 5, delivered: 8_000, failed: 300, bounced: 700 }],
    searched: [
      [4, null],
      [null, 5],
    ],
  },
  'one recipient of an hour is pending': { hours: [{ ago: 5, delivered: 8_999 }], searched: [[null, null]] },
  'an hour was counted before its last email may have been committed': {
    hours: [{ ago: 5, afterMs: 59_000 }],
    searched: [[null, null]],
  },
  'an hour has few emails': { hours: [{ ago: 5, recipients: 4_999 }], searched: [[null, null]] },
  'hours with few emails follow each other': {
    hours: [
      { ago: 5, recipients: 2_500 },
      { ago: 6, recipients: 2_500 },
      { ago: 8, recipients: 2_500 },
    ],
    searched: [
      [4, null],
      [null, 6],
    ],
  },
  'an hour between others is not counted': {
    hours: [{ ago: 5 }, { ago: 7 }],
    searched: [
      [4, null],
      [6, 5],
      [null, 7],
    ],
  },
  'the current hour seems to be over': { hours: [{ ago: 0 }], searched: [[null, null]] },
};

for (const [name, { hours, searched: expected }] of Object.entries(CASES))
  test(`the hours searched for pending emails if ${name}`, async () => {
    const projectId = await newProject(db.database);
    const other = await newProject(db.database);
    if (hours.length > 0) await count(projectId, hours);
    assert.deepEqual(await searched(projectId), expected);
    assert.deepEqual(await searched(other), [[null, null]]);
  });

test('hours outside the range are not searched, and an hour is left out only as a whole', async () => {
  const projectId = await newProject(db.database);
  await count(projectId, [{ ago: 3 }, { ago: 5 }, { ago: 7 }]);
  const at = (hours: number) => firstUuidAt(hoursAgo(hours));
  const ranges = await searched(projectId, { before: at(2.5), from: at(6) });
  assert.deepEqual(ranges, [
    [4, 2.5],
    [6, 5],
  ]);
});

test('a page of pending emails continues after the hours that are left out', async () => {
  const projectId = await newProject(db.database);
  const emails = [2, 2, 6, 6, 6].map((ago) => {
    restartIds();
    return newEmail({ projectId, emailId: newUuid(hoursAgo(ago).getTime() + 60_000) });
  });
  restartIds();
  await insertEmails(db.database, emails);
  await count(projectId, [{ ago: 4 }]);
  const search = new EmailSearch(new FairReads(db.database, 2));
  const first = await search.search(projectId, { q: 'outcome:pending', limit: 3 });
  assert.equal(first.data.length, 3);
  const cursor = first.next_cursor ?? assert.fail();
  const second = await search.search(projectId, { q: 'outcome:pending', limit: 3, cursor });
  assert.deepEqual([second.data.length, second.next_cursor], [2, null]);
  assert.equal(new Set([...first.data, ...second.data].map(({ id }) => id)).size, 5);
  assert.equal((await search.count(projectId, { q: 'outcome:pending' })).emails, 5);
});

/** The counts of an hour by provider, as the worker stores them. `null` is the sum of all recipients at no known provider. */
async function countProviders(
  projectId: string,
  ago: number,
  providers: readonly (string | null)[],
): Promise<void> {
  const numbers = { ...Object.fromEntries(NUMBERS.map((name) => [name, 0])), recipients: 1 } as Numbers;
  const span = 'hour' as const;
  const part = { projectId, span, beginsAt: hoursAgo(ago), latency: [] as number[], ...numbers };
  const rows = [
    { ...part, dimension: 'all' as const, isRest: false, value: '' },
    ...providers.map((name) => ({
      ...part,
      dimension: 'provider' as const,
      isRest: name === null,
      value: name ?? '',
    })),
  ];
  await db.database.insertInto('emailMetrics').values(rows).execute();
  await db.database
    .updateTable('emailCounts')
    .set({ metricsAt: new Date() })
    .where('projectId', '=', projectId)
    .where('hour', '=', hoursAgo(ago))
    .execute();
}

test('a search by provider leaves out the hours whose counts have no recipient there', async () => {
  const projectId = await newProject(db.database);
  await count(
    projectId,
    [3, 5, 7, 9, 11].map((ago) => ({ ago, delivered: 0 })),
  );
  await countProviders(projectId, 3, ['GMX and WEB.DE']);
  await countProviders(projectId, 5, ['Gmail']);
  await countProviders(projectId, 7, [null]);
  await countProviders(projectId, 9, []);
  // Hour 11 was never counted by provider.
  const ends = async (terms: Partial<NumberTerms>) => {
    const parts = await rangesWithMatches(
      (statement) => statement(db.database),
      projectId,
      { outcome: null, provider: null, ...terms },
      ALL,
    );
    return parts.map(({ from }) => from).filter((from) => from !== ALL.from);
  };
  // A part ends with the hour that is left out after it.
  const after = (...hours: number[]) => hours.map((ago) => firstUuidAt(hoursAgo(ago - 1)));
  assert.deepEqual(await ends({ provider: 'gmail' }), after(3, 7, 9));
  assert.deepEqual(await ends({ provider: 'gmx and web.de' }), after(5, 7, 9));
  assert.deepEqual(await ends({ provider: 'other' }), after(3, 5, 9));
  assert.deepEqual(await ends({ provider: 'gmail', outcome: 'hard' }), after(3, 7, 9));
  assert.deepEqual(await ends({ outcome: 'hard' }), []);
});

test('a search by provider finds all of its emails after the worker has counted them', async () => {
  const projectId = await newProject(db.database);
  const emails = [2, 4, 4, 6].map((ago, at) => {
    restartIds();
    const to = [at % 2 === 0 ? 'ann@gmail.com' : 'bob@acme.example'];
    const emailId = newUuid(hoursAgo(ago).getTime() + 60_000);
    return newEmail({ projectId, emailId, to, recipients: to });
  });
  restartIds();
  await insertEmails(db.database, emails);
  const search = new EmailSearch(new FairReads(db.database, 2));
  const found = async (q: string) => (await search.search(projectId, { q, limit: 9 })).data.length;
  const all = () => Promise.all(['gmail', 'other', 'yahoo'].map((name) => found(`provider:${name}`)));
  assert.deepEqual(await all(), [2, 2, 0]);
  await countEmails(db.database);
  // As if the hours had many emails.
  await db.database.updateTable('emailCounts').set({ emails: 9_000 }).execute();
  assert.deepEqual(await all(), [2, 2, 0]);
});

test('a search for opens by people leaves out hours without any, and finds an open right after the count', async () => {
  const projectId = await newProject(db.database);
  const to = ['ann@dst.test', 'bob@dst.test'];
  const emails = [2, 4, 6].map((ago) => {
    restartIds();
    const emailId = newUuid(hoursAgo(ago).getTime() + 60_000);
    return newEmail({ projectId, emailId, to, recipients: to });
  });
  restartIds();
  await insertEmails(db.database, emails);
  const open = (at: number, recipient: number, isMachine: boolean) => {
    const event = newEvent('opened', recipient, to[recipient] ?? '');
    const events = [{ ...event, detail: { ...event.detail, is_machine: isMachine } } as NewEvent];
    const email = emails[at] ?? assert.fail();
    return db.database.transaction().execute((tx) => recordEvents(tx, [{ ...email, events }]));
  };
  for (const at of [0, 1, 2]) await open(at, 0, true);
  await open(2, 1, false);
  await countEmails(db.database);
  const set = (values: { personAt?: Date; countedAt?: Date; emails?: number }) =>
    db.database.updateTable('emailCounts').set(values).where('projectId', '=', projectId).execute();
  const search = new EmailSearch(new FairReads(db.database, 2));
  const found = async () => {
    const { data } = await search.search(projectId, { q: 'outcome:opened-by-people', limit: 9 });
    return data.map(({ id }) => emails.findIndex(({ emailId }) => encodeId('em', emailId) === id));
  };
  const skipped = async () => {
    const terms = { outcome: 'opened-by-people', provider: null } as const;
    const parts = await rangesWithMatches((statement) => statement(db.database), projectId, terms, ALL);
    return [2, 4, 6].filter((ago) => parts.some(({ from }) => from === firstUuidAt(hoursAgo(ago - 1))));
  };
  const longAgo = new Date(Date.now() - 3 * HOUR_MS);
  await set({ emails: 9_000 });
  // Before the migration, opens were not noted, so a count is only used some time after it.
  assert.deepEqual(await skipped(), []);
  await set({ personAt: longAgo, countedAt: new Date() });
  assert.deepEqual(await skipped(), [2, 4]);
  assert.deepEqual(await found(), [2]);
  await open(1, 0, false);
  assert.deepEqual(await skipped(), [2]);
  assert.deepEqual(await found(), [1, 2]);
  // Opens by machines, and of emails whose hour was noted just now, write nothing.
  const before = await db.database.selectFrom('emailCounts').select('personAt').execute();
  await open(0, 1, true);
  await open(1, 1, false);
  assert.deepEqual(await db.database.selectFrom('emailCounts').select('personAt').execute(), before);
  assert.deepEqual(await found(), [1, 2]);
});
