import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { testCertificate } from '../../../test/support/tls/certificate.ts';
import { certificateFolder, OTHER_CERTIFICATE } from '../../certificates/certificate.fixture.ts';
import { FileCertificate } from '../../certificates/file-certificate.ts';
import { startTestListener, TestClient } from './dialogue.fixture.ts';

async function startSecureListener(files: { certPath: string; keyPath: string }) {
  const faults: unknown[] = [];
  const certificate = new FileCertificate(files, (error) => faults.push(error));
  return Object.assign(await startTestListener({ secureContext: certificate.secureContext }), { faults });
}

describe('STARTTLS', () => {
  const SECURED = `
    S: 220 mx.example ESMTP
    C: HELO client
    S: 250 mx.example
    C: STARTTLS
    S: 220 2.0.0 Ready for TLS`;

  test('STARTTLS secures and resets the session, and is not offered again', async () => {
    using files = certificateFolder();
    await using listener = await startSecureListener(files);
    using client = await TestClient.connect(listener.port);
    await client.play(`
      S: 220 mx.example ESMTP
      C: EHLO client
      S: 250-mx.example
      S: 250-PIPELINING
      S: 250-SIZE 41943040
      S: 250-8BITMIME
      S: 250-SMTPUTF8
      S: 250-ENHANCEDSTATUSCODES
      S: 250-CHUNKING
      S: 250-DSN
      S: 250 STARTTLS
      C: MAIL FROM:<>
      S: 250 2.1.0 OK
      C: STARTTLS
      S: 220 2.0.0 Ready for TLS`);
    await client.startTls();
    await client.play(`
      C: RCPT TO:<b+1@send.test>
      S: 503 5.5.1 Send EHLO first
      C: STARTTLS
      S: 503 5.5.1 TLS is already on
      C: EHLO client
      S: 250-mx.example
      S: 250-PIPELINING
      S: 250-SIZE 41943040
      S: 250-8BITMIME
      S: 250-SMTPUTF8
      S: 250-ENHANCEDSTATUSCODES
      S: 250-CHUNKING
      S: 250 DSN
      C: MAIL FROM:<>
      C: RCPT TO:<b+1@send.test>
      C: DATA
      S: 250 2.1.0 OK
      S: 250 2.1.5 OK
      S: 354 End with a dot on a line of its own
      C: secret
      C: .
      S: 250 2.6.0 Accepted
      C: QUIT
      S: 221 2.0.0 Bye
      S: (closed)`);
    assert.deepEqual(listener.received, [{ addressees: ['b+1@send.test'], data: 'secret\r\n' }]);
  });

  test('cleartext commands that a man in the middle appends to STARTTLS are discarded', async () => {
    using files = certificateFolder();
    await using listener = await startSecureListener(files);
    using client = await TestClient.connect(listener.port);
    await client.play(`
      S: 220 mx.example ESMTP
      C: HELO client
      S: 250 mx.example
      C: STARTTLS
      C: HELO attacker
      C: MAIL FROM:<injected@x.test>
      S: 220 2.0.0 Ready for TLS`);
    await client.startTls();
    await client.play(`
      C: NOOP
      S: 250 2.0.0 OK
      C: RCPT TO:<b+1@send.test>
      S: 503 5.5.1 Send EHLO first`);
  });

  test('a renewed certificate is used without a restart, and the previous certificate while the new one is unusable', async () => {
    using files = certificateFolder();
    await using listener = await startSecureListener(files);
    const shown = async (): Promise<string | null> => {
      using client = await TestClient.connect(listener.port);
      await client.play(SECURED);
      await client.startTls();
      return client.certificate;
    };
    const replace = (path: string, text: string) => {
      writeFileSync(`${path}.new`, text);
      renameSync(`${path}.new`, path);
    };
    const first = new X509Certificate(testCertificate.cert).fingerprint256;
    const second = new X509Certificate(OTHER_CERTIFICATE.cert).fingerprint256;
    assert.equal(await shown(), first);
    replace(files.certPath, OTHER_CERTIFICATE.cert);
    assert.equal(await shown(), first);
    assert.equal(listener.faults.length, 1);
    replace(files.keyPath, OTHER_CERTIFICATE.key);
    assert.equal(await shown(), second);
    rmSync(files.keyPath);
    // The fault is reported once. Attack: any client can start handshakes, and could fill the log.
    for (let time = 0; time < 3; time++) assert.equal(await shown(), second);
    assert.equal(listener.faults.length, 2);
  });

  test('a client that does not start TLS after STARTTLS is disconnected', async () => {
    using files = certificateFolder();
    await using listener = await startSecureListener(files);
    using client = await TestClient.connect(listener.port);
    await client.play(SECURED);
    client.send('MAIL FROM:<>\r\n');
    await client.rest();
    assert.deepEqual(listener.received, []);
  });

  test('a client that does not finish the TLS handshake in time is disconnected', async () => {
    using files = certificateFolder();
    const certificate = new FileCertificate(files, () => {});
    await using listener = await startTestListener({
      secureContext: certificate.secureContext,
      limits: { handshakeMs: 50 },
    });
    using client = await TestClient.connect(listener.port);
    await client.play(SECURED);
    assert.deepEqual(await client.rest(), []);
  });
});
