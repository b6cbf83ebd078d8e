import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import type { DnsServer } from '../../../test/support/dns-server.ts';
import { processorClock } from '../../../test/support/processor-time.ts';
import { ChunkReader } from '../../rfc/smtp/chunk-reader.ts';
import type { ReadContent } from '../../rfc/smtp/content-buffer.ts';
import { DataReader } from '../../rfc/smtp/data-reader.ts';
import type { Arrival, Authentication } from './authentication.ts';
import { BAD_ADDRESS, checked, PLAIN, seal, sign, startMailDns } from './signed-mail.fixture.ts';

let dns: DnsServer;
before(async () => {
  dns = await startMailDns();
});
after(() => dns[Symbol.asyncDispose]());

/** Runs `run` with changed DNS records, then restores the zone. */
async function withZone<T>(changes: DnsServer['zone'], run: () => Promise<T>): Promise<T> {
  const zone = dns.zone;
  dns.zone = { ...zone, ...changes };
  try {
    return await run();
  } finally {
    dns.zone = zone;
  }
}

function summary({ spf, dkim, dmarc, arc, policy }: Authentication): string {
  return `${spf.result} ${dkim.map(({ result }) => result).join() || 'unsigned'} ${dmarc.result} ${arc.result} ${policy}`;
}

const withBareLf = (message: Buffer): string => message.toString('latin1').replaceAll('\r\n', '\n');

function dataOf(read: ReadContent | undefined): Buffer {
  assert.ok(read !== undefined && 'data' in read);
  return read.data;
}

function readByData(message: Buffer): Buffer {
  const wire = Buffer.from(`${withBareLf(message)}\r\n.\r\n`, 'latin1');
  return dataOf(new DataReader(100_000, () => true).push(wire)?.read);
}

function readByBdat(message: Buffer): Buffer {
  const wire = Buffer.from(withBareLf(message), 'latin1');
  const reader = new ChunkReader(100_000, () => true);
  reader.begin(wire.length);
  reader.push(wire);
  return dataOf(reader.readToEnd);
}

const FROM_UNKNOWN = PLAIN.replace('alice@acme.example', 'alice@unknown.example');
const FORWARDED: Partial<Arrival> = { address: BAD_ADDRESS, mailFrom: 'list@lists.example' };

const CASES: [
  name: string,
  message: () => string | Promise<Buffer>,
  arrival: Partial<Arrival>,
  expected: string,
][] = [
  ['passes all checks if its domain signed and sent it', () => sign(PLAIN), {}, 'pass pass pass none none'],
  [
    'passes all checks if it was sent with bare LFs, by DATA',
    async () => readByData(await sign(PLAIN)),
    {},
    'pass pass pass none none',
  ],
  [
    'passes all checks if it was sent with bare LFs, by BDAT',
    async () => readByBdat(await sign(PLAIN)),
    {},
    'pass pass pass none none',
  ],
  ['passes DMARC by SPF alone if unsigned', () => PLAIN, {}, 'pass unsigned pass none none'],
  ['passes DMARC by DKIM alone if forwarded', () => sign(PLAIN), FORWARDED, 'none pass pass none none'],
  [
    'fails DMARC if unsigned and sent from an address outside the SPF record',
    () => PLAIN,
    { address: BAD_ADDRESS },
    'fail unsigned fail none reject',
  ],
  [
    'fails DMARC if only another domain signed the message',
    () => sign(PLAIN, 'other.example', 'seal'),
    FORWARDED,
    'none pass fail none reject',
  ],
  [
    'fails DMARC if the body was changed in transit',
    async () => Buffer.from(`${await sign(PLAIN)}more\r\n`),
    FORWARDED,
    'none neutral fail none reject',
  ],
  [
    'has no DMARC result for a domain without DMARC',
    () => FROM_UNKNOWN,
    FORWARDED,
    'none unsigned none none none',
  ],
  [
    'gets the DMARC policy for subdomains if its author is in a subdomain',
    () => PLAIN.replace('alice@acme', 'alice@news.acme'),
    FORWARDED,
    'none unsigned fail none quarantine',
  ],
  [
    'has no known author with two From fields',
    () => `From: eve@evil.example\r\n${PLAIN}`,
    {},
    'pass unsigned permerror none none',
  ],
  [
    'has no known author with two From fields, one of them too long to be read',
    () => `From: "${'x'.repeat(20_000)}" <eve@evil.example>\r\n${PLAIN}`,
    {},
    'pass unsigned permerror none none',
  ],
  [
    'has no known author with two From fields, one of them with too many lines',
    () => `From: eve@evil.example${'\r\n '.repeat(2_500)}\r\n${PLAIN}`,
    {},
    'pass unsigned permerror none none',
  ],
  [
    'has no known author without From',
    () => PLAIN.replace(/^From.*\r\n/, ''),
    {},
    'pass unsigned permerror none none',
  ],
  [
    'passes SPF for the domain of EHLO if the reverse path is null',
    () => PLAIN,
    { mailFrom: '', helo: 'acme.example' },
    'pass unsigned pass none none',
  ],
];

