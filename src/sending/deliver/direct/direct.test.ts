import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { directTo, TWO_HOSTS } from '../../../../test/support/direct-to.ts';
import { IMPATIENT, outboundMessage } from '../../../../test/support/relay-to.ts';
import { type SmtpTestServer, startSmtpServer } from '../../../../test/support/smtp-server.ts';
import type { Outcome } from '../provider.ts';

const ONE_HOST = {
  'example.net': { MX: ['10 mx0.example.net'] },
  'mx0.example.net': { A: ['127.0.0.1'] },
};

/** The outcome, the reply code and the scope as text. */
function summary(outcome: Outcome): string {
  if (!('reply' in outcome)) return outcome.outcome;
  const scope = outcome.outcome === 'transient' ? ` ${outcome.scope}` : '';
  return `${outcome.outcome} ${outcome.reply.replyCode}${scope}`;
}

function remoteMta(outcome: Outcome): string | null {
  assert.ok('reply' in outcome);
  return outcome.reply.remoteMta;
}

/** A server on 127.0.0.2, at a port that has no listener on 127.0.0.1. */
async function serverOnSecondHost(): Promise<SmtpTestServer> {
  return await startSmtpServer({ host: '127.0.0.2' });
}

describe('a destination', () => {
  test('a destination whose domain does not exist is unroutable, and no connection is opened', async () => {
    await using server = await startSmtpServer();
    await using direct = await directTo(server.port, {});
    const outcome = await direct.send(outboundMessage());
    assert.ok(outcome.outcome === 'unroutable');
    assert.equal(outcome.reason, 'no_such_domain');
    const { dialogue, ...reply } = outcome.reply;
    assert.deepEqual(reply, {
      replyCode: null,
      enhancedCode: null,
      text: 'The domain example.net does not exist',
      remoteMta: null,
      tls: false,
    });
    assert.equal(dialogue, null);
    assert.equal(server.connections, 0);
  });

  test('a destination whose hosts have no addresses is unroutable', async () => {
    await using direct = await directTo(25, { 'example.net': { MX: ['1 a.example', '2 b.example'] } });
    const outcome = await direct.send(outboundMessage());
    assert.ok(outcome.outcome === 'unroutable');
    assert.deepEqual([outcome.reason, outcome.bestHosts], ['no_route', ['a.example']]);
  });

  test('a destination whose best MX is this server is unroutable, and the outcome names the MX', async () => {
    await using direct = await directTo(25, { 'example.net': { MX: ['1 client.example', '2 b.example'] } });
    const outcome = await direct.send(outboundMessage());
    assert.deepEqual(outcome.outcome === 'unroutable' && outcome.bestHosts, ['client.example']);
  });

  test('mail to a destination with a host that cannot be resolved is deferred', async () => {
    await using direct = await directTo(25, {
      'example.net': { MX: ['1 a.example', '2 b.example'] },
      'a.example': { fault: 'servfail' },
    });
    assert.equal(summary(await direct.send(outboundMessage())), 'transient null host');
  });

  test('mail to a destination whose DNS does not respond is deferred, and the next attempt queries DNS again', async () => {
    await using server = await startSmtpServer();
    await using direct = await directTo(server.port, { 'example.net': { fault: 'servfail' } });
    assert.equal(summary(await direct.send(outboundMessage())), 'transient null host');
    direct.dns.zone = ONE_HOST;
    assert.equal(summary(await direct.send(outboundMessage())), 'accepted 250');
  });

  test('a destination that is an address literal is reached at this address', async () => {
    await using server = await startSmtpServer();
    await using direct = await directTo(server.port, {});
    const outcome = await direct.send(outboundMessage({ rcptTo: 'ann@[127.0.0.1]' }));
    assert.deepEqual([summary(outcome), remoteMta(outcome)], ['accepted 250', '127.0.0.1']);
  });

  test('a destination whose host only has IPv6 addresses is reached over IPv6', async () => {
    await using server = await startSmtpServer({ host: '::1' });
    await using direct = await directTo(server.port, {
      'example.net': { MX: ['10 mx.example.net'] },
      'mx.example.net': { AAAA: ['::1'] },
    });
    assert.equal(summary(await direct.send(outboundMessage())), 'accepted 250');
  });

  test('a destination without MX records is reached at the address of its domain', async () => {
    await using server = await startSmtpServer();
    await using direct = await directTo(server.port, { 'example.net': { A: ['127.0.0.1'] } });
    assert.equal(remoteMta(await direct.send(outboundMessage())), 'example.net');
  });

  test('a destination on this machine is unroutable in production', async () => {
    await using server = await startSmtpServer();
    await using direct = await directTo(server.port, ONE_HOST, { environment: 'production' });
    const outcome = await direct.send(outboundMessage());
    assert.equal(outcome.outcome === 'unroutable' && outcome.reason, 'no_route');
    assert.equal(server.connections, 0);
  });
});

