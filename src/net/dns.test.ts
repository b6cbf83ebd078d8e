import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import fc from 'fast-check';
import { startDnsServer } from '../../test/support/dns-server.ts';
import { type DnsAnswer, DnsResolver, type MxRecord } from './dns.ts';

const server = await startDnsServer({
  'one.example': { TXT: ['v=spf1 -all'] },
  'long.example': { TXT: ['a'.repeat(600)] },
  'huge.example': { TXT: ['b'.repeat(3_000)] },
  'two.example': { TXT: ['first', 'second'] },
  'mail.example': { MX: ['10 MX.Example', '20 backup.example'] },
  '_imaps._tcp.mail.example': { SRV: ['10 1 993 MX.Example'] },
  '_imap._tcp.mail.example': { SRV: ['0 0 0 .'] },
  'no-mail.example': { MX: ['0 .'] },
  'address.example': { A: ['192.0.2.1'] },
  'broken.example': { fault: 'servfail' },
  'closed.example': { fault: 'refused' },
  'silent.example': { fault: 'silent' },
  'cut.example': { fault: 'truncated', TXT: ['never seen'] },
  'slow.example': { delayMs: 300, TXT: ['late'] },
  'both.example': {
    A: ['192.0.2.1', '192.0.2.2'],
    AAAA: ['2001:db8::1'],
    NS: ['NS1.Example', 'ns2.example'],
  },
  'alias.example': { CNAME: ['second.example'] },
  'second.example': { CNAME: ['both.example'] },
  'dangling.example': { CNAME: ['elsewhere.test'] },
  'round.example': { CNAME: ['and.example'] },
  'and.example': { CNAME: ['round.example'] },
  'below.empty.example': { A: ['192.0.2.3'] },
  'crowd.example': { TXT: Array.from({ length: 150 }, (_, at) => `${at}`) },
  'odd.example': {
    MX: [
      '10 192.0.2.7',
      '10 ok_host.example',
      '10 dot\\.ted.example',
      '10 nul\0.example',
      '10 -x.example',
      '10 x y',
    ],
    NS: ['1.2.3.4', 'b<a>d.example'],
  },
  'odd-alias.example': { CNAME: ['bad!.example'] },
  'no-host.example': { MX: ['10 192.0.2.7'] },
});
after(() => server[Symbol.asyncDispose]());
const dns = new DnsResolver(server.address);

test('an invalid response does not affect concurrent queries', async () => {
  await using other = await startDnsServer({
    'bad.example': { octets: Uint8Array.of(0x81, 0x80, 0, 1, 0, 9) },
    ...Object.fromEntries(
      Array.from({ length: 20 }, (_, at) => [`n${at}.example`, { A: ['192.0.2.1'], delayMs: 200 }]),
    ),
  });
  const resolver = new DnsResolver(other.address);
  const [bad, ...rest] = await Promise.all([
    resolver.a('bad.example'),
    ...Array.from({ length: 20 }, (_, at) => resolver.a(`n${at}.example`)),
  ]);
  assert.equal(bad.outcome, 'failed');
  for (const answer of rest) assert.deepEqual(answer, { outcome: 'found', records: ['192.0.2.1'] });
});

test('thousands of look-ups at once are all answered, although the socket of the server holds only hundreds', async () => {
  const answers = await Promise.all(Array.from({ length: 3_000 }, () => dns.a('address.example')));
  const found = answers.filter(({ outcome }) => outcome === 'found');
  assert.equal(found.length, answers.length);
});

test('look-ups that get no answer hold up others only for a moment', async () => {
  const unanswered = Array.from({ length: 300 }, () => dns.a('silent.example'));
  const first = await Promise.race([dns.a('address.example'), ...unanswered]);
  assert.equal(first.outcome, 'found');
});

