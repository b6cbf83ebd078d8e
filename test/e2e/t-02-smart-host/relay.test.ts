import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import PostalMime from 'postal-mime';
import { eventually } from '../../support/eventually.ts';
import { type Service, startService } from '../../support/service.ts';
import { type SmtpTestServer, startSmtpServer } from '../../support/smtp-server.ts';

interface Detail {
  id: string;
  status: string;
  events: { type: string; recipient: string | null; detail: Record<string, unknown> | null }[];
}

let server: SmtpTestServer;
let service: Service;
before(async () => {
  server = await startSmtpServer({
    reply: (stage, argument) => {
      if (stage === 'rcpt' && argument.startsWith('refused')) return '550 5.1.1 no such user';
      if (stage === 'rcpt' && argument.startsWith('later')) return '450 4.2.0 greylisted';
      return undefined;
    },
  });
  service = await startService({
    env: { POSTHORN_PROVIDER: 'smtp', POSTHORN_SMTP_URL: `smtp://127.0.0.1:${server.port}` },
  });
});
after(async () => {
  await service[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const EMAIL = {
  from: 'Acme <hello@posthorn.localhost>',
  to: ['you@example.com'],
  subject: 'Hello',
  text: 'It works.',
};

async function send(email: Record<string, unknown>): Promise<string> {
  const { status, body } = await service.client().post<{ id: string }>('/v1/emails', { ...EMAIL, ...email });
  assert.equal(status, 202);
  return body.id;
}

async function when(id: string, condition: (detail: Detail) => boolean): Promise<Detail> {
  let detail: Detail | undefined;
  await eventually(async () => {
    detail = (await service.client().get<Detail>(`/v1/emails/${id}`)).body;
    return condition(detail);
  }, 15_000);
  assert.ok(detail && condition(detail), JSON.stringify(detail));
  return detail;
}

test('the smart host receives the whole message, with Bcc recipients only in the envelope', async () => {
  const id = await send({
    from: 'Jörg Müller <hello@posthorn.localhost>',
    to: ['A <a@example.com>'],
    cc: ['c@bücher.example'],
    bcc: ['secret@example.com'],
    reply_to: 'Help <help@example.com>',
    subject: 'Grüße 😀',
    html: '<h1>Hi</h1><p>It works.</p>',
    text: undefined,
    headers: { 'X-Entity-Ref': '12345', 'List-Unsubscribe': '<https://example.com/u>' },
  });
  await when(id, ({ status }) => status === 'sent');
  await eventually(() => server.messages.length >= 3, 15_000);
  // Each recipient has its own return path, and therefore its own transaction.
  assert.deepEqual(server.messages.map(({ rcptTo }) => rcptTo).toSorted(), [
    ['a@example.com'],
    ['c@xn--bcher-kva.example'],
    ['secret@example.com'],
  ]);
  assert.equal(new Set(server.messages.map(({ mailFrom }) => mailFrom)).size, 3);
  const [received, ...others] = server.messages;
  for (const { data } of others) assert.deepEqual(data, received?.data);
  assert.doesNotMatch(String(received?.data), /secret@|^bcc:/im);
  const message = await PostalMime.parse(received?.data ?? '');
  assert.deepEqual(message.from, { name: 'Jörg Müller', address: 'hello@posthorn.localhost' });
  assert.equal(message.subject, 'Grüße 😀');
  assert.equal(message.html?.trim(), '<h1>Hi</h1><p>It works.</p>');
  assert.match(message.text ?? '', /Hi\s+It works\./);
  assert.equal(message.messageId, `<${id.slice(3).toLowerCase()}@posthorn.localhost>`);
  assert.equal(message.headers.filter(({ key }) => key === 'dkim-signature').length, 2);
  assert.equal(message.headers.find(({ key }) => key === 'x-entity-ref')?.value, '12345');
  assert.deepEqual(server.violations, []);
});

test('a recipient that the smart host rejects fails, and other recipients of the email are sent', async () => {
  const id = await send({ to: ['ok@example.com', 'refused@example.com'] });
  const detail = await when(id, ({ events }) => events.length === 4);
  assert.deepEqual(detail.events.map(({ type, recipient }) => `${type} ${recipient}`).toSorted(), [
    'failed refused@example.com',
    'queued null',
    'sending null',
    'sent null',
  ]);
  const failed = detail.events.find(({ type }) => type === 'failed');
  assert.equal(failed?.detail?.['reason'], 'rejected');
  assert.deepEqual(server.messages.filter(({ rcptTo }) => rcptTo.includes('ok@example.com')).length, 1);
});

test('a temporary rejection defers the email, and the event has the time of the next attempt', async () => {
  const id = await send({ to: ['later@example.com'] });
  const detail = await when(id, ({ events }) => events.some(({ type }) => type === 'deferred'));
  assert.equal(detail.status, 'sending');
  const deferred = detail.events.find(({ type }) => type === 'deferred');
  assert.equal(deferred?.recipient, 'later@example.com');
  assert.equal(deferred?.detail?.['smtp_code'], 450);
  assert.ok(Date.parse(String(deferred?.detail?.['next_attempt_at'])) > Date.now());
});

test('mail to a non-ASCII local part is sent with SMTPUTF8', async () => {
  const id = await send({ to: ['jörg@example.com'] });
  await when(id, ({ status }) => status === 'sent');
  const received = server.messages.find(({ rcptTo }) => rcptTo.includes('jörg@example.com'));
  assert.ok(received?.mailParameters.includes('SMTPUTF8'));
});
