/** The PROXY protocol on a port that starts in cleartext, and on a port with TLS from the first byte. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { Duplex } from 'node:stream';
import { after, before, describe, test } from 'node:test';
import { connect as connectTls, createSecureContext, type TLSSocket } from 'node:tls';
import { parseExposition } from '../../../test/support/exposition.ts';
import { testCertificate } from '../../../test/support/tls/certificate.ts';
import { Networks } from '../../net/networks.ts';
import { registry } from '../../observe/registry.ts';
import type { ProxyFault } from '../tcp/listener.ts';
import { startTestListener, TEST_SPOOL, TestClient, type TestListener } from './dialogue.fixture.ts';
import { LIMITS, startSubmissionListener } from './submission/listener.ts';

const PROXY = '127.0.0.2';
const ELSEWHERE = '127.0.0.3';
const HEADER = 'PROXY TCP4 192.0.2.1 10.0.0.1 56324 25\r\n';
/** A PROXY header of version 2 for the client 192.0.2.1, with a field after the addresses. */
const BINARY = Buffer.from([
  ...Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1'),
  0x21,
  0x11,
  0,
  16,
  192,
  0,
  2,
  1,
  10,
  0,
  0,
  1,
  0x30,
  0x39,
  0,
  25,
  4,
  0,
  1,
  0,
]);
/** A PROXY header of version 2, as a proxy sends it for a health check. */
const LOCAL = Buffer.from([...Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1'), 0x20, 0, 0, 0]);

const faults: [ProxyFault, string][] = [];
const proxy = {
  networks: new Networks([PROXY]),
  onFault: (fault: ProxyFault, address: string) => faults.push([fault, address]),
  headerMs: 5_000,
};
const addresses: string[] = [];
let listener: TestListener;
before(async () => {
  listener = await startTestListener({
    proxy,
    limits: { greetMs: 20, connectionsPerClient: 2 },
    async receive({ client }) {
      addresses.push(client.address);
      return 'accepted';
    },
  });
});
after(() => listener[Symbol.asyncDispose]());

const from = (address: string): Promise<TestClient> =>
  TestClient.connect(listener.port, '127.0.0.1', address);
const errorsCounted = async (series: string) =>
  parseExposition(await registry.metrics()).sum(series, { result: 'proxy_error' });

/** Sends a message through the proxy. @returns the client address that the listener recorded for the message */
async function addressOf(...header: (string | Buffer)[]): Promise<string | undefined> {
  using client = await from(PROXY);
  for (const piece of header) client.send(piece);
  await client.play(`
    S: 220 mx.example ESMTP
    C: HELO client
    C: MAIL FROM:<>
    C: RCPT TO:<b+1@send.test>
    C: DATA
    S: 250 mx.example
    S: 250 2.1.0 OK
    S: 250 2.1.5 OK
    S: 354 End with a dot on a line of its own
    C: .
    S: 250 2.6.0 Accepted`);
  return addresses.at(-1);
}

describe('connections from a proxy', () => {
  test('the client address is the address in a text header', async () =>
    assert.equal(await addressOf(HEADER), '192.0.2.1'));
  test('the client address is the address in a binary header', async () =>
    assert.equal(await addressOf(BINARY), '192.0.2.1'));
  test('the client address of a health check is the address of the proxy', async () =>
    assert.equal(await addressOf(LOCAL), PROXY));
  test('the client address is the address of the proxy if the header says UNKNOWN', async () =>
    assert.equal(await addressOf('PROXY UNKNOWN\r\n'), PROXY));

  test('a header in several packets is accepted', async () => {
    using client = await from(PROXY);
    await client.sendApart([...HEADER]);
    assert.match((await client.line()) ?? '', /^220 /);
  });

  test('a connection without a header is closed without a greeting, reported and counted', async () => {
    const before = await errorsCounted('posthorn_inbound_smtp_connections_total');
    using client = await from(PROXY);
    client.send('EHLO client\r\n');
    assert.deepEqual(await client.rest(), []);
    assert.deepEqual(faults.pop(), ['missing', PROXY]);
    assert.equal(await errorsCounted('posthorn_inbound_smtp_connections_total'), before + 1);
  });

  test('a connection with a malformed header is closed without a greeting', async () => {
    using client = await from(PROXY);
    client.send(HEADER.replace('56324', '99999'));
    assert.deepEqual(await client.rest(), []);
    assert.deepEqual(faults.pop(), ['malformed', PROXY]);
  });

  test('a connection is closed at a second header, because only the client can have sent a second header', async () => {
    using client = await from(PROXY);
    client.send(`${HEADER}PROXY TCP4 198.51.100.9 10.0.0.1 1 25\r\n`);
    assert.deepEqual(await client.rest(), []);
    assert.deepEqual(faults.pop(), ['unexpected', PROXY]);
  });

  test('a connection is closed if the header does not arrive in time', async () => {
    await using impatient = await startTestListener({ proxy: { ...proxy, headerMs: 50 } });
    using client = await TestClient.connect(impatient.port, '127.0.0.1', PROXY);
    client.send(HEADER.slice(0, 20));
    assert.deepEqual(await client.rest(), []);
    assert.deepEqual(faults.pop(), ['missing', PROXY]);
  });

  test('a connection that ends without any input is not a fault, because health checks send no input', async () => {
    const before = faults.length;
    using client = await from(PROXY);
    client.finish();
    assert.deepEqual(await client.rest(), []);
    assert.equal(faults.length, before);
  });

  test('a connection through a proxy counts towards the connection limit of the client, not of the proxy', async () => {
    using stack = new DisposableStack();
    const open = async (ip: string): Promise<string> => {
      const client = stack.use(await from(PROXY));
      client.send(`PROXY TCP4 ${ip} 10.0.0.1 1 25\r\n`);
      return (await client.line()) ?? '';
    };
    for (const ip of ['198.51.100.1', '198.51.100.1', '198.51.100.2', '198.51.100.3'])
      assert.match(await open(ip), /^220 /);
    assert.match(await open('198.51.100.1'), /^421 4\.7\.0 Too many connections/);
  });

  test('closing the listener ends a connection whose header has not arrived yet', async () => {
    const short = await startTestListener({ proxy });
    using client = await TestClient.connect(short.port, '127.0.0.1', PROXY);
    client.send('PROXY ');
    await short[Symbol.asyncDispose]();
    assert.deepEqual(await client.rest(), []);
  });
});

describe('connections that are not from a proxy', () => {
  test('a direct connection without a header is greeted', async () => {
    using client = await from(ELSEWHERE);
    assert.match((await client.line()) ?? '', /^220 /);
  });

  for (const [name, header] of [
    ['text header', HEADER],
    ['binary header', BINARY],
    ['binary header of a health check', LOCAL],
  ] as const)
    test(`a direct connection that sends a ${name} is closed, so that a client cannot forge its address`, async () => {
      const before = await errorsCounted('posthorn_inbound_smtp_connections_total');
      using client = await from(ELSEWHERE);
      client.send(header);
      assert.deepEqual(await client.rest(), []);
      assert.deepEqual(faults.pop(), ['unexpected', ELSEWHERE]);
      assert.equal(await errorsCounted('posthorn_inbound_smtp_connections_total'), before + 1);
    });

  test('a direct connection that sends a header in pieces after the greeting is closed', async () => {
    using client = await from(ELSEWHERE);
    await client.line();
    await client.sendApart([...HEADER]);
    assert.deepEqual(await client.rest(), []);
    assert.deepEqual(faults.pop(), ['unexpected', ELSEWHERE]);
  });
});

describe('the PROXY protocol with TLS from the first byte', () => {
  const offered = createSecureContext(testCertificate);
  const opened: string[] = [];
  let port: number;
  let secure: Awaited<ReturnType<typeof startSubmissionListener>>;
  before(async () => {
    secure = await startSubmissionListener({
      listenAddress: { addresses: ['127.0.0.1'], port: 0 },
      hostname: 'mx.example',
      secureContext: () => offered,
      isSecure: true,
      proxy,
      spool: TEST_SPOOL,
      async open(_, connection) {
        opened.push(`${connection.address} ${connection.isPrivate}`);
        return '535 5.7.8 No';
      },
      limits: { ...LIMITS, handshakeMs: 2_000 },
    });
    port = secure.port;
  });
  after(() => secure[Symbol.asyncDispose]());

  /** Starts TLS on a connection that sends the header and the first octets of TLS in one packet. */
  async function secured(address: string, header: string | Buffer): Promise<TLSSocket> {
    const socket = connect({ port, host: '127.0.0.1', localAddress: address });
    await once(socket, 'connect');
    let before = Buffer.from(header);
    const wire = new Duplex({
      read() {},
      write(chunk: Buffer, _, done) {
        socket.write(Buffer.concat([before, chunk]), done);
        before = Buffer.alloc(0);
      },
      destroy(_, done) {
        socket.destroy();
        done(null);
      },
    });
    socket.on('data', (chunk: Buffer) => wire.push(chunk));
    socket.on('error', () => {});
    socket.once('close', () => wire.push(null));
    return connectTls({ socket: wire, rejectUnauthorized: false });
  }

  for (const [name, header] of [
    ['text', HEADER],
    ['binary', BINARY],
  ] as const)
    test(`a ${name} header before TLS is accepted, and the client address is the address in the header`, async () => {
      const socket = await secured(PROXY, header);
      socket.setEncoding('utf8');
      socket.write('EHLO a\r\nAUTH PLAIN AGEAYg==\r\nQUIT\r\n');
      let received = '';
      for await (const text of socket) received += text as string;
      assert.match(received, /^220 [^]*535 5\.7\.8 No[^]*221 /);
      assert.equal(opened.pop(), '192.0.2.1 true');
    });

  for (const [name, address, header, fault] of [
    ['a proxy without a header', PROXY, '', 'missing'],
    ['another client with a header', ELSEWHERE, HEADER, 'unexpected'],
  ] as const)
    test(`a connection from ${name} is closed before the TLS handshake`, async () => {
      const socket = await secured(address, header);
      await assert.rejects(once(socket, 'secureConnect'));
      assert.deepEqual(faults.pop(), [fault, address]);
    });

  test('a direct connection with TLS and without a header is accepted', async () => {
    const socket = await secured(ELSEWHERE, '');
    await once(socket, 'secureConnect');
    socket.destroy();
  });
});

test('a remote client behind a proxy on this machine is not offered AUTH without TLS', async () => {
  await using plain = await startSubmissionListener({
    listenAddress: { addresses: ['127.0.0.1'], port: 0 },
    hostname: 'mx.example',
    secureContext: () => null,
    isSecure: false,
    proxy,
    spool: TEST_SPOOL,
    open: async () => '535 5.7.8 No',
  });
  const offers = async (header: string | Buffer): Promise<boolean> => {
    using client = await TestClient.connect(plain.port, '127.0.0.1', PROXY);
    client.send(header);
    client.send('EHLO a\r\nQUIT\r\n');
    return (await client.rest()).some((line) => line.includes('AUTH'));
  };
  assert.equal(await offers(HEADER), false);
  assert.equal(await offers(LOCAL), true);
});
