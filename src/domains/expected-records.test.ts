import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectedRecords } from './expected-records.ts';

const KEY = { selector: 'ph1abc', algorithm: 'rsa-sha256', publicKey: 'MIIB' } as const;

test('the records of a domain: three that it needs, two that are advice', () => {
  const records = expectedRecords('acme.example', [KEY], 'mx.posthorn.example');
  assert.deepEqual(
    records.map(({ record, type, name, host, value, priority, required }) => [
      ...[record, type, name, host],
      ...[value, priority, required],
    ]),
    [
      [
        ...['DKIM', 'TXT', 'ph1abc._domainkey.acme.example', 'ph1abc._domainkey'],
        ...['v=DKIM1; k=rsa; p=MIIB', null, true],
      ],
      ['MAIL_FROM', 'MX', 'send.acme.example', 'send', 'mx.posthorn.example', 10, true],
      ['SPF', 'TXT', 'send.acme.example', 'send', 'v=spf1 a:mx.posthorn.example ~all', null, true],
      ['DMARC', 'TXT', '_dmarc.acme.example', '_dmarc', 'v=DMARC1; p=none;', null, false],
      ['MX', 'MX', 'acme.example', '@', 'mx.posthorn.example', 10, false],
    ],
  );
});
