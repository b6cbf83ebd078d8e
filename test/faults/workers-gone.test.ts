/** The only worker stops responding: every page and every check says so, and says when it is over. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addMember } from '../../src/accounts/members/memberships.ts';
import { beginSession } from '../../src/accounts/sessions.ts';
import { createUser } from '../../src/accounts/users.ts';
import type { Health } from '../../src/contract/dashboard/health.ts';
import type { SystemProcesses } from '../../src/contract/dashboard/system.ts';
import { encodeId } from '../../src/model/ids.ts';
import { posthorn } from '../support/cli.ts';
import { eventually } from '../support/eventually.ts';
import { type Service, startService } from '../support/service.ts';
import { postEmails } from './support.ts';

/** The limit of docs/dashboard.md. Pages ask every three seconds. */
const REPORTED_MS = 15_000 - 3_000;
const PATIENCE_MS = 30_000;

/** Reads paths of the dashboard as an operator. `{project}` is the first project. */
async function operatorOf({ baseUrl, database }: Service) {
  const { id, organizationId } = await database
    .selectFrom('projects')
    .select(['id', 'organizationId'])
    .executeTakeFirstOrThrow();
  const userId = await database.transaction().execute(async (tx) => {
    const email = 'operator@acme.example';
    const made = await createUser(tx, { email, name: 'operator', passwordHash: null, isOperator: true });
    await addMember(tx, organizationId, made, { role: 'viewer', seesBodies: false });
    return made;
  });
  const { token } = await beginSession(database, userId, { address: '192.0.2.1', userAgent: 'test' });
  return async <Body>(path: string): Promise<Body> => {
    const answer = await fetch(`${baseUrl}/dashboard/api${path.replace('{project}', encodeId('prj', id))}`, {
      headers: { cookie: `posthorn_session=${token}` },
    });
    assert.equal(answer.status, 200);
    return (await answer.json()) as Body;
  };
}

test('a stopped worker is reported within 15 seconds, with the mail that waits, until it runs again', async () => {
  await using service = await startService();
  const get = await operatorOf(service);
  const health = () => get<Health>('/projects/{project}/health');
  const isIn = (state: Health['state'], ms: number) =>
    eventually(async () => (await health()).state === state, ms);
  assert.ok(await isIn('normal', PATIENCE_MS));
  const doctor = async () => (await posthorn({ POSTHORN_DATA: service.dataDir }, 'doctor', '--json')).stdout;
  assert.match(await doctor(), /"name": ?"workers",\s*"verdict": ?"ok"/);

  const pids = service.workerPids();
  const stoppedMs = Date.now();
  for (const pid of pids) process.kill(pid, 'SIGSTOP');
  await postEmails(service, { count: 3 });
  assert.ok(await isIn('stopped', REPORTED_MS), 'not reported in time');
  const { since, waiting, causes } = await health();
  assert.ok(Math.abs(Date.parse(since ?? '') - stoppedMs) < 10_000, `since ${since}`);
  assert.deepEqual([waiting.emails, causes.map(({ kind }) => kind)], [3, ['workers']]);
  const processes = await get<SystemProcesses>('/system/processes');
  assert.equal(processes.data.filter(({ is_alive }) => !is_alive).length, pids.length);
  assert.match(
    await doctor(),
    /"name": ?"workers",\s*"verdict": ?"problem",\s*"seen": ?"No worker is running/,
  );

  for (const pid of pids) process.kill(pid, 'SIGCONT');
  assert.ok(await isIn('normal', PATIENCE_MS));
  assert.ok(await eventually(async () => (await health()).waiting.emails === 0, PATIENCE_MS));
  const after = await get<SystemProcesses>('/system/processes');
  assert.ok(after.data.every(({ is_alive }) => is_alive));
});
