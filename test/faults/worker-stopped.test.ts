import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import type { Patch } from '../support/patches.ts';
import { testDatabase } from '../support/postgres.ts';
import { leaseIds } from '../support/queue-rows.ts';
import { type Service, startService } from '../support/service.ts';
import { type SmtpTestServer, startSmtpServer } from '../support/smtp-server.ts';
import { postEmails, queueIsEmpty, SHORT_LEASE } from './support.ts';

/** The stage of the SMTP dialogue at which the first worker is suspended, and the server's reply after the worker continues. */
interface Script {
  stage: 'data' | 'dot';
  reply: string;
}

interface Result {
  /** The number of copies that arrived. */
  messages: number;
  status: string;
  timeline: string[];
}

/**
 * Runs two instances on one database. The worker of the first instance is suspended during an email until the second instance has taken
 * over. Then the first worker continues and gets the server's reply, after the second worker has sent the email. At stage `dot`, the second
 * worker also waits for its reply, because a completed row could not be written again, with or without fencing.
 */
async function stopWorker(script: Script, patches: readonly Patch[]): Promise<Result> {
  await using db = await testDatabase();
  const firstReply = Promise.withResolvers<string>();
  const otherReply = Promise.withResolvers<undefined>();
  const overlaps = script.stage === 'dot';
  let attempts = 0;
  await using server: SmtpTestServer = await startSmtpServer({
    reply: (at) => {
      if (at !== script.stage) return undefined;
      attempts += 1;
      if (attempts === 1) return firstReply.promise;
      return overlaps ? otherReply.promise : undefined;
    },
  });
  const options = {
    env: {
      POSTHORN_DATABASE_URL: db.url,
      POSTHORN_SECRET: 'a secret of the test, long enough',
      POSTHORN_PROVIDER: 'smtp',
      POSTHORN_SMTP_URL: `smtp://127.0.0.1:${server.port}`,
    },
    patches: [...SHORT_LEASE, ...patches],
  };
  await using stopped: Service = await startService(options);
  const { accepted } = await postEmails(stopped, { count: 1 });
  const isAtStage = (attempt: number) => eventually(() => attempts >= attempt, 60_000);
  assert.ok(await isAtStage(1), 'the worker did not reach the stage');
  await using other: Service = await startService({
    ...options,
    env: { ...options.env, POSTHORN_ROLES: 'worker' },
  });
  const [pid = 0] = stopped.workerPids();
  process.kill(pid, 'SIGSTOP');
  if (overlaps) assert.ok(await isAtStage(2), 'the other worker did not take over');
  else await queueIsEmpty(other, 20_000);
  firstReply.resolve(script.reply);
  process.kill(pid, 'SIGCONT');
  // The suspended worker has noticed the loss of its lease once it has a new lease.
  await eventually(async () => {
    return (await leaseIds(other.database)).length === 2;
  }, 10_000);
  await eventually(() => server.messages.length > 1, 1_000);
  otherReply.resolve(undefined);
  await queueIsEmpty(other, 20_000);
  const email = await stopped.client().get(`/v1/emails/${accepted[0]}`);
  const { status, events } = email.body as { status: string; events: { type: string }[] };
  return { messages: server.messages.length, status, timeline: events.map(({ type }) => type) };
}

const TAKEN_OVER: Result = { messages: 1, status: 'sent', timeline: ['queued', 'sending', 'sent'] };

test('a worker that was suspended until its lease ended does not send the final dot', async () => {
  const result = await stopWorker({ stage: 'data', reply: '354 go on' }, []);
  assert.deepEqual(result, TAKEN_OVER);
});

test('control: the message is sent twice if the lease is not checked before the final dot', async () => {
  const unchecked = {
    file: 'src/sending/deliver/attempts.ts',
    protection: 'lease asked',
    replace: 'inFlight.committed = true;',
  };
  const result = await stopWorker({ stage: 'data', reply: '354 go on' }, [unchecked]);
  assert.notDeepEqual(result, TAKEN_OVER);
});

test('a worker whose lease has ended does not record the reply of the server', async () => {
  const result = await stopWorker({ stage: 'dot', reply: '550 5.7.1 refused' }, []);
  assert.deepEqual(result, TAKEN_OVER);
});

test('control: a late rejection is recorded if writes are not fenced', async () => {
  const unfenced = [
    {
      file: 'src/queue/fragments.ts',
      protection: 'lease locked',
      replace: "return cte('lease', sql`select ${leaseId}::uuid as lease_id, null::boolean as is_sandbox`);",
    },
    {
      file: 'src/queue/settle.ts',
      protection: 'only while held',
      replace: '',
    },
  ];
  const result = await stopWorker({ stage: 'dot', reply: '550 5.7.1 refused' }, unfenced);
  assert.notDeepEqual(result, TAKEN_OVER);
});