describe('the next host', () => {
  test('the next host is used if the best host is unreachable, and is then preferred for a while', async () => {
    await using server = await serverOnSecondHost();
    await using direct = await directTo(server.port, TWO_HOSTS, { timings: { idleMs: 10, sweepMs: 5 } });
    const first = await direct.send(outboundMessage());
    await server.waitForNoConnection();
    const second = await direct.send(outboundMessage());
    assert.deepEqual([remoteMta(first), remoteMta(second)], ['mx1.example.net', 'mx1.example.net']);
    const [of1, of2] = [first, second].map((outcome) => ('reply' in outcome ? outcome.reply.dialogue : null));
    const connecting = (lines: typeof of1): number =>
      lines?.filter(({ text }) => text.startsWith('connecting to')).length ?? 0;
    assert.deepEqual([connecting(of1), connecting(of2)], [2, 1]);
  });

  test('the next address of the same host is used before the next host', async () => {
    await using server = await serverOnSecondHost();
    const zone = { 'example.net': { A: ['127.0.0.1', '127.0.0.2'] } };
    await using direct = await directTo(server.port, zone);
    assert.equal(summary(await direct.send(outboundMessage())), 'accepted 250');
  });

  test('the next host is used if the best host has no address', async () => {
    await using server = await startSmtpServer();
    const zone = { ...ONE_HOST, 'example.net': { MX: ['5 away.example.net', '10 mx0.example.net'] } };
    await using direct = await directTo(server.port, zone);
    assert.equal(remoteMta(await direct.send(outboundMessage())), 'mx0.example.net');
  });

  test('the next host is not tried after five failed connections, and is tried first at the next attempt', async () => {
    await using server = await startSmtpServer({ host: '127.0.0.9' });
    const hosts = Array.from({ length: 6 }, (_, at) => `mx${at}.example.net`);
    const addresses = Object.fromEntries(hosts.map((host, at) => [host, { A: [`127.0.0.${at + 4}`] }]));
    const zone = { 'example.net': { MX: hosts.map((host, at) => `${at} ${host}`) }, ...addresses };
    await using direct = await directTo(server.port, zone);
    assert.equal(summary(await direct.send(outboundMessage())), 'transient null host');
    assert.equal(server.connections, 0);
    assert.equal(remoteMta(await direct.send(outboundMessage())), 'mx5.example.net');
  });

  test('the next host is not used if the best host only refuses further connections', async () => {
    await using best = await startSmtpServer({
      reply: (stage, _argument, { connection }) =>
        stage === 'connect' && connection > 1 ? '421 4.7.0 too many connections' : undefined,
    });
    await using other = await startSmtpServer({ host: '127.0.0.2', port: best.port });
    await using direct = await directTo(best.port, TWO_HOSTS);
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => direct.send(outboundMessage())));
    assert.deepEqual([...new Set(outcomes.map(summary))], ['accepted 250']);
    assert.equal(other.connections, 0);
    assert.ok(direct.destinations.capacityLeft('example.net') < 20);
  });
});

