/** Kills the primary of a Patroni cluster while emails are accepted and sent. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { suite, test } from 'node:test';
import { type Cluster, startCluster } from '../peers/high-availability/cluster.ts';
import { deliveredIds, lostOf, postEmails, queueIsEmpty, type Sent } from '../faults/support.ts';
import { eventually } from '../support/eventually.ts';
import { type Service, startService } from '../support/service.ts';
import { startSmtpServer } from '../support/smtp-server.ts';

const EMAILS_PER_SECOND = 20;
const BEFORE = 200;
const AFTERWARDS = 300;
const SECRET = randomUUID();
/** Within this time after the primary was killed, emails must be accepted again: Patroni's TTL of 20 s, plus an election. */
const ACCEPTS_AGAIN_MS = 30_000;

/** Posts emails at a steady rate, independent of the results. */
class Load implements AsyncDisposable {
  readonly sent: Sent = { accepted: [], refused: new Map() };
  /** The times at which emails were accepted. */
  readonly acceptedAt: number[] = [];
  readonly #timer: NodeJS.Timeout;
  readonly #posts = new Set<Promise<void>>();

  constructor(service: Service) {
    this.#timer = setInterval(() => {
      const post = postEmails(service, { count: 1 })
        .then(({ accepted, refused }) => {
          this.sent.accepted.push(...accepted);
          for (const _ of accepted) this.acceptedAt.push(Date.now());
          for (const [status, count] of refused)
            this.sent.refused.set(status, (this.sent.refused.get(status) ?? 0) + count);
        })
        .finally(() => this.#posts.delete(post));
      this.#posts.add(post);
    }, 1_000 / EMAILS_PER_SECOND);
  }

  get accepted(): number {
    return this.sent.accepted.length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#posts);
  }
}

suite('a Patroni cluster whose primary is killed', { timeout: 900_000 }, () => {
  for (const [way, urlOf] of [
    ['through HAProxy', ({ url }: Cluster) => url],
    ['with all hosts in the URL', ({ hostsUrl }: Cluster) => hostsUrl],
  ] as const)
    test(`${way}: no email is lost or sent twice, and emails are accepted again within 30 s`, async (t) => {
      // Each test has its own cluster, because strict replication accepts no commits with two dead nodes.
      await using cluster = await startCluster();
      await using server = await startSmtpServer();
      await using service = await startService({
        isFirst: true,
        env: {
          POSTHORN_DATABASE_URL: urlOf(cluster),
          POSTHORN_SECRET: SECRET,
          POSTHORN_PROVIDER: 'smtp',
          POSTHORN_SMTP_URL: `smtp://127.0.0.1:${server.port}`,
        },
      });
      const load = new Load(service);
      try {
        assert.ok(await eventually(() => load.accepted >= BEFORE, 60_000), `${load.accepted} accepted`);
        await cluster.killLeader();
        const killedAt = Date.now();
        assert.ok(await eventually(async () => (await cluster.leader()) !== null, 60_000));
        const electedMs = Date.now() - killedAt;
        const known = load.accepted;
        assert.ok(await eventually(() => load.accepted >= known + AFTERWARDS, 120_000), `${load.accepted}`);
        const gapMs = longestGap(load.acceptedAt);
        t.diagnostic(`a new primary after ${electedMs} ms, ${gapMs} ms without an accepted email`);
        assert.ok(gapMs < ACCEPTS_AGAIN_MS, `${gapMs} ms`);
      } finally {
        await load[Symbol.asyncDispose]();
      }
      assert.ok(await queueIsEmpty(service, 120_000));
      const { accepted, refused } = load.sent;
      assert.deepEqual(await lostOf(service.client(), server, accepted), []);
      const ids = deliveredIds(server);
      assert.equal(new Set(ids).size, ids.length, 'emails were sent twice');
      t.diagnostic(`${accepted.length} accepted, refused: ${JSON.stringify(Object.fromEntries(refused))}`);
    });
});

function longestGap(times: readonly number[]): number {
  return times.slice(1).reduce((longest, at, index) => Math.max(longest, at - (times[index] ?? at)), 0);
}