describe('a message', () => {
  for (const [name, message, arrival, expected] of CASES) {
    test(name, async () => {
      assert.equal(summary(await checked(dns, (await message()) as Buffer, arrival)), expected);
    });
  }

  test('gets one Authentication-Results field, which names this server', async () => {
    const { header } = await checked(dns, await sign(PLAIN));
    assert.equal(
      header,
      'mx.posthorn.example; spf=pass smtp.mailfrom=acme.example; ' +
        'dkim=pass header.d=acme.example header.s=s1 header.a=rsa-sha256; ' +
        'dmarc=pass policy.dmarc=reject header.from=acme.example; arc=none; iprev=pass policy.iprev=127.0.0.1',
    );
  });
});

describe('a forwarded message', () => {
  const FOOTER = 'changed on the way\r\n';
  const saw = 'mx.google.com; dkim=pass header.i=@acme.example; dmarc=pass header.from=acme.example';

  async function forwarded(
    sealer: string,
    results: string,
    sealers?: ReadonlySet<string>,
  ): Promise<Authentication> {
    const changed = Buffer.concat([await sign(PLAIN), Buffer.from(FOOTER)]);
    return checked(dns, await seal(changed, sealer, results), FORWARDED, sealers);
  }

  test('passes if a trusted sealer vouches for the message, and Authentication-Results names the sealer', async () => {
    const result = await forwarded('google.com', saw);
    assert.equal(summary(result), 'none neutral fail pass none');
    assert.deepEqual(result.arc.sealers, ['google.com']);
    assert.match(
      result.header,
      /dmarc=fail reason="it passed when google\.com received it" policy\.dmarc=reject/,
    );
  });

  test('fails if only an untrusted sealer vouches for the message', async () => {
    assert.equal(summary(await forwarded('other.example', saw)), 'none neutral fail pass reject');
  });

  test('passes only if the operator configured its sealer as trusted', async () => {
    const named = new Set(['other.example']);
    assert.equal(summary(await forwarded('other.example', saw, named)), 'none neutral fail pass none');
    assert.equal(summary(await forwarded('google.com', saw, named)), 'none neutral fail pass reject');
  });

  for (const [name, results] of [
    ['reports a failure', saw.replace('dmarc=pass', 'dmarc=fail')],
    ['reports a pass for another author', saw.replace('from=acme', 'from=evil')],
    ['reports no DMARC result', 'mx.google.com; spf=pass'],
  ] as const) {
    test(`fails if the trusted sealer ${name}`, async () => {
      assert.equal(summary(await forwarded('google.com', results)), 'none neutral fail pass reject');
    });
  }

  test('fails if the message was changed after it was sealed', async () => {
    const sealed = await seal(await sign(PLAIN), 'google.com', saw);
    const result = await checked(dns, Buffer.concat([sealed, Buffer.from(FOOTER)]), FORWARDED);
    assert.equal(summary(result), 'none neutral fail fail reject');
  });
});

describe('a DNS failure', () => {
  const FAULTS = ['servfail', 'refused', 'silent', 'truncated'] as const;
  const NAMES = ['acme.example', '_dmarc.acme.example', 's1._domainkey.acme.example'];
  for (const fault of FAULTS) {
    test(`(${fault}) is a temporary error, never a rejection`, async () => {
      const failing = Object.fromEntries(NAMES.map((name) => [name, { fault }]));
      const result = await withZone(failing, async () =>
        checked(dns, await sign(PLAIN), { address: BAD_ADDRESS }),
      );
      assert.equal(summary(result), 'temperror temperror temperror none none');
    });
  }
});

