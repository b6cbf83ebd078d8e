import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { after, before, beforeEach, describe, test } from 'node:test';
import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import { eventually } from '../../../../test/support/eventually.ts';
import { PROJECT } from '../../../../test/support/emails.ts';
import { outboundMessage } from '../../../../test/support/relay-to.ts';
import { type SesFault, type SesServer, startSesServer } from '../../../../test/support/ses-server.ts';
import { sesTo } from '../../../../test/support/ses-to.ts';
import type { OutboundMessage, Outcome, Provider } from '../provider.ts';

let server: SesServer;
before(async () => {
  server = await startSesServer();
});
after(() => server[Symbol.asyncDispose]());
beforeEach(() => {
  server.messages.length = 0;
  server.fault = () => undefined;
  server.maxSendRate = 1_000;
});

function send(provider: Provider, fields: Partial<OutboundMessage> = {}): Promise<Outcome> {
  return provider.send(outboundMessage(fields));
}

/** The outcome, the scope and the retry delay. */
function summary(outcome: Outcome): unknown[] {
  if (outcome.outcome !== 'transient') return [outcome.outcome];
  return [outcome.outcome, outcome.scope, outcome.retryAfterMs];
}

const textOf = (outcome: Outcome): string => ('reply' in outcome ? outcome.reply.text : '');

describe('a message that SES accepts', () => {
  test('an accepted message has the id that SES returned', async () => {
    await using ses = await sesTo(server);
    const outcome = await send(ses);
    const id = server.messages[0]?.messageId ?? '';
    assert.ok(outcome.outcome === 'accepted');
    assert.equal(outcome.providerMessageId, id);
    const { dialogue, ...reply } = outcome.reply;
    assert.deepEqual(reply, {
      replyCode: null,
      enhancedCode: null,
      text: `200 ${id}`,
      remoteMta: '127.0.0.1',
      tls: false,
    });
    assert.match(dialogue?.[0]?.text ?? '', /^POST http:.*\/v2\/email\/outbound-emails, \d+ octets$/);
    assert.deepEqual([dialogue?.[1]?.by, dialogue?.[1]?.text], ['server', `200 ${id}`]);
  });

  test('a message is sent unchanged to its one recipient, with its return path', async () => {
    await using ses = await sesTo(server, { configurationSet: 'posthorn' });
    const mailFrom = `b+${'a'.repeat(62)}@send.acme.example`;
    const data = Buffer.from('Subject: \xfcber\r\n\r\n\x00\xff binary\r\n', 'latin1');
    await send(ses, { mailFrom, data, rcptTo: 'one@example.net' });
    const [message] = server.messages;
    assert.deepEqual(message?.data, data);
    assert.deepEqual(message?.rcptTo, ['one@example.net']);
    assert.equal(message?.configurationSet, 'posthorn');
    assert.deepEqual(message?.tags, { posthorn: `b_${'a'.repeat(62)}_send_acme_example` });
    assert.equal(message?.feedbackAddress, mailFrom);
    // If set, SES would rewrite the From field.
    assert.equal(message?.fromEmailAddress, null);
  });

  test('a message of a mailbox has a tag with its submission, and the null reverse-path gives no feedback address', async () => {
    await using ses = await sesTo(server);
    const mailFrom = `m+${'a'.repeat(62)}@send.acme.example`;
    await send(ses, { mailFrom, emailId: PROJECT });
    assert.deepEqual((await send(ses, { mailFrom: '' })).outcome, 'accepted');
    const [own, answer] = server.messages;
    assert.deepEqual(own?.tags, {
      posthorn: `m_${'a'.repeat(62)}_send_acme_example`,
      posthorn_submission: PROJECT,
    });
    assert.deepEqual([answer?.tags, answer?.feedbackAddress], [{}, null]);
  });

  test('messages share a connection', async () => {
    await using ses = await sesTo(server);
    const earlier = server.connections;
    for (let count = 0; count < 5; count++) await send(ses);
    assert.ok(server.connections - earlier <= 1);
  });

  test('a message of 6 MiB is accepted', async () => {
    await using ses = await sesTo(server);
    const data = Buffer.alloc(6 * 1024 * 1024, 'x');
    assert.deepEqual(summary(await send(ses, { data })), ['accepted']);
    assert.ok(server.messages[0]?.data.equals(data));
  });
});

