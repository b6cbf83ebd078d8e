import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { startDnsServer } from '../../test/support/dns-server.ts';
import { DnsResolver } from './dns.ts';

const server = await startDnsServer({
  'one.example': { TXT: ['v=spf1 -all'] },
  'long.example': { TXT: ['a'.repeat(600)] },
  'huge.example': { TXT: ['b'.repeat(3_000)] },
  'two.example': { TXT: ['first', 'second'] },
  'mail.example': { MX: ['10 MX.Example', '20 backup.example'] },
  'no-mail.example': { MX: ['0 .'] },
  'address.example': { A: ['192.0.2.1'] },
  'broken.example': { fault: 'servfail' },
  'closed.example': { fault: 'refused' },
  'silent.example': { fault: 'silent' },
});
after(() => server[Symbol.asyncDispose]());
const dns = new DnsResolver(server.address);
const NONE = { outcome: 'none' };

describe('TXT records', () => {
  const cases: [name: string, records: string[]][] = [
    ['one.example', ['v=spf1 -all']],
    ['long.example', ['a'.repeat(600)]],
    ['two.example', ['first', 'second']],
  ];
  for (const [name, records] of cases) {
    test(`of ${name} are found, each in one piece`, async () => {
      assert.deepEqual(await dns.txt(name), { outcome: 'found', records });
    });
  }

  test('that do not fit a datagram are fetched over TCP', async () => {
    assert.deepEqual(await dns.txt('huge.example'), { outcome: 'found', records: ['b'.repeat(3_000)] });
    assert.ok(server.questions.includes('tcp TXT huge.example'));
  });

  test('are asked for again each time', async () => {
    server.zone['moved.example'] = { TXT: ['old'] };
    await dns.txt('moved.example');
    server.zone['moved.example'] = { TXT: ['new'] };
    assert.deepEqual(await dns.txt('moved.example'), { outcome: 'found', records: ['new'] });
  });
});

describe('MX records', () => {
  test('are found, in lower case', async () => {
    assert.deepEqual(await dns.mx('mail.example'), {
      outcome: 'found',
      records: [
        { priority: 10, exchange: 'mx.example' },
        { priority: 20, exchange: 'backup.example' },
      ],
    });
  });

  test('may say that there is no mail', async () => {
    assert.deepEqual(await dns.mx('no-mail.example'), {
      outcome: 'found',
      records: [{ priority: 0, exchange: '' }],
    });
  });
});

describe('nothing is there', () => {
  for (const name of ['unknown.example', 'address.example', `${'a.'.repeat(130)}example`]) {
    test(`at ${name.slice(0, 30)}`, async () => {
      assert.deepEqual(await dns.txt(name), NONE);
      assert.deepEqual(await dns.mx(name), NONE);
    });
  }
});

describe('nobody could tell', () => {
  for (const [name, reason] of [
    ['broken.example', 'SERVFAIL'],
    ['closed.example', 'REFUSED'],
    ['silent.example', 'no answer'],
  ] as const) {
    test(`about ${name}: ${reason}`, async () => {
      const startedMs = performance.now();
      assert.deepEqual(await dns.txt(name), { outcome: 'failed', reason });
      assert.ok(performance.now() - startedMs < 6_000);
    });
  }

  test('when no server is there', async () => {
    const gone = await startDnsServer();
    await gone[Symbol.asyncDispose]();
    assert.equal((await new DnsResolver(gone.address).mx('mail.example')).outcome, 'failed');
  });
});
