import assert from 'node:assert/strict';
import { after, before, beforeEach, suite, test } from 'node:test';
import { sql } from 'kysely';
import { newEmail } from '../../../../../test/support/emails.ts';
import { showProcess } from '../../../../../test/support/process-rows.ts';
import { emptyQueue, passTime } from '../../../../../test/support/queue-rows.ts';
import type { Health } from '../../../../contract/dashboard/health.ts';
import { forgetProcesses } from '../../../../db/presence.ts';
import { SendingHealth } from '../../../../insights/health/sending-health.ts';
import { newUuid } from '../../../../model/ids.ts';
import { Lease } from '../../../../queue/lease.ts';
import { pauseSending, resumeSending } from '../../../../queue/pause.ts';
import { insertEmails } from '../../../../sending/accept/insert-emails.ts';
import { startDashboard, type TestDashboard } from '../dashboard.fixture.ts';

let dashboard: TestDashboard;
before(async () => {
  dashboard = await startDashboard();
});
after(() => dashboard[Symbol.asyncDispose]());
beforeEach(async () => {
  await forgetProcesses(dashboard.db.database);
  await emptyQueue(dashboard.db.database);
});

/** A verdict without the cache of the service, and with a clock. */
function judging(options: Partial<ConstructorParameters<typeof SendingHealth>[0]> = {}) {
  let nowMs = 0;
  const health = new SendingHealth({
    reads: dashboard.core.dashboardReads,
    presence: { living: () => [], lastHeartbeat: () => null },
    concerns: () => dashboard.core.system.concerns(),
    nowMs: () => nowMs,
    ...options,
  });
  return {
    /** Reads after a time has passed. */
    async after(ms: number, projectId = dashboard.project.id, isOperator = false): Promise<Health> {
      nowMs += ms;
      return health.read(projectId, isOperator);
    },
  };
}

/** The verdict of a process that has observed the installation for a while. */
async function healthOf(projectId: string, isOperator = false, isKnown = true): Promise<Health> {
  const health = judging({ presence: { living: () => (isKnown ? [] : null), lastHeartbeat: () => null } });
  await health.after(0, projectId);
  return health.after(4_000, projectId, isOperator);
}

async function showWorker(silentMs = 0): Promise<void> {
  const { database } = dashboard.db;
  const processId = await showProcess(database, { silentMs });
  (await Lease.begin(database, newUuid(), 'worker', { processId })).stop();
}

const send = (projectId: string, count: number) =>
  insertEmails(
    dashboard.db.database,
    Array.from({ length: count }, () =>
      newEmail({ projectId, to: ['a@dst.test', 'b@dst.test'], recipients: ['a@dst.test', 'b@dst.test'] }),
    ),
  );

test('the emails of a project that wait for a worker are counted, and those of other projects never', async () => {
  const { project, other, db } = dashboard;
  await showWorker();
  await send(project.id, 3);
  assert.partialDeepStrictEqual(await healthOf(project.id), { state: 'normal', waiting: { emails: 3 } });
  const before = await healthOf(other.id);
  assert.deepEqual(before, {
    state: 'normal',
    since: null,
    waiting: { emails: 0, is_more: false },
    causes: [],
  });
  await passTime(db.database, '5 minutes');
  const delayed = await healthOf(project.id);
  assert.equal(delayed.state, 'delayed');
  assert.ok(Math.abs(Date.parse(delayed.since ?? '') - (Date.now() - 300_000)) < 60_000);
  assert.deepEqual(await healthOf(other.id), before);
});

test('without a worker, sending has stopped since its last heartbeat, with or without mail', async () => {
  const { project, other, db } = dashboard;
  await showWorker(60_000);
  await sql`update leases set heartbeat_at = now() - interval '2 minutes'`.execute(db.database);
  await send(project.id, 3);
  for (const [id, emails] of [
    [project.id, 3],
    [other.id, 0],
  ] as const) {
    const { state, since, waiting, causes } = await healthOf(id);
    assert.deepEqual([state, waiting.emails, causes], ['stopped', emails, []]);
    assert.ok(Math.abs(Date.parse(since ?? '') - (Date.now() - 120_000)) < 60_000);
  }
  assert.deepEqual(
    (await healthOf(project.id, true)).causes.map(({ kind }) => kind),
    ['workers'],
  );
});

test('after the last worker has stopped in order, sending has stopped since its last heartbeat', async () => {
  const last = new Date('2026-11-29T10:00:00Z');
  const health = judging({
    presence: { living: () => [], lastHeartbeat: (role) => (role === 'worker' ? last : null) },
  });
  await health.after(0);
  assert.partialDeepStrictEqual(await health.after(4_000), { state: 'stopped', since: last.toISOString() });
});

