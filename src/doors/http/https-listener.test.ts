import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectPlain } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, afterEach, before, test } from 'node:test';
import {
  connect,
  createSecureContext,
  type SecureContext,
  type SecureVersion,
  type TLSSocket,
} from 'node:tls';
import { selfSigned } from '../../rfc/acme/certificates.ts';
import { startTestApi, type TestApi } from './api.fixture.ts';

const NAME = 'www.acme.example';
const PROVED = 'proved.acme.example';
const certificate = selfSigned(NAME, null, new Date());
const renewed = selfSigned(NAME, null, new Date());

let shown: SecureContext | null = null;
let api: TestApi;
before(async () => {
  api = await startTestApi({
    https: {
      listenAddress: { addresses: ['127.0.0.1'], port: 0 },
      secureContext: () => shown,
      challengeResponses: {
        http: () => null,
        tls: (name) => (name === PROVED ? createSecureContext(selfSigned(name, 'a.b', new Date())) : null),
      },
    },
    challengeResponses: { http: (token) => (token === 'known' ? 'known.thumbprint' : null) },
  });
});
after(() => api[Symbol.asyncDispose]());
afterEach(() => {
  shown = null;
});

interface RequestOptions {
  servername?: string;
  protocols?: string[];
  version?: SecureVersion;
}

/** @returns null if the handshake failed */
async function open(
  { servername = NAME, protocols, version }: RequestOptions = {},
  { httpsPort }: TestApi = api,
): Promise<TLSSocket | null> {
  const socket = connect({
    host: '127.0.0.1',
    port: httpsPort,
    servername,
    rejectUnauthorized: false,
    ...(protocols !== undefined && { ALPNProtocols: protocols }),
    ...(version !== undefined && { minVersion: version, maxVersion: version }),
  });
  socket.on('error', () => {});
  const isSecure = once(socket, 'secureConnect').then(
    () => true,
    () => false,
  );
  return (await Promise.race([isSecure, once(socket, 'close').then(() => false)])) ? socket : null;
}

const fingerprint = (socket: TLSSocket): string => socket.getPeerCertificate().fingerprint256;
const GET = 'GET /healthz HTTP/1.1\r\nHost: x\r\n';

for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
  test(`the API is served over ${version}`, async () => {
    shown = createSecureContext(certificate);
    const socket = await open({ version, protocols: ['h2', 'http/1.1'] });
    assert.ok(socket !== null);
    assert.equal(socket.alpnProtocol, 'http/1.1');
    socket.write(`${GET}Connection: close\r\n\r\n`);
    assert.match(await text(socket), /^HTTP\/1\.1 200 /);
  });

  test(`over ${version}, only clients that request acme-tls/1 get the ACME proof, with and without a certificate`, async () => {
    for (const each of [createSecureContext(certificate), null]) {
      shown = each;
      const proof = await open({ version, servername: PROVED, protocols: ['acme-tls/1'] });
      assert.ok(proof !== null);
      assert.equal(proof.alpnProtocol, 'acme-tls/1');
      assert.equal(new X509Certificate(proof.getPeerCertificate().raw).subjectAltName, `DNS:${PROVED}`);
      assert.equal(await text(proof), '');
      assert.equal(await open({ version, protocols: ['acme-tls/1'] }), null);
    }
  });
}

test('after a certificate change, open connections stay open, and new connections get the new certificate', async () => {
  shown = createSecureContext(certificate);
  const before = await open();
  assert.ok(before !== null);
  before.write(`${GET}\r\n`);
  await once(before, 'data');
  shown = createSecureContext(renewed);
  const later = await open();
  assert.ok(later !== null);
  assert.notEqual(fingerprint(later), fingerprint(before));
  before.write(`${GET}Connection: close\r\n\r\n`);
  assert.match(await text(before), /HTTP\/1\.1 200 /);
  later.destroy();
});

test('without a certificate, no request is served', async () => {
  const socket = await open();
  socket?.write(`${GET}\r\n`);
  assert.equal(socket === null ? '' : await text(socket).catch(() => ''), '');
});

test('a connection without TLS or with an unknown ALPN protocol is closed', async () => {
  shown = createSecureContext(certificate);
  assert.equal(await open({ protocols: ['h2'] }), null);
  const plain = connectPlain(api.httpsPort, '127.0.0.1');
  plain.on('error', () => {});
  plain.write(`${GET}\r\n`);
  assert.doesNotMatch(await text(plain).catch(() => ''), /HTTP/);
});

test('an idle connection, before or after the handshake, does not delay closing the server', async () => {
  shown = createSecureContext(certificate);
  const own = await startTestApi({
    https: {
      listenAddress: { addresses: ['127.0.0.1'], port: 0 },
      secureContext: () => shown,
      challengeResponses: null,
    },
  });
  const idle = connectPlain(own.httpsPort, '127.0.0.1');
  await once(idle, 'connect');
  idle.on('error', () => {});
  const kept = await open({}, own);
  assert.ok(kept !== null);
  kept.write(`${GET}\r\n`);
  await once(kept, 'data');
  await Promise.all([once(idle, 'close'), once(kept, 'close'), own[Symbol.asyncDispose]()]);
});

test('a pending ACME token returns its key authorization, and any other token returns 404', async () => {
  const known = await fetch(`${api.baseUrl}/.well-known/acme-challenge/known`);
  assert.deepEqual([known.status, await known.text()], [200, 'known.thumbprint']);
  assert.equal(known.headers.get('content-type'), 'application/octet-stream');
  assert.equal((await fetch(`${api.baseUrl}/.well-known/acme-challenge/other`)).status, 404);
});
