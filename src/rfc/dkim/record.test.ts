import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { dkimRecord, encodePublicKey } from './record.ts';

test('the record of an RSA key contains SubjectPublicKeyInfo', () => {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
  const encoded = encodePublicKey(publicKey);
  const read = createPublicKey({ key: Buffer.from(encoded, 'base64'), format: 'der', type: 'spki' });
  assert.ok(read.equals(publicKey));
  assert.equal(dkimRecord('rsa-sha256', encoded), `v=DKIM1; k=rsa; p=${encoded}`);
});

test('the record of the Ed25519 key of RFC 8463, appendix A.2, is the record in the appendix', () => {
  const publicKey = createPublicKey({
    key: { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' },
    format: 'jwk',
  });
  assert.equal(
    dkimRecord('ed25519-sha256', encodePublicKey(publicKey)),
    'v=DKIM1; k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=',
  );
});
