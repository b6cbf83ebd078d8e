import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { type DnsZone, publish, startDnsServer } from '../../test/support/dns-server.ts';
import { DnsResolver } from '../net/dns.ts';
import type { MailAccess } from '../rfc/mail-setup/mail-access.ts';
import { clientRecords } from './client-records.ts';
import { lookUpRecords } from './look-up-records.ts';

const ACCESS: MailAccess = {
  hostname: 'mx.posthorn.example',
  webHost: 'web.posthorn.example',
  services: [
    { protocol: 'imap', security: 'tls', port: 993 },
    { protocol: 'pop3', security: 'tls', port: 995 },
    { protocol: 'submission', security: 'tls', port: 465 },
    { protocol: 'submission', security: 'starttls', port: 587 },
  ],
};
const RECORDS = clientRecords('acme.example', ACCESS);

const server = await startDnsServer();
after(() => server[Symbol.asyncDispose]());
const resolver = new DnsResolver(server.address);

test('each service has a record for mail apps, and a service that is not offered has the target "."', () => {
  assert.deepEqual(
    RECORDS.map(({ type, name, host, priority, value }) => `${type} ${name} ${host} ${priority} ${value}`),
    [
      'SRV _submissions._tcp.acme.example _submissions._tcp 0 1 465 mx.posthorn.example',
      'SRV _submission._tcp.acme.example _submission._tcp 0 1 587 mx.posthorn.example',
      'SRV _imaps._tcp.acme.example _imaps._tcp 0 1 993 mx.posthorn.example',
      'SRV _imap._tcp.acme.example _imap._tcp 0 0 0 .',
      'SRV _pop3s._tcp.acme.example _pop3s._tcp 0 1 995 mx.posthorn.example',
      'CNAME autoconfig.acme.example autoconfig null web.posthorn.example',
      'CNAME autodiscover.acme.example autodiscover null web.posthorn.example',
    ],
  );
  assert.ok(RECORDS.every(({ record, required }) => record === 'CLIENT' && !required));
});

test('without TLS the record for STARTTLS names the port of the plain service', () => {
  const services = [{ protocol: 'imap', security: 'none', port: 2143 }] as const;
  const values = clientRecords('acme.example', { ...ACCESS, services }).map(({ value }) => value);
  assert.deepEqual(values.slice(0, 5), ['0 0 .', '0 0 .', '0 0 .', '1 2143 mx.posthorn.example', '0 0 .']);
});

describe('a check of the records', () => {
  async function lookUp(zone: DnsZone) {
    server.zone = zone;
    const checks = await lookUpRecords(resolver, 'acme.example', RECORDS);
    return (host: string) => checks[`CLIENT ${host}.acme.example`];
  }

  test('finds all published records', async () => {
    const zone: DnsZone = {};
    publish(zone, RECORDS);
    const check = await lookUp(zone);
    for (const { host } of RECORDS) assert.equal(check(host)?.status, 'verified', host);
    assert.deepEqual(check('_imap._tcp')?.found, ['0 0 0 .']);
    assert.deepEqual(check('_imaps._tcp')?.found, ['0 1 993 mx.posthorn.example']);
  });

  test('accepts an SRV record with another priority and weight', async () => {
    const check = await lookUp({ '_imaps._tcp.acme.example': { SRV: ['10 5 993 MX.posthorn.example'] } });
    assert.equal(check('_imaps._tcp')?.status, 'verified');
  });

  test('explains which record is missing or wrong', async () => {
    const check = await lookUp({
      '_imaps._tcp.acme.example': { SRV: ['0 1 993 mx.posthorn.example', '0 1 993 imap.old.example'] },
      '_submissions._tcp.acme.example': { SRV: ['0 1 1465 mx.posthorn.example'] },
      '_imap._tcp.acme.example': { SRV: ['0 0 143 mx.posthorn.example'] },
      '_pop3s._tcp.acme.example': { fault: 'servfail' },
      'autoconfig.acme.example': { CNAME: ['old.example'] },
      'old.example': { A: ['192.0.2.1'] },
    });
    assert.match(check('_imaps._tcp')?.error ?? '', /do not say 0 1 993 mx\.posthorn\.example; replace/);
    assert.match(check('_submissions._tcp')?.error ?? '', /do not say 0 1 465/);
    assert.match(check('_imap._tcp')?.error ?? '', /do not say 0 0 0 \.; replace/);
    assert.equal(check('_pop3s._tcp')?.status, 'temporary_failure');
    assert.match(check('_submission._tcp')?.error ?? '', /There is no SRV record at/);
    assert.deepEqual(check('autoconfig'), {
      status: 'failed',
      found: ['old.example'],
      error: 'The CNAME record at autoconfig.acme.example does not name web.posthorn.example; replace it.',
    });
    assert.match(check('autodiscover')?.error ?? '', /There is no CNAME record at/);
  });
});