describe('TXT records', () => {
  const cases: [name: string, records: string[]][] = [
    ['one.example', ['v=spf1 -all']],
    ['long.example', ['a'.repeat(600)]],
    ['two.example', ['first', 'second']],
  ];
  for (const [name, records] of cases) {
    test(`of ${name} are found and joined`, async () => {
      assert.deepEqual(await dns.txt(name), { outcome: 'found', records });
    });
  }

  test('that do not fit in a datagram are fetched over TCP', async () => {
    assert.deepEqual(await dns.txt('huge.example'), { outcome: 'found', records: ['b'.repeat(3_000)] });
    assert.ok(server.questions.includes('tcp TXT huge.example'));
  });

  test('are not cached', async () => {
    server.zone['moved.example'] = { TXT: ['old'] };
    await dns.txt('moved.example');
    server.zone['moved.example'] = { TXT: ['new'] };
    assert.deepEqual(await dns.txt('moved.example'), { outcome: 'found', records: ['new'] });
  });
});

describe('MX records', () => {
  test('are found in lower case', async () => {
    assert.deepEqual(await dns.mx('mail.example'), {
      outcome: 'found',
      records: [
        { priority: 10, exchange: 'mx.example' },
        { priority: 20, exchange: 'backup.example' },
      ],
    });
  });

  test('with an empty host mean that the domain accepts no mail', async () => {
    assert.deepEqual(await dns.mx('no-mail.example'), {
      outcome: 'found',
      records: [{ priority: 0, exchange: '' }],
    });
  });
});

describe('SRV records', () => {
  test('are found in lower case, and have an empty target if the service is not offered', async () => {
    assert.deepEqual(await dns.srv('_imaps._tcp.mail.example'), {
      outcome: 'found',
      records: [{ priority: 10, weight: 1, port: 993, target: 'mx.example' }],
    });
    assert.deepEqual(await dns.srv('_imap._tcp.mail.example'), {
      outcome: 'found',
      records: [{ priority: 0, weight: 0, port: 0, target: '' }],
    });
  });
});

describe('addresses, aliases and name servers', () => {
  const found = (...records: string[]) => ({ outcome: 'found', records });

  test('are found', async () => {
    assert.deepEqual(await dns.a('both.example'), found('192.0.2.1', '192.0.2.2'));
    assert.deepEqual(await dns.aaaa('both.example'), found('2001:db8::1'));
    assert.deepEqual(await dns.ns('both.example'), found('ns1.example', 'ns2.example'));
    assert.deepEqual(await dns.cname('alias.example'), found('second.example'));
  });

  test('are resolved through a chain of aliases', async () => {
    assert.deepEqual(await dns.a('alias.example'), found('192.0.2.1', '192.0.2.2'));
    assert.deepEqual(await dns.aaaa('alias.example'), found('2001:db8::1'));
  });
});

describe('a query finds no records', () => {
  const cases: [name: string, nameExists: boolean][] = [
    ['unknown.example', false],
    [`${'a.'.repeat(130)}example`, false],
    [`${'a'.repeat(64)}.example`, false],
    ['two words.example', false],
    ['192.0.2.1', false],
    ['', false],
    ['address.example', true],
    ['empty.example', true],
    ['dangling.example', true],
    ['round.example', true],
  ];
  for (const [name, nameExists] of cases) {
    test(`for "${name.slice(0, 30)}", which ${nameExists ? 'exists' : 'does not exist'}`, async () => {
      const none = { outcome: 'none', nameExists };
      assert.deepEqual(await dns.txt(name), none);
      assert.deepEqual(await dns.mx(name), none);
      assert.deepEqual(await dns.aaaa(name), none);
    });
  }
});

describe('untrusted records', () => {
  test('are omitted if their host name is invalid', async () => {
    assert.deepEqual(await dns.mx('odd.example'), {
      outcome: 'found',
      records: [
        { priority: 10, exchange: 'ok_host.example' },
        { priority: 10, exchange: 'x' },
      ],
    });
    assert.deepEqual(await dns.ns('odd.example'), { outcome: 'found', records: [] });
    assert.deepEqual(await dns.cname('odd-alias.example'), { outcome: 'found', records: [] });
    assert.deepEqual(await dns.mx('no-host.example'), { outcome: 'found', records: [] });
  });

  test('are returned up to a maximum of 100', async () => {
    const answer = await dns.txt('crowd.example');
    assert.ok(answer.outcome === 'found' && answer.records.length === 100);
  });
});

