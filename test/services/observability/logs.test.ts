import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { dsn } from '../../../src/reports/receive/reports.fixture.ts';
import { EVENT_KEYS } from '../../../src/model/event-keys.ts';
import { LOG_MESSAGES } from '../../../src/observe/log-messages.ts';
import { beforeComposing } from '../../support/compose-patch.ts';
import { eventually } from '../../support/eventually.ts';
import { documentedLines } from '../../support/logs-page.ts';
import type { Patch } from '../../support/patches.ts';
import { outboundMessage, relayTo } from '../../support/relay-to.ts';
import { type Service, startService } from '../../support/service.ts';
import { type SmtpTestServer, startSmtpServer } from '../../support/smtp-server.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts';
import { logOf } from './log-of.ts';

const PATIENCE_MS = 60_000;
/** A text in all data that must not appear in the log. */
const MARK = 'Zq7Marked';
const PATCHES: readonly Patch[] = [
  { timings: 'src/sending/deliver', values: { retryDelaysMs: [1_000, 180_000] } },
  { timings: 'src/webhooks/deliver', values: { firstDelayMs: 300 } },
  beforeComposing(`
    const { subject, toList } = email.content;
    if (subject.includes('bug')) throw new Error(\`cannot write to \${toList}\`);`),
  {
    file: 'src/process/child.ts',
    append: `process.on('SIGUSR2', () => { throw new Error('no place for ${MARK}@dst.test'); });`,
  },
];
const EMAIL = {
  from: 'Acme <hello@posthorn.localhost>',
  subject: `Subject ${MARK}`,
  text: `Body ${MARK}`,
  html: `<p>${MARK}</p>`,
  headers: { 'X-Order': MARK },
  tags: [MARK],
};

let smartHost: SmtpTestServer;
let hook: WebhookReceiver;
let service: Service;
let log: ReturnType<typeof logOf>;
let webhookSecret: string;
let webhookId: string;

before(async () => {
  let deferrals = 1;
  smartHost = await startSmtpServer({
    auth: { users: { [MARK]: `password${MARK}` } },
    reply(stage, argument) {
      if (stage !== 'rcpt') return undefined;
      if (argument.startsWith('refused')) return `550 5.1.1 no ${MARK} here`;
      return argument.startsWith('later') && deferrals-- > 0 ? `450 4.2.0 later, ${MARK}` : undefined;
    },
  });
  let failures = 1;
  hook = await startWebhookReceiver({
    answer: () => (failures-- > 0 ? { status: 500, body: MARK } : { body: MARK }),
  });
  service = await startService({
    env: {
      POSTHORN_SECRET: `a secret that is ${MARK}`,
      POSTHORN_PROVIDER: 'smtp',
      POSTHORN_SMTP_URL: `smtp://${MARK}:password${MARK}@127.0.0.1:${smartHost.port}`,
      POSTHORN_LOG_LEVEL: 'debug',
    },
    patches: PATCHES,
  });
  log = logOf(service);
  const { status, body } = await service.client().post<{ id: string; secret: string }>('/v1/webhooks', {
    url: `${hook.url}?key=${MARK}`,
    events: [...EVENT_KEYS],
  });
  assert.equal(status, 201);
  ({ id: webhookId, secret: webhookSecret } = body);
});
after(async () => {
  await service[Symbol.asyncDispose]();
  await hook[Symbol.asyncDispose]();
  await smartHost[Symbol.asyncDispose]();
});

async function send(to: string, fields: Record<string, unknown> = {}, key?: string) {
  const options = key === undefined ? {} : { headers: { 'Idempotency-Key': key } };
  const { status, body, headers } = await service
    .client()
    .post<{ id: string }>('/v1/emails', { ...EMAIL, to: [to], ...fields }, options);
  assert.equal(status, 202);
  return { id: body.id, requestId: headers.get('x-request-id') };
}

/** Waits until the lines about an email are complete. @returns the lines */
async function linesOf(id: string, isWhole: (messages: string[]) => boolean) {
  const messages = () => log.storyOf(id).map(({ msg }) => msg);
  assert.ok(await eventually(() => isWhole(messages()), PATIENCE_MS), messages().join('\n'));
  return log.storyOf(id);
}

const isOf =
  (...parts: string[]) =>
  (messages: string[]) =>
    parts.every(
      (part) => messages.filter((msg) => msg === part).length >= parts.filter((one) => one === part).length,
    );

