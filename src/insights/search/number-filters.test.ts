/** The emails that a search for a number of Metrics finds are those that the number counts. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { newEmail } from '../../../test/support/emails.ts';
import { newEvent } from '../../../test/support/events.ts';
import { newProject } from '../../../test/support/projects.ts';
import { type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { FairReads } from '../../db/fair-reads.ts';
import { HOUR_MS } from '../../model/day.ts';
import { type Dimension, type DimensionFilter, DIMENSIONS } from '../../model/dimensions.ts';
import { EMPTY_QUERY, type EmailQuery, type Outcome, printEmailQuery } from '../../model/email-query.ts';
import { newUuid, restartIds } from '../../model/ids.ts';
import { type Stream, STREAMS } from '../../model/streams.ts';
import { insertEmails } from '../../sending/accept/insert-emails.ts';
import { type NewEvent, recordEvents } from '../../sending/events/record-events.ts';
import { OTHER_PROVIDERS } from '../counts/mailbox-providers.ts';
import { readFilteredMetrics } from '../counts/read-filtered.ts';
import { readMetrics } from '../counts/read-metrics.ts';
import type { TallyPart } from '../counts/tally.ts';
import { EmailSearch } from './email-search.ts';
import { indexNext, LEAST_EMAILS } from './segments.ts';

const HOURS = 6;
const RECIPIENTS = ['ann@gmail.com', 'bob@gmail.com', 'cem@web.de', 'dan@acme.example'];

let db: TestDatabase;
before(async () => {
  db = await testDatabase();
});
after(() => db[Symbol.asyncDispose]());

/** The events of a recipient, in order. */
const EVENTS = {
  none: [],
  delivered: [['delivered']],
  person: [['delivered'], ['opened', false]],
  machine: [['delivered'], ['opened', true]],
  both: [
    ['opened', true],
    ['opened', false],
  ],
  clicked: [['delivered'], ['clicked', false]],
  'clicked by a machine': [['delivered'], ['clicked', true]],
  failed: [['failed']],
  soft: [['bounced']],
  hard: [['bounced', 'hard']],
  'hard after soft': [['bounced'], ['bounced', 'hard']],
  complained: [['delivered'], ['complained']],
  'bounced later': [['delivered'], ['opened', false], ['bounced', 'hard']],
} as const;

interface Sent {
  hoursAgo: number;
  domain: string;
  stream: Stream;
  tags: string[];
  to: { address: string; events: keyof typeof EVENTS }[];
}

const sent: fc.Arbitrary<Sent> = fc.record({
  hoursAgo: fc.nat(HOURS - 1),
  domain: fc.constantFrom('one.example', 'two.example'),
  stream: fc.constantFrom(...STREAMS),
  tags: fc.uniqueArray(fc.constantFrom('welcome', 'welcome-late', 'Größe M'), { maxLength: 2 }),
  to: fc.uniqueArray(
    fc.record({
      address: fc.constantFrom(...RECIPIENTS),
      events: fc.constantFrom(...(Object.keys(EVENTS) as (keyof typeof EVENTS)[])),
    }),
    { minLength: 1, maxLength: 3, selector: ({ address }) => address },
  ),
});

function eventsOf({ to }: Sent): NewEvent[] {
  return to.flatMap(({ address, events }, index) =>
    EVENTS[events].map(([type, detail]) => {
      const event = newEvent(type, index, address);
      const more = typeof detail === 'boolean' ? { is_machine: detail } : detail && { type: detail };
      return { ...event, detail: { ...event.detail, ...more } } as NewEvent;
    }),
  );
}

async function send(projectId: string, nowMs: number, emails: readonly Sent[]): Promise<void> {
  const made = emails.map((email) => {
    // After the restart, an ID can have an earlier time than the previous ID.
    restartIds();
    const sender = `hello@${email.domain}`;
    const to = email.to.map(({ address }) => address);
    const emailId = newUuid(nowMs - email.hoursAgo * HOUR_MS);
    const { tags, stream } = email;
    const made = newEmail({
      projectId,
      emailId,
      sender,
      senderAddress: sender,
      to,
      recipients: to,
      tags,
      stream,
    });
    return { made, events: eventsOf(email) };
  });
  restartIds();
  await insertEmails(
    db.database,
    made.map(({ made }) => made),
  );
  const changes = made.map(({ made, events }) => ({ ...made, events }));
  await db.database.transaction().execute((tx) => recordEvents(tx, changes));
}

