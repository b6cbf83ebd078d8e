/** While one project has a backlog, an email of another project is among the next to be sent. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'node:test';
import { insertEmails } from '../../src/sending/accept/insert-emails.ts';
import { posthornProcess } from '../support/cli.ts';
import { startDnsServer } from '../support/dns-server.ts';
import { newEmail } from '../support/emails.ts';
import { eventually } from '../support/eventually.ts';
import { type Service, startService } from '../support/service.ts';
import { type SmtpTestServer, startSmtpServer } from '../support/smtp-server.ts';

const PATIENCE_MS = 60_000;
const BACKLOG = 2_000;
/** How many emails of the backlog may be sent while the other email is accepted and claimed: far fewer than the backlog has. */
const FEW = 300;

/** A server that takes 50 ms for each message. */
function startSlowServer(): Promise<SmtpTestServer> {
  return startSmtpServer({
    reply: async (stage) => {
      if (stage === 'dot') await sleep(50);
      return undefined;
    },
  });
}

/** @returns the number of emails of the backlog that the server received between the 202 of the other email and its delivery */
async function countSentBefore(service: Service, server: SmtpTestServer, domain: string): Promise<number> {
  const env = { POSTHORN_DATA: service.dataDir };
  const made = await posthornProcess(env, 'project', 'create', '--name', 'small');
  assert.equal(made.code, 0, made.stderr);
  const key = await posthornProcess(env, 'key', 'create', '--project', 'small', '--name', 'test', '--json');
  const client = service.client((JSON.parse(key.stdout) as { token: string }).token);
  const { id: projectId } = await service.database
    .selectFrom('projects')
    .select('id')
    .where('name', '=', 'default')
    .executeTakeFirstOrThrow();
  for (let from = 0; from < BACKLOG; from += 500) {
    const emails = Array.from({ length: 500 }, (_, at) => {
      const to = [`large${from + at}@${domain}`];
      return newEmail({ projectId, to, recipients: to });
    });
    await insertEmails(service.database, emails);
  }
  assert.ok(await eventually(() => server.messages.length >= 100, PATIENCE_MS), `${server.messages.length}`);
  const { status } = await client.post('/v1/emails', {
    from: 'hello@posthorn.localhost',
    to: [`small@${domain}`],
    subject: 'Your new password',
    text: 'Here it is.',
  });
  assert.equal(status, 202);
  const before = server.messages.length;
  const at = () => server.messages.findIndex(({ rcptTo }) => rcptTo[0] === `small@${domain}`);
  assert.ok(await eventually(() => at() !== -1, PATIENCE_MS), `${server.messages.length}`);
  return at() - before;
}

test('an email of a small project is sent before the backlog of a large project for a slow smart host', async () => {
  await using server = await startSlowServer();
  await using service = await startService({
    env: { POSTHORN_PROVIDER: 'smtp', POSTHORN_SMTP_URL: `smtp://127.0.0.1:${server.port}` },
  });
  const others = await countSentBefore(service, server, 'dst.test');
  assert.ok(others < FEW, `${others} of the backlog went first`);
});

test('an email of a small project is sent before the backlog of a large project for a slow destination', async () => {
  await using server = await startSlowServer();
  await using dns = await startDnsServer({ 'slow.test': { A: ['127.0.0.1'] } });
  await using service = await startService({
    env: {
      POSTHORN_PROVIDER: 'direct',
      POSTHORN_DNS: dns.address,
      POSTHORN_MX_PORT: String(server.port),
    },
  });
  const others = await countSentBefore(service, server, 'slow.test');
  assert.ok(others < FEW, `${others} of the backlog went first`);
});
