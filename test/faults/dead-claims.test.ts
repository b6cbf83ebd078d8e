/** Rows that a worker had claimed but not begun to send when its host died or was suspended. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { SECRET, testDatabase } from '../support/postgres.ts';
import { type Service, startService } from '../support/service.ts';
import { startSmtpServer } from '../support/smtp-server.ts';
import { deliveredIds, postEmails, queueIsEmpty } from './support.ts';

/** More emails than a worker sends to a smart host at once. */
const EMAILS = 200;
const PATIENCE_MS = 90_000;

for (const [title, signal] of [
  ['killed', 'SIGKILL'],
  ['suspended, and resumes later', 'SIGSTOP'],
] as const) {
  test(`claims of a worker that is ${title} are released within 15 s, except of rows in flight, and no email is sent twice`, async () => {
    await using db = await testDatabase();
    const answer = Promise.withResolvers<undefined>();
    // Messages block at DATA until the test resolves `answer`, so the first worker has some rows in flight and other rows only claimed.
    let isBlocked = true;
    await using server = await startSmtpServer({
      reply: (stage) => (stage === 'data' && isBlocked ? answer.promise : undefined),
    });
    const env = {
      POSTHORN_DATABASE_URL: db.url,
      POSTHORN_SECRET: SECRET,
      POSTHORN_PROVIDER: 'smtp',
      POSTHORN_SMTP_URL: `smtp://127.0.0.1:${server.port}`,
    };
    await using api: Service = await startService({ env: { ...env, POSTHORN_ROLES: 'http' } });
    const workers = { env: { ...env, POSTHORN_ROLES: 'worker' } };
    const first = await startService(workers);
    const { accepted } = await postEmails(api, { count: EMAILS });
    const rows = async (inFlight: boolean, leaseId: string) =>
      (
        await db.database
          .selectFrom('queue')
          .select('emailId')
          .where('leaseId', '=', leaseId)
          .where('inFlight', '=', inFlight)
          .execute()
      ).length;
    const leaseOfFirst = async () =>
      (
        await db.database.selectFrom('leases').select('leaseId').where('holds', '=', 'recipients').execute()
      )[0]?.leaseId ?? '';
    const leaseId = await leaseOfFirst();
    assert.ok(
      await eventually(
        async () => (await rows(true, leaseId)) > 0 && (await rows(false, leaseId)) > 0,
        PATIENCE_MS,
      ),
    );
    await using other = await startService(workers);
    // A worker may end the leases of other workers only after it has sent heartbeats for some time.
    const startedAt = performance.now();
    assert.ok(await eventually(() => performance.now() - startedAt > 10_000, PATIENCE_MS));
    isBlocked = false;
    const inFlight = await rows(true, leaseId);
    const pids = [...first.childPids(), first.supervisor.pid ?? 0];
    for (const pid of pids) process.kill(pid, signal);
    const deadAt = performance.now();
    assert.ok(await eventually(async () => (await rows(false, leaseId)) === 0, 15_000), 'released');
    const releasedMs = performance.now() - deadAt;
    assert.equal(await rows(true, leaseId), inFlight);
    assert.ok(releasedMs > 3_000 && releasedMs < 15_000, `${releasedMs} ms`);
    if (signal === 'SIGSTOP') for (const pid of pids) process.kill(pid, 'SIGCONT');
    answer.resolve(undefined);
    assert.ok(await queueIsEmpty(other, PATIENCE_MS));
    const ids = deliveredIds(server);
    assert.equal(new Set(ids).size, ids.length, 'emails were sent twice');
    assert.deepEqual(new Set(ids), new Set(accepted));
    if (signal === 'SIGSTOP') await first.stop();
    else await first.database.destroy();
  });
}