suite('sending without a worker is not called stopped', () => {
  test('until there has been none for three seconds', async () => {
    await showWorker();
    const health = judging();
    assert.equal((await health.after(0)).state, 'normal');
    await forgetProcesses(dashboard.db.database);
    const states = [];
    for (const ms of [2_000, 2_000, 900, 200]) states.push((await health.after(ms)).state);
    assert.deepEqual(states, ['unknown', 'unknown', 'unknown', 'stopped']);
    await showWorker();
    assert.equal((await health.after(2_000)).state, 'normal');
    await forgetProcesses(dashboard.db.database);
    assert.equal((await health.after(2_000)).state, 'unknown');
  });

  test('just after a pause, because workers begin new leases', async () => {
    const { database } = dashboard.db;
    const health = judging();
    await pauseSending(database, new Date());
    for (const ms of [0, 5_000]) assert.equal((await health.after(ms)).state, 'paused');
    await resumeSending(database);
    assert.equal((await health.after(2_000)).state, 'unknown');
    await showWorker();
    assert.equal((await health.after(2_000)).state, 'normal');
  });

  test('just after no page has asked for a while', async () => {
    const health = judging();
    assert.equal((await health.after(0)).state, 'unknown');
    assert.equal((await health.after(60_000)).state, 'unknown');
    assert.equal((await health.after(3_000)).state, 'stopped');
  });
});

test('an operator gets the verdict although the concerns cannot be read', async () => {
  await showWorker();
  const backup = { kind: 'backup', text: 'The last backup is from 2 Jan 2026.' } as const;
  let reading: () => Promise<Health['causes']> = async () => [backup];
  const health = judging({ concerns: () => reading(), concernsTimeoutMs: 1 });
  const read = () => health.after(120_000, dashboard.project.id, true);
  const known = await read();
  assert.deepEqual([known.state, known.causes], ['normal', [backup]]);
  for (const fault of [() => Promise.reject(new Error('fault')), () => new Promise<never>(() => {})]) {
    reading = fault;
    assert.deepEqual(await read(), known);
  }
});

test('of many certificates that expire, an operator sees those that expire first', async () => {
  const { database } = dashboard.db;
  const DAY = 86_400_000;
  await database
    .insertInto('acmeCertificates')
    .values(
      [6, 2, 5, 3, 4].map((days) => ({
        directory: 'https://acme.example/',
        name: `in-${days}.example`,
        expiresAt: new Date(Date.now() + days * DAY),
        wantedAt: new Date(),
      })),
    )
    .execute();
  try {
    const { causes } = await healthOf(dashboard.project.id, true);
    assert.deepEqual(
      causes.flatMap(({ kind, text }) => (kind === 'certificate' ? [/in-\d/.exec(text)?.[0]] : [])),
      ['in-2', 'in-3', 'in-4'],
    );
  } finally {
    await database.deleteFrom('acmeCertificates').execute();
  }
});

test('a process that has just connected to the database does not call sending stopped', async () => {
  assert.equal((await healthOf(dashboard.project.id, false, false)).state, 'unknown');
  await showWorker();
  assert.equal((await healthOf(dashboard.project.id, false, false)).state, 'normal');
});

test('more than a thousand waiting emails are counted as more', async () => {
  await showWorker();
  await send(dashboard.project.id, 501);
  const { waiting } = await healthOf(dashboard.project.id);
  assert.deepEqual(waiting, { emails: 500, is_more: true });
});

test('operators see why sending is paused, an old backup and a certificate that expires', async () => {
  const { database } = dashboard.db;
  await showWorker();
  await pauseSending(database, new Date('2026-11-29T10:00:00Z'));
  await database
    .insertInto('settings')
    .values({ name: 'last_backup', value: '2026-01-02T00:00:00.000Z' })
    .execute();
  try {
    const path = `/projects/${dashboard.projectId}/health`;
    const { body } = await dashboard.as('operator').get<Health>(path);
    assert.deepEqual(
      [body.state, body.since, body.causes.map(({ text }) => text)],
      ['paused', '2026-11-29T10:00:00.000Z', ['Sending is paused.', 'The last backup is from 2 Jan 2026.']],
    );
    assert.deepEqual((await dashboard.as('owner').get<Health>(path)).body.causes, []);
  } finally {
    await resumeSending(database);
    await database.deleteFrom('settings').where('name', '=', 'last_backup').execute();
  }
});
