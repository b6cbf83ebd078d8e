/** A proxy in front of PostgreSQL that accepts connections and closes them, as HAProxy does while a cluster has no leader. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { networkTo } from '../support/network.ts';
import { SECRET, testDatabase } from '../support/postgres.ts';
import { type Service, startService } from '../support/service.ts';
import { startSmtpServer } from '../support/smtp-server.ts';
import { deliveredIds, lostOf, queueIsEmpty } from './support.ts';

const OUTAGE_MS = 45_000;
/** The pause between two emails, for ten emails per second. */
const BETWEEN_EMAILS_MS = 100;
/** The limits of connection attempts per process, from src/db/timings.ts. */
const BURST = 20;
const ATTEMPTS_PER_SECOND = 10;

/** Posts emails one after another at a steady rate until stopped. */
function steadyLoad(service: Service) {
  const accepted: string[] = [];
  const posts = new Set<Promise<void>>();
  const post = async (): Promise<void> => {
    const { status, body } = await service.client().post<{ id: string }>('/v1/emails', {
      from: 'Acme <hello@posthorn.localhost>',
      to: ['b@dst.test'],
      subject: 'Hello',
      text: 'It works.',
    });
    if (status === 202) accepted.push(body.id);
    else assert.equal(status, 503);
  };
  const faults: unknown[] = [];
  const timer = setInterval(() => {
    const posted = post()
      .catch((error: unknown) => void faults.push(error))
      .finally(() => posts.delete(posted));
    posts.add(posted);
  }, BETWEEN_EMAILS_MS);
  return {
    accepted,
    async stop() {
      clearInterval(timer);
      await Promise.all(posts);
      assert.deepEqual(faults, []);
    },
  };
}

test('while a proxy closes all connections, attempts are limited; afterwards mail is accepted within 10 s, and none is lost or duplicated', async () => {
  await using db = await testDatabase();
  await using network = await networkTo(db.url);
  await using server = await startSmtpServer();
  await using service = await startService({
    env: {
      POSTHORN_DATABASE_URL: network.url,
      POSTHORN_SECRET: SECRET,
      POSTHORN_PROVIDER: 'smtp',
      POSTHORN_SMTP_URL: `smtp://127.0.0.1:${server.port}`,
    },
  });
  const load = steadyLoad(service);
  assert.ok(await eventually(() => server.messages.length >= 30, 30_000));
  const pids = service.childPids();
  const descriptors = () => Math.max(...pids.map((pid) => readdirSync(`/proc/${pid}/fd`).length));
  const before = descriptors();

  network.isClosing = true;
  network.cut();
  const connectionsBefore = network.connections;
  const lostAt = performance.now();
  let most = 0;
  let slowestMs = 0;
  const isOver = async (): Promise<boolean> => {
    most = Math.max(most, descriptors());
    const askedAt = performance.now();
    assert.equal((await fetch(`${service.baseUrl}/healthz`)).status, 200);
    slowestMs = Math.max(slowestMs, performance.now() - askedAt);
    return performance.now() - lostAt > OUTAGE_MS;
  };
  assert.ok(await eventually(isOver, 2 * OUTAGE_MS));
  const attempts = network.connections - connectionsBefore;
  const seconds = (performance.now() - lostAt) / 1_000;

  const acceptedBefore = load.accepted.length;
  network.isClosing = false;
  const backAt = performance.now();
  assert.ok(await eventually(() => load.accepted.length > acceptedBefore, 30_000));
  const acceptsAfterMs = performance.now() - backAt;
  await load.stop();
  assert.deepEqual(service.childPids(), pids, 'no process was restarted');
  const allowed = pids.length * (BURST + ATTEMPTS_PER_SECOND * (seconds + 1));
  assert.ok(attempts <= allowed, `${attempts} attempts in ${seconds} s`);
  assert.ok(most <= before + 100, `${most} descriptors, ${before} before`);
  assert.ok(slowestMs < 2_000, `${slowestMs} ms for /healthz`);
  assert.ok(acceptsAfterMs < 10_000, `${acceptsAfterMs} ms until an email was accepted`);
  assert.ok(await queueIsEmpty(service, 90_000));
  assert.deepEqual(await lostOf(service.client(), server, load.accepted), []);
  const ids = deliveredIds(server);
  assert.equal(new Set(ids).size, ids.length, 'emails were sent twice');
});
