import assert from 'node:assert/strict';
import { createPublicKey, hash, verify, X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { certificateRequest, newKey, selfSigned } from './certificates.ts';
import * as der from './der.ts';

/** Splits the content of a constructed DER value into its elements. */
function inner(octets: Buffer): { tag: number; whole: Buffer; content: Buffer }[] {
  const values = [];
  for (let at = 0; at < octets.length; ) {
    const start = at;
    const tag = octets.readUInt8(at);
    const first = octets.readUInt8(at + 1);
    const digits = first < 0x80 ? 0 : first & 0x7f;
    const length = digits === 0 ? first : octets.readUIntBE(at + 2, digits);
    at += 2 + digits;
    const content = octets.subarray(at, at + length);
    at += length;
    assert.ok(at <= octets.length);
    values.push({ tag, whole: octets.subarray(start, at), content });
  }
  return values;
}

test('DER values of any length survive a round trip', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 70_000, size: 'max' }), (octets) => {
      const [value, ...rest] = inner(der.octetString(octets));
      assert.equal(rest.length, 0);
      assert.deepEqual(value?.content, Buffer.from(octets));
    }),
    { numRuns: 50 },
  );
});

for (const [what, written, hex] of [
  ['a number of 0', der.integer(Buffer.alloc(3)), '020100'],
  ['a number with its first bit set', der.integer(Buffer.from([0x80])), '02020080'],
  ['a number with leading zeros', der.integer(Buffer.from([0, 0, 0x7f])), '02017f'],
  ['an object identifier', der.objectId('1.2.840.10045.4.3.2'), '06082a8648ce3d040302'],
  ['a time before 2050', der.time(new Date('2026-11-23T01:02:03.456Z')), '170d3236313132333031303230335a'],
  ['a time from 2050 on', der.time(new Date('2050-01-01T00:00:00Z')), '180f32303530303130313030303030305a'],
] as const) {
  test(`${what} is encoded according to X.690`, () => assert.equal(written.toString('hex'), hex));
}

test('a certificate request names the host in an extension, and is signed with the key of the certificate', () => {
  const key = newKey();
  const [request] = inner(certificateRequest('mail.acme.example', createPublicKey(key), key));
  const [info, , signature] = inner(request?.content ?? assert.fail());
  assert.ok(info !== undefined && signature !== undefined);
  assert.ok(verify('sha256', info.whole, key, signature.content.subarray(1)));
  const [version, subject, spki, attributes] = inner(info.content);
  assert.deepEqual([version?.whole.toString('hex'), subject?.whole.toString('hex')], ['020100', '3000']);
  assert.deepEqual(spki?.whole, createPublicKey(key).export({ type: 'spki', format: 'der' }));
  assert.equal(attributes?.tag, 0xa0);
  assert.ok(attributes.content.includes('mail.acme.example'));
});

test('a challenge certificate has only the host name, and the digest in a critical extension', () => {
  const { cert, key } = selfSigned('mail.acme.example', 'token.thumbprint', new Date());
  const certificate = new X509Certificate(cert);
  assert.equal(certificate.subjectAltName, 'DNS:mail.acme.example');
  assert.ok(certificate.verify(certificate.publicKey));
  assert.ok(
    certificate.validFromDate.getTime() < Date.now() && certificate.validToDate.getTime() > Date.now(),
  );
  assert.ok(key.includes('PRIVATE KEY'));
  // The extension is critical, and contains the digest in a nested OCTET STRING (RFC 8737, section 3).
  const digest = hash('sha256', 'token.thumbprint', 'hex');
  assert.ok(certificate.raw.toString('hex').includes(`06082b0601050507011f0101ff04220420${digest}`));
});

test('a self-signed certificate without a challenge has no ACME extension', () => {
  const { cert } = selfSigned('mail.acme.example', null, new Date());
  assert.ok(!new X509Certificate(cert).raw.toString('hex').includes('06082b0601050507011f'));
});
