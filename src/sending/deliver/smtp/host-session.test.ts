import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { IMPATIENT, outboundMessage, relayTo } from '../../../../test/support/relay-to.ts';
import { type SmtpServerOptions, startSmtpServer } from '../../../../test/support/smtp-server.ts';
import { testCertificate } from '../../../../test/support/tls/certificate.ts';
import type { Outcome } from '../provider.ts';
import type { RelayOptions } from '../relay/relay.ts';
import type { SmartHostAddress } from './host-address.ts';

/** Client options that trust only the certificate of the tests. */
const TRUSTING = { ca: [testCertificate.cert] };

const ann = { username: 'ann', password: 'open sesame' };
const users = { ann: 'open sesame' };
/** A name for this machine that is not recognized as local. */
const away = (host: string): Partial<SmartHostAddress & RelayOptions> => ({
  host,
  lookup: (_host, { all }, callback) =>
    all ? callback(null, [{ address: '127.0.0.1', family: 4 }]) : callback(null, '127.0.0.1', 4),
});

interface SendResult {
  outcome: Outcome;
  text: string;
  received: { tls: boolean; authenticated: string | null }[];
  connections: number;
  violations: string[];
}

async function sendOne(
  serverOptions: SmtpServerOptions,
  options: Partial<SmartHostAddress & RelayOptions> = {},
): Promise<SendResult> {
  await using server = await startSmtpServer(serverOptions);
  await using relay = relayTo(server.port, { timings: IMPATIENT, ...options });
  const outcome = await relay.send(outboundMessage());
  assert.ok('reply' in outcome);
  return {
    outcome,
    text: outcome.reply.text,
    received: server.messages.map(({ tls, authenticated }) => ({ tls, authenticated })),
    connections: server.connections,
    violations: server.violations,
  };
}

function assertHostFailure(seen: SendResult, text: RegExp): void {
  assert.equal(seen.outcome.outcome === 'transient' && seen.outcome.scope, 'host');
  assert.match(seen.text, text);
  assert.deepEqual(seen.received, []);
}

describe('without credentials', () => {
  test('without credentials, STARTTLS is used if the host offers it, whatever the certificate', async () => {
    const seen = await sendOne({ tls: testCertificate }, away('other.example'));
    assert.deepEqual(seen.received, [{ tls: true, authenticated: null }]);
    assert.equal('reply' in seen.outcome && seen.outcome.reply.tls, true);
    assert.deepEqual(seen.violations, []);
  });

  test('without credentials, implicit TLS is used, whatever the certificate', async () => {
    const seen = await sendOne({ tls: testCertificate, implicitTls: true }, { implicitTls: true });
    assert.deepEqual(seen.received, [{ tls: true, authenticated: null }]);
  });

  test('without credentials, a failed TLS handshake is followed by a connection without TLS', async () => {
    for (const fault of ['close', 'stall'] as const) {
      const reply: SmtpServerOptions['reply'] = (stage) => (stage === 'handshake' ? fault : undefined);
      const seen = await sendOne({ tls: testCertificate, reply });
      assert.deepEqual([seen.received, seen.connections], [[{ tls: false, authenticated: null }], 2]);
      assert.deepEqual(seen.violations, []);
    }
  });

  test('without credentials, a rejected STARTTLS is followed by a session without TLS', async () => {
    const reply: SmtpServerOptions['reply'] = (stage) => (stage === 'starttls' ? '454 4.7.0 no' : undefined);
    const seen = await sendOne({ tls: testCertificate, reply });
    assert.deepEqual([seen.received, seen.connections], [[{ tls: false, authenticated: null }], 1]);
  });

  test('implicit TLS is never replaced by a session without TLS', async () => {
    const reply: SmtpServerOptions['reply'] = (stage) => (stage === 'handshake' ? 'close' : undefined);
    assertHostFailure(
      await sendOne({ tls: testCertificate, implicitTls: true, reply }, { implicitTls: true }),
      /^No TLS with 127\.0\.0\.1: /,
    );
  });

  test('a host that closes the connection at STARTTLS is unavailable', async () => {
    const reply: SmtpServerOptions['reply'] = (stage) => (stage === 'starttls' ? 'close' : undefined);
    assertHostFailure(await sendOne({ tls: testCertificate, reply }), /closes at STARTTLS/);
  });
});

describe('plaintext after the reply to STARTTLS', () => {
  test('plaintext after the reply to STARTTLS is not read as a reply over TLS', async () => {
    const injected = '220 go\r\n250-evil.example\r\n250-SIZE 1\r\n250 AUTH PLAIN\r\n250 evil';
    const reply: SmtpServerOptions['reply'] = (stage) => (stage === 'starttls' ? injected : undefined);
    const seen = await sendOne(
      { tls: testCertificate, reply, size: null, auth: { users } },
      { ...ann, ...TRUSTING, ...away('relay.example') },
    );
    assert.deepEqual(seen.received, [{ tls: true, authenticated: 'ann' }]);
    assert.deepEqual(seen.violations, []);
  });
});

