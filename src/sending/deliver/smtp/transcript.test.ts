import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { outboundMessage, relayTo } from '../../../../test/support/relay-to.ts';
import { startSmtpServer } from '../../../../test/support/smtp-server.ts';
import { testCertificate } from '../../../../test/support/tls/certificate.ts';
import type { ProviderDialogueLine, Outcome } from '../provider.ts';
import { Transcript } from './transcript.ts';

function dialogueOf(outcome: Outcome): readonly ProviderDialogueLine[] {
  assert.ok(outcome !== undefined && 'reply' in outcome);
  assert.ok(outcome.reply.dialogue !== null);
  return outcome.reply.dialogue;
}

const spoken = (outcome: Outcome): string[] =>
  dialogueOf(outcome).map(({ by, text }) => `${{ client: 'C', server: 'S', note: '-' }[by]} ${text}`);

const TRANSACTION = (taken: string): string[] => [
  'C MAIL FROM:<sender@example.com> SIZE=28',
  'C RCPT TO:<one@example.net>',
  'C DATA',
  'S 250 2.1.0 sender',
  'S 250 2.1.5 recipient',
  'S 354 go',
  '- content, 28 octets',
  `S 250 2.0.0 taken as ${taken}`,
];
const data = Buffer.from('Subject: test\r\n\r\nHello 12\r\n\r\n').subarray(0, 28);

describe('the dialogue of a message', () => {
  test('the dialogue of a message has the set-up of the connection and the transaction', async () => {
    await using server = await startSmtpServer({ tls: testCertificate });
    await using relay = relayTo(server.port);
    assert.deepEqual(spoken(await relay.send(outboundMessage({ data }))), [
      `- connecting to 127.0.0.1, port ${server.port}`,
      'S 220 test.example ESMTP',
      'C EHLO client.example',
      'S 250 test.example / PIPELINING / SIZE 0 / 8BITMIME / SMTPUTF8 / STARTTLS / ENHANCEDSTATUSCODES',
      'C STARTTLS',
      'S 220 2.0.0 go',
      '- TLSv1.3 with TLS_AES_256_GCM_SHA384, certificate not verified (DEPTH_ZERO_SELF_SIGNED_CERT)',
      'C EHLO client.example',
      'S 250 test.example / PIPELINING / SIZE 0 / 8BITMIME / SMTPUTF8 / ENHANCEDSTATUSCODES',
      ...TRANSACTION('1.1'),
    ]);
  });

  test('the dialogue of a message records that the connection is reused', async () => {
    await using server = await startSmtpServer();
    await using relay = relayTo(server.port);
    await relay.send(outboundMessage());
    assert.deepEqual(spoken(await relay.send(outboundMessage({ data }))), [
      '- connection reused, opened 0 s ago',
      ...TRANSACTION('1.2'),
    ]);
  });

  test('without PIPELINING, the dialogue of a message alternates between client and server', async () => {
    await using server = await startSmtpServer({ pipelining: false, size: null });
    await using relay = relayTo(server.port);
    const speakers = dialogueOf(await relay.send(outboundMessage())).map(({ by }) => by);
    const alternating = ['client', 'server', 'client', 'server', 'client', 'server', 'note', 'server'];
    assert.deepEqual(speakers.slice(-8), alternating);
  });

  test('the dialogue of a message contains no lines of other messages', async () => {
    await using server = await startSmtpServer({
      reply: (stage, argument) => (argument === 'b@example.net' ? `550 5.1.1 no ${stage}` : undefined),
    });
    await using relay = relayTo(server.port, { maxConnections: 1 });
    const sent = await Promise.all(
      ['a', 'b', 'c'].map((name) => relay.send(outboundMessage({ rcptTo: `${name}@example.net` }))),
    );
    const [first = [], , third] = sent.map(spoken);
    assert.deepEqual(
      sent.map((outcome) => spoken(outcome).filter((line) => line.startsWith('C RCPT'))),
      ['a', 'b', 'c'].map((name) => [`C RCPT TO:<${name}@example.net>`]),
    );
    assert.ok(third?.includes('C RSET'));
    assert.ok(first.length > 0 && !first.some((line) => line.includes('550')));
  });

  test('the dialogue of a message continues on the next connection', async () => {
    await using server = await startSmtpServer({
      reply: (stage, _argument, { connection }) =>
        stage === 'rcpt' && connection === 1 ? 'close' : undefined,
    });
    await using relay = relayTo(server.port);
    const lines = spoken(await relay.send(outboundMessage({ data })));
    const lost = lines.indexOf('- the host closed the connection');
    assert.ok(lost > 0);
    assert.equal(lines[lost + 1], `- connecting to 127.0.0.1, port ${server.port}`);
    assert.deepEqual(lines.slice(-8), TRANSACTION('2.1'));
  });

  test('the times of a dialogue never decrease', async () => {
    await using server = await startSmtpServer();
    await using relay = relayTo(server.port);
    const times = dialogueOf(await relay.send(outboundMessage())).map(({ atMs }) => atMs);
    assert.deepEqual(
      times,
      times.toSorted((one, other) => one - other),
    );
    assert.ok(times.every((time) => Number.isInteger(time) && time >= 0 && time < 5_000));
  });

  for (const mechanisms of [['PLAIN'], ['LOGIN']]) {
    test(`the dialogue of a message never contains a password (AUTH ${mechanisms[0]})`, async () => {
      const [username, password] = ['ann', 'open sesame'];
      const secrets = [password, username, `\0${username}\0${password}`].map((secret) =>
        Buffer.from(secret).toString('base64'),
      );
      for (const right of [password, 'other']) {
        await using server = await startSmtpServer({
          auth: { users: { [username]: right }, mechanisms },
          reply: (stage) =>
            stage === 'auth' && right === 'other' ? `535 no ${secrets} ${password}` : undefined,
        });
        await using relay = relayTo(server.port, { username, password });
        const text = spoken(await relay.send(outboundMessage())).join('\n');
        assert.match(text, /C AUTH/);
        for (const secret of [password, ...secrets]) assert.ok(!text.includes(secret), text);
      }
    });
  }
});

describe('a transcript', () => {
  test('the lines of an empty transcript are null', () => {
    assert.equal(new Transcript().lines(), null);
  });

  test('a transcript retains the beginning and the end of a long dialogue', () => {
    const transcript = new Transcript();
    for (let line = 1; line <= 100; line += 1) transcript.note(`line ${line}`);
    const texts = transcript.lines()?.map(({ text }) => text) ?? [];
    assert.equal(texts.length, 41);
    assert.deepEqual(texts.slice(19, 22), ['line 20', '60 lines are omitted here', 'line 81']);
    assert.equal(texts.at(-1), 'line 100');
  });

  test('a transcript has a size limit, and cuts long lines before short lines', () => {
    const transcript = new Transcript();
    for (let line = 1; line <= 39; line += 1) transcript.server({ code: 250, lines: ['x'.repeat(4_000)] });
    transcript.note('short');
    const texts = transcript.lines()?.map(({ text }) => text) ?? [];
    assert.ok(texts.join('').length <= 8_192);
    assert.ok(texts[0] !== undefined && texts[0].length > 190);
    assert.equal(texts.at(-1), 'short');
  });

  test('the lines of a transcript are printable and short, whatever the server sent', () => {
    const transcript = new Transcript();
    transcript.server({ code: 250, lines: ['\u202eevil\u0007', 'x'.repeat(4_000)] });
    const [line] = transcript.lines() ?? [];
    assert.ok(line?.text.startsWith('250 ?evil? / xxx'));
    assert.equal(line?.text.length, 500);
  });
});
