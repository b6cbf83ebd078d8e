import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { type DnsZone, publish, startDnsServer } from '../../test/support/dns-server.ts';
import { DnsResolver } from '../net/dns.ts';
import { expectedRecords } from './expected-records.ts';
import { lookUpRecords } from './look-up-records.ts';

const KEY = {
  selector: 's',
  algorithm: 'rsa-sha256',
  publicKey: 'MIIB',
  state: 'active',
  keepUntil: null,
} as const;
const server = await startDnsServer();
after(() => server[Symbol.asyncDispose]());
const resolver = new DnsResolver(server.address);

/** @returns the checks by kind of record */
async function lookUp(domain: string, fill: (zone: DnsZone, published: typeof expected) => void) {
  const expected = expectedRecords(domain, [KEY], 'mx.posthorn.example');
  server.zone = {};
  fill(server.zone, expected);
  const checks = await lookUpRecords(resolver, domain, expected);
  const kinds = Object.entries(checks).map(([key, check]) => [key.split(' ', 1)[0] ?? '', check] as const);
  return Object.fromEntries(kinds);
}

const expected = expectedRecords('acme.example', [KEY], 'mx.posthorn.example');

describe('a check of the records of a domain', () => {
  test('finds all published records', async () => {
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

  test('finds records at a name to which a DNS panel appended the domain', async () => {
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

  test('finds records at a name to which a DNS panel appended the parent zone', async () => {
    const checks = await lookUp('mail.acme.example', (zone) => {
      zone['send.mail.acme.example.acme.example'] = { MX: ['10 mx.posthorn.example'] };
    });
    assert.match(checks['MAIL_FROM']?.error ?? '', /at send\.mail\.acme\.example\.acme\.example:/);
  });

  test("uses the organizational domain's DMARC policy for a subdomain", async () => {
    const checks = await lookUp('mail.acme.example', (zone) => {
      zone['_dmarc.acme.example'] = { TXT: ['v=DMARC1; p=reject'] };
    });
    assert.deepEqual(checks['DMARC'], {
      status: 'verified',
      found: ['v=DMARC1; p=reject'],
      error: null,
      inheritedFrom: 'acme.example',
    });
  });

  test("uses the domain's own DMARC record before the record of the organizational domain", async () => {
    const checks = await lookUp('mail.acme.example', (zone) => {
      zone['_dmarc.acme.example'] = { TXT: ['v=DMARC1; p=reject'] };
      zone['_dmarc.mail.acme.example'] = { TXT: ['v=DMARC1'] };
    });
    assert.equal(checks['DMARC']?.status, 'failed');
  });

  test("uses the organizational domain's DMARC policy if the subdomain has only other TXT records", async () => {
    const checks = await lookUp('mail.acme.example', (zone) => {
      zone['_dmarc.acme.example'] = { TXT: ['v=DMARC1; p=reject'] };
      zone['_dmarc.mail.acme.example'] = { TXT: ['hello'] };
    });
    assert.equal(checks['DMARC']?.inheritedFrom, 'acme.example');
  });

  test("returns the organizational domain's DMARC record if it fails only by the new rules", async () => {
    const checks = await lookUp('mail.acme.example', (zone) => {
      zone['_dmarc.acme.example'] = { TXT: ['v=DMARC1; p=reject; sp=maybe'] };
    });
    const { status, inheritedFrom, passedEarlier } = checks['DMARC'] ?? {};
    assert.deepEqual([status, inheritedFrom, passedEarlier], ['failed', 'acme.example', true]);
  });

  test('does not judge an SPF record while DNS does not answer for a name in it', async () => {
    const checks = await lookUp('acme.example', (zone) => {
      zone['send.acme.example'] = { TXT: ['v=spf1 include:broken.example a:mx.posthorn.example ~all'] };
      zone['broken.example'] = { fault: 'servfail' };
    });
    assert.equal(checks['SPF']?.status, 'temporary_failure');
    assert.match(checks['SPF']?.error ?? '', /"include:broken\.example".*status does not change/);
  });

  test('names the wrong term of an SPF record', async () => {
    const checks = await lookUp('acme.example', (zone) => {
      zone['send.acme.example'] = { TXT: ['v=spf1 a:mx.posthorn.example ~all;'] };
    });
    assert.deepEqual([checks['SPF']?.status, checks['SPF']?.wrongTerm], ['failed', '~all;']);
  });

  test('distinguishes failures from missing records', async () => {
    const checks = await lookUp('acme.example', (zone) => {
      zone['send.acme.example'] = { fault: 'servfail' };
    });
    assert.equal(checks['SPF']?.status, 'temporary_failure');
    assert.equal(checks['DKIM']?.status, 'failed');
  });

  test('explains that a CNAME hides the record', async () => {
    const checks = await lookUp('acme.example', (zone) => {
      zone['send.acme.example'] = { CNAME: ['mail.host.example'] };
      zone['mail.host.example'] = { MX: ['10 mx.host.example'] };
    });
    for (const kind of ['MAIL_FROM', 'SPF']) {
      assert.equal(checks[kind]?.status, 'failed');
      assert.match(checks[kind]?.error ?? '', /CNAME record at send\.acme\.example to mail\.host\.example/);
    }
    assert.deepEqual(checks['MAIL_FROM']?.found, ['10 mx.host.example']);
  });

  test('names the wrong term of a record behind a CNAME', async () => {
    const checks = await lookUp('acme.example', (zone) => {
      zone['send.acme.example'] = { CNAME: ['spf.host.example'] };
      zone['spf.host.example'] = { TXT: ['v=spf1 a:mx.posthorn.example ~all;'] };
    });
    assert.match(checks['SPF']?.error ?? '', /"~all;" is not valid/);
  });

  test('accepts a CNAME whose target has the right record', async () => {
    const checks = await lookUp('acme.example', (zone, records) => {
      publish(zone, records);
      const name = 's._domainkey.acme.example';
      zone['key.host.example'] = zone[name] ?? {};
      zone[name] = { CNAME: ['key.host.example'] };
    });
    assert.equal(checks['DKIM']?.status, 'verified');
  });

  test('distinguishes a wildcard from a separate record', async () => {
    const checks = await lookUp('acme.example', (zone) => {
      zone['*.acme.example'] = { TXT: ['v=spf1 -all', 'hello'], MX: ['10 mx.other.example'] };
    });
    for (const kind of ['DKIM', 'MAIL_FROM', 'SPF']) {
      assert.match(checks[kind]?.error ?? '', /wildcard record \(\*\) answers/);
      assert.notDeepEqual(checks[kind]?.found, []);
    }
  });

  test('does not mistake a wildcard for a record at a wrong name', async () => {
    const checks = await lookUp('acme.example', (zone) => {
      zone['*.acme.example'] = { TXT: ['hello'] };
      zone['send.acme.example'] = { MX: ['10 mx.posthorn.example'] };
    });
    assert.equal(checks['SPF']?.error, 'There is no TXT record at send.acme.example.');
  });

  test('detects MX records that name no host', async () => {
    const checks = await lookUp('acme.example', (zone) => {
      zone['send.acme.example'] = { MX: ['10 192.0.2.1'] };
    });
    assert.match(checks['MAIL_FROM']?.error ?? '', /name no host/);
  });
});
