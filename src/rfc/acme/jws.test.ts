import assert from 'node:assert/strict';
import { createPrivateKey, verify } from 'node:crypto';
import { test } from 'node:test';
import { keyAuthorization, signedRequest } from './jws.ts';

const KEY = createPrivateKey({
  format: 'jwk',
  // The example of RFC 7515, appendix A.3.
  key: {
    kty: 'EC',
    crv: 'P-256',
    x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
    y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
    d: 'jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI',
  },
});
const FOR = { url: 'https://ca.example/new-order', nonce: 'n1', account: null };

const decoded = (text: string): unknown => JSON.parse(Buffer.from(text, 'base64url').toString());

test('a signed request contains the URL and the nonce, and the signature covers URL and nonce', () => {
  const body = JSON.parse(signedRequest(KEY, FOR, { a: 1 })) as Record<
    'protected' | 'payload' | 'signature',
    string
  >;
  assert.deepEqual(decoded(body.payload), { a: 1 });
  const { jwk, ...rest } = decoded(body.protected) as { jwk: Record<string, string> };
  assert.deepEqual(rest, { alg: 'ES256', nonce: 'n1', url: FOR.url });
  assert.deepEqual(Object.keys(jwk), ['crv', 'kty', 'x', 'y']);
  const signature = Buffer.from(body.signature, 'base64url');
  const content = Buffer.from(`${body.protected}.${body.payload}`);
  assert.ok(verify('sha256', content, { key: KEY, dsaEncoding: 'ieee-p1363' }, signature));
});

test('a request with an account has the account URL instead of the key, and a POST-as-GET has an empty payload', () => {
  const account = 'https://ca.example/account/1';
  const body = JSON.parse(signedRequest(KEY, { ...FOR, account }, null)) as {
    protected: string;
    payload: string;
  };
  assert.equal(body.payload, '');
  assert.deepEqual(decoded(body.protected), { alg: 'ES256', kid: account, nonce: 'n1', url: FOR.url });
});

test('the key authorization is the token and the thumbprint of the key', () => {
  // The thumbprint (RFC 7638, section 3) was computed with `openssl dgst`.
  assert.equal(keyAuthorization(KEY, 'token'), 'token.oKIywvGUpTVTyxMQ3bwIIeQUudfr_CkLMjCE19ECD-U');
});
