import { createServer } from 'node:net';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { startDnsServer } from '../../../test/support/dns-server.ts';
import { type SmtpServerOptions, startSmtpServer } from '../../../test/support/smtp-server.ts';
import { startTestListener } from '../../doors/smtp/dialogue.fixture.ts';
import { checkInbound } from './mail-in.ts';
import { checkOutgoing, checkSmartHost } from './mail-out.ts';
import type { Finding } from './finding.ts';
import { assertFinding } from './finding.fixture.ts';
import { ADDRESS, goodZone, PROBE_DOMAIN, worldWith } from './world.fixture.ts';

/** A port that no program uses, because the server that listened on it has stopped. */
async function freePort(): Promise<number> {
  const server = await startSmtpServer();
  await server.stop();
  return server.port;
}

describe('outgoing port 25', () => {
  async function outgoing(mxPort: number, zone = {}, given = {}): Promise<Finding> {
    await using dns = await startDnsServer({ ...goodZone(), ...zone });
    return await checkOutgoing(worldWith(dns.address, { config: { mxPort }, ...given }));
  }

  test('outgoing port 25 is ok if a mail host greets', async () => {
    await using server = await startSmtpServer();
    assertFinding(
      await outgoing(server.port),
      'ok',
      /mail\.probe\.test \(127\.0\.0\.1\), port \d+: 220 test\.example/,
    );
  });

  test('outgoing port 25 is blocked if no host can be reached', async () => {
    assertFinding(await outgoing(await freePort()), 'problem', /ECONNREFUSED/, /are blocked\. Allow them/);
  });

  test('outgoing port 25 is blocked if connections get no reply', async () => {
    await using server = await startSmtpServer({ reply: () => new Promise(() => {}) });
    assertFinding(
      await outgoing(server.port, {}, { timeoutMs: 400 }),
      'problem',
      /no greeting/,
      /are blocked/,
    );
  });

  test('outgoing port 25 is blocked if the server is not an SMTP server', async () => {
    await using server = await startSmtpServer({ reply: () => 'HTTP/1.1 403 Forbidden' });
    assertFinding(await outgoing(server.port), 'problem', /does not speak SMTP/, /are blocked/);
  });

  test('outgoing port 25 is a warning if the host rejects this machine', async () => {
    await using server = await startSmtpServer({ reply: () => '554 5.7.1 Your address is listed' });
    assertFinding(await outgoing(server.port), 'warning', /554 Your address is listed/, /blocklist/);
  });

  test('outgoing port 25 is ok if one of several hosts greets', async () => {
    await using server = await startSmtpServer();
    const zone = { [PROBE_DOMAIN]: { MX: ['5 away.probe.test', `10 mail.${PROBE_DOMAIN}`] } };
    assertFinding(
      await outgoing(server.port, zone),
      'ok',
      /away\.probe\.test has no address in DNS; mail.*220/,
    );
  });

  const helloAs = (address: string) => (stage: string) =>
    stage === 'ehlo' ? `250 mx.probe.test at your service, [${address}]` : undefined;

  test('outgoing port 25 is ok if the remote server sees the address of the host name', async () => {
    await using server = await startSmtpServer({ reply: helloAs(ADDRESS) });
    assertFinding(await outgoing(server.port), 'ok', /220 test\.example/);
  });

  test('outgoing port 25 is a problem if the remote server sees another address', async () => {
    await using server = await startSmtpServer({ reply: helloAs('8.8.8.8') });
    assertFinding(
      await outgoing(server.port),
      'problem',
      /see this machine at 8\.8\.8\.8, but the address of mx\.example is 8\.8\.4\.4/,
      /Publish 8\.8\.8\.8/,
    );
  });

  for (const text of ['10.0.0.5', '999.1.1.1', 'you', 'IPv6:zz']) {
    test(`the check of outgoing port 25 ignores [${text}], which is not a public address`, async () => {
      await using server = await startSmtpServer({ reply: helloAs(text) });
      assertFinding(await outgoing(server.port), 'ok', /220/);
    });
  }

  test('outgoing port 25 cannot be checked with a probe domain that accepts no mail', async () => {
    const zone = { [PROBE_DOMAIN]: { MX: ['0 .'] } };
    assertFinding(await outgoing(1, zone), 'problem', /accepts no mail/, /--probe-domain/);
  });
});