/** The numbers of Metrics that count recipients, each with the outcome that finds them. */
function numbersOf(part: TallyPart): [Outcome, number][] {
  const bounced = part.bouncedHard + part.bouncedSoft;
  const final = part.delivered + part.failed + bounced;
  return [
    ['any', part.recipients],
    ['pending', part.recipients - final],
    ['delivered', part.delivered],
    ['opened', part.openedByPeople + part.openedByMachines],
    ['opened-by-people', part.openedByPeople],
    ['opened-by-machines', part.openedByMachines],
    ['clicked', part.clicked],
    ['complained', part.complained],
    ['bounced', bounced],
    ['hard', part.bouncedHard],
    ['soft', part.bouncedSoft],
    ['failed', part.failed],
    ['undelivered', part.failed + bounced],
    ['final', final],
  ];
}

function termsOf(by: Dimension, { value, isRest }: TallyPart): Partial<EmailQuery> {
  if (by === 'tag') return { tags: [value] };
  if (by === 'domain') return { domain: value };
  if (by === 'stream') return { words: [{ field: 'stream', text: value }] };
  if (by === 'provider') return { provider: isRest ? OTHER_PROVIDERS : value.toLowerCase() };
  return {};
}

test('each number of Metrics is the number of recipients or emails that its search finds', async () => {
  const search = new EmailSearch(new FairReads(db.database, 2), { countMs: 60_000 });
  await fc.assert(
    fc.asyncProperty(fc.array(sent, { minLength: 1, maxLength: 10 }), async (emails) => {
      const projectId = await newProject(db.database);
      const nowMs = Date.now();
      await send(projectId, nowMs, emails);
      const from = new Date((Math.floor(nowMs / HOUR_MS) + 1 - HOURS) * HOUR_MS);
      const found = async (query: Partial<EmailQuery>) => {
        const q = printEmailQuery({ ...EMPTY_QUERY, ...query });
        const page = await search.search(projectId, { q, limit: 50 });
        const count = await search.count(projectId, { q });
        assert.equal(page.data.length, count.emails, q);
        return count;
      };
      for (const by of DIMENSIONS) {
        const query = { projectId, by, from, stepMs: HOUR_MS, steps: HOURS, keepDays: null };
        const { all, parts } = await readMetrics(db.database, query);
        for (const { total, steps } of by === 'all' ? [all ?? assert.fail()] : parts) {
          const terms = termsOf(by, total);
          const ranges = [
            { part: total, bounds: { since: { at: from.toISOString() } } },
            ...[...steps].slice(0, 1).map(([at, part]) => {
              const [since, until] = [at, at + 1].map((step) => ({
                at: new Date(from.getTime() + step * HOUR_MS).toISOString(),
              }));
              return { part, bounds: { since: since ?? null, until: until ?? null } };
            }),
          ];
          for (const { part, bounds } of ranges) {
            for (const [outcome, number] of numbersOf(part)) {
              const { recipients, is_more } = await found({ ...terms, ...bounds, outcome });
              assert.equal(recipients, number, `${by} ${part.value} ${outcome}`);
              assert.equal(is_more, false);
            }
            // By provider, an email counts for the provider of its first recipient.
            if (by !== 'provider')
              assert.equal((await found({ ...terms, ...bounds })).emails, part.emails, `${by} ${part.value}`);
          }
        }
      }
    }),
    { numRuns: 5 },
  );
});

const filters: fc.Arbitrary<DimensionFilter> = fc
  .record({
    domain: fc.option(fc.constantFrom('one.example', 'two.example')),
    provider: fc.option(fc.constantFrom('Gmail', 'GMX and WEB.DE', OTHER_PROVIDERS)),
    tag: fc.option(fc.constantFrom('welcome', 'Größe M')),
  })
  .map((given) => Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null)));

test('each number of filtered Metrics is the number of recipients that its search finds', async () => {
  const search = new EmailSearch(new FairReads(db.database, 2), { countMs: 60_000 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(sent, { minLength: 4, maxLength: 15 }),
      filters.filter((filter) => Object.keys(filter).length > 0),
      fc.constantFrom(...DIMENSIONS.filter((by) => by !== 'stream')),
      async (emails, filter, by) => {
        const projectId = await newProject(db.database);
        const nowMs = Date.now();
        await send(projectId, nowMs, emails);
        const from = new Date((Math.floor(nowMs / HOUR_MS) + 1 - HOURS) * HOUR_MS);
        const query = { projectId, by, from, stepMs: HOUR_MS, steps: HOURS, keepDays: null };
        const { all, parts, firstStep } = await readFilteredMetrics(
          (statement) => statement(db.database),
          query,
          filter,
          () => true,
        );
        assert.equal(firstStep, 0);
        const { tag, domain = null, provider = null } = filter;
        const since = { at: from.toISOString() };
        for (const { total, steps } of by === 'all' ? (all === undefined ? [] : [all]) : parts) {
          const own = termsOf(by, total);
          const tags = [...(tag === undefined ? [] : [tag]), ...(own.tags ?? [])];
          const terms = { domain, provider: provider?.toLowerCase() ?? null, ...own, tags };
          for (const [outcome, number] of numbersOf(total)) {
            const q = printEmailQuery({ ...EMPTY_QUERY, ...terms, since, outcome });
            assert.equal((await search.count(projectId, { q })).recipients, number, q);
          }
          const sums = [...steps.values()].reduce((sum, { recipients }) => sum + recipients, 0);
          assert.equal(sums, total.recipients);
        }
      },
    ),
    { numRuns: 12 },
  );
});