describe('hostile mail', () => {
  const many = (count: number, field: (at: number) => string) =>
    Array.from({ length: count }, (_, at) => field(at)).join('');
  const signature = (at: number, more = '') =>
    `DKIM-Signature: v=1; a=rsa-sha256; d=d${at}.evil.example; s=s; h=from${more}; bh=2jUSOH9NhtVGCQWNr9BrIAPreKQjO6Sn7XIkfJVOzv8=; b=AAAA\r\n`;
  const arcSet = (at: number) =>
    `ARC-Seal: i=${at}; a=rsa-sha256; cv=${at === 1 ? 'none' : 'pass'}; d=google.com; s=seal; b=AAAA\r\n` +
    `ARC-Message-Signature: i=${at}; a=rsa-sha256; d=google.com; s=seal; h=from; bh=AA; b=AAAA\r\n` +
    `ARC-Authentication-Results: i=${at}; google.com; dmarc=pass header.from=acme.example\r\n`;

  const MESSAGES: [name: string, message: () => string][] = [
    ['thousands of signatures', () => many(4_000, signature) + PLAIN],
    ['a signature of a megabyte', () => signature(1, ':x'.repeat(500_000)) + PLAIN],
    [
      'a signature that lists 8,000 fields',
      () =>
        many(8, (at) => signature(at, ':x'.repeat(7_900))) + many(1_500, (at) => `X-${at}: x\r\n`) + PLAIN,
    ],
    ['a field folded 300,000 times', () => `X-Folded: a\r\n${' \r\n'.repeat(300_000)}${PLAIN}`],
    [
      'a signature folded 300,000 times',
      () => `${signature(1).trimEnd()}\r\n${' \r\n'.repeat(300_000)}${PLAIN}`,
    ],
    ['200,000 fields', () => many(200_000, () => 'a:\r\n') + PLAIN],
    ['a chain of 1,000 sets', () => many(1_000, (at) => arcSet(at + 1)) + PLAIN],
    ['a chain of 50 sets', () => many(50, (at) => arcSet(at + 1)) + PLAIN],
    ['a From of a megabyte', () => PLAIN.replace('Alice', `"${'a(<,'.repeat(250_000)}"`)],
    [
      'a From of 5,000 mailboxes',
      () =>
        PLAIN.replace(
          'Alice <alice@acme.example>',
          many(600, (at) => `a${at}@d${at}.example,`),
        ),
    ],
    ['comments within comments', () => PLAIN.replace('Alice', '('.repeat(8_000))],
  ];
  for (const [name, message] of MESSAGES) {
    test(`is checked in bounded time: ${name}`, async () => {
      const raw = Buffer.from(message());
      const usedMs = processorClock();
      const { policy, dkim, arc } = await checked(dns, raw, { address: BAD_ADDRESS });
      assert.ok(usedMs() < 2_000, `${usedMs()} ms`);
      assert.ok(dkim.length <= 8);
      assert.notEqual(arc.result, 'pass');
      // An unreadable From field is the only case in which the author's domain may be unknown. Nothing else in a message can hide its
      // author.
      if (!name.includes('From') && !name.includes('comments')) assert.equal(policy, 'reject');
    });
  }

  test('with hostile SPF records has the right SPF result', async () => {
    const RECORDS: [record: string, result: string][] = [
      ['v=spf1 include:acme.example -all', 'permerror'],
      ['v=spf1 redirect=acme.example', 'permerror'],
      [`v=spf1 ${many(50, (at) => `include:i${at}.acme.example `)}-all`, 'permerror'],
      [`v=spf1 ${many(12, (at) => `a:a${at}.acme.example `)}-all`, 'permerror'],
      [`v=spf1 ${'ip4:192.0.2.1 '.repeat(200)}-all`, 'fail'],
      [`v=spf1 exists:${'%{l}'.repeat(60)}.acme.example -all`, 'fail'],
    ];
    for (const [record, result] of RECORDS) {
      await withZone({ 'acme.example': { TXT: [record] } }, async () => {
        const { spf } = await checked(dns, PLAIN, { address: BAD_ADDRESS });
        assert.equal(spf.result, result, record.slice(0, 80));
      });
    }
  });

  test('with an excessively long DMARC record has a temporary DMARC error', async () => {
    const endless = {
      TXT: many(50, () => `${'x'.repeat(900)}\n`)
        .trim()
        .split('\n'),
      overTcp: true,
    };
    await withZone({ '_dmarc.acme.example': endless }, async () => {
      const { dmarc, policy } = await checked(dns, PLAIN, { address: BAD_ADDRESS });
      assert.deepEqual([dmarc.result, policy], ['temperror', 'none']);
    });
  });

  test('is not verified with a DKIM key of 16,384 bits', async () => {
    const key = `v=DKIM1; k=rsa; p=${'A'.repeat(2_800)}`;
    await withZone({ 's1._domainkey.acme.example': { TXT: [key] } }, async () => {
      const { dkim } = await checked(dns, await sign(PLAIN));
      assert.equal(dkim[0]?.result, 'neutral');
    });
  });

  test('cannot inject authentication results through names or values in the message', async () => {
    const text = fc.string({ unit: fc.constantFrom(...'a.@;=" ()\\\r\n\t:<>ü'), maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(text, text, text, async (helo, mailFrom, selector) => {
        const message = `DKIM-Signature: v=1; a=rsa-sha256; d=${selector}; s=${selector}; h=from; bh=AA; b=AA\r\n${PLAIN}`;
        const { header } = await checked(dns, message, { helo, mailFrom });
        assert.doesNotMatch(header, /[^\x20-\x7e]/);
        const outside = header.replaceAll(/"[^"]*"/g, '').replaceAll(/\([^)]*\)/g, '');
        const methods = outside
          .split(';')
          .slice(1)
          .map((part) => part.trim().split('=')[0]);
        assert.deepEqual(
          methods.filter((method) => method !== 'dkim'),
          ['spf', 'dmarc', 'arc', 'iprev'],
        );
      }),
      { numRuns: 60 },
    );
  });
});

test('DNS responses are cached for the next message of the same domain', async () => {
  const { CachedDns } = await import('./cached-dns.ts');
  const { DnsResolver } = await import('../../net/dns.ts');
  const cached = new CachedDns(new DnsResolver(dns.address));
  const before = dns.questions.length;
  const responses = await Promise.all(Array.from({ length: 50 }, () => cached.ask('ACME.example', 'TXT')));
  assert.equal(responses[49]?.outcome, 'found');
  await cached.ask('acme.example', 'TXT');
  assert.equal(dns.questions.length - before, 1);
});
