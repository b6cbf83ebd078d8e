import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import type { ReadHeader } from './header.ts';
import { MAX_HEADER_OCTETS, readProxyHeader } from './read-header.ts';

const SIGNATURE = '\r\n\r\n\0\r\nQUIT\n';

/** A binary header. @param command the octet with version and command @param declared the length field of the header */
function binary(command: number, family: number, block: Buffer, declared = block.length): Buffer {
  const fixed = Buffer.from([command, family, declared >> 8, declared & 0xff]);
  return Buffer.concat([Buffer.from(SIGNATURE, 'latin1'), fixed, block]);
}

const tcp4 = (source: string): Buffer =>
  Buffer.from([...ipaddr.parse(source).toByteArray(), 10, 0, 0, 1, 0x30, 0x39, 0, 25]);
const tcp6 = (source: string): Buffer =>
  Buffer.from([...ipaddr.parse(source).toByteArray(), ...Buffer.alloc(16), 0x30, 0x39, 0, 25]);
const line = (text: string): Buffer => Buffer.from(text, 'latin1');
const TLV = Buffer.from([0x02, 0, 3, 0x61, 0x62, 0x63]);

const cases: [name: string, octets: Buffer, expected: ReadHeader | { source: string | null }][] = [
  ['TCP4', line('PROXY TCP4 192.0.2.1 10.0.0.1 56324 25\r\n'), { source: '192.0.2.1' }],
  ['TCP6', line('PROXY TCP6 2001:DB8::1 2001:db8::2 56324 25\r\n'), { source: '2001:db8::1' }],
  ['TCP6 of an IPv4 client', line('PROXY TCP6 ::ffff:c000:201 ::1 1 25\r\n'), { source: '192.0.2.1' }],
  ['UNKNOWN', line('PROXY UNKNOWN\r\n'), { source: null }],
  ['UNKNOWN followed by other text', line(`PROXY UNKNOWN ${'x'.repeat(90)}\r\n`), { source: null }],
  ['a line of 107 octets', line(`PROXY UNKNOWN ${'x'.repeat(91)}\r\n`), { source: null }],
  ['a line of 108 octets', line(`PROXY UNKNOWN ${'x'.repeat(92)}\r\n`), 'malformed'],
  ['a port above 65535', line('PROXY TCP4 192.0.2.1 10.0.0.1 65536 25\r\n'), 'malformed'],
  ['a port with a leading zero', line('PROXY TCP4 192.0.2.1 10.0.0.1 025 25\r\n'), 'malformed'],
  ['an address of the wrong family', line('PROXY TCP4 ::1 10.0.0.1 1 25\r\n'), 'malformed'],
  ['an address with leading zeros', line('PROXY TCP4 192.0.2.001 10.0.0.1 1 25\r\n'), 'malformed'],
  ['an address with a zone', line('PROXY TCP6 fe80::1%eth0 ::1 1 25\r\n'), 'malformed'],
  ['two spaces', line('PROXY TCP4  192.0.2.1 10.0.0.1 1 25\r\n'), 'malformed'],
  ['an extra field', line('PROXY TCP4 192.0.2.1 10.0.0.1 1 25 x\r\n'), 'malformed'],
  ['a bare LF', line('PROXY TCP4 192.0.2.1 10.0.0.1 1 25\nEHLO x\r\n'), 'malformed'],
  ['the start of a line', line('PROXY TC'), 'incomplete'],
  ['an IMAP command with the tag PROXY', line('PROXY NOOP\r\n'), 'none'],
  ['an SMTP command', line('EHLO client\r\n'), 'none'],
  ['the first octet of TLS', Buffer.of(0x16), 'none'],
  ['nothing', Buffer.alloc(0), 'incomplete'],
  ['an IPv4 client', binary(0x21, 0x11, tcp4('192.0.2.1')), { source: '192.0.2.1' }],
  ['an IPv6 client', binary(0x21, 0x21, tcp6('2001:db8::1')), { source: '2001:db8::1' }],
  ['an IPv4 client inside IPv6', binary(0x21, 0x21, tcp6('::ffff:192.0.2.1')), { source: '192.0.2.1' }],
  ['additional fields', binary(0x21, 0x11, Buffer.concat([tcp4('192.0.2.1'), TLV])), { source: '192.0.2.1' }],
  ['LOCAL', binary(0x20, 0, Buffer.alloc(0)), { source: null }],
  ['LOCAL with addresses, which are ignored', binary(0x20, 0x11, tcp4('192.0.2.1')), { source: null }],
  ['no family', binary(0x21, 0, TLV), { source: null }],
  ['a Unix socket', binary(0x21, 0x31, Buffer.alloc(216)), { source: null }],
  ['datagrams', binary(0x21, 0x12, tcp4('192.0.2.1')), { source: null }],
  ['version 1 in binary', binary(0x11, 0x11, tcp4('192.0.2.1')), 'malformed'],
  ['an unknown command', binary(0x22, 0x11, tcp4('192.0.2.1')), 'malformed'],
  ['truncated addresses', binary(0x21, 0x11, tcp4('192.0.2.1').subarray(1)), 'malformed'],
  [
    'an address block that has not fully arrived',
    binary(0x21, 0x11, tcp4('192.0.2.1').subarray(1), 12),
    'incomplete',
  ],
  ['the largest header', binary(0x20, 0, Buffer.alloc(MAX_HEADER_OCTETS - 16)), { source: null }],
  ['one octet above the limit', binary(0x20, 0, Buffer.alloc(0), MAX_HEADER_OCTETS - 15), 'malformed'],
  ['the start of a signature', line('\r\n\r\n\0'), 'incomplete'],
  ['an empty line', line('\r\nEHLO'), 'none'],
];

