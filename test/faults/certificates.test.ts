/** A certificate file that is replaced while the service runs, at every port that uses TLS. */
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { renameSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { certificateFolder, OTHER_CERTIFICATE } from '../../src/certificates/certificate.fixture.ts';
import { type Service, startService } from '../support/service.ts';
import { testCertificate } from '../support/tls/certificate.ts';

interface Listener {
  name: string;
  port(service: Service): number;
  /** Lines sent in plain text, each after a response. Null if the port uses TLS from the first byte. */
  opening: string[] | null;
  /** The line sent in the TLS session. `answer` matches the beginning of the response to this line. */
  ask: string;
  answer: RegExp;
}

const shown =
  (pattern: RegExp) =>
  ({ output }: Service): number =>
    Number(pattern.exec(output)?.[1]);
const GET = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n';
const NOOP = { imap: 'a NOOP\r\n', pop3: 'CAPA\r\n' };

const LISTENERS: readonly Listener[] = [
  { name: 'https', port: shown(/HTTPS +port (\d+)/), opening: null, ask: GET, answer: /HTTP\/1\.1 200 / },
  {
    name: 'smtp',
    port: ({ smtpPort }) => smtpPort,
    opening: ['EHLO c', 'STARTTLS'],
    ask: 'NOOP\r\n',
    answer: /250 /,
  },
  {
    name: 'submission',
    port: ({ submissionPort }) => submissionPort,
    opening: ['EHLO c', 'STARTTLS'],
    ask: 'NOOP\r\n',
    answer: /250 /,
  },
  {
    name: 'submissions',
    port: shown(/submission port \d+, with TLS (\d+)/),
    opening: null,
    ask: 'NOOP\r\n',
    answer: /250 /,
  },
  {
    name: 'imap',
    port: ({ imapPort }) => imapPort,
    opening: ['a STARTTLS'],
    ask: NOOP.imap,
    answer: /a OK /,
  },
  {
    name: 'imaps',
    port: shown(/IMAP port \d+, with TLS (\d+)/),
    opening: null,
    ask: NOOP.imap,
    answer: /a OK /,
  },
  { name: 'pop3', port: ({ pop3Port }) => pop3Port, opening: ['STLS'], ask: NOOP.pop3, answer: /\+OK Cap/ },
  {
    name: 'pop3s',
    port: shown(/POP3 port \d+, with TLS (\d+)/),
    opening: null,
    ask: NOOP.pop3,
    answer: /\+OK Cap/,
  },
];

async function waitFor(socket: Socket, pattern: RegExp): Promise<void> {
  for (let received = ''; !pattern.test(received); ) {
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    received += chunk.toString();
  }
}

async function enter({ port, opening }: Listener, service: Service): Promise<TLSSocket> {
  const plain = connect(port(service), '127.0.0.1');
  for (const line of opening ?? []) {
    await waitFor(plain, /\r\n$/);
    plain.write(`${line}\r\n`);
  }
  if (opening !== null) await waitFor(plain, /\r\n$/);
  const socket = connectTls({ socket: plain, rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  return socket;
}

async function serves(socket: TLSSocket, { ask, answer }: Listener): Promise<void> {
  const answered = waitFor(socket, answer);
  socket.write(ask);
  await answered;
}

const shownTo = (socket: TLSSocket): string => socket.getPeerCertificate().fingerprint256;
const printOf = ({ cert }: { cert: string }): string => new X509Certificate(cert).fingerprint256;

test('a new certificate is used at every port, and open connections are not interrupted', {
  timeout: 60_000,
}, async () => {
  using files = certificateFolder();
  await using service = await startService({
    env: { POSTHORN_TLS_CERT: files.certPath, POSTHORN_TLS_KEY: files.keyPath, POSTHORN_HTTPS_PORT: '0' },
  });
  const sessions = new Map<Listener, TLSSocket>();
  for (const listener of LISTENERS) {
    const socket = await enter(listener, service);
    assert.equal(shownTo(socket), printOf(testCertificate), listener.name);
    sessions.set(listener, socket);
  }
  for (const [path, text] of [
    [files.keyPath, OTHER_CERTIFICATE.key],
    [files.certPath, OTHER_CERTIFICATE.cert],
  ] as const) {
    writeFileSync(`${path}.new`, text);
    renameSync(`${path}.new`, path);
  }
  for (const [listener, before] of sessions) {
    const later = await enter(listener, service);
    assert.equal(shownTo(later), printOf(OTHER_CERTIFICATE), listener.name);
    for (const socket of [before, later]) {
      await serves(socket, listener);
      socket.destroy();
    }
  }
});