describe('a host that greets with the name of this server', () => {
  const GREETING = '220 Client.Example ESMTP';
  const greets = (stage: string) => (stage === 'connect' ? GREETING : undefined);

  test('a host that greets with the name of this server is treated as this server: its mail is unroutable and not sent', async () => {
    await using server = await startSmtpServer({ reply: greets });
    await using direct = await directTo(server.port, ONE_HOST);
    const outcome = await direct.send(outboundMessage());
    assert.ok(outcome.outcome === 'unroutable');
    assert.deepEqual([outcome.reason, outcome.bestHosts], ['no_route', ['mx0.example.net']]);
    assert.equal(outcome.reply.text, 'mx0.example.net is this server itself');
    assert.equal(outcome.reply.enhancedCode, '5.4.6');
    assert.deepEqual(server.messages, []);
  });

  test('a host at an address literal that greets with the name of this server is treated as this server', async () => {
    await using server = await startSmtpServer({ reply: greets });
    await using direct = await directTo(server.port, {});
    const outcome = await direct.send(outboundMessage({ rcptTo: 'ann@[127.0.0.1]' }));
    assert.equal(outcome.outcome, 'unroutable');
  });

  test('mail is deferred if a better host than this server is unavailable', async () => {
    await using server = await startSmtpServer({ host: '127.0.0.2', reply: greets });
    await using direct = await directTo(server.port, TWO_HOSTS);
    assert.equal(summary(await direct.send(outboundMessage())), 'transient null host');
    assert.deepEqual(server.messages, []);
  });

  test('a host is not treated as this server if both are called localhost', async () => {
    await using server = await startSmtpServer({
      reply: (stage) => (stage === 'connect' ? '220 localhost ESMTP' : undefined),
    });
    await using direct = await directTo(server.port, ONE_HOST, { heloName: 'localhost' });
    assert.equal(summary(await direct.send(outboundMessage())), 'accepted 250');
  });
});

describe('connections', () => {
  test('connections are reused, and the dialogue of the message records the reuse', async () => {
    await using server = await startSmtpServer();
    await using direct = await directTo(server.port, ONE_HOST);
    await direct.send(outboundMessage());
    const outcome = await direct.send(outboundMessage());
    assert.equal(server.connections, 1);
    assert.ok('reply' in outcome);
    assert.equal(outcome.reply.dialogue?.[0]?.text, 'connection reused, opened 0 s ago');
  });

  test('destinations with the same hosts share connections', async () => {
    await using server = await startSmtpServer();
    const zone = {
      ...ONE_HOST,
      'one.example': { MX: ['10 mx0.example.net'] },
      'two.example': { MX: ['5 mx0.example.net'] },
    };
    await using direct = await directTo(server.port, zone);
    for (const rcptTo of ['a@one.example', 'a@two.example', 'a@example.net'])
      await direct.send(outboundMessage({ rcptTo }));
    assert.equal(server.connections, 1);
  });

  test('a connection is used for no more messages than the shaping rule allows', async () => {
    await using server = await startSmtpServer();
    const rule = { name: 'x', maxConnections: 1, maxMessagesPerConnection: 3, maxMessagesPerSecond: null };
    await using direct = await directTo(server.port, ONE_HOST, { shaping: { ruleFor: () => rule } });
    await Promise.all(Array.from({ length: 7 }, () => direct.send(outboundMessage())));
    const perConnection = [1, 2, 3].map(
      (number) => server.messages.filter(({ connection }) => connection === number).length,
    );
    assert.deepEqual(perConnection, [3, 3, 1]);
  });

  test('no more connections are opened than the shaping rule allows', async () => {
    let open = 0;
    await using server = await startSmtpServer({
      reply: (stage) => {
        if (stage === 'mail') open = Math.max(open, server.openConnections);
        return undefined;
      },
    });
    const rule = { name: null, maxConnections: 3, maxMessagesPerConnection: 100, maxMessagesPerSecond: null };
    await using direct = await directTo(server.port, ONE_HOST, { shaping: { ruleFor: () => rule } });
    for (let round = 0; round < 4; round += 1)
      await Promise.all(Array.from({ length: 60 }, () => direct.send(outboundMessage())));
    assert.equal(open, 3);
  });
});

