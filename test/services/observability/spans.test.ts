import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { eventually } from '../../support/eventually.ts';
import { type Service, startService } from '../../support/service.ts';
import { type SmtpTestServer, startSmtpServer } from '../../support/smtp-server.ts';
import type { RecordedSpan } from '../../support/span-recorder.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts';

const PATIENCE_MS = 60_000;
/** A text in all data that must not appear in a span. */
const MARK = 'Zq7Marked';
const folder = mkdtempSync(join(tmpdir(), 'posthorn-spans-'));
const file = join(folder, 'spans');
const imports = ['patches.ts', 'span-recorder.ts'].map(
  (name) => `--import ${new URL(`../../support/${name}`, import.meta.url).href}`,
);

let smartHost: SmtpTestServer;
let hook: WebhookReceiver;
let service: Service;
let webhookId: string;
let webhookSecret: string;

before(async () => {
  smartHost = await startSmtpServer({
    reply: (stage, to) => (stage === 'rcpt' && to.startsWith('refused') ? `550 5.1.1 ${MARK}` : undefined),
  });
  hook = await startWebhookReceiver({ answer: { status: 503, body: MARK } });
  service = await startService({
    env: {
      POSTHORN_PROVIDER: 'smtp',
      POSTHORN_SMTP_URL: `smtp://127.0.0.1:${smartHost.port}`,
      NODE_OPTIONS: imports.join(' '),
      POSTHORN_TEST_SPANS: file,
    },
  });
  const { body } = await service.client().post<{ id: string; secret: string }>('/v1/webhooks', {
    url: `${hook.url}/${MARK}?key=${MARK}`,
    events: ['email.sent'],
  });
  ({ id: webhookId, secret: webhookSecret } = body);
});
after(async () => {
  await service[Symbol.asyncDispose]();
  await hook[Symbol.asyncDispose]();
  await smartHost[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

function spansOf(emailId: string): RecordedSpan[] {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const spans = text.split('\n').slice(0, -1);
  return spans
    .map((line) => JSON.parse(line) as RecordedSpan)
    .filter(({ attributes }) => attributes['posthorn.email_id'] === emailId);
}

async function send(to: string, headers: Record<string, string> = {}) {
  const email = { from: 'hello@posthorn.localhost', to: [to], subject: MARK, text: MARK };
  const {
    status,
    body,
    headers: answer,
  } = await service.client().post<{ id: string }>('/v1/emails', email, { headers });
  assert.equal(status, 202);
  return { id: body.id, requestId: answer.get('x-request-id') };
}

async function spans(emailId: string, ...names: string[]): Promise<RecordedSpan[]> {
  const find = () => names.map((name) => spansOf(emailId).find((span) => span.name === name));
  assert.ok(await eventually(() => find().every((span) => span !== undefined), PATIENCE_MS), names.join());
  return find() as RecordedSpan[];
}

suite('a request that is part of a trace', () => {
  const traceId = randomBytes(16).toString('hex');
  const parentSpanId = randomBytes(8).toString('hex');
  let id: string;
  let requestId: string | null;
  let accept: RecordedSpan;
  let attempt: RecordedSpan;
  let webhook: RecordedSpan;
  before(async () => {
    ({ id, requestId } = await send(`to.${MARK}@dst.test`, {
      traceparent: `00-${traceId}-${parentSpanId}-01`,
    }));
    [accept, attempt, webhook] = (await spans(id, 'accept', 'attempt', 'webhook')) as [
      RecordedSpan,
      RecordedSpan,
      RecordedSpan,
    ];
  });

  test('the accept span of a request with a traceparent belongs to the trace of the client', () => {
    assert.deepEqual([accept.traceId, accept.parentSpanId], [traceId, parentSpanId]);
    assert.deepEqual([accept.kind, accept.status, accept.links], ['SERVER', 'UNSET', []]);
    assert.match(String(accept.attributes['posthorn.project_id']), /^prj_/);
    assert.deepEqual(accept.attributes, {
      'http.request.method': 'POST',
      'http.route': '/v1/emails',
      'http.response.status_code': 202,
      'posthorn.request_id': requestId,
      'posthorn.project_id': accept.attributes['posthorn.project_id'],
      'posthorn.email_id': id,
      'posthorn.replayed': false,
    });
  });

  test('the span of each delivery attempt is linked to the accept span', () => {
    assert.deepEqual(attempt.links, [{ traceId, spanId: accept.spanId }]);
    assert.notEqual(attempt.traceId, traceId);
    assert.deepEqual([attempt.kind, attempt.status, attempt.parentSpanId], ['CLIENT', 'UNSET', null]);
    const { attributes } = attempt;
    assert.deepEqual(attributes, {
      'posthorn.project_id': accept.attributes['posthorn.project_id'],
      'posthorn.email_id': id,
      'posthorn.recipient': 0,
      'posthorn.attempt': 1,
      'posthorn.destination': 'dst.test',
      'posthorn.outcome': 'accepted',
      'posthorn.smtp.reply_code': 250,
      'posthorn.smtp.enhanced_code': attributes['posthorn.smtp.enhanced_code'],
      'server.address': attributes['server.address'],
    });
  });

  test('the span of each webhook attempt is linked to the accept span', () => {
    assert.deepEqual(webhook.links, [{ traceId, spanId: accept.spanId }]);
    assert.deepEqual([webhook.kind, webhook.status], ['CLIENT', 'ERROR']);
    const { attributes } = webhook;
    assert.deepEqual(attributes, {
      'posthorn.project_id': accept.attributes['posthorn.project_id'],
      'posthorn.email_id': id,
      'posthorn.webhook_id': webhookId,
      'posthorn.delivery_id': attributes['posthorn.delivery_id'],
      'posthorn.event_id': (JSON.parse(hook.received[0]?.body ?? '') as { id: string }).id,
      'posthorn.event_type': 'email.sent',
      'posthorn.attempt': 1,
      'posthorn.outcome': 'failed_response',
      'http.request.method': 'POST',
      'http.response.status_code': 503,
      'server.address': '127.0.0.1',
      'server.port': hook.port,
      'error.type': '503',
    });
    assert.equal(hook.received[0]?.headers['traceparent'], undefined);
  });
});

test('a request without a traceparent begins a new trace', async () => {
  const { id } = await send('one@dst.test');
  const [accept, attempt] = await spans(id, 'accept', 'attempt');
  assert.equal(accept?.parentSpanId, null);
  assert.deepEqual(attempt?.links, [{ traceId: accept?.traceId, spanId: accept?.spanId }]);
});

test('the span of a rejected delivery attempt has the status ERROR', async () => {
  const { id } = await send('refused@dst.test');
  const [attempt] = await spans(id, 'attempt');
  assert.equal(attempt?.status, 'ERROR');
  assert.equal(attempt?.attributes['error.type'], 'permanent');
  assert.equal(attempt?.attributes['posthorn.smtp.reply_code'], 550);
});

test('a trace that the client does not sample causes no spans and is not stored', async () => {
  const { id } = await send('unsampled@dst.test', {
    traceparent: `00-${'0'.repeat(31)}1-${'1'.repeat(16)}-00`,
  });
  const [attempt] = await spans(id, 'attempt');
  assert.deepEqual(attempt?.links, []);
  assert.ok(!spansOf(id).some(({ name }) => name === 'accept'));
  const rows = await service.database
    .selectFrom('emailContents')
    .select('traceParent')
    .where('traceParent', 'is', null)
    .execute();
  assert.equal(rows.length, 1);
});

test('every attribute of a span is documented', () => {
  const page = readFileSync(new URL('../../../docs/operate/tracing.md', import.meta.url), 'utf8');
  const spans = readFileSync(file, 'utf8').trimEnd().split('\n');
  for (const line of spans)
    for (const name of Object.keys((JSON.parse(line) as RecordedSpan).attributes))
      assert.ok(page.includes(`\`${name}\``), name);
});

test('no span contains secrets, content, addresses or texts from other servers', () => {
  const text = readFileSync(file, 'utf8').toLowerCase();
  const [, key = ''] = (service.token ?? '').split('svc_live_');
  for (const secret of [MARK, key, webhookSecret.slice('whsec_'.length)])
    assert.ok(secret.length > 5 && !text.includes(secret.toLowerCase()), secret);
  assert.doesNotMatch(text, /@/);
});