describe('a query', () => {
  for (const [name, reason] of [
    ['broken.example', 'SERVFAIL'],
    ['closed.example', 'REFUSED'],
    ['silent.example', 'no answer'],
    ['cut.example', 'no answer'],
  ] as const) {
    test(`for ${name} fails with ${reason}`, async () => {
      const startedMs = performance.now();
      assert.deepEqual(await dns.txt(name), { outcome: 'failed', reason });
      assert.ok(performance.now() - startedMs < 6_000);
    });
  }

  test('succeeds with a slow response', async () => {
    assert.deepEqual(await dns.txt('slow.example'), { outcome: 'found', records: ['late'] });
  });

  test('fails without a server', async () => {
    const gone = await startDnsServer();
    await gone[Symbol.asyncDispose]();
    assert.equal((await new DnsResolver(gone.address).mx('mail.example')).outcome, 'failed');
  });
});

describe('a response of any octets', () => {
  const types = ['a', 'aaaa', 'cname', 'mx', 'ns', 'soa', 'txt'] as const;
  const uint16 = (value: number) => [value >> 8, value & 0xff];
  /** A message with a header, the question, and records with random data. */
  const answerLike = fc
    .record({
      flags: fc.constantFrom(0x8400, 0x8580, 0x8183, 0x8600, 0x0400),
      type: fc.constantFrom(1, 2, 5, 6, 15, 16, 28),
      count: fc.integer({ min: 0, max: 3 }),
      data: fc.uint8Array({ maxLength: 60 }),
      rest: fc.uint8Array({ maxLength: 30 }),
    })
    .map(({ flags, type, count, data, rest }) => (name: string) => {
      const question = [...nameOctets(name), ...uint16(type), 0, 1];
      const record = [0xc0, 12, ...uint16(type), 0, 1, 0, 0, 0, 9, ...uint16(data.length), ...data];
      return Uint8Array.from([
        ...uint16(flags),
        0,
        1,
        0,
        count,
        0,
        0,
        0,
        0,
        ...question,
        ...Array.from({ length: count }, () => record).flat(),
        ...rest,
      ]);
    });
  const anything = fc.oneof(
    answerLike,
    fc.uint8Array({ maxLength: 600 }).map((octets) => () => octets),
  );

  for (const via of ['UDP', 'TCP'] as const) {
    test(`over ${via} leads to an outcome within the time limit`, async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(anything, { minLength: 40, maxLength: 40 }), async (answers) => {
          const startedMs = performance.now();
          await Promise.all(
            answers.map(async (octetsFor, at) => {
              const name = `n${at}.fuzz.example`;
              server.zone[name] = { octets: octetsFor(name), overTcp: via === 'TCP' };
              await Promise.all(
                types.map(async (type) => {
                  // Each query has its own resolver, because an invalid response costs the other queries on the same connection a try.
                  const one = new DnsResolver(server.address, { tryTimeoutMs: 250, tries: 1 });
                  check(await one[type](name));
                }),
              );
            }),
          );
          assert.ok(performance.now() - startedMs < 4_000);
        }),
        { numRuns: 4 },
      );
    });
  }

  function check(answer: DnsAnswer<string | MxRecord>): void {
    if (answer.outcome === 'none') assert.equal(typeof answer.nameExists, 'boolean');
    else if (answer.outcome === 'failed') assert.match(answer.reason, /^(?:no answer|[A-Z]+)$/);
    else {
      assert.ok(answer.records.length <= 100);
      for (const record of answer.records) {
        if (typeof record !== 'string') assert.match(record.exchange, /^[a-z0-9._-]{0,253}$/);
      }
    }
  }

  function nameOctets(name: string): number[] {
    return [...name.split('.').flatMap((label) => [label.length, ...Buffer.from(label)]), 0];
  }
});