const QUOTA_MS = 5 * 60_000;
const cases: [fault: SesFault, summary: unknown[], closes: boolean, text: RegExp][] = [
  [
    { status: 429, type: 'TooManyRequestsException', message: 'Maximum sending rate exceeded.' },
    ['transient', 'host', 2_000],
    false,
    /^429 TooManyRequests Maximum sending rate exceeded\.$/,
  ],
  [
    { status: 400, type: 'LimitExceededException', message: 'Daily message quota exceeded.' },
    ['transient', 'host', QUOTA_MS],
    true,
    /^400 LimitExceeded Daily message quota exceeded\.$/,
  ],
  [
    { status: 400, type: 'SendingPausedException', message: 'Sending paused for this account.' },
    ['transient', 'host', 60_000],
    true,
    /Sending paused/,
  ],
  [
    { status: 403, type: 'UnrecognizedClientException', message: 'The security token AKIDEXAMPLE' },
    ['transient', 'host', 60_000],
    true,
    /^403 UnrecognizedClient Amazon SES denies the service access$/,
  ],
  [
    { status: 403, type: 'AccessDeniedException', message: 'User: arn:aws:iam::111122223333:user/x' },
    ['transient', 'message', undefined],
    false,
    /^403 AccessDenied Amazon SES denies the service access$/,
  ],
  [
    { status: 404, type: 'NotFoundException', message: 'Configuration set <x> does not exist.' },
    ['transient', 'host', 60_000],
    true,
    /Configuration set/,
  ],
  [
    { status: 400, type: 'MessageRejected', message: 'Email address is not verified.' },
    ['transient', 'message', undefined],
    false,
    /not verified/,
  ],
  [{ status: 400, type: 'MessageRejected', message: 'Bad content' }, ['permanent'], false, /Bad content$/],
  [{ status: 400, type: 'BadRequestException', message: 'Illegal address' }, ['permanent'], false, /Illegal/],
  [{ status: 413 }, ['permanent'], false, /^413$/],
  [{ status: 500, type: 'InternalFailure' }, ['transient', 'host', 60_000], true, /^500 InternalFailure$/],
  [{ status: 503, body: '<html>' }, ['transient', 'host', 60_000], true, /^503$/],
  [{ status: 200, body: '<html>Log in' }, ['transient', 'host', 60_000], true, /^200$/],
  [
    { status: 200, body: 'x'.repeat(70_000) },
    ['transient', 'message', undefined],
    false,
    /unknown.*too long/,
  ],
  [
    'close',
    ['transient', 'message', undefined],
    false,
    /^It is unknown whether Amazon SES accepted the message: /,
  ],
  ['reset', ['transient', 'message', undefined], false, /^It is unknown/],
  ['late-close', ['transient', 'message', undefined], false, /^It is unknown/],
  [
    'silence',
    ['transient', 'message', undefined],
    false,
    /^It is unknown.*timed out after 500 ms, waiting for the response$/,
  ],
];

describe('a message that SES does not accept', () => {
  for (const [fault, expected, closes, text] of cases) {
    const name =
      typeof fault === 'string' ? fault : `${fault.status} ${fault.type ?? ''} ${fault.message ?? ''}`;
    test(`the fault ${name} makes the message ${expected.join(' ')}${closes ? ', and all other mail waits too' : ''}`, async () => {
      await using ses = await sesTo(server, { waitMs: 500 });
      server.fault = () => fault;
      const outcome = await send(ses);
      assert.deepEqual(summary(outcome), expected);
      assert.match(textOf(outcome), text);
      assert.equal(ses.capacity === 0, closes);
    });
  }

  test('a message to a non-ASCII address causes no request', async () => {
    await using ses = await sesTo(server);
    const earlier = server.sendRequests;
    for (const fields of [{ rcptTo: 'jörg@example.net' }, { smtputf8: true }]) {
      const outcome = await send(ses, fields);
      assert.ok(outcome.outcome === 'permanent');
      assert.equal(outcome.reply.enhancedCode, '5.6.7');
    }
    assert.equal(server.sendRequests, earlier);
  });

  test('a message is not sent after the lease is lost', async () => {
    await using ses = await sesTo(server);
    const earlier = server.sendRequests;
    assert.deepEqual(await send(ses, { mayCommit: () => false }), { outcome: 'abandoned' });
    assert.deepEqual(summary(await send(ses)), ['accepted']);
    assert.equal(server.sendRequests, earlier + 1);
  });

  test('the lease is checked once per message, after the connection is open', async () => {
    await using ses = await sesTo(server);
    let checks = 0;
    const mayCommit = () => {
      checks += 1;
      return true;
    };
    await send(ses, { mayCommit });
    assert.equal(checks, 1);
    await server.stop();
    await send(ses, { mayCommit });
    assert.equal(checks, 1);
    server = await startSesServer();
  });
});

