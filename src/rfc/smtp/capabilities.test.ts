import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Capabilities, NO_CAPABILITIES, parseCapabilities } from './capabilities.ts';

const cases: [name: string, lines: string[], expected: Partial<Capabilities>][] = [
  ['nothing', ['mx.example'], {}],
  ['a name that looks like an extension', ['PIPELINING'], {}],
  ['PIPELINING', ['mx', 'PIPELINING'], { pipelining: true }],
  ['keywords in any case', ['mx', 'pipelining', 'StartTls'], { pipelining: true, startTls: true }],
  ['8BITMIME', ['mx', '8BITMIME'], { eightBitMime: true }],
  ['SMTPUTF8', ['mx', 'SMTPUTF8'], { smtpUtf8: true }],
  ['DSN', ['mx', 'dsn'], { dsn: true }],
  ['a size', ['mx', 'SIZE 35651584'], { size: 35_651_584 }],
  ['a size without a limit', ['mx', 'SIZE'], { size: 0 }],
  ['a size of 0', ['mx', 'SIZE 0'], { size: 0 }],
  ['an invalid size', ['mx', 'SIZE -1'], { size: 0 }],
  ['a size that is too large for a number', ['mx', 'SIZE 99999999999999999999'], { size: 0 }],
  ['mechanisms', ['mx', 'AUTH LOGIN PLAIN'], { authMechanisms: ['LOGIN', 'PLAIN'] }],
  [
    'mechanisms in the form before RFC 2554',
    ['mx', 'AUTH=PLAIN LOGIN'],
    { authMechanisms: ['PLAIN', 'LOGIN'] },
  ],
  ['mechanisms in both forms', ['mx', 'AUTH plain', 'AUTH=PLAIN'], { authMechanisms: ['PLAIN'] }],
  ['an unknown extension', ['mx', 'CHUNKING', 'X-ANY 1'], {}],
  ['surrounding spaces', ['mx', ' PIPELINING  ', ''], { pipelining: true }],
];
for (const [name, lines, expected] of cases) {
  test(`parseCapabilities reads ${name} from ${JSON.stringify(lines.slice(1))}`, () => {
    assert.deepEqual(parseCapabilities({ code: 250, lines }), { ...NO_CAPABILITIES, ...expected });
  });
}

test('parseCapabilities returns null or a valid size for any reply', () => {
  const keyword = fc.constantFrom('AUTH', 'AUTH=', 'SIZE', 'SIZE ', 'STARTTLS');
  fc.assert(
    fc.property(fc.array(fc.tuple(keyword, fc.string()).map((parts) => parts.join(''))), (lines) => {
      const { size } = parseCapabilities({ code: 250, lines });
      assert.ok(size === null || (Number.isSafeInteger(size) && size >= 0));
    }),
  );
});