describe('the smart host', () => {
  async function smartHost(options: SmtpServerOptions, login: { username: string; password: string } | null) {
    await using server = await startSmtpServer(options);
    const address = { host: '127.0.0.1', port: server.port, implicitTls: false };
    const { username = null, password = null } = login ?? {};
    return await checkSmartHost(worldWith('127.0.0.1:53'), { ...address, username, password });
  }
  const auth = { users: { shop: 'right' } };

  test('the smart host is ok if it responds', async () => {
    assertFinding(await smartHost({}, null), 'ok', /answers\.$/);
  });

  test('the smart host is ok if it accepts the login', async () => {
    assertFinding(await smartHost({ auth }, { username: 'shop', password: 'right' }), 'ok', /answers/);
  });

  test('the smart host is a problem if it rejects the login', async () => {
    const finding = await smartHost({ auth }, { username: 'shop', password: 'wrong' });
    assertFinding(finding, 'problem', /cannot be used: 535/, /user and password/);
  });

  test('the smart host is a problem if it rejects EHLO and HELO', async () => {
    const reply = (stage: string) => (stage === 'ehlo' || stage === 'helo' ? '550 not you' : undefined);
    assertFinding(await smartHost({ reply }, null), 'problem', /550 .*not you/, /POSTHORN_SMTP_URL/);
  });

  test('the smart host is a problem if it cannot be reached', async () => {
    const address = { host: '127.0.0.1', port: await freePort(), implicitTls: false };
    const finding = await checkSmartHost(worldWith('127.0.0.1:53'), {
      ...address,
      username: null,
      password: null,
    });
    assertFinding(finding, 'problem', /ECONNREFUSED/, /POSTHORN_SMTP_URL/);
  });
});

describe('the listener for bounces', () => {
  const inbound = (smtpPort: number, hostname = 'mx.example') =>
    checkInbound(worldWith('127.0.0.1:53', { config: { smtpPort, hostname } }));

  test('the listener for bounces is ok if it greets with the host name', async () => {
    await using listener = await startTestListener();
    assertFinding(await inbound(listener.port), 'ok', /receives mail and bounces on port \d+ as mx\.example/);
  });

  test('the listener for bounces is a problem if it does not run', async () => {
    assertFinding(await inbound(await freePort()), 'problem', /ECONNREFUSED/, /Start Posthorn/);
  });

  test('the listener for bounces is a problem if it greets with another host name', async () => {
    await using listener = await startTestListener();
    const finding = await inbound(listener.port, 'mail.acme.example');
    assertFinding(finding, 'problem', /"220 mx\.example ESMTP", not as mail\.acme\.example/, /same settings/);
  });

  test('the listener for bounces is a problem if another program closes the connection', async () => {
    const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    assertFinding(await inbound(port), 'problem', /connection/, /Start Posthorn/);
    server.close();
  });

  test('the listener for bounces needs a fixed port', async () => {
    assertFinding(await inbound(0), 'warning', /POSTHORN_SMTP_PORT is 0/, /fixed port/);
  });

  test('the listener for bounces is a warning if the smart host uses the port', async () => {
    const env = { POSTHORN_PROVIDER: 'smtp', POSTHORN_SMTP_URL: 'smtp://localhost:2525' };
    const finding = await checkInbound(worldWith('127.0.0.1:53', { env }));
    assertFinding(finding, 'warning', /smart host listens on port 2525/, /another port/);
  });
});