test('messages are sent no faster than the shaping rule allows', async () => {
  await using server = await startSmtpServer();
  const rule = { name: null, maxConnections: 3, maxMessagesPerConnection: 100, maxMessagesPerSecond: 20 };
  await using direct = await directTo(server.port, ONE_HOST, { shaping: { ruleFor: () => rule } });
  const startedAtMs = performance.now();
  await Promise.all(Array.from({ length: 30 }, () => direct.send(outboundMessage())));
  // The first 20 messages are sent at once.
  assert.ok(performance.now() - startedAtMs >= 450);
});

describe('capacity left', () => {
  test('the capacity of an unknown destination is ten, minus the messages that wait for its route', async () => {
    await using server = await startSmtpServer();
    await using direct = await directTo(server.port, ONE_HOST);
    assert.equal(direct.destinations.capacityLeft('example.net'), 10);
    const sending = [direct.send(outboundMessage()), direct.send(outboundMessage())];
    assert.equal(direct.destinations.capacityLeft('example.net'), 8);
    await Promise.all(sending);
    assert.equal(direct.destinations.capacityLeft('example.net'), 10);
  });

  test('the capacity grows while replies are quick', async () => {
    await using server = await startSmtpServer();
    await using direct = await directTo(server.port, ONE_HOST);
    const seen: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      const left = direct.destinations.capacityLeft('example.net');
      seen.push(left);
      await Promise.all(Array.from({ length: left }, () => direct.send(outboundMessage())));
    }
    assert.deepEqual(seen, [10, 20, 40, 80, 100]);
  });

  test('the capacity is halved when the server limits the rate', async () => {
    await using server = await startSmtpServer({
      reply: (stage) => (stage === 'rcpt' ? '451 4.7.28 too fast' : undefined),
    });
    await using direct = await directTo(server.port, ONE_HOST);
    await Promise.all(Array.from({ length: 5 }, () => direct.send(outboundMessage())));
    assert.equal(direct.destinations.capacityLeft('example.net'), 5);
  });

  test('the capacity is halved if the server closes at MAIL for a sender that it accepted before, but not for a new sender', async () => {
    let acceptedDomain = 'good.example';
    await using server = await startSmtpServer({
      reply: (stage, sender) =>
        stage === 'mail' && !sender.endsWith(acceptedDomain) ? '421 4.7.0 no' : undefined,
    });
    await using direct = await directTo(server.port, ONE_HOST);
    const send = (domain: string) => direct.send(outboundMessage({ mailFrom: `a@${domain}` }));
    const left = () => direct.destinations.capacityLeft('example.net');
    await send('good.example');
    assert.equal(summary(await send('bad.example')), 'transient 421 sender');
    assert.equal(left(), 10);
    acceptedDomain = 'nobody';
    await send('good.example');
    assert.equal(left(), 5);
  });

  test('greylisting does not halve the capacity', async () => {
    await using server = await startSmtpServer({
      reply: (stage) =>
        stage === 'rcpt' ? '451 4.7.1 Greylisted, please try again in 300 seconds' : undefined,
    });
    await using direct = await directTo(server.port, ONE_HOST);
    await direct.send(outboundMessage());
    assert.equal(direct.destinations.capacityLeft('example.net'), 10);
  });
});

