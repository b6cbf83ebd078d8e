import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { createSecureContext } from 'node:tls';
import fc from 'fast-check';
import { eventually } from '../../../../test/support/eventually.ts';
import { setPassword } from '../../../mailboxes/set-password.ts';
import { OTHER_CERTIFICATE } from '../../../certificates/certificate.fixture.ts';
import { revokeApiKey } from '../../../accounts/keys/api-keys.ts';
import { TokenBuckets } from '../../../concurrency/rate-limit.ts';
import { decodeId } from '../../../model/ids.ts';
import { ClientConnection } from '../../tcp/client-connection.ts';
import { play, TEST_SPOOL, TestClient } from '../dialogue.fixture.ts';
import { REPLIES as SESSION_REPLIES } from '../replies.ts';
import { LIMITS } from './listener.ts';
import { plain, startTestSubmission, type TestSubmission } from './submission.fixture.ts';
import { SubmissionPolicy } from './submission-policy.ts';
import { serveSmtp } from '../serve-smtp.ts';
import { SharedQuota } from '../../tcp/shared-quota.ts';

let listener: TestSubmission;
let owner: Awaited<ReturnType<TestSubmission['newOwner']>>;
before(async () => {
  listener = await startTestSubmission();
  owner = await listener.newOwner();
});
after(() => listener[Symbol.asyncDispose]());

const OFFERS = `
  S: 250-mail.example
  S: 250-PIPELINING
  S: 250-SIZE 41943040
  S: 250-8BITMIME
  S: 250-SMTPUTF8
  S: 250-ENHANCEDSTATUSCODES
  S: 250-CHUNKING`;
const GREETED = `
  S: 220 mail.example ESMTP
  C: EHLO app${OFFERS}
  S: 250-DSN
  S: 250 AUTH PLAIN LOGIN`;
const base64 = (text: string): string => Buffer.from(text).toString('base64');

const dialogues: Record<string, () => string> = {
  'PLAIN with an initial response signs in, once per session': () => `${GREETED}
    C: AUTH PLAIN ${plain(owner.user, owner.password)}
    S: 235 2.7.0 Signed in
    C: AUTH PLAIN ${plain(owner.user, owner.password)}
    S: 503 5.5.1 Already signed in
    C: MAIL FROM:<${owner.user}>
    S: 250 2.1.0 OK`,
  'PLAIN with a response to the challenge signs in': () => `${GREETED}
    C: AUTH plain
    S: 334 
    C: ${plain(owner.user, owner.password)}
    S: 235 2.7.0 Signed in`,
  'LOGIN with challenges for user name and password signs in': () => `${GREETED}
    C: AUTH LOGIN
    S: 334 ${base64('Username:')}
    C: ${base64(owner.user)}
    S: 334 ${base64('Password:')}
    C: ${base64(owner.password)}
    S: 235 2.7.0 Signed in`,
  'LOGIN with the user name as initial response signs in': () => `${GREETED}
    C: AUTH LOGIN ${base64(owner.user)}
    S: 334 ${base64('Password:')}
    C: ${base64(owner.password)}
    S: 235 2.7.0 Signed in`,
  'AUTH that was canceled or invalid can be started again': () => `${GREETED}
    C: AUTH LOGIN
    S: 334 ${base64('Username:')}
    C: *
    S: 501 5.7.0 Authentication cancelled
    C: AUTH PLAIN =
    S: 501 5.5.2 PLAIN needs a user name and a password, each preceded by a NUL
    C: AUTH PLAIN
    S: 334 
    C: not base64
    S: 501 5.5.2 The response is not base64
    C: AUTH CRAM-MD5
    S: 504 5.5.4 Unsupported mechanism; use PLAIN or LOGIN
    C: AUTH
    S: 501 5.5.4 Syntax: AUTH mechanism [initial-response in base64]
    C: AUTH PLAIN ${plain(owner.user, owner.password)}
    S: 235 2.7.0 Signed in`,
  'AUTH with a wrong password, an unknown mailbox or an unknown key is rejected': () => `${GREETED}
    C: AUTH PLAIN ${plain(owner.user, 'wrong')}
    S: 535 5.7.8 The user name or the password is wrong
    C: AUTH PLAIN ${plain('nobody@dst.test', owner.password)}
    S: 535 5.7.8 The user name or the password is wrong
    C: AUTH PLAIN ${plain('apikey', 'svc_live_unknown')}
    S: 535 5.7.8 the API key is unknown or has expired
    C: MAIL FROM:<${owner.user}>
    S: 530 5.7.0 Sign in first`,
  'AUTH requires EHLO, and MAIL requires AUTH': () => `
    S: 220 mail.example ESMTP
    C: AUTH PLAIN ${plain(owner.user, owner.password)}
    S: 503 5.5.1 Send EHLO first
    C: HELO app
    S: 250 mail.example
    C: AUTH PLAIN ${plain(owner.user, owner.password)}
    S: 503 5.5.1 Send EHLO first
    C: MAIL FROM:<a@b.test>
    S: 530 5.7.0 Sign in first
    C: RCPT TO:<a@b.test>
    S: 503 5.5.1 Send MAIL first
    C: DATA
    S: 503 5.5.1 Send MAIL first
    C: BDAT 6 LAST
    R: QUIT\\r\\n
    S: 503 5.5.1 Send MAIL first
    C: HELP
    S: 214 2.0.0 Sign in with the address of a mailbox and its password, or with an API key as the password
    C: NOOP
    S: 250 2.0.0 OK
    C: QUIT
    S: 221 2.0.0 Bye
    S: (closed)`,
  'AUTH after MAIL is rejected, and another EHLO does not sign out': () => `${GREETED}
    C: AUTH PLAIN ${plain(owner.user, owner.password)}
    S: 235 2.7.0 Signed in
    C: MAIL FROM:<${owner.user}>
    S: 250 2.1.0 OK
    C: AUTH PLAIN ${plain(owner.user, owner.password)}
    S: 503 5.5.1 Sign in before MAIL
    C: EHLO app${OFFERS}
    S: 250-DSN
    S: 250 AUTH PLAIN LOGIN
    C: MAIL FROM:<${owner.user}>
    S: 250 2.1.0 OK`,
  'too many wrong passwords end the connection': () => `${GREETED}${`
    C: AUTH PLAIN ${plain('apikey', 'svc_live_unknown')}
    S: 535 5.7.8 the API key is unknown or has expired`.repeat(19)}
    C: AUTH PLAIN ${plain('apikey', 'svc_live_unknown')}
    S: 421 4.7.0 Too many errors
    S: (closed)`,
  'an AUTH response that is too long ends the connection': () => `${GREETED}
    C: AUTH PLAIN
    S: 334 
    C: ${'A'.repeat(5_000)}
    S: 500 5.5.6 The response is too long
    S: (closed)`,
};