const without = (line: Record<string, unknown>, ...names: string[]) =>
  Object.fromEntries(Object.entries(line).filter(([name]) => !names.includes(name)));

suite('an email through a smart host', () => {
  let id: string;
  let requestId: string | null;

  test('the log lines with an email id show its way through every process, in order', async () => {
    ({ id, requestId } = await send(`later.${MARK}@Dst.test`, {}, `key-${MARK}`));
    await send(`later.${MARK}@Dst.test`, {}, `key-${MARK}`);
    await linesOf(id, isOf('attempt ended', 'attempt ended'));
    const returnPath = smartHost.messages[0]?.mailFrom ?? '';
    await using sender = relayTo(service.smtpPort);
    const data = dsn({ recipient: `later.${MARK}@dst.test`, diagnostic: `550 5.1.1 ${MARK}` });
    await sender.send(outboundMessage({ mailFrom: '', rcptTo: returnPath, data }));
    // The email causes four webhook events. The first delivery needs a second attempt.
    const webhook = 'webhook attempt ended';
    const lines = await linesOf(id, isOf('report received', webhook, webhook, webhook, webhook, webhook));

    const replay = 'email accepted before';
    const [accepted, first, second, report] = lines.filter(({ msg }) => msg !== webhook && msg !== replay);
    const common = ['time', 'pid', 'level', 'durationMs', 'nextAttemptAt'];
    const projectId = accepted?.['projectId'];
    assert.match(String(projectId), /^prj_/);
    const ids = { projectId, emailId: id };
    // Only `http` is checked, because the roles of a process depend on the number of processors.
    assert.ok(accepted?.roles.includes('http'));
    assert.deepEqual(without(accepted ?? {}, 'roles', ...common), {
      msg: 'email accepted',
      ...ids,
      requestId,
      recipients: 1,
    });
    assert.ok(lines.some(({ msg, roles }) => msg === replay && roles.includes('http')));
    const attempt = {
      roles: ['worker'],
      msg: 'attempt ended',
      ...ids,
      recipientIndex: 0,
      destination: 'dst.test',
      tls: false,
    };
    const remoteHost = first?.['remoteHost'];
    assert.deepEqual(without(first ?? {}, ...common), {
      ...attempt,
      remoteHost,
      attempt: 1,
      outcome: 'transient',
      replyCode: 450,
      enhancedCode: '4.2.0',
      events: 'deferred',
    });
    assert.ok(String(first?.['nextAttemptAt']) > String(first?.time));
    assert.deepEqual(without(second ?? {}, ...common), {
      ...attempt,
      remoteHost,
      attempt: 2,
      outcome: 'accepted',
      replyCode: 250,
      enhancedCode: second?.['enhancedCode'],
      events: 'sent',
    });
    assert.ok(report?.roles.includes('smtp'));
    assert.deepEqual(without(report ?? {}, 'roles', ...common), {
      msg: 'report received',
      ...ids,
      recipientIndex: 0,
      report: 'dsn',
      events: 'bounced',
      bounceType: 'hard',
      bounceCategory: 'unknown_user',
    });
    for (const line of lines) assert.equal(line.level, 'info');
  });

  test('the log has a line for each attempt to deliver a webhook event of an email', () => {
    const posts = log.storyOf(id).filter(({ msg }) => msg === 'webhook attempt ended');
    for (const post of posts) assert.equal(post['webhookId'], webhookId);
    const failed = posts.find(({ outcome }) => outcome === 'failed_response');
    assert.deepEqual([failed?.['status'], failed?.['attempt']], [500, 1]);
    const retried = posts.find(
      ({ deliveryId, attempt }) => deliveryId === failed?.['deliveryId'] && attempt === 2,
    );
    assert.deepEqual([retried?.['status'], retried?.['outcome']], [200, 'delivered']);
    const webhookEvents = hook.received.map(
      ({ body }) => JSON.parse(body) as { id: string; type: string; data: { email_id: string } },
    );
    for (const { id: eventId, type } of webhookEvents.filter(({ data }) => data.email_id === id))
      assert.ok(
        posts.some((post) => post['eventId'] === eventId && post['type'] === type),
        type,
      );
  });

  test('an email to a suppressed address is logged as suppressed, without an attempt', async () => {
    const { id: second } = await send(`later.${MARK}@dst.test`);
    const lines = await linesOf(second, isOf('recipient suppressed'));
    assert.ok(!lines.some(({ msg }) => msg === 'attempt ended'));
  });

  test('the log line for a rejected email has the reply code and the enhanced code', async () => {
    const { id: refused } = await send(`refused.${MARK}@dst.test`);
    const line = (await linesOf(refused, isOf('attempt ended'))).find(({ msg }) => msg === 'attempt ended');
    assert.deepEqual(
      [line?.['outcome'], line?.['replyCode'], line?.['enhancedCode'], line?.['events']],
      ['permanent', 550, '5.1.1', 'failed'],
    );
  });

  test('the log line for an email that fails because of an internal error has the error without addresses', async () => {
    const { id: broken } = await send(`bug.${MARK}@dst.test`, { subject: 'bug' });
    const lines = await linesOf(broken, isOf('an attempt failed because of an internal error'));
    const line = lines.find(({ msg }) => msg === 'an attempt failed because of an internal error');
    const err = line?.['err'] as Record<string, unknown>;
    assert.equal(line?.level, 'error');
    assert.deepEqual(without(err, 'stack'), { type: 'Error', message: 'cannot write to <address>' });
    assert.match(String(err['stack']), /compose-email\.ts/);
  });
});

