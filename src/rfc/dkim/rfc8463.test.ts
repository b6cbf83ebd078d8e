/** The examples of RFC 8463, appendix A. Signing the data of the examples must produce the signatures of the examples. */
import assert from 'node:assert/strict';
import { createPrivateKey, createPublicKey, hash, type KeyObject, sign, verify } from 'node:crypto';
import { describe, test } from 'node:test';
import { relaxBody, relaxFieldBody } from './canonical.ts';
import { canonicalField } from './signature-field.ts';

const FIELDS: Record<string, string> = {
  from: ' Joe SixPack <joe@football.example.com>',
  to: ' Suzie Q <suzie@shopping.example.net>',
  subject: ' Is dinner ready?',
  date: ' Fri, 11 Jul 2003 21:00:37 -0700 (PDT)',
  'message-id': ' <20030712040037.46341.5F8J@football.example.com>',
};

const BODY = Buffer.from('Hi.\r\n\r\nWe lost the game.  Are you hungry yet?\r\n\r\nJoe.\r\n');

const ED25519_FIELD = [
  'DKIM-Signature: v=1; a=ed25519-sha256; c=relaxed/relaxed;',
  ' d=football.example.com; i=@football.example.com;',
  ' q=dns/txt; s=brisbane; t=1528637909; h=from : to :',
  ' subject : date : message-id : from : subject : date;',
  ' bh=2jUSOH9NhtVGCQWNr9BrIAPreKQjO6Sn7XIkfJVOzv8=;',
  ' b=',
].join('\r\n');
const ED25519_SIGNATURE =
  '/gCrinpcQOoIfuHNQIbq4pgh9kyIK3AQUdt9OdqQehSwhEIug4D11BusFa3bT3FY5OsU7ZbnKELq+eXdp1Q1Dw==';

const RSA_FIELD = [
  'DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed;',
  ' d=football.example.com; i=@football.example.com;',
  ' q=dns/txt; s=test; t=1528637909; h=from : to : subject :',
  ' date : message-id : from : subject : date;',
  ' bh=2jUSOH9NhtVGCQWNr9BrIAPreKQjO6Sn7XIkfJVOzv8=;',
  ' b=',
].join('\r\n');
const RSA_SIGNATURE =
  'F45dVWDfMbQDGHJFlXUNB2HKfbCeLRyhDXgFpEL8GwpsRe0IeIixNTe3DhCVlUrSjV4BwcVcOF6+FF3Zo9Rpo1tFOeS9mPYQTnGdaSGsgeefOsk2JzdA+L10TeYt9BgDfQNZtKdN1WO//KgIqXP7OdEFE4LjFYNcUxZQ4FADY+8=';
const RSA_PUBLIC_KEY =
  'MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDkHlOQoBTzWRiGs5V6NpP3idY6Wk08a5qhdR6wy5bdOKb2jLQiY/J16JYi0Qvx/byYzCNb3W91y3FutACDfzwQ/BC/e/8uBsCR+yz1Lxj+PL6lHvqMKrM3rG4hstT5QjvHO9PzoxZyVYLzBfO2EeC3Ip3G+2kryOTIKT+l/K4w3QIDAQAB';

function dataToSign(signatureField: string): Buffer {
  const fields = Object.entries(FIELDS).map(([name, body]) => `${name}:${relaxFieldBody(body)}\r\n`);
  return Buffer.from(fields.join('') + canonicalField(signatureField));
}

function ed25519Key(): KeyObject {
  // PKCS #8 (RFC 8410, section 7) around the 32 bytes of appendix A.1.
  const seed = Buffer.from('nWGxne/9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A=', 'base64');
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]);
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
}

describe('RFC 8463, appendix A', () => {
  test('the body hash equals the body hash of RFC 8463, appendix A', () => {
    assert.equal(hash('sha256', relaxBody(BODY), 'base64'), '2jUSOH9NhtVGCQWNr9BrIAPreKQjO6Sn7XIkfJVOzv8=');
  });

  test('the Ed25519 signature equals the signature of RFC 8463, appendix A', () => {
    const digest = hash('sha256', dataToSign(ED25519_FIELD), 'buffer');
    assert.equal(sign(null, digest, ed25519Key()).toString('base64'), ED25519_SIGNATURE);
  });

  test('the RSA signature of RFC 8463, appendix A, verifies against the signed data', () => {
    const key = createPublicKey({ key: Buffer.from(RSA_PUBLIC_KEY, 'base64'), format: 'der', type: 'spki' });
    assert.ok(verify('sha256', dataToSign(RSA_FIELD), key, Buffer.from(RSA_SIGNATURE, 'base64')));
  });
});
