/** Kills processes while mail for a route is received, and while its messages are sent. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import { TestClient } from '../../src/doors/smtp/dialogue.fixture.ts';
import { encodeId } from '../../src/model/ids.ts';
import { eventually } from '../support/eventually.ts';
import type { Patch } from '../support/patches.ts';
import { type Service, startService } from '../support/service.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';
import { happensAtLast, SHORT_LEASE } from './support.ts';

const SENDERS = 6;
const MESSAGES = 60;
const ENV = { POSTHORN_HOSTNAME: 'mx.example' };
const SHORT_CLAIM: Patch = { timings: 'src/webhooks/deliver', values: { claimMs: 3_000, firstDelayMs: 500 } };
/** All senders of the test are in one network. */
const NO_LIMIT: Patch = {
  file: 'src/receiving/route/route-limits.ts',
  append: 'RouteLimits.prototype.take = () => true;',
};

/** Sends a message until it is answered with 250, as a mail server does. Each attempt has the same bytes. */
async function sendOne(port: () => number, id: string, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    try {
      using client = await TestClient.connect(port());
      await client.play(`
        S: 220 mx.example ESMTP
        C: HELO client
        S: 250 mx.example
        C: MAIL FROM:<a@sender.example>
        C: RCPT TO:<orders+${id}@posthorn.localhost>
        C: DATA
        S: 250 2.1.0 OK
        S: 250 2.1.5 OK
        S: 354 End with a dot on a line of its own`);
      client.send(
        `From: a@sender.example\r\nMessage-ID: <${id}@sender.example>\r\nSubject: ${id}\r\n\r\nhello\r\n.\r\n`,
      );
      if ((await client.line())?.startsWith('250 ') === true) return true;
    } catch {
      // The service was killed.
    }
    await wait(50);
  }
  return false;
}

interface Result {
  /** Messages that were answered with 250 and are not stored. */
  lost: string[];
  /** Messages that are stored twice. */
  doubled: string[];
  /** Stored messages that the receiver did not get. */
  undelivered: string[];
}

async function runAndKill(kill: (service: Service) => void, patches: readonly Patch[] = []): Promise<Result> {
  await using receiver = await startWebhookReceiver({ answer: { delayMs: 20 } });
  await using service = await startService({
    env: ENV,
    patches: [...SHORT_LEASE, SHORT_CLAIM, NO_LIMIT, ...patches],
  });
  const client = service.client();
  const { body: domains } = await client.get<{ data: { id: string; is_hosted: boolean }[] }>('/v1/domains');
  const domain_id = domains.data.find(({ is_hosted }) => is_hosted)?.id;
  const created = await client.post('/v1/routes', {
    domain_id,
    local_part: 'orders',
    format: 'raw',
    url: receiver.url,
  });
  assert.equal(created.status, 201);
  const stop = new AbortController();
  const answered: string[] = [];
  let next = 0;
  const sending = Array.from({ length: SENDERS }, async () => {
    while (next < MESSAGES && !stop.signal.aborted) {
      const id = `m${next++}`;
      if (await sendOne(() => service.smtpPort, id, stop.signal)) answered.push(id);
    }
  });
  for (const part of [1, 2]) {
    await eventually(() => answered.length >= (part * MESSAGES) / 3, 20_000);
    kill(service);
  }
  const areSent = await eventually(() => answered.length === MESSAGES, 30_000);
  stop.abort();
  await Promise.all(sending);
  assert.ok(areSent);
  const stored = async () => {
    const { rows } = await sql<{ id: string; subject: string; status: string }>`
      select id, subject, status from route_messages`.execute(service.database);
    return rows;
  };
  await eventually(async () => (await stored()).every(({ status }) => status === 'delivered'), 20_000);
  const rows = await stored();
  const subjects = rows.map(({ subject }) => subject);
  const received = new Set(receiver.received.map(({ headers }) => headers['webhook-id']));
  return {
    lost: answered.filter((id) => !subjects.includes(id)),
    doubled: subjects.filter((subject, at) => subjects.indexOf(subject) !== at),
    undelivered: rows.filter(({ id }) => !received.has(encodeId('rm', id))).map(({ subject }) => subject),
  };
}

const NOTHING: Result = { lost: [], doubled: [], undelivered: [] };

test('when all processes are killed, each message is stored once and delivered with its id', async () => {
  const kill = (service: Service) => {
    for (const pid of service.childPids()) process.kill(pid, 'SIGKILL');
  };
  assert.deepEqual(await runAndKill(kill), NOTHING);
});

test('when workers are killed, each message is stored once and delivered with its id', async () => {
  const kill = (service: Service) => {
    for (const pid of service.workerPids()) process.kill(pid, 'SIGKILL');
  };
  assert.deepEqual(await runAndKill(kill), NOTHING);
});

test('control: messages are lost if the 250 is sent before the commit', async () => {
  const early: Patch = {
    file: 'src/receiving/file/message-filing.ts',
    protection: 'commit before the 250',
    replace: `setTimeout(() => void this.#commit().catch(() => {}), 300);
      Object.defineProperties(this.#task.routes, { isStored: { value: true }, stored: { value: [] } });`,
  };
  const kill = (service: Service) => {
    for (const pid of service.childPids()) process.kill(pid, 'SIGKILL');
  };
  assert.ok(await happensAtLast(async () => (await runAndKill(kill, [early])).lost.length > 0));
});
