import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { sql } from 'kysely';
import { newEmail } from '../../../test/support/emails.ts';
import { newEvent } from '../../../test/support/events.ts';
import { newDomain, newProject } from '../../../test/support/projects.ts';
import { sealedDatabase, type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { insertRow, newRoute } from '../../../test/support/routes.ts';
import { createUser } from '../../accounts/users.ts';
import { deletingExpiredAccountRows } from '../../accounts/background-jobs.ts';
import type { Health } from '../../contract/dashboard/health.ts';
import type { Need } from '../../contract/dashboard/overview.ts';
import { DAY_MS, HOUR_MS } from '../../model/day.ts';
import { encodeId, newUuid, restartIds } from '../../model/ids.ts';
import { insertEmails } from '../../sending/accept/insert-emails.ts';
import { recordEvents } from '../../sending/events/record-events.ts';
import { findNeeds } from './needs.ts';
import { snooze } from './snoozes.ts';

const WELL: Health = { state: 'normal', since: null, waiting: { emails: 0, is_more: false }, causes: [] };

let db: TestDatabase;
before(async () => {
  db = await testDatabase();
});
after(() => db[Symbol.asyncDispose]());

function newUser(): Promise<string> {
  return db.database.transaction().execute((tx) =>
    createUser(tx, {
      email: `${newUuid()}@acme.example`,
      name: 'Ann',
      passwordHash: null,
      isOperator: false,
    }),
  );
}

const needsOf = (projectId: string, of: Partial<Parameters<typeof findNeeds>[1]> = {}) =>
  findNeeds(db.database, {
    projectId,
    userId: newUuid(),
    health: WELL,
    trustsManualVerification: false,
    keepDays: null,
    ...of,
  });

/** Sends emails, and records the outcome of each. */
async function send(
  projectId: string,
  outcomes: Readonly<Partial<Record<'delivered' | 'bounced' | 'complained', number>>>,
  hoursAgo = 1,
): Promise<void> {
  const sent = Object.entries(outcomes).flatMap(([outcome, count]) =>
    Array.from({ length: count }, () => ({
      outcome: outcome as keyof typeof outcomes,
      email: newEmail({ projectId }),
    })),
  );
  // After the restart, an ID can have an earlier time than the previous ID.
  restartIds();
  for (const { email } of sent) email.emailId = newUuid(Date.now() - hoursAgo * HOUR_MS);
  restartIds();
  await insertEmails(
    db.database,
    sent.map(({ email }) => email),
  );
  await db.database.transaction().execute((tx) =>
    recordEvents(
      tx,
      sent.map(({ email, outcome }) => ({ ...email, events: [newEvent(outcome, 0, 'b@dst.test')] })),
    ),
  );
}

/** Stores a domain that was added some days ago. @returns its uuid */
async function addDomain(
  projectId: string,
  name: string,
  status: 'pending' | 'verified' | 'warning',
  daysAgo: number,
): Promise<string> {
  const domainId = await newDomain(db.database, projectId, name, { status });
  const createdAt = new Date(Date.now() - daysAgo * DAY_MS);
  await db.database
    .updateTable('domains')
    .set({ createdAt, ...(status === 'warning' && { warningSince: createdAt }) })
    .where('projectId', '=', projectId)
    .where('id', '=', domainId)
    .execute();
  return domainId;
}

/** Marks the domain as one that was verified until a time. */
async function loseDomain(projectId: string, domainId: string, lastVerifiedAt: Date): Promise<void> {
  await db.database
    .insertInto('domainsFirstVerified')
    .values({ projectId, domainId, verifiedAt: new Date('2026-01-01T00:00:00Z'), lastVerifiedAt })
    .execute();
}

/** Stores failing webhooks. @param daysAgo since when each fails; negative: it was disabled */
async function addWebhooks(projectId: string, daysAgo: readonly number[]): Promise<void> {
  await db.database
    .insertInto('webhooks')
    .values(
      daysAgo.map((days) => ({
        projectId,
        id: newUuid(),
        url: `https://${Math.abs(days)}.example/`,
        events: [],
        enabled: days > 0,
        disabledReason: days > 0 ? null : ('failing' as const),
        secretSealed: '',
        createdAt: new Date(),
        updatedAt: new Date(),
        failingSince: new Date(Date.now() - Math.abs(days) * DAY_MS),
      })),
    )
    .execute();
}

const namesIn = (needs: readonly Need[]) => needs.map(({ text }) => /\w+\.example/.exec(text)?.[0]);

test('the most dangerous problems of a kind are listed, however many there are', async () => {
  const projectId = await newProject(db.database);
  for (let at = 1; at <= 5; at++) await addDomain(projectId, `never${at}.example`, 'pending', 3);
  await addDomain(projectId, 'falling.example', 'warning', 2);
  await loseDomain(projectId, await addDomain(projectId, 'lost.example', 'pending', 1), new Date());
  await addWebhooks(projectId, [1, 2, 3, 4, 5, -6]);
  assert.equal(
    namesIn(await needsOf(projectId)).join(' '),
    '6.example lost.example falling.example 5.example 4.example 3.example 2.example never1.example never2.example never3.example',
  );
});

test('a lost domain is listed since it was lost, whenever its records were last checked', async () => {
  const projectId = await newProject(db.database);
  const lostAt = new Date('2026-11-20T10:00:00Z');
  const lost = await addDomain(projectId, 'lost.example', 'pending', 9);
  await loseDomain(projectId, lost, lostAt);
  const ended = await addDomain(projectId, 'ended.example', 'warning', 4);
  await loseDomain(projectId, ended, new Date());
  await db.database
    .updateTable('domains')
    .set({ pendingSince: new Date(), lastCheckedAt: new Date() })
    .where('projectId', '=', projectId)
    .execute();
  const needs = await needsOf(projectId);
  assert.deepEqual(namesIn(needs), ['lost.example', 'ended.example']);
  assert.equal(needs[0]?.since, lostAt.toISOString());
  const endedMs = Date.parse(needs[1]?.since ?? '');
  assert.ok(Math.abs(endedMs - (Date.now() - DAY_MS)) < HOUR_MS, needs[1]?.since ?? 'none');
});

test('problems are listed in order of danger, and equally dangerous ones by age', async () => {
  const projectId = await newProject(db.database);
  await addWebhooks(projectId, [1, 3]);
  await addDomain(projectId, 'never.example', 'pending', 3);
  await addDomain(projectId, 'losing.example', 'warning', 2);
  await loseDomain(projectId, await addDomain(projectId, 'lost.example', 'pending', 9), new Date());
  await send(projectId, { delivered: 91, bounced: 9 });
  const needs = await needsOf(projectId, {
    health: {
      ...WELL,
      state: 'stopped',
      since: '2026-11-30T04:19:00.000Z',
      waiting: { emails: 3, is_more: false },
    },
  });
  assert.deepEqual(
    needs.map(
      ({ severity, kind, text }) => `${severity} ${kind} ${/\S+\.example|3 emails|9%/.exec(text)?.[0]}`,
    ),
    [
      '1 stopped 3 emails',
      '2 domain lost.example',
      '2 bounces 9%',
      '3 domain losing.example',
      '3 webhook https://3.example',
      '3 webhook https://1.example',
      '4 domain never.example',
    ],
  );
  assert.equal(needs[0]?.since, '2026-11-30T04:19:00.000Z');
});

test('what works, or was only just begun, is not listed', async () => {
  const projectId = await newProject(db.database);
  await addDomain(projectId, 'today.example', 'pending', 0.5);
  await addDomain(projectId, 'fine.example', 'verified', 9);
  for (const [name, status] of [
    ['by-hand.example', 'pending'],
    ['lost-by-hand.example', 'warning'],
  ] as const) {
    const domainId = await addDomain(projectId, name, status, 2);
    await db.database
      .insertInto('domainsVerifiedByHand')
      .values({ projectId, domainId, verifiedAt: new Date() })
      .execute();
  }
  await send(projectId, { delivered: 199, bounced: 1 });
  assert.deepEqual(await needsOf(projectId, { trustsManualVerification: true }), []);
  // In production the verification by hand does not count.
  assert.equal((await needsOf(projectId)).length, 2);
});

suite('a rate', () => {
  for (const [title, outcomes, hoursAgo, expected] of [
    ['of few recipients', { delivered: 89, bounced: 10 }, 1, []],
    ['below the limits', { delivered: 990, bounced: 10 }, 1, []],
    ['of 3 % bounces', { delivered: 97, bounced: 3 }, 1, ['4 warn status:bounced since:24h']],
    ['of 8 % bounces', { delivered: 92, bounced: 8 }, 1, ['2 bad status:bounced since:24h']],
    ['of 8 % bounces two days ago', { delivered: 92, bounced: 8 }, 48, ['2 bad status:bounced since:7d']],
    ['of one complaint', { delivered: 199, complained: 1 }, 1, []],
    ['of complaints', { delivered: 197, complained: 3 }, 1, ['2 bad status:complained since:24h']],
  ] as const)
    test(`${title} is listed ${expected.length === 0 ? 'not at all' : `as ${expected[0]}`}`, async () => {
      const projectId = await newProject(db.database);
      await send(projectId, outcomes, hoursAgo);
      const needs = await needsOf(projectId);
      assert.deepEqual(
        needs.map(({ severity, tone, query }) => `${severity} ${tone} ${query}`),
        expected,
      );
    });

  test('that is bad today is listed for today, not for the week with the same limit', async () => {
    const projectId = await newProject(db.database);
    await send(projectId, { delivered: 94, bounced: 6 }, 48);
    await send(projectId, { delivered: 90, bounced: 10 });
    const [need] = await needsOf(projectId);
    assert.match(need?.text ?? '', /^10% of the recipients bounced in the last 24 hours \(10 of 100\)\./);
  });

  test('that is bad today is listed for the week if the week is worse', async () => {
    const projectId = await newProject(db.database);
    await send(projectId, { delivered: 80, bounced: 20 }, 48);
    await send(projectId, { delivered: 94, bounced: 6 });
    const [need] = await needsOf(projectId);
    assert.match(need?.text ?? '', /^13% of the recipients bounced in the last 7 days \(26 of 200\)\./);
  });

  test('below one percent is shown with two decimals', async () => {
    const projectId = await newProject(db.database);
    await send(projectId, { delivered: 697, complained: 3 });
    const [need] = await needsOf(projectId);
    assert.match(need?.text ?? '', /^0\.43% of the delivered emails were marked as spam/);
  });
});

suite('a snooze', () => {
  test('hides a problem from one user in one project, until it gets worse', async () => {
    const projectId = await newProject(db.database);
    const [userId, otherId] = [await newUser(), await newUser()];
    await send(projectId, { delivered: 93, bounced: 7 });
    const hidden = async (of: string) =>
      (await needsOf(projectId, { userId: of })).map((each) => each.snoozed_until !== null);
    const [need] = await needsOf(projectId);
    assert.ok(need !== undefined);
    await snooze(db.database, { projectId, userId }, { ...need, days: 7 });
    assert.deepEqual([await hidden(userId), await hidden(otherId)], [[true], [false]]);
    await send(projectId, { bounced: 8 });
    assert.deepEqual(await hidden(userId), [false]);
  });

  test('makes place for a further problem of its kind', async () => {
    const [projectId, userId] = [await newProject(db.database), await newUser()];
    await addWebhooks(projectId, [1, 2, 3, 4, 5, 6, 7]);
    for (const need of await needsOf(projectId))
      await snooze(db.database, { projectId, userId }, { ...need, days: 7 });
    const needs = await needsOf(projectId, { userId });
    assert.deepEqual(namesIn(needs.filter(({ snoozed_until }) => snoozed_until === null)), [
      '2.example',
      '1.example',
    ]);
    assert.equal(needs.length, 7);
  });

  test('does not hide the same problem when it begins again', async () => {
    const { database } = db;
    const [projectId, userId] = [await newProject(database), await newUser()];
    await addDomain(projectId, 'fading.example', 'warning', 2);
    await loseDomain(projectId, await addDomain(projectId, 'lost.example', 'pending', 9), new Date());
    await addWebhooks(projectId, [1, -2]);
    const hidden = async () =>
      (await needsOf(projectId, { userId })).filter(({ snoozed_until }) => snoozed_until !== null).length;
    for (const need of await needsOf(projectId))
      await snooze(database, { projectId, userId }, { ...need, days: 7 });
    assert.equal(await hidden(), 4);
    const later = new Date(Date.now() - HOUR_MS);
    await database
      .updateTable('domains')
      .set({ warningSince: later })
      .where('projectId', '=', projectId)
      .where('status', '=', 'warning')
      .execute();
    assert.equal(await hidden(), 3);
    await database
      .updateTable('domainsFirstVerified')
      .set({ lastVerifiedAt: later })
      .where('projectId', '=', projectId)
      .execute();
    assert.equal(await hidden(), 2);
    await database
      .updateTable('webhooks')
      .set({ failingSince: later })
      .where('projectId', '=', projectId)
      .execute();
    assert.equal(await hidden(), 0);
  });

  test('can be ended, ends by itself, and never hides that nothing is sent', async () => {
    const projectId = await newProject(db.database);
    const userId = await newUser();
    const of = { userId, health: { ...WELL, state: 'stopped' } as const };
    await addDomain(projectId, 'never.example', 'pending', 3);
    const hidden = async () => (await needsOf(projectId, of)).map((each) => each.snoozed_until !== null);
    const all = (await needsOf(projectId, of)).map(({ key, level }) => ({ key, level }));
    for (const each of all) await snooze(db.database, { projectId, userId }, { ...each, days: 1 });
    assert.deepEqual(await hidden(), [false, true]);
    for (const each of all) await snooze(db.database, { projectId, userId }, { ...each, days: 0 });
    assert.deepEqual(await hidden(), [false, false]);
    for (const each of all) await snooze(db.database, { projectId, userId }, { ...each, days: 1 });
    await sql`update snoozes set until = now() - interval '1 second' where user_id = ${userId}`.execute(
      db.database,
    );
    assert.deepEqual(await hidden(), [false, false]);
    for await (const _ of deletingExpiredAccountRows(db.database, null));
    assert.deepEqual(
      await db.database.selectFrom('snoozes').select('key').where('userId', '=', userId).execute(),
      [],
    );
  });

  test('is one of at most a hundred of a user, and is deleted with the user and the project', async () => {
    const [projectId, userId] = [await newProject(db.database), await newUser()];
    for (let at = 0; at < 101; at++)
      await snooze(db.database, { projectId, userId }, { key: `plan ${at}`, level: 0, days: 1 });
    const count = async () =>
      (await db.database.selectFrom('snoozes').select('key').where('projectId', '=', projectId).execute())
        .length;
    assert.equal(await count(), 100);
    // The new one is kept, although it ends before all others.
    const own = { key: 'plan of a day', level: 0, days: 1 };
    await sql`update snoozes set until = until + interval '10 days' where user_id = ${userId}`.execute(
      db.database,
    );
    await snooze(db.database, { projectId, userId }, own);
    assert.equal(await count(), 100);
    assert.equal(
      (await db.database.selectFrom('snoozes').select('key').where('key', '=', own.key).execute()).length,
      1,
    );
    await db.database.deleteFrom('users').where('id', '=', userId).execute();
    assert.equal(await count(), 0);
    await snooze(db.database, { projectId, userId: await newUser() }, { key: 'plan', level: 0, days: 1 });
    await db.database.deleteFrom('projects').where('id', '=', projectId).execute();
    assert.equal(await count(), 0);
  });
});

test('a failing route is a problem, and a worse one once messages are no longer retried', async () => {
  await using sealed = await sealedDatabase();
  const { database, sealer } = sealed;
  const route = await newRoute(database, sealer);
  const find = () =>
    findNeeds(database, {
      projectId: route.projectId,
      userId: newUuid(),
      health: WELL,
      trustsManualVerification: false,
      keepDays: null,
    });
  const shown = async () => (await find()).map(({ kind, severity, id }) => ({ kind, severity, id }));
  const id = encodeId('rt', route.routeId);
  assert.deepEqual(await shown(), []);
  await database
    .updateTable('routes')
    .set({ failingSince: new Date() })
    .where('id', '=', route.routeId)
    .execute();
  assert.deepEqual(await shown(), [{ kind: 'route', severity: 3, id }]);
  await insertRow(database, route, { status: 'failed' });
  assert.deepEqual(await shown(), [{ kind: 'route', severity: 2, id }]);
});
