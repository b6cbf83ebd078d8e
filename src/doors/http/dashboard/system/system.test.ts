import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type {
  Doctor,
  LogLevel,
  SystemChangeList,
  SystemProcesses,
  SystemQueue,
  SystemStatements,
  SystemStorage,
  SystemVersions,
} from '../../../../contract/dashboard/system.ts';
import type { TlsResultPage } from '../../../../contract/dashboard/tls-results.ts';
import { eventually } from '../../../../../test/support/eventually.ts';
import { showProcess } from '../../../../../test/support/process-rows.ts';
import { VERSION } from '../../../../model/version.ts';
import { TlsResults } from '../../../../sending/deliver/direct/tls-results.ts';
import { startDashboard, type TestDashboard } from '../dashboard.fixture.ts';

let dashboard: TestDashboard;
before(async () => {
  dashboard = await startDashboard();
});
after(() => dashboard[Symbol.asyncDispose]());

async function get<Body>(path: string): Promise<Body> {
  const { status, body } = await dashboard.as('operator').get<Body>(`/system/${path}`);
  assert.equal(status, 200);
  return body;
}
const post = async (path: string, body?: object) =>
  (await dashboard.as('operator').post(`/system/${path}`, body)).status;

test('an operator can pause and resume all sending or one destination, and each action is logged', async () => {
  assert.equal(await post('queue/pause'), 204);
  assert.equal(await post('destinations/hold', { domain: 'GMX.test' }), 204);
  const queue = await get<SystemQueue>('queue');
  assert.equal(queue.paused?.because, 'asked');
  assert.partialDeepStrictEqual(queue.data, [{ domain: 'gmx.test', state: 'held' }]);
  assert.equal(await post('destinations/try', { domain: 'gmx.test' }), 400);
  assert.equal(await post('destinations/resume', { domain: 'gmx.test' }), 204);
  assert.equal(await post('destinations/hold', { domain: 'not a domain' }), 422);
  assert.equal(await post('queue/resume'), 204);
  assert.equal(await post('queue/withdraw'), 400);
  const { data } = await get<SystemChangeList>('changes');
  assert.deepEqual(
    data.map(({ action, target }) => `${action} ${target}`),
    ['queue.resume queue', 'destination.resume gmx.test', 'destination.hold gmx.test', 'queue.pause queue'],
  );
  assert.partialDeepStrictEqual(data[0]?.actor, { kind: 'user', name: dashboard.as('operator').email });
  const { data: first, next_cursor } = await get<SystemChangeList>('changes?limit=1');
  const { data: second } = await get<SystemChangeList>(`changes?limit=1&cursor=${next_cursor}`);
  assert.deepEqual([...first, ...second], data.slice(0, 2));
});

test('the log level can be raised for a limited time, and can be reset', async () => {
  const raised = await dashboard
    .as('operator')
    .request<LogLevel>('PUT', '/system/log-level', { body: { minutes: 60 } });
  assert.equal((await get<LogLevel>('log-level')).raised_until, raised.body.raised_until);
  const { status } = await dashboard
    .as('operator')
    .request('PUT', '/system/log-level', { body: { minutes: 61 } });
  assert.equal(status, 422);
  await dashboard.as('operator').delete('/system/log-level');
  assert.equal((await get<LogLevel>('log-level')).raised_until, null);
});

test('the processes, versions, storage and statements of the installation are shown', async () => {
  await showProcess(dashboard.db.database, { name: 'worker-1', connections: 3 });
  const { data } = await get<SystemProcesses>('processes');
  assert.partialDeepStrictEqual(data, [
    { name: 'worker-1', roles: ['worker'], version: VERSION, is_alive: true },
  ]);
  const versions = await get<SystemVersions>('versions');
  assert.ok(versions.migrations.every(({ state }) => state !== 'missing'));
  assert.partialDeepStrictEqual(versions.running, [{ version: VERSION, processes: 1 }]);
  const storage = await get<SystemStorage>('storage');
  assert.ok(storage.database_bytes > 0 && storage.disk.free_bytes > 0);
  const emails = storage.tables.find(({ name }) => name === 'emails');
  assert.ok(emails !== undefined && emails.partitions > 0 && emails.largest.length > 0);
  assert.equal(emails.rows, null, 'PostgreSQL has not analyzed the table');
  assert.equal((await get<SystemStatements>('statements')).source, 'running');
  assert.equal((await dashboard.as('operator').get('/system/certificates')).status, 200);
});

test('TLS results with the servers of recipients are shown per day, filtered by domain, page by page', async () => {
  let day = '2026-11-20';
  const results = new TlsResults({
    database: dashboard.db.database,
    logger: { warn() {} },
    now: () => new Date(`${day}T12:00:00Z`),
  });
  const good = { policyType: 'sts', mxHost: 'mx.dst.test', outcome: 'success' } as const;
  results.record({ ...good, policyDomain: 'dst.test' });
  results.record({ ...good, policyDomain: 'dst.test' });
  day = '2026-11-21';
  results.record({ ...good, policyDomain: 'dst.test', mxHost: '', outcome: 'sts-policy-fetch-error' });
  results.record({ ...good, policyDomain: 'other.test', policyType: 'no-policy-found' });
  await results.flush();
  const list = async (query: string) => {
    const { data, next_cursor } = await get<TlsResultPage>(`tls-results?${query}`);
    return { next_cursor, shown: data.map((each) => Object.values(each).join(' ')) };
  };
  const failed = '2026-11-21 dst.test sts  sts-policy-fetch-error 1';
  const other = '2026-11-21 other.test no-policy-found mx.dst.test success 1';
  const twice = '2026-11-20 dst.test sts mx.dst.test success 2';
  const first = await list('limit=2');
  assert.deepEqual(first.shown, [failed, other]);
  assert.deepEqual(await list(`limit=2&cursor=${first.next_cursor}`), { next_cursor: null, shown: [twice] });
  assert.deepEqual((await list('q=DST')).shown, [failed, twice]);
  assert.deepEqual((await list('day=2026-11-20')).shown, [twice]);
  for (const wrong of ['day=2026-02-30', 'cursor=eW91', 'cursor=WyIxIl0'])
    assert.equal((await dashboard.as('operator').get(`/system/tls-results?${wrong}`)).status, 422);
});

test('the doctor runs in a worker thread, and concurrent requests share one run', async () => {
  const first = await get<Doctor>('doctor');
  assert.partialDeepStrictEqual(first, { is_running: true, ran_at: null, checks: [] });
  assert.equal(await post('doctor'), 202);
  let doctor = first;
  assert.ok(
    await eventually(async () => {
      doctor = await get<Doctor>('doctor');
      return !doctor.is_running;
    }, 30_000),
  );
  assert.equal(doctor.error, null);
  assert.deepEqual(doctor.checks.find(({ name }) => name === 'database')?.verdict, 'ok');
});