describe('signing in', () => {
  for (const [name, dialogue] of Object.entries(dialogues)) test(name, () => play(listener.port, dialogue()));

  test('a session of a mailbox ends when the password is changed', async () => {
    const other = await listener.newOwner();
    using client = await listener.signedIn(other.user, other.password);
    await setPassword(listener.db.database, other, 'another long password');
    assert.deepEqual(await client.rest(), ['421 4.7.0 The password was changed, or the mailbox was deleted']);
  });

  test('a password that looks like an API key is checked as a key, whatever the user name, and never counts against a mailbox', async () => {
    const key = await listener.newCaller();
    using client = await listener.signedIn(owner.user, key.token);
    await client.play('C: MAIL FROM:<>\nS: 250 2.1.0 OK');
    const attempts: string[] = [];
    const signIn = {
      signIn: ({ password }: { password: string }) => {
        attempts.push(password);
        return Promise.resolve({ outcome: 'refused' as const });
      },
    };
    await using watched = await startTestSubmission({ services: { signIn } });
    for (const [user, password, reply] of [
      [owner.user, 'svc_live_unknown', '535 5.7.8 the API key is unknown or has expired'],
      ['resend', 'svc_live_', '535 5.7.8 the API key is unknown or has expired'],
      [owner.user, 'SVC_LIVE_x', '535 5.7.8 The user name or the password is wrong'],
    ] as const)
      await play(watched.port, `${GREETED}\n    C: AUTH PLAIN ${plain(user, password)}\n    S: ${reply}`);
    assert.deepEqual(attempts, ['SVC_LIVE_x']);
  });

  test('wrong keys count against the network of the client, and valid keys are never refused for it', async () => {
    const failures = new TokenBuckets(0.001, 2, () => 0);
    await using limited = await startTestSubmission({ services: { failures } });
    const key = await limited.newCaller();
    await play(
      limited.port,
      `${GREETED}${`
      C: AUTH PLAIN ${plain('a', 'svc_live_unknown')}
      S: 535 5.7.8 the API key is unknown or has expired`.repeat(2)}
      C: AUTH PLAIN ${plain('a', 'svc_live_unknown')}
      S: 454 4.7.0 Try again in 1000 seconds
      C: AUTH PLAIN ${plain('a', key.token)}
      S: 235 2.7.0 Signed in`,
    );
  });

  test('an API key needs the scope emails:send, and a session rejects messages once its key is revoked', async () => {
    const reader = await listener.newCaller({ scopes: ['emails:read'] });
    await play(
      listener.port,
      `${GREETED}
      C: AUTH PLAIN ${plain('apikey', reader.token)}
      S: 535 5.7.8 The API key lacks the scope emails:send`,
    );
    const key = await listener.newCaller({ scopes: ['emails:send'] });
    using client = await listener.signedIn('ApiKey', key.token);
    await client.play('C: MAIL FROM:<>\nS: 250 2.1.0 OK\nC: RSET\nS: 250 2.0.0 OK');
    await revokeApiKey(listener.db.database, key.projectId, decodeId('key', key.id) ?? '');
    // API keys are cached for two seconds.
    const isRefused = async (): Promise<boolean> => {
      client.send('MAIL FROM:<>\r\nRSET\r\n');
      const reply = await client.line();
      await client.line();
      return reply === '535 5.7.8 the API key is unknown or has expired';
    };
    assert.ok(await eventually(isRefused, 5_000));
  });

  test('a client that does not sign in in time is disconnected', async () => {
    await using hasty = await startTestSubmission({ limits: { signInMs: 50 } });
    using client = await TestClient.connect(hasty.port);
    await client.line();
    assert.deepEqual(await client.rest(), ['421 4.7.0 Connected for too long without signing in']);
  });
});