describe('while SES is unavailable', () => {
  test('while SES is unavailable, only a probe is sent, and its success resumes all mail', async () => {
    await using ses = await sesTo(server);
    server.fault = () => ({ status: 503 });
    await send(ses);
    assert.equal(ses.capacity, 0);
    const earlier = server.sendRequests;
    const outcome = await send(ses);
    assert.deepEqual(summary(outcome), ['transient', 'host', 60_000]);
    assert.match(textOf(outcome), /is not accepting mail at the moment/);
    assert.equal(server.sendRequests, earlier);
    assert.ok(await eventually(() => ses.capacity === 1, 5_000));
    server.fault = () => undefined;
    assert.deepEqual(summary(await send(ses)), ['accepted']);
    assert.ok(ses.capacity > 1);
  });

  test('a rejected probe also resumes all mail', async () => {
    await using ses = await sesTo(server);
    server.fault = () => ({ status: 503 });
    await send(ses);
    assert.ok(await eventually(() => ses.capacity === 1, 5_000));
    server.fault = () => ({ status: 400, type: 'MessageRejected', message: 'Bad content' });
    assert.deepEqual(summary(await send(ses)), ['permanent']);
    assert.ok(ses.capacity > 1);
  });

  test('after a failed connection, the message is known to be unsent', async () => {
    await using other = await startSesServer();
    await using ses = await sesTo(other);
    await other.stop();
    const outcome = await send(ses);
    assert.deepEqual(summary(outcome), ['transient', 'host', 60_000]);
    assert.match(textOf(outcome), /^No connection to Amazon SES: connection refused$/);
    assert.equal(ses.capacity, 0);
  });

  test('after a response that is not HTTP, the outcome is unknown', async () => {
    const strange: Server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.end('220 mx.example ESMTP\r\n'));
    });
    strange.listen(0, '127.0.0.1');
    await once(strange, 'listening');
    const origin = `http://127.0.0.1:${(strange.address() as AddressInfo).port}`;
    await using ses = await sesTo({ origin });
    const outcome = await send(ses);
    assert.deepEqual(summary(outcome), ['transient', 'message', undefined]);
    strange.close();
  });
});

describe('the send rate', () => {
  test('the send rate is the rate of the account', async () => {
    server.maxSendRate = 20;
    await using ses = await sesTo(server);
    assert.equal(ses.capacity, 20);
    const startedMs = performance.now();
    const outcomes = await Promise.all(Array.from({ length: 40 }, () => send(ses)));
    assert.ok(outcomes.every(({ outcome }) => outcome === 'accepted'));
    assert.ok(performance.now() - startedMs > 1_700);
  });

  test('the send rate is found by trial if the credentials may not query the account', async () => {
    server.maxSendRate = null;
    await using ses = await sesTo(server);
    assert.equal(ses.capacity, 14);
    assert.match(ses.logged.join(''), /"status":403,"error":"AccessDenied".*did not report the send rate/);
    server.fault = () => ({ status: 429 });
    await send(ses);
    assert.equal(ses.capacity, 7);
  });
});

describe('the operator', () => {
  test('an invalid key is logged once as a warning, without the secret', async () => {
    await using ses = await sesTo(server, { secretAccessKey: 'expired' });
    await send(ses);
    await eventually(() => ses.capacity === 1, 5_000);
    await send(ses);
    const warnings = ses.logged.filter((line) => line.includes('does not accept mail'));
    assert.equal(warnings.length, 1);
    assert.match(warnings[0] ?? '', /"status":403,"error":"InvalidSignature"/);
    assert.doesNotMatch(ses.logged.join(''), /expired/);
  });

  test('a missing identity is logged as a warning, without addresses', async () => {
    await using ses = await sesTo(server);
    const message = 'Email address is not verified: someone@example.net';
    server.fault = () => ({ status: 400, type: 'MessageRejected', message });
    await send(ses);
    assert.match(ses.logged.join(''), /"error":"MessageRejected".*does not accept mail/);
    assert.doesNotMatch(ses.logged.join(''), /someone@/);
  });
});
