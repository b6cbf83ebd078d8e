import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newUuid } from '../model/ids.ts';
import { domainBody } from './domain-body.ts';
import { NEW_CLAIM } from './claim-state.ts';
import { expectedRecords, type PublicKey } from './expected-records.ts';

const KEY: PublicKey = {
  selector: 'ph1abc',
  algorithm: 'rsa-sha256',
  publicKey: 'MIIB',
  state: 'active',
  keepUntil: null,
};

test('a domain has three required and two recommended records', () => {
  const records = expectedRecords('acme.example', [KEY], 'mx.posthorn.example');
  assert.deepEqual(
    records.map(({ record, type, name, host, value, priority, required }) => [
      record,
      type,
      name,
      host,
      value,
      priority,
      required,
    ]),
    [
      [
        'DKIM',
        'TXT',
        'ph1abc._domainkey.acme.example',
        'ph1abc._domainkey',
        'v=DKIM1; k=rsa; p=MIIB',
        null,
        true,
      ],
      ['MAIL_FROM', 'MX', 'send.acme.example', 'send', 'mx.posthorn.example', 10, true],
      ['SPF', 'TXT', 'send.acme.example', 'send', 'v=spf1 a:mx.posthorn.example ~all', null, true],
      ['DMARC', 'TXT', '_dmarc.acme.example', '_dmarc', 'v=DMARC1; p=none;', null, false],
      ['MX', 'MX', 'acme.example', '@', 'mx.posthorn.example', 10, false],
    ],
  );
});

test('records that point to a host name without a dot show an error before the first check', () => {
  const claim = {
    ...NEW_CLAIM,
    projectId: newUuid(),
    id: newUuid(),
    name: 'acme.example',
    region: null,
    createdAt: new Date(0),
    checks: {},
    lastCheckedAt: null,
    verifiedByHandAt: null,
    keys: [],
    hasMailboxes: false,
    nextCheckAt: null,
    trackOpens: null,
    trackClicks: null,
    dnsZone: null,
    nameServers: null,
  };
  const errorsWith = (hostname: string) =>
    domainBody(claim, {
      mailAccess: { hostname, webHost: hostname, services: [] },
      trustsManualVerification: false,
    }).records.map(({ record, error }) => [record, error?.slice(0, 38) ?? null]);
  const fault = 'The host name of this server, vm, has ';
  assert.deepEqual(errorsWith('vm'), [
    ['MAIL_FROM', fault],
    ['SPF', fault],
    ['DMARC', null],
    ['MX', fault],
  ]);
  assert.ok(errorsWith('mx.acme.example').every(([, error]) => error === null));
});