describe('the scope of a rejection', () => {
  const cases: [stage: 'mail' | 'rcpt' | 'data' | 'dot', reply: string, outcome: string][] = [
    ['mail', '451 4.7.650 rate limited', 'transient 451 message'],
    ['mail', '421 4.7.0 [TSS04] deferred due to user complaints', 'transient 421 sender'],
    ['mail', '450 4.1.8 your sender domain does not resolve', 'transient 450 message'],
    ['mail', '530 5.7.0 Must issue a STARTTLS command first', 'transient 530 host'],
    ['rcpt', '421 4.2.1 try again', 'transient 421 message'],
    ['data', '421 4.3.0 not now', 'transient 421 message'],
    ['dot', '421 4.7.0 not this', 'transient 421 message'],
    ['rcpt', '452 4.2.2 mailbox full', 'transient 452 message'],
    // RFC 5321, section 4.5.3.1.10.
    ['rcpt', '552 5.5.3 no more of them', 'transient 552 message'],
    ['rcpt', '552 Too many recipients', 'transient 552 message'],
    ['rcpt', '552 5.2.2 mailbox full', 'permanent 552'],
    ['dot', '552 5.3.4 too many recipients for a message of this size', 'permanent 552'],
    ['rcpt', '550 5.1.1 no such user', 'permanent 550'],
  ];
  for (const [at, reply, outcome] of cases) {
    test(`${reply} to ${at.toUpperCase()}: ${outcome}`, async () => {
      await using server = await startSmtpServer({ reply: (stage) => (stage === at ? reply : undefined) });
      await using direct = await directTo(server.port, ONE_HOST, { timings: IMPATIENT });
      assert.equal(summary(await direct.send(outboundMessage())), outcome);
    });
  }
});

test('the final dot is not written if the lease has ended', async () => {
  await using server = await startSmtpServer();
  await using direct = await directTo(server.port, ONE_HOST);
  assert.equal(summary(await direct.send(outboundMessage({ mayCommit: () => false }))), 'abandoned');
  assert.equal(server.messages.length, 0);
});

describe('closing', () => {
  test('closing sends QUIT on idle connections', async () => {
    await using server = await startSmtpServer();
    await using direct = await directTo(server.port, ONE_HOST);
    await direct.send(outboundMessage());
    await direct.close();
    await server.waitForNoConnection();
    assert.deepEqual(server.violations, []);
  });

  test('closing does not wait for DNS responses', { timeout: 2_000 }, async () => {
    const direct = await directTo(
      25,
      { 'example.net': { MX: ['10 mx.example.net'] }, 'mx.example.net': { fault: 'silent' } },
      { timings: IMPATIENT },
    );
    const sending = direct.send(outboundMessage());
    while (!direct.dns.questions.includes('A mx.example.net')) await new Promise(setImmediate);
    await direct[Symbol.asyncDispose]();
    assert.equal(summary(await sending), 'transient null host');
  });

  test('closing defers later messages and messages that still wait for DNS', async () => {
    await using server = await startSmtpServer();
    await using direct = await directTo(server.port, ONE_HOST);
    const waiting = direct.send(outboundMessage());
    await direct.close();
    assert.equal(summary(await waiting), 'transient null host');
    assert.equal(summary(await direct.send(outboundMessage())), 'transient null host');
    assert.equal(server.connections, 0);
  });
});

test('each of many messages to many domains is delivered exactly once', async () => {
  await using server = await startSmtpServer();
  const zone = Object.fromEntries(
    Array.from({ length: 60 }, (_, at) => [`d${at}.example`, { A: ['127.0.0.1'] }]),
  );
  await using direct = await directTo(server.port, zone);
  const messages = Array.from({ length: 600 }, (_, at) =>
    outboundMessage({ rcptTo: `a@d${at % 60}.example` }),
  );
  const outcomes = await Promise.all(messages.map((message) => direct.send(message)));
  assert.deepEqual([...new Set(outcomes.map(summary))], ['accepted 250']);
  const sent = messages.map((message) => message.data.toString()).sort();
  assert.equal(server.messages.length, 600);
  assert.deepEqual(server.messages.map((message) => message.data.toString()).sort(), sent);
  assert.deepEqual(server.violations, []);
});
