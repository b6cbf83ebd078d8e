import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { HOSTED_DOMAIN } from '../../../test/support/api.ts';
import { sealedDatabase } from '../../../test/support/postgres.ts';
import { newProject } from '../../../test/support/projects.ts';
import type { SendEmail } from '../../contract/emails.ts';
import { ensureHostedDomain } from '../../domains/hosted.ts';
import { SendingDomains } from '../../domains/sending-domains.ts';
import { HostedAddresses } from '../../mailboxes/hosted-addresses.ts';
import { ReservedAddresses } from '../../mailboxes/reserved-addresses.ts';
import { AppError } from '../../model/app-error.ts';
import { Acceptor } from './accept-email.ts';

const db = await sealedDatabase();
before(() => ensureHostedDomain(db.database, db.sealer, HOSTED_DOMAIN));
after(() => db[Symbol.asyncDispose]());

async function acceptorOf(more: Partial<SendEmail> = {}) {
  const { database } = db;
  const acceptor = new Acceptor({
    database,
    sendingDomains: new SendingDomains(database, HOSTED_DOMAIN),
    hostedAddresses: new HostedAddresses(database, HOSTED_DOMAIN),
    reservedAddresses: new ReservedAddresses(database, HOSTED_DOMAIN),
    baseUrl: () => 'http://localhost',
    onQueued() {},
  });
  const projectId = await newProject(database);
  const sender = {
    projectId,
    plan: 'paid',
    trackOpens: false,
    trackClicks: false,
    restrictions: null,
  } as const;
  const email = { from: `shop@${HOSTED_DOMAIN}`, to: ['b@dst.test'], text: 'It works.', ...more };
  return { projectId, accept: () => acceptor.accept(sender, email, null, null) };
}

test('while the database is blocked, at most 4,000 emails wait and further emails are rejected as unavailable', async () => {
  const { projectId, accept } = await acceptorOf();
  await accept();
  let results: Promise<PromiseSettledResult<unknown>[]> | undefined;
  await db.database.transaction().execute(async (tx) => {
    await sql`lock table emails in exclusive mode`.execute(tx);
    const sent = Array.from({ length: 4_010 }, accept);
    results = Promise.allSettled(sent);
    const rejected = await Promise.allSettled(sent.slice(4_000));
    for (const result of rejected) {
      assert.ok(result.status === 'rejected' && result.reason instanceof AppError);
      assert.deepEqual([result.reason.code, result.reason.retryAfterSeconds], ['unavailable', 5]);
    }
  });
  const accepted = (await results)?.filter(({ status }) => status === 'fulfilled');
  assert.equal(accepted?.length, 4_000);
  await accept();
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from emails where project_id = ${projectId}`.execute(db.database);
  assert.deepEqual(rows, [{ count: 4_002 }]);
});

test('while the database is blocked, the waiting emails use at most 192 MiB', async () => {
  const { accept } = await acceptorOf({ html: 'x'.repeat(2 * 1024 * 1024) });
  await accept();
  let results: Promise<PromiseSettledResult<unknown>[]> | undefined;
  await db.database.transaction().execute(async (tx) => {
    await sql`lock table emails in exclusive mode`.execute(tx);
    const sent = Array.from({ length: 100 }, accept);
    results = Promise.allSettled(sent);
    // 95 large emails and the small emails fill the 192 MiB.
    const rejected = await Promise.allSettled(sent.slice(95));
    for (const result of rejected) {
      assert.ok(result.status === 'rejected' && result.reason instanceof AppError);
      assert.deepEqual([result.reason.code, result.reason.retryAfterSeconds], ['unavailable', 5]);
    }
  });
  const accepted = (await results)?.filter(({ status }) => status === 'fulfilled');
  assert.equal(accepted?.length, 95);
  await accept();
});
