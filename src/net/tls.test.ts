import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PeerCertificate } from 'node:tls';
import { checkIdentity } from './tls.ts';

const cases: [what: string, commonName: string, names: string | undefined, isHosts: boolean][] = [
  ['the host name among the alternative names', 'other.example', 'DNS:a.example, DNS:mx.example.net', true],
  ['a wildcard for the whole first label', 'other.example', 'DNS:*.example.net', true],
  ['the host name only in the subject', 'mx.example.net', undefined, false],
  ['the host name in the subject, but other alternative names', 'mx.example.net', 'DNS:a.example', false],
  ['a wildcard for part of a label', 'other.example', 'DNS:m*.example.net', false],
  ['a wildcard at the start of a label', 'other.example', 'DNS:*x.example.net', false],
  ['a wildcard for two labels', 'other.example', 'DNS:*.net', false],
  ['a wildcard for everything', 'other.example', 'DNS:*', false],
];

for (const [what, CN, subjectaltname, isHosts] of cases) {
  test(`a certificate with ${what} ${isHosts ? 'matches' : 'does not match'} the host`, () => {
    const certificate = { subject: { CN }, subjectaltname } as PeerCertificate;
    assert.equal(checkIdentity('mx.example.net', certificate) === undefined, isHosts);
  });
}
