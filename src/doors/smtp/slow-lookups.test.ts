/** Slow steps of a session, such as looking up a recipient. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { eventually } from '../../../test/support/eventually.ts';
import { play, startTestListener, TestClient } from './dialogue.fixture.ts';
import type { SmtpArrival, Paths } from './policy.ts';
import type { Routed } from './reception.ts';

const GREETED = `
  S: 220 mx.example ESMTP
  C: HELO client
  S: 250 mx.example`;

/** Starts a listener whose look-ups wait for `resolve`. The listener records look-ups and messages. */
async function startSlowListener(limits = {}) {
  const lookUps: Paths[] = [];
  const arrivals: SmtpArrival<string>[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<Routed<string>>();
  promise.catch(() => {});
  const listener = await startTestListener({
    route: (paths) => {
      lookUps.push(paths);
      return promise;
    },
    receive: async (arrival) => {
      arrivals.push(arrival);
      return 'accepted';
    },
    limits,
  });
  const hasBegun = () => eventually(async () => lookUps.length > 0, 5_000);
  return Object.assign(listener, { lookUps, arrivals, hasBegun, resolve, reject });
}

describe('slow look-ups of recipients', () => {
  test('the look-up and the receiver of the message get the reverse path', async () => {
    await using listener = await startSlowListener();
    listener.resolve({ addressee: 'addressee' });
    await play(
      listener.port,
      `${GREETED}
      C: MAIL FROM:<first@x.test>
      C: RCPT TO:<a@y.test>
      C: RSET
      C: MAIL FROM:<second@x.test> SIZE=3
      C: RCPT TO:<b@y.test>
      C: DATA
      S: 250 2.1.0 OK
      S: 250 2.1.5 OK
      S: 250 2.0.0 OK
      S: 250 2.1.0 OK
      S: 250 2.1.5 OK
      S: 354 End with a dot on a line of its own
      C: .
      S: 250 2.6.0 Accepted
      C: MAIL FROM:<>
      C: RCPT TO:<c@y.test>
      C: DATA
      S: 250 2.1.0 OK
      S: 250 2.1.5 OK
      S: 354 End with a dot on a line of its own
      C: .
      S: 250 2.6.0 Accepted`,
    );
    assert.deepEqual(listener.lookUps, [
      { reversePath: 'first@x.test', forwardPath: 'a@y.test', size: null },
      { reversePath: 'second@x.test', forwardPath: 'b@y.test', size: 3 },
      { reversePath: '', forwardPath: 'c@y.test', size: null },
    ]);
    const known = {
      helo: 'client',
      isExtended: false,
      isUtf8: false,
      returns: null,
      envelopeId: null,
      client: { address: '127.0.0.1', tls: null },
    };
    const recipient = { addressee: 'addressee', notify: null, originalRecipient: null };
    assert.deepEqual(listener.arrivals, [
      {
        ...known,
        reversePath: 'second@x.test',
        recipients: [{ ...recipient, forwardPath: 'b@y.test' }],
      },
      { ...known, reversePath: '', recipients: [{ ...recipient, forwardPath: 'c@y.test' }] },
    ]);
  });

  test('a slow look-up delays all commands that were sent after RCPT', async () => {
    await using listener = await startSlowListener();
    using client = await TestClient.connect(listener.port);
    await client.play(`${GREETED}
      C: MAIL FROM:<>
      C: RCPT TO:<a@y.test>
      C: RSET
      C: NOOP
      S: 250 2.1.0 OK`);
    assert.ok(await listener.hasBegun());
    client.send('VRFY a\r\nQUIT\r\n');
    const answer = client.line();
    assert.equal(await Promise.race([answer, setImmediate('none')]), 'none');
    listener.resolve({ refusal: 'noSuchRecipient' });
    assert.equal(await answer, '550 5.1.1 No such recipient');
    assert.deepEqual(await client.rest(), [
      '250 2.0.0 OK',
      '250 2.0.0 OK',
      '252 2.1.5 This server does not verify addresses; send the message to find out',
      '221 2.0.0 Bye',
    ]);
    assert.equal(listener.lookUps.length, 1);
  });

  test('the reply to a failed look-up is 451, and the connection stays open', async () => {
    await using listener = await startSlowListener();
    listener.reject(new Error('away'));
    await play(
      listener.port,
      `${GREETED}
      C: MAIL FROM:<>
      C: RCPT TO:<a@y.test>
      C: DATA
      C: NOOP
      S: 250 2.1.0 OK
      S: 451 4.3.0 Temporary failure; try again later
      S: 503 5.5.1 Send RCPT first
      S: 250 2.0.0 OK`,
    );
  });

  test('the listener reads nothing from a client during a look-up for the client', async () => {
    await using listener = await startSlowListener();
    using client = await TestClient.connect(listener.port);
    await client.play(`${GREETED}
      C: MAIL FROM:<>
      C: RCPT TO:<a@y.test>`);
    assert.ok(await listener.hasBegun());
    client.send('NOOP\r\n'.repeat(4 * 1024 * 1024));
    for (let served = 0; served < 20; served++)
      await play(listener.port, 'S: 220 mx.example ESMTP\nC: NOOP\nS: 250 2.0.0 OK');
    assert.ok(client.unsentOctets > 0);
    listener.resolve({ refusal: 'noSuchRecipient' });
    assert.equal((await client.rest()).at(-1), '421 4.7.0 Too many commands');
  });

  test('a look-up for a client that has disconnected does not disturb the next client', async () => {
    await using listener = await startSlowListener();
    {
      using client = await TestClient.connect(listener.port);
      await client.play(`${GREETED}
        C: MAIL FROM:<>
        C: RCPT TO:<a@y.test>
        C: RCPT TO:<b@y.test>`);
      assert.ok(await listener.hasBegun());
    }
    listener.resolve({ addressee: 'addressee' });
    await play(listener.port, 'S: 220 mx.example ESMTP');
  });

  test('the idle timeout also ends a connection during a look-up', async () => {
    await using listener = await startSlowListener({ idleMs: 100 });
    using client = await TestClient.connect(listener.port);
    await client.play(`${GREETED}
      C: MAIL FROM:<>
      C: RCPT TO:<a@y.test>
      C: NOOP
      S: 250 2.1.0 OK
      S: 421 4.4.2 Idle for too long
      S: (closed)`);
    listener.resolve({ addressee: 'addressee' });
  });

  test('a closing listener sends the reply to a look-up in progress before 421', async () => {
    const listener = await startSlowListener();
    using client = await TestClient.connect(listener.port);
    await client.play(`${GREETED}
      C: MAIL FROM:<>
      C: RCPT TO:<a@y.test>
      C: DATA
      S: 250 2.1.0 OK`);
    assert.ok(await listener.hasBegun());
    const closed = listener[Symbol.asyncDispose]();
    listener.resolve({ addressee: 'addressee' });
    assert.deepEqual(await client.rest(), [
      '250 2.1.5 OK',
      '421 4.3.2 The server is stopping; try again later',
    ]);
    await closed;
  });

  test('a closing listener abandons a look-up that takes longer than the time limit', async () => {
    const listener = await startSlowListener({ closeMs: 50 });
    using client = await TestClient.connect(listener.port);
    await client.play(`${GREETED}
      C: MAIL FROM:<>
      C: RCPT TO:<a@y.test>
      S: 250 2.1.0 OK`);
    assert.ok(await listener.hasBegun());
    await listener[Symbol.asyncDispose]();
    assert.deepEqual(await client.rest(), []);
    listener.resolve({ addressee: 'addressee' });
  });
});

test('pipelined commands get the same replies as commands that are sent one by one, even with slow look-ups', async () => {
  let delay = 0;
  await using listener = await startTestListener({
    limits: { greetMs: 0 },
    route: async ({ forwardPath }) => {
      for (let left = delay; left > 0; left--) await setImmediate();
      if (forwardPath.startsWith('away')) throw new Error('away');
      return forwardPath.startsWith('b+') ? { addressee: forwardPath } : { refusal: 'noSuchRecipient' };
    },
  });
  const command = fc.constantFrom(
    'HELO x',
    'MAIL FROM:<a@x.test>',
    'MAIL FROM:<a@x.test>',
    'RSET',
    'NOOP',
    'VRFY x',
    'nonsense',
    'RCPT TO:<b+1@y.test>',
    'RCPT TO:<nobody@y.test>',
    'RCPT TO:<away@y.test>',
    'RCPT x',
  );
  const group = fc.record({
    commands: fc.array(command, { minLength: 1, maxLength: 8 }),
    delay: fc.nat(3),
    cut: fc.nat(60),
  });
  await fc.assert(
    fc.asyncProperty(group, async (sent) => {
      const lines = ['HELO x', ...sent.commands];
      const oneByOne: (string | null)[] = [];
      delay = 0;
      using patient = await TestClient.connect(listener.port);
      await patient.line();
      for (const line of lines) {
        patient.send(`${line}\r\n`);
        oneByOne.push(await patient.line());
      }
      delay = sent.delay;
      using hasty = await TestClient.connect(listener.port);
      await hasty.line();
      const text = [...lines, 'QUIT', ''].join('\r\n');
      hasty.send(text.slice(0, sent.cut));
      await setImmediate();
      hasty.send(text.slice(sent.cut));
      assert.deepEqual(await hasty.rest(), [...oneByOne, '221 2.0.0 Bye']);
    }),
    { numRuns: 100 },
  );
});

test('a look-up gets the previous addressees of the message, and can reject further recipients', async () => {
  const previous: string[][] = [];
  await using listener = await startTestListener({
    route: async ({ forwardPath }, accepted) => {
      previous.push([...accepted]);
      return accepted.length === 2 ? { refusal: 'tooManyRecipients' } : { addressee: forwardPath };
    },
    receive: async () => 'accepted',
  });
  await play(
    listener.port,
    `${GREETED}
    C: MAIL FROM:<first@x.test>
    C: RCPT TO:<a@y.test>
    C: RCPT TO:<b@y.test>
    C: RCPT TO:<c@y.test>
    C: RSET
    C: MAIL FROM:<second@x.test>
    C: RCPT TO:<c@y.test>
    S: 250 2.1.0 OK
    S: 250 2.1.5 OK
    S: 250 2.1.5 OK
    S: 452 4.5.3 Too many recipients
    S: 250 2.0.0 OK
    S: 250 2.1.0 OK
    S: 250 2.1.5 OK`,
  );
  assert.deepEqual(previous, [[], ['a@y.test'], ['a@y.test', 'b@y.test'], []]);
});