describe('with credentials', () => {
  test('with credentials, a verified certificate is sufficient', async () => {
    for (const implicitTls of [false, true]) {
      const seen = await sendOne(
        { tls: testCertificate, implicitTls, auth: { users } },
        { ...ann, ...TRUSTING, implicitTls, ...away('relay.example') },
      );
      assert.deepEqual(seen.received, [{ tls: true, authenticated: 'ann' }]);
      assert.deepEqual(seen.violations, []);
    }
  });

  test('with credentials, an untrusted certificate is rejected', async () => {
    for (const implicitTls of [false, true]) {
      const seen = await sendOne(
        { tls: testCertificate, implicitTls, auth: { users } },
        { ...ann, implicitTls, ...away('relay.example') },
      );
      assertHostFailure(seen, /relay\.example.*: self-signed certificate/);
      assert.equal(seen.connections, 1);
    }
  });

  test("with credentials, another host's certificate is rejected", async () => {
    const seen = await sendOne(
      { tls: testCertificate, auth: { users } },
      { ...ann, ...TRUSTING, ...away('other.example') },
    );
    assertHostFailure(seen, /^other\.example cannot be used over TLS: .*other\.example/);
  });

  test('no password is sent without TLS', async () => {
    let logins = 0;
    const reply: SmtpServerOptions['reply'] = (stage) => {
      if (stage === 'auth') logins += 1;
      return undefined;
    };
    const seen = await sendOne({ auth: { users }, reply }, { ...ann, ...away('relay.example') });
    assertHostFailure(seen, /^relay\.example cannot be used without TLS: it does not offer STARTTLS$/);
    assert.equal(logins, 0);
  });

  test('no password is sent after a rejected STARTTLS or a failed handshake', async () => {
    for (const [stage, fault] of [
      ['starttls', '454 4.7.0 no'],
      ['handshake', 'close'],
    ] as const) {
      const reply: SmtpServerOptions['reply'] = (at) => (at === stage ? fault : undefined);
      const seen = await sendOne(
        { tls: testCertificate, auth: { users }, reply },
        { ...ann, ...TRUSTING, ...away('relay.example') },
      );
      assertHostFailure(seen, /(?:over|without) TLS/);
      assert.equal(seen.connections, 1);
    }
  });

  test('a login to this machine works without TLS', async () => {
    for (const host of ['127.0.0.1', 'localhost']) {
      const seen = await sendOne({ auth: { users } }, { ...ann, host });
      assert.deepEqual(seen.received, [{ tls: false, authenticated: 'ann' }]);
    }
  });
});

describe('a login', () => {
  test('a login uses LOGIN if the host does not offer PLAIN', async () => {
    const seen = await sendOne({ auth: { users, mechanisms: ['CRAM-MD5', 'LOGIN'] } }, ann);
    assert.deepEqual(seen.received, [{ tls: false, authenticated: 'ann' }]);
    assert.deepEqual(seen.violations, []);
  });

  test('a login with a password too long for one command line takes two steps', async () => {
    const password = 'é'.repeat(400);
    const seen = await sendOne({ auth: { users: { ann: password } } }, { username: 'ann', password });
    assert.deepEqual(seen.received, [{ tls: false, authenticated: 'ann' }]);
    assert.deepEqual(seen.violations, []);
  });

  test('a rejected login is a failure of the host, not of the message', async () => {
    for (const mechanisms of [['PLAIN'], ['LOGIN']]) {
      const seen = await sendOne({ auth: { users, mechanisms } }, { username: 'ann', password: 'guess' });
      assertHostFailure(seen, /^127\.0\.0\.1 rejects the login: wrong name or password$/);
      assert.deepEqual(
        'reply' in seen.outcome && [seen.outcome.reply.replyCode, seen.outcome.reply.enhancedCode],
        [535, '5.7.8'],
      );
    }
  });

  test('a login without a supported mechanism is a failure of the host, not of the message', async () => {
    assertHostFailure(
      await sendOne({ auth: { users, mechanisms: ['CRAM-MD5'] } }, ann),
      /neither AUTH PLAIN nor AUTH LOGIN/,
    );
    assertHostFailure(await sendOne({}, ann), /neither AUTH PLAIN nor AUTH LOGIN/);
  });

  for (const fault of ['close', 'stall', '454 4.7.0 later', 'nonsense'] as const) {
    test(`a login whose reply is ${fault} means that the host is unavailable`, async () => {
      const reply: SmtpServerOptions['reply'] = (stage) => (stage === 'auth' ? fault : undefined);
      assertHostFailure(await sendOne({ auth: { users }, reply }, ann), /./);
    });
  }

  test('neither the outcome nor the dialogue reveals the password, even if the host repeats it', async () => {
    const encoded = Buffer.from(`\0ann\0${ann.password}`).toString('base64');
    const reply: SmtpServerOptions['reply'] = (stage) =>
      stage === 'auth' ? `535 no ${encoded} ${ann.password}` : undefined;
    const seen = await sendOne({ auth: { users }, reply }, ann);
    assertHostFailure(seen, /^127\.0\.0\.1 rejects the login: no \*\*\* \*\*\*$/);
  });
});

test('a host that sends unexpected replies is not used', async () => {
  for (const at of ['connect', 'ehlo', 'auth'] as const) {
    const lines = {
      connect: '220 hello\r\n250 ok',
      ehlo: '250-x\r\n250 AUTH PLAIN\r\n250 ok',
      auth: '235 ok\r\n250 ok',
    };
    const reply: SmtpServerOptions['reply'] = (stage) => (stage === at ? lines[at] : undefined);
    assertHostFailure(await sendOne({ auth: { users }, reply }, ann), /sent an unexpected reply/);
  }
});

test('a host that sends nonsense after the last reply of the set-up is not used', async () => {
  for (const at of ['ehlo', 'auth'] as const) {
    const lines = { ehlo: '250-x\r\n250 AUTH PLAIN\r\nnonsense', auth: '235 ok\r\nnonsense' };
    const reply: SmtpServerOptions['reply'] = (stage) => (stage === at ? lines[at] : undefined);
    const login = at === 'auth' ? ann : {};
    assertHostFailure(await sendOne({ auth: { users }, reply }, login), /not an SMTP reply/);
  }
});

test('an invalid EHLO name is a failure of the host, shown to the operator', async () => {
  assertHostFailure(await sendOne({}, { heloName: 'two words' }), /two words is not a domain/);
});