suite('a process that ends', () => {
  const ended = (how: string) =>
    log.lines().find((line) => line.msg === LOG_MESSAGES.processEnded && line['how'] === how);

  async function end(signal: NodeJS.Signals, how: string): Promise<void> {
    assert.ok(await eventually(() => service.workerPids().length === 1, PATIENCE_MS));
    const [pid = 0] = service.workerPids();
    process.kill(pid, signal);
    assert.ok(await eventually(() => ended(how) !== undefined, PATIENCE_MS));
    assert.deepEqual(without(ended(how) ?? {}, 'time', 'pid', 'nextInMs'), {
      level: 'warn',
      roles: ['supervisor'],
      msg: LOG_MESSAGES.processEnded,
      of: ['worker'],
      how,
    });
  }

  test('the supervisor logs a process that ends by a signal', () => end('SIGKILL', 'SIGKILL'));

  test('a process that ends by an unexpected error logs the error last', async () => {
    await end('SIGUSR2', 'exit code 1');
    const failed = log.lines().find(({ msg }) => msg === LOG_MESSAGES.processFailed);
    assert.deepEqual([failed?.level, failed?.roles], ['fatal', ['worker']]);
    const err = failed?.['err'] as Record<string, unknown>;
    assert.equal(err['message'], 'no place for <address>');
    assert.match(String(err['stack']), /child\.ts/);
  });
});

test('the log line for an email through the sandbox has the simulated outcome', async () => {
  await using sandbox = await startService();
  const sandboxLog = logOf(sandbox);
  const { body } = await sandbox
    .client()
    .post<{ id: string }>('/v1/emails', { ...EMAIL, to: [`clicked+${MARK}@dst.test`] });
  const messages = () => sandboxLog.storyOf(body.id).map(({ msg, events }) => `${msg}: ${events}`);
  assert.ok(await eventually(() => messages().length === 2, PATIENCE_MS));
  assert.deepEqual(messages(), ['email accepted: undefined', 'attempt ended: sent,delivered,opened,clicked']);
  assert.ok(!sandboxLog.text.includes(MARK));
});

// This suite is the last one, because it checks all lines logged by the tests before.
suite('the whole log', () => {
  before(async () => {
    const { status } = await service.client().get(`/v1/emails?from=${MARK}@dst.test&limit=0`);
    assert.equal(status, 422);
    assert.ok(
      await eventually(() => log.lines().some(({ msg }) => msg === LOG_MESSAGES.requestRefused), PATIENCE_MS),
    );
    await service.stop();
  });

  test('the log has one JSON object per line, with only documented fields', () => {
    const page = documentedLines();
    for (const { level, msg, ...fields } of log.lines()) {
      const documented = page.get(msg);
      assert.ok(documented !== undefined, msg);
      assert.ok(documented.levels.includes(level), `${msg}: ${level}`);
      for (const name of Object.keys(fields)) assert.ok(documented.fields.has(name), `${msg}: ${name}`);
    }
    assert.ok(log.lines().length > 20);
  });

  test('the log contains no secrets, content, addresses or texts from other servers', () => {
    const [, key = ''] = (service.token ?? '').split('svc_live_');
    for (const secret of [MARK, key, webhookSecret.slice('whsec_'.length), 'whsec_', 'svc_live_'])
      assert.ok(secret.length > 5 && !log.text.toLowerCase().includes(secret.toLowerCase()), secret);
    assert.doesNotMatch(log.text, /[\w.]@\w/);
  });
});
