import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { type SmtpServerOptions, startSmtpServer } from './smtp-server.ts';

/** Sends the lines in one write and reads until the server ends the connection. */
async function converse(port: number, text: string): Promise<string[]> {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  let answer = '';
  socket.on('data', (chunk: string) => {
    if (answer === '') socket.write(text);
    answer += chunk;
  });
  await once(socket, 'close');
  return answer
    .split('\r\n')
    .filter((line) => /^\d{3} /.test(line))
    .map((line) => line.slice(0, 3));
}

const EHLO = 'EHLO client.example\r\n';

describe('recorded violations of the protocol', () => {
  const cases: [name: string, text: string, violation: RegExp, options?: SmtpServerOptions][] = [
    ['a bare LF in a command', 'EHLO client.example\nQUIT\r\n', /bare LF/],
    ['a long command', `EHLO ${'x'.repeat(510)}\r\nQUIT\r\n`, /longer than 512/],
    ['a group without PIPELINING', `${EHLO}QUIT\r\n`, /EHLO: did not wait/, { pipelining: false }],
    ['an unknown command', 'TURN\r\nQUIT\r\n', /what is TURN/],
    ['MAIL before EHLO', 'MAIL FROM:<a@b.example>\r\nQUIT\r\n', /out of order/],
    ['a login that is not offered', 'AUTH PLAIN AGEAYg==\r\nQUIT\r\n', /no such mechanism/],
  ];
  for (const [name, text, violation, options] of cases) {
    test(`include ${name}`, async () => {
      await using server = await startSmtpServer(options);
      await converse(server.port, text);
      assert.match(server.violations.join('\n'), violation);
    });
  }

  const content: [name: string, data: string, violation: RegExp][] = [
    ['a bare LF', 'a\nb\r\n', /bare LF in the data/],
    ['a bare CR', 'a\rb\r\n', /bare CR in the data/],
    ['a long line', `${'x'.repeat(999)}\r\n`, /longer than 1000/],
    ['undeclared octets', 'é\r\n', /over 127/],
  ];
  for (const [name, data, violation] of content) {
    test(`include ${name} in the data`, async () => {
      await using server = await startSmtpServer();
      const envelope = 'MAIL FROM:<a@b.example>\r\nRCPT TO:<c@d.example>\r\nDATA\r\n';
      await converse(server.port, `${EHLO}${envelope}${data}.\r\nQUIT\r\n`);
      assert.match(server.violations.join('\n'), violation);
    });
  }

  test('include a command before the greeting', async () => {
    const spoken = Promise.withResolvers<void>();
    await using server = await startSmtpServer({
      reply: async (stage) => {
        if (stage === 'connect') await spoken.promise;
        return undefined;
      },
    });
    const socket = connect(server.port, '127.0.0.1');
    socket.write('QUIT\r\n', () => setTimeout(spoken.resolve, 20));
    await once(socket.resume(), 'close');
    assert.deepEqual(server.violations, ['spoke before the greeting']);
  });
});

test('the server stores a message that is accepted after the connection has ended', async () => {
  await using server = await startSmtpServer({
    reply: (stage, _argument, context) => {
      if (stage === 'dot') context.close();
      return undefined;
    },
  });
  const text = `${EHLO}MAIL FROM:<>\r\nRCPT TO:<c@d.example>\r\nDATA\r\n..dot\r\n.\r\n`;
  assert.deepEqual(await converse(server.port, text), ['220', '250', '250', '250', '354']);
  const [message] = await server.waitForMessages(1);
  assert.equal(message?.data.toString(), '.dot\r\n');
});

test('waitForMessages rejects if the messages do not arrive in time', async () => {
  await using server = await startSmtpServer();
  await assert.rejects(server.waitForMessages(1, 10), /0 of 1 messages/);
});

test('a new server can use the port of a stopped server at once', async () => {
  const first = await startSmtpServer();
  await first.stop();
  await using second = await startSmtpServer({ port: first.port });
  assert.equal(second.port, first.port);
});