test('if the time is over, filtered Metrics begin with the first step whose emails were all counted', async () => {
  const projectId = await newProject(db.database);
  const nowMs = Date.now();
  const emails = Array.from(
    { length: 5_100 },
    (_, at): Sent => ({
      hoursAgo: at < 100 ? 3 : 1,
      domain: 'one.example',
      stream: 'bulk',
      tags: ['welcome'],
      to: [{ address: 'ann@gmail.com', events: 'none' }],
    }),
  );
  for (let at = 0; at < emails.length; at += 850) await send(projectId, nowMs, emails.slice(at, at + 850));
  const from = new Date((Math.floor(nowMs / HOUR_MS) + 1 - HOURS) * HOUR_MS);
  const query = { projectId, by: 'domain', from, stepMs: HOUR_MS, steps: HOURS, keepDays: null } as const;
  const read = (slices: number) => {
    let left = slices;
    const filter = { tag: 'welcome' };
    return readFilteredMetrics(
      (statement) => statement(db.database),
      query,
      filter,
      () => left-- > 0,
    );
  };
  const none = await read(0);
  assert.partialDeepStrictEqual(none, { all: undefined, firstStep: HOURS });
  const some = await read(1);
  // The slice may have begun in the middle of the hour of its first email.
  assert.equal(some.firstStep, HOURS - 1);
  const whole = await read(2);
  assert.equal(whole.firstStep, 0);
  assert.equal(whole.all?.total.recipients, 5_100);
});

test('a search by outcome and words finds emails with both, indexed or not', async () => {
  const search = new EmailSearch(new FairReads(db.database, 2));
  const projectId = await newProject(db.database);
  const of = (address: string, events: keyof typeof EVENTS): Sent => ({
    hoursAgo: 1,
    domain: 'one.example',
    stream: 'transactional',
    tags: [],
    to: [{ address, events }],
  });
  const emails = Array.from({ length: LEAST_EMAILS }, (_, at) =>
    of(at % 4 === 0 ? 'ann@gmail.com' : 'cem@web.de', at % 2 === 0 ? 'hard' : 'soft'),
  );
  await send(projectId, Date.now(), emails);
  const found = async (q: string) => {
    const { data, is_complete } = await search.search(projectId, { q, limit: 200 });
    const { recipients } = await new EmailSearch(new FairReads(db.database, 2)).count(projectId, { q });
    assert.ok(is_complete);
    return [data.length, recipients];
  };
  for (const isIndexed of [false, true]) {
    if (isIndexed) assert.ok(await indexNext(db.database, projectId, 'ffffffff-ffff-ffff-ffff-ffffffffffff'));
    const { unmatched } = await search.search(projectId, { q: 'ann outcome:complained', limit: 1 });
    assert.deepEqual(unmatched, []);
    assert.deepEqual(await found('ann outcome:hard'), [LEAST_EMAILS / 4, LEAST_EMAILS / 4]);
    assert.deepEqual(await found('ann outcome:soft'), [0, 0]);
    assert.deepEqual(await found('cem provider:Gmail'), [0, 0]);
    assert.deepEqual(await found('cem domain:one.example'), [200, null]);
  }
});

test('outcome and provider must belong to the same recipient', async () => {
  const projectId = await newProject(db.database);
  const search = new EmailSearch(new FairReads(db.database, 2));
  await send(projectId, Date.now(), [
    {
      hoursAgo: 0,
      domain: 'one.example',
      stream: 'bulk',
      tags: [],
      to: [
        { address: 'ann@gmail.com', events: 'delivered' },
        { address: 'cem@web.de', events: 'hard' },
      ],
    },
  ]);
  const emails = async (q: string) => (await search.search(projectId, { q, limit: 10 })).data.length;
  assert.equal(await emails('outcome:hard provider:"GMX and WEB.DE"'), 1);
  assert.equal(await emails('outcome:hard provider:gmail'), 0);
  assert.equal(await emails('outcome:hard provider:other'), 0);
  assert.equal(await emails('provider:gmail provider:other'), 0);
  const { fault } = await search.search(projectId, { q: 'provider:gmial', limit: 10 });
  assert.match(fault ?? '', /^provider:gmial is not a mailbox provider; use one of Gmail, /);
});
