import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../test/support/property-runs.ts';
import { readReceivedFrom } from './received-from.ts';

const BY = 'by gw.acme.example (Postfix) with ESMTPS id 4abc; Sat, 28 Nov 2026 04:00:00 +0000';

const cases: [server: string, from: string, address: string | null, helo?: string][] = [
  ['Postfix', 'from mx.dst.test (mx.dst.test [192.0.2.1])', '192.0.2.1', 'mx.dst.test'],
  [
    'Postfix, folded',
    'from mx.dst.test (unknown [192.0.2.1])\r\n\t(using TLSv1.3 with cipher X (256/256 bits))',
    '192.0.2.1',
    'mx.dst.test',
  ],
  ['Postfix, over IPv6', 'from mx.dst.test (mx.dst.test [IPv6:2001:db8::1])', '2001:db8::1', 'mx.dst.test'],
  ['Exim', 'from mx.dst.test ([192.0.2.1] helo=client.test)', '192.0.2.1', 'client.test'],
  ['Exim, without a name', 'from [192.0.2.1] (helo=client.test)', '192.0.2.1', 'client.test'],
  ['Exim, with a port', 'from [192.0.2.1]:4321 (helo=client.test)', '192.0.2.1', 'client.test'],
  ['Exchange', 'from mx.dst.test (192.0.2.1)', '192.0.2.1', 'mx.dst.test'],
  ['Exchange, over IPv6', 'from mx.dst.test (2603:10b6:208:1::1)', '2603:10b6:208:1::1', 'mx.dst.test'],
  ['qmail', 'from unknown (HELO mx.dst.test) (192.0.2.1)', '192.0.2.1', 'mx.dst.test'],
  [
    'this service',
    'from mx.dst.test (mx.dst.test [192.0.2.1])\r\n\t(using TLSv1.3 with cipher X)',
    '192.0.2.1',
    'mx.dst.test',
  ],
  ['an IPv4 address inside IPv6', 'from a (a [IPv6:::ffff:192.0.2.1])', '192.0.2.1', 'a'],
  [
    'a client that claims another address',
    'from [203.0.113.9] (mx.dst.test [192.0.2.1])',
    '192.0.2.1',
    '[203.0.113.9]',
  ],
  [
    'a false HELO address at Exim',
    'from mx.dst.test ([192.0.2.1] helo=[203.0.113.9])',
    '192.0.2.1',
    '[203.0.113.9]',
  ],
  [
    'a false HELO address at Exim, without a name',
    'from [192.0.2.1] (helo=[203.0.113.9])',
    '192.0.2.1',
    '[203.0.113.9]',
  ],
  [
    'a false HELO address at qmail',
    'from unknown (HELO 203.0.113.9) (192.0.2.1)',
    '192.0.2.1',
    '203.0.113.9',
  ],
  ['an address that only the client claims', 'from [203.0.113.9]', null],
  ['two addresses', 'from a (a [192.0.2.1]) (b [203.0.113.9])', null],
  ['an unterminated comment', 'from a (a [192.0.2.1]', null],
  ['text outside a comment', 'from a x (a [192.0.2.1])', null],
  ['no client', '', null],
  ['no address', 'from localhost (mx.dst.test)', null],
];

describe('readReceivedFrom', () => {
  for (const [name, from, address, helo = ''] of cases)
    test(`readReceivedFrom returns ${address ?? 'null'} for ${name}`, () => {
      const expected = address === null ? null : { address, helo };
      assert.deepEqual(readReceivedFrom(`${from} ${BY}`), expected);
    });

  test('readReceivedFrom returns the address of the client for any HELO name in the format of each server', () => {
    const helo = fc.oneof(
      fc.stringMatching(/^[a-z0-9.:[\]-]{1,30}$/),
      fc.ipV4().map((ip) => `[${ip}]`),
      fc.ipV4(),
      fc.ipV6().map((ip) => `[IPv6:${ip}]`),
    );
    fc.assert(
      fc.property(helo, (said) => {
        for (const from of [
          `from ${said} (mx.dst.test [192.0.2.1])`,
          `from ${said} (192.0.2.1)`,
          `from mx.dst.test ([192.0.2.1] helo=${said})`,
          `from [192.0.2.1] (helo=${said})`,
          `from unknown (HELO ${said}) (192.0.2.1)`,
        ])
          assert.equal(readReceivedFrom(`${from} ${BY}`)?.address ?? '192.0.2.1', '192.0.2.1', from);
      }),
      { numRuns: runs(500) },
    );
  });

  test('readReceivedFrom returns a client or null for any text, in bounded time', () => {
    const part = fc.constantFrom('from', ' ', '(', ')', '[192.0.2.1]', 'by', 'helo=', '\r\n\t', 'x', '::1');
    fc.assert(
      fc.property(fc.array(part, { maxLength: 60 }), (parts) => {
        const read = readReceivedFrom(parts.join(''));
        assert.ok(read === null || read.address === '192.0.2.1' || read.address === '::1');
      }),
    );
    assert.equal(readReceivedFrom(`from a ${'('.repeat(5_000)}`), null);
  });
});
