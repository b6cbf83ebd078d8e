import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { HOSTED_DOMAIN } from '../../../test/support/api.ts';
import { sealedDatabase } from '../../../test/support/postgres.ts';
import { newDomain, newProject } from '../../../test/support/projects.ts';
import type { SendEmail } from '../../contract/emails.ts';
import { ensureHostedDomain } from '../../domains/hosted.ts';
import { SendingDomains } from '../../domains/sending-domains.ts';
import { HostedAddresses } from '../../mailboxes/hosted-addresses.ts';
import { ReservedAddresses } from '../../mailboxes/reserved-addresses.ts';
import type { AppError } from '../../model/app-error.ts';
import { Acceptor } from './accept-email.ts';

const db = await sealedDatabase();
before(() => ensureHostedDomain(db.database, db.sealer, HOSTED_DOMAIN));
after(() => db[Symbol.asyncDispose]());

const fromHosted = { from: `shop@${HOSTED_DOMAIN}`, to: ['b@dst.test'], text: 'It works.' };
const fromOwn = { ...fromHosted, from: 'shop@own.example' };

/** An acceptor as in a process that has just started, with an empty cache of domains. */
function acceptor(): Acceptor {
  const { database } = db;
  return new Acceptor({
    database,
    sendingDomains: new SendingDomains(database, HOSTED_DOMAIN),
    hostedAddresses: new HostedAddresses(database, HOSTED_DOMAIN),
    reservedAddresses: new ReservedAddresses(database, HOSTED_DOMAIN),
    baseUrl: () => 'http://localhost',
    onQueued() {},
  });
}

async function project() {
  const projectId = await newProject(db.database);
  const sender = {
    projectId,
    plan: 'paid',
    trackOpens: false,
    trackClicks: false,
    restrictions: null,
  } as const;
  return {
    projectId,
    accept: (by: Acceptor, send: SendEmail, key: string | null) => by.accept(sender, send, key, null),
    count: async () => {
      const { rows } = await sql<{ count: number }>`
        select count(*)::int as count from emails where project_id = ${projectId}`.execute(db.database);
      return rows[0]?.count;
    },
  };
}

const refusedWith = (code: AppError['code']) => (error: unknown) => (error as AppError).code === code;

async function removeDomains(projectId: string): Promise<void> {
  await db.database.deleteFrom('domains').where('projectId', '=', projectId).execute();
}

test('after its domain was removed, a repeated request gets the first response, and a new key or body is rejected', async () => {
  const { projectId, accept, count } = await project();
  await newDomain(db.database, projectId, 'own.example', { status: 'verified', verifiedAt: new Date() });
  const first = await accept(acceptor(), fromOwn, 'key');
  await removeDomains(projectId);

  const later = acceptor();
  assert.deepEqual(await accept(later, fromOwn, 'key'), { emailId: first.emailId, replayed: true });
  await assert.rejects(accept(later, fromOwn, 'other'), refusedWith('domain-not-verified'));
  await assert.rejects(accept(later, fromOwn, null), refusedWith('domain-not-verified'));
  await assert.rejects(
    accept(later, { ...fromOwn, text: 'Else.' }, 'key'),
    refusedWith('idempotency-key-reused'),
  );
  assert.equal(await count(), 1);
});

test('a repeated request whose sender is rejected waits until the first request is committed', async () => {
  const { projectId, accept, count } = await project();
  await newDomain(db.database, projectId, 'own.example', { status: 'verified', verifiedAt: new Date() });
  const one = acceptor();
  const known = await accept(one, fromOwn, null);
  let twins: Promise<unknown[]> | undefined;
  await db.database.transaction().execute(async (tx) => {
    await sql`lock table emails in exclusive mode`.execute(tx);
    const first = accept(one, fromOwn, 'key');
    const refused = accept(one, { ...fromOwn, from: 'shop@gone.example' }, 'key');
    twins = Promise.allSettled([first, refused]);
    // When this request ends, the sender of the second request is known to be rejected, and the first request is not committed yet.
    await one
      .accept(
        { projectId, plan: 'paid', trackOpens: false, trackClicks: false, restrictions: null },
        { ...fromOwn, from: 'shop@gone.example' },
        null,
        null,
      )
      .catch(() => {});
  });
  const [first, twin] = (await twins) as [PromiseSettledResult<{ emailId: string }>, PromiseRejectedResult];
  assert.ok(first.status === 'fulfilled' && first.value.emailId !== known.emailId);
  assert.ok(refusedWith('idempotency-key-reused')(twin.reason));
  assert.equal(await count(), 2);
});

test('while the queue is full, repeated requests get the first response, and an email with a new key is rejected', async () => {
  const { accept, count } = await project();
  const one = acceptor();
  const first = await accept(one, fromHosted, 'key');
  let waiting: Promise<unknown> | undefined;
  await db.database.transaction().execute(async (tx) => {
    await sql`lock table emails in exclusive mode`.execute(tx);
    waiting = Promise.all(Array.from({ length: 4_000 }, () => accept(one, fromHosted, null)));
    const replays = await Promise.all(Array.from({ length: 50 }, () => accept(one, fromHosted, 'key')));
    for (const replay of replays) assert.deepEqual(replay, { emailId: first.emailId, replayed: true });
    await assert.rejects(accept(one, fromHosted, 'new'), refusedWith('unavailable'));
    await assert.rejects(
      accept(one, { ...fromHosted, text: 'Else.' }, 'key'),
      refusedWith('idempotency-key-reused'),
    );
  });
  await waiting;
  assert.equal(await count(), 4_001);
});
