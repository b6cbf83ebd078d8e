import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fetchFailureOf, type TlsFailure, tlsFailureOf } from './tls-outcomes.ts';

const CODES: readonly [code: string, failure: TlsFailure][] = [
  ['no-starttls', 'starttls-not-supported'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'certificate-host-mismatch'],
  ['HOSTNAME_MISMATCH', 'certificate-host-mismatch'],
  ['CERT_HAS_EXPIRED', 'certificate-expired'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'certificate-not-trusted'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'certificate-not-trusted'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'certificate-not-trusted'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'certificate-not-trusted'],
  ['CERT_NOT_YET_VALID', 'certificate-not-trusted'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'validation-failure'],
  ['ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', 'validation-failure'],
  ['ETIMEDOUT', 'validation-failure'],
  ['ECONNRESET', 'validation-failure'],
  ['unknown', 'validation-failure'],
  ['', 'validation-failure'],
  ['constructor', 'validation-failure'],
];

test('each error code of a TLS session is mapped to a failure type of RFC 8460', () => {
  for (const [code, failure] of CODES) assert.equal(tlsFailureOf(code), failure, code);
});

test('a failed policy fetch and an invalid certificate of the policy host have different failure types', () => {
  for (const code of ['CERT_HAS_EXPIRED', 'ERR_TLS_CERT_ALTNAME_INVALID', 'DEPTH_ZERO_SELF_SIGNED_CERT']) {
    assert.equal(fetchFailureOf(code), 'sts-webpki-invalid', code);
  }
  for (const code of [null, 'ECONNREFUSED', 'UND_ERR_CONNECT_TIMEOUT', 'ERR_SSL_WRONG_VERSION_NUMBER']) {
    assert.equal(fetchFailureOf(code), 'sts-policy-fetch-error', String(code));
  }
});