describe('TLS', () => {
  const context = createSecureContext(OTHER_CERTIFICATE);

  test('signing in from another machine requires TLS', async () => {
    for (const [secureContext, offer, refusal] of [
      [() => null, '250 DSN', SESSION.withoutTls],
      [() => context, '250-DSN\n    S: 250 STARTTLS', SESSION.withTls],
    ] as const) {
      const server = createServer((socket) => {
        Object.defineProperty(socket, 'remoteAddress', { value: '192.0.2.7' });
        const connection = new ClientConnection(socket, LIMITS, SESSION_REPLIES);
        const policy = new SubmissionPolicy(connection, {
          hasTls: secureContext() !== null,
          signInMs: 60_000,
          open: async () => assert.fail('signed in without TLS'),
        });
        const memory = new SharedQuota(1, () => {});
        void serveSmtp(connection, {
          hostname: 'mail.example',
          secureContext,
          policy,
          content: { memory, disk: memory, spool: TEST_SPOOL },
          greetMs: null,
          messageMs: 1_000,
        }).finally(() => policy[Symbol.dispose]());
      });
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      await play(
        (server.address() as AddressInfo).port,
        `
    S: 220 mail.example ESMTP
    C: EHLO app${OFFERS}
    S: ${offer}
    C: AUTH PLAIN ${plain(owner.user, owner.password)}
    S: ${refusal}
    C: QUIT
    S: 221 2.0.0 Bye`,
      );
      server.close();
    }
  });

  test('STARTTLS discards an earlier sign-in, and is not offered again', async () => {
    await using secure = await startTestSubmission({ secureContext: () => context });
    const other = await secure.newOwner();
    using client = await TestClient.connect(secure.port);
    await client.play(`
      S: 220 mail.example ESMTP
      C: EHLO app${OFFERS}
      S: 250-DSN
      S: 250-AUTH PLAIN LOGIN
      S: 250 STARTTLS
      C: AUTH PLAIN ${plain(other.user, other.password)}
      S: 235 2.7.0 Signed in
      C: STARTTLS
      S: 220 2.0.0 Ready for TLS`);
    await client.startTls();
    await client.play(`
      C: EHLO app${OFFERS}
      S: 250-DSN
      S: 250 AUTH PLAIN LOGIN
      C: MAIL FROM:<${other.user}>
      S: 530 5.7.0 Sign in first
      C: AUTH PLAIN ${plain(other.user, other.password)}
      S: 235 2.7.0 Signed in
      C: STARTTLS
      S: 503 5.5.1 TLS is already on`);
  });

  test('STARTTLS is not offered on a port with TLS from the first byte', async () => {
    await using secure = await startTestSubmission({ secureContext: () => context, isSecure: true });
    using client = await TestClient.connect(secure.port);
    await client.startTls();
    await client.play(`${GREETED}
      C: STARTTLS
      S: 503 5.5.1 TLS is already on`);
  });
});

const SESSION = {
  withTls: '538 5.7.11 Passwords are accepted only over TLS: send STARTTLS first',
  withoutTls: '538 5.7.11 Passwords are accepted only over TLS, and this server has no certificate',
};

test('every reply to random commands is valid, and no message is accepted without signing in', async () => {
  const line = fc.constantFrom(
    'EHLO x',
    'HELO x',
    'AUTH',
    'AUTH PLAIN',
    'AUTH PLAIN =',
    'AUTH LOGIN',
    'AUTH LOGIN dXNlcg==',
    '*',
    '=',
    'MAIL FROM:<a@b.test>',
    'RCPT TO:<a@b.test>',
    'DATA',
    'BDAT 3 LAST',
    '.',
    'RSET',
    'NOOP',
    'STARTTLS',
    '',
    'dXNlcg==',
    plain('a@b.test', 'b'),
    '\0',
    'é',
    'MAIL FROM:<> ENVID=a+0D',
    'RCPT TO:<> NOTIFY=NEVER',
  );
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 12 }), async (lines) => {
      using client = await TestClient.connect(listener.port);
      client.send([...lines, '*', 'QUIT', ''].join('\r\n'));
      client.finish();
      const replies = await client.rest();
      for (const reply of replies) {
        assert.match(reply, /^(?:220|221|250|252|334|4\d\d|5\d\d)[ -]/);
        assert.doesNotMatch(reply, /^(?:235|354)|Queued/);
      }
    }),
    { numRuns: 100 },
  );
});
