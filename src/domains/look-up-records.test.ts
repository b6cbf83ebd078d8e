import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { type DnsZone, publish, startDnsServer } from '../../test/support/dns-server.ts';
import { DnsResolver } from '../net/dns.ts';
import { expectedRecords } from './expected-records.ts';
import { lookUpRecords } from './look-up-records.ts';

const KEY = { selector: 's', algorithm: 'rsa-sha256', publicKey: 'MIIB' } as const;
const server = await startDnsServer();
after(() => server[Symbol.asyncDispose]());
const resolver = new DnsResolver(server.address);

/** By the kind of the record. */
async function lookUp(domain: string, fill: (zone: DnsZone, published: typeof expected) => void) {
  const expected = expectedRecords(domain, [KEY], 'mx.posthorn.example');
  server.zone = {};
  fill(server.zone, expected);
  const checks = await lookUpRecords(resolver, domain, expected);
  const kinds = Object.entries(checks).map(([key, check]) => [key.split(' ', 1)[0] ?? '', check] as const);
  return Object.fromEntries(kinds);
}

const expected = expectedRecords('acme.example', [KEY], 'mx.posthorn.example');

describe('a look at the records of a domain', () => {
  test('finds all that is published', async () => {
    const checks = await lookUp('acme.example', publish);
    assert.deepEqual(
      Object.entries(checks).map(([kind, { status }]) => [kind, status]),
      ['DKIM', 'MAIL_FROM', 'SPF', 'DMARC', 'MX'].map((kind) => [kind, 'verified']),
    );
    assert.deepEqual(checks['MAIL_FROM']?.found, ['10 mx.posthorn.example']);
  });

  test('finds nothing in an empty zone', async () => {
    const checks = await lookUp('acme.example', () => {});
    assert.ok(Object.values(checks).every(({ status, found }) => status === 'failed' && found.length === 0));
  });

  test('sees records at the name that a DNS panel made of a full one', async () => {
    const checks = await lookUp('acme.example', (zone, records) =>
      publish(
        zone,
        records.map((record) => ({ ...record, name: `${record.name}.acme.example` })),
      ),
    );
    for (const kind of ['DKIM', 'MAIL_FROM', 'SPF']) {
      assert.equal(checks[kind]?.status, 'failed');
      assert.match(
        checks[kind]?.error ?? '',
        /there is one at \S+\.acme\.example\.acme\.example: the DNS panel/,
      );
    }
  });

  test('sees them in the zone above the domain too', async () => {
    const checks = await lookUp('mail.acme.example', (zone) => {
      zone['send.mail.acme.example.acme.example'] = { MX: ['10 mx.posthorn.example'] };
    });
    assert.match(checks['MAIL_FROM']?.error ?? '', /at send\.mail\.acme\.example\.acme\.example:/);
  });

  test("takes the organisation's DMARC policy for a domain below it", async () => {
    const checks = await lookUp('mail.acme.example', (zone) => {
      zone['_dmarc.acme.example'] = { TXT: ['v=DMARC1; p=reject'] };
    });
    assert.deepEqual(checks['DMARC'], { status: 'verified', found: ['v=DMARC1; p=reject'], error: null });
  });

  test("takes the domain's own DMARC record before that of the organisation", async () => {
    const checks = await lookUp('mail.acme.example', (zone) => {
      zone['_dmarc.acme.example'] = { TXT: ['v=DMARC1; p=reject'] };
      zone['_dmarc.mail.acme.example'] = { TXT: ['v=DMARC1'] };
    });
    assert.equal(checks['DMARC']?.status, 'failed');
  });

  test('tells what failed from what is not there', async () => {
    const checks = await lookUp('acme.example', (zone) => {
      zone['send.acme.example'] = { fault: 'servfail' };
    });
    assert.equal(checks['SPF']?.status, 'temporary_failure');
    assert.equal(checks['DKIM']?.status, 'failed');
  });
});