describe('readProxyHeader', () => {
  for (const [name, octets, expected] of cases)
    test(`readProxyHeader returns ${typeof expected === 'string' ? expected : (expected.source ?? 'no address')} for ${name}`, () => {
      const expectedResult = typeof expected === 'string' ? expected : { ...expected, octets: octets.length };
      assert.deepEqual(readProxyHeader(octets), expectedResult);
    });

  const header = fc.oneof(
    fc.ipV4().map((ip) => ({ source: ip, wire: line(`PROXY TCP4 ${ip} 10.0.0.1 1 25\r\n`) })),
    fc.ipV4().map((ip) => ({ source: ip, wire: binary(0x21, 0x11, tcp4(ip)) })),
    fc.ipV6().map((ip) => ({ source: ip, wire: binary(0x21, 0x21, Buffer.concat([tcp6(ip), TLV])) })),
  );

  test('readProxyHeader ignores octets after the header, and returns incomplete for every prefix of a header', () => {
    fc.assert(
      fc.property(header, fc.uint8Array({ maxLength: 40 }), ({ source, wire }, rest) => {
        const read = readProxyHeader(Buffer.concat([wire, rest]));
        assert.deepEqual(read, {
          source: ipaddr.process(source).toString(),
          octets: wire.length,
        });
        for (let end = 0; end < wire.length; end++)
          assert.equal(readProxyHeader(wire.subarray(0, end)), 'incomplete');
      }),
    );
  });

  test('readProxyHeader never reads beyond its limit for any input', () => {
    const start = fc.constantFrom('', 'PROXY TCP4 ', 'PROXY UNKNOWN', SIGNATURE, `${SIGNATURE}!\x11\0\x0c`);
    fc.assert(
      fc.property(start, fc.uint8Array({ maxLength: 3_000 }), (text, octets) => {
        const all = Buffer.concat([line(text), octets]);
        const read = readProxyHeader(all);
        if (read === 'incomplete') assert.ok(all.length < MAX_HEADER_OCTETS);
        if (typeof read === 'object') assert.ok(read.octets <= Math.min(all.length, MAX_HEADER_OCTETS));
      }),
    );
  });
});
