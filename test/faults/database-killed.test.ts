import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import type { Patch } from '../support/patches.ts';
import { startService } from '../support/service.ts';
import { startSmtpServer } from '../support/smtp-server.ts';
import { happensAtLast, lostOf, postEmails, queueIsEmpty, SHORT_LEASE } from './support.ts';

interface Result {
  lost: string[];
  /** The statuses of responses other than 202. */
  answers: Set<number>;
  recoveredInMs: number;
}

/** Kills PostgreSQL while emails are accepted and sent. */
async function killDatabase(patches: readonly Patch[], patienceMs: number): Promise<Result> {
  await using server = await startSmtpServer();
  await using service = await startService({
    env: { POSTHORN_PROVIDER: 'smtp', POSTHORN_SMTP_URL: `smtp://127.0.0.1:${server.port}` },
    patches: [...SHORT_LEASE, ...patches],
  });
  const stopPosting = new AbortController();
  const posting = postEmails(service, { signal: stopPosting.signal });
  await eventually(() => server.messages.length >= 200, 10_000);
  const killedAt = Date.now();
  process.kill(service.postgresPid(), 'SIGKILL');
  // Requests with a commit in progress may wait for the response until the database is back. Later requests are rejected.
  const answers = new Set<number>();
  const accepts = async (): Promise<boolean> => {
    const { accepted, refused } = await postEmails(service, { count: 1 });
    for (const status of refused.keys()) answers.add(status);
    return accepted.length > 0;
  };
  await eventually(async () => !(await accepts()), 5_000);
  await eventually(accepts, patienceMs);
  const recoveredInMs = Date.now() - killedAt;
  stopPosting.abort();
  const { accepted, refused } = await posting;
  for (const status of refused.keys()) answers.add(status);
  await queueIsEmpty(service, patienceMs);
  return { lost: await lostOf(service.client(), server, accepted), answers, recoveredInMs };
}

test('while PostgreSQL is killed, requests get 503; recovery takes less than 10 s, and no email is lost', async () => {
  const { lost, answers, recoveredInMs } = await killDatabase([], 30_000);
  assert.deepEqual(lost, []);
  assert.deepEqual([...answers], [503]);
  assert.ok(recoveredInMs < 10_000, `${recoveredInMs} ms`);
});

test('control: emails are lost if a commit does not wait for the disk', async () => {
  const lazy = {
    file: 'src/installation/embedded/settings.ts',
    protection: 'commits on the disk',
    replace: "synchronous_commit: 'off', wal_writer_delay: '500ms',",
  };
  assert.ok(await happensAtLast(async () => (await killDatabase([lazy], 3_000)).lost.length > 0));
});

test('control: nothing can be read or sent if PostgreSQL is not restarted', async () => {
  const never: Patch = { timings: 'src/process', values: { restartWaitsMs: [3_600_000] } };
  await assert.rejects(killDatabase([never], 3_000));
});
