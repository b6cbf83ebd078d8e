import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PeerCertificate } from 'node:tls';
import { checkIdentity } from './tls.ts';

const cases: [what: string, commonName: string, names: string | undefined, isHosts: boolean][] = [
  ['its name among the alternative names', 'other.example', 'DNS:a.example, DNS:mx.example.net', true],
  ['a wildcard for the whole first label', 'other.example', 'DNS:*.example.net', true],
  ['its name in the subject alone', 'mx.example.net', undefined, false],
  ['its name in the subject beside others', 'mx.example.net', 'DNS:a.example', false],
  ['a wildcard for a part of the label', 'other.example', 'DNS:m*.example.net', false],
  ['a wildcard at the beginning of the label', 'other.example', 'DNS:*x.example.net', false],
  ['a wildcard for two labels', 'other.example', 'DNS:*.net', false],
  ['a wildcard for everything', 'other.example', 'DNS:*', false],
];

for (const [what, CN, subjectaltname, isHosts] of cases) {
  test(`a certificate with ${what} is ${isHosts ? '' : 'not '}the host's`, () => {
    const certificate = { subject: { CN }, subjectaltname } as PeerCertificate;
    assert.equal(checkIdentity('mx.example.net', certificate) === undefined, isHosts);
  });
}
