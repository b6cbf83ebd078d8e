import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { anyText } from '../../test/support/any-text.ts';
import { expectedRecords } from './expected-records.ts';
import { zoneFile } from './zone-file.ts';

const KEY = {
  algorithm: 'rsa-sha256',
  keepUntil: null,
  publicKey: `MIIBIjAN${'A'.repeat(376)}IDAQAB`,
} as const;
const UNTIL = new Date('2026-11-27T12:00:00Z');
const shown = expectedRecords(
  'acme.example',
  [
    { ...KEY, selector: 'ph1', state: 'active' },
    { ...KEY, selector: 'ph2', state: 'next' },
  ],
  'mx.posthorn.example',
).map((record) => ({ ...record, status: 'pending' as const }));

interface ReadRecord {
  name: string;
  ttl: number;
  type: string;
  data: string;
  strings: Buffer[];
}

/** The records of a zone file as a name server parses them (RFC 1035, section 5.1). */
function readZone(text: string): ReadRecord[] {
  return text.split('\n').flatMap((line) => {
    if (line === '' || line.startsWith(';')) return [];
    const [, name = '', ttl, type = '', data = ''] =
      /^(\S+)\. (\d+) IN (\w+) (.+)$/.exec(line) ?? assert.fail(line);
    if (type !== 'TXT') return [{ name, ttl: Number(ttl), type, data, strings: [] }];
    const strings = Array.from(data.matchAll(/"((?:[^"\\]|\\\d{3}|\\["\\])*)"(?: |$)/g), ([, inner = '']) =>
      octetsOf(inner),
    );
    assert.equal(data.replaceAll(/"(?:[^"\\]|\\.)*"/g, '').trim(), '');
    return [{ name, ttl: Number(ttl), type, data: Buffer.concat(strings).toString(), strings }];
  });
}

function octetsOf(text: string): Buffer {
  const plain = text.replaceAll(/\\(?:(\d{3})|(.))/g, (_, code?: string, character = '') =>
    code === undefined ? character : String.fromCodePoint(Number(code)),
  );
  return Buffer.from(plain, 'latin1');
}

describe('a zone file', () => {
  test('contains every record, and a name server returns it as shown', () => {
    const read = readZone(zoneFile('acme.example', shown));
    assert.deepEqual(
      read.map(({ name, ttl, type, data }) => [name, ttl, type, data]),
      shown
        .filter(({ record }) => record !== 'MX')
        .map(({ name, ttl, type, value, priority }) => [
          name,
          ttl,
          type,
          priority === null ? value : `${priority} ${value}.`,
        ]),
    );
    assert.deepEqual(
      read.map(({ strings }) => strings.map(({ length }) => length)).filter(({ length }) => length > 1),
      [
        [255, 153],
        [255, 153],
      ],
    );
  });

  test("neither redirects the domain's mail nor adds a second DMARC policy", () => {
    const text = zoneFile('acme.example', shown);
    assert.match(text, /^; acme\.example\. 3600 IN MX 10 mx\.posthorn\.example\.$/m);
    assert.doesNotMatch(text, /^acme\.example\. /m);
    const all = zoneFile(
      'acme.example',
      shown.map((record) => ({ ...record, status: 'verified' as const })),
    );
    assert.match(all, /^acme\.example\. 3600 IN MX 10 mx\.posthorn\.example\.$/m);
    assert.match(all, /^; _dmarc\.acme\.example\. 3600 IN TXT/m);
  });

  test('labels the next key and the old key', () => {
    const [key] = expectedRecords(
      'acme.example',
      [{ ...KEY, selector: 'old', state: 'retiring', keepUntil: UNTIL }],
      'mx.posthorn.example',
    );
    assert.ok(key !== undefined);
    const old = { ...key, status: 'verified' as const, keep_until: UNTIL.toISOString() };
    const text = zoneFile('acme.example', [...shown, old]);
    assert.match(text, /^; DKIM: the next key\nph2\._domainkey/m);
    assert.match(text, /^; DKIM: the old key; keep this record until 2026-11-27\nold\._domainkey/m);
  });

  test('ends the names of servers with a dot, and leaves the root unchanged', () => {
    const srv = { record: 'CLIENT', type: 'SRV', ttl: 60, priority: 0, status: 'pending' } as const;
    const read = readZone(
      zoneFile('acme.example', [
        { ...srv, name: '_imaps._tcp.acme.example', value: '1 993 mx.posthorn.example' },
        { ...srv, name: '_pop3s._tcp.acme.example', value: '0 0 .' },
      ]),
    );
    assert.deepEqual(
      read.map(({ data }) => data),
      ['0 1 993 mx.posthorn.example.', '0 0 0 .'],
    );
  });

  test('preserves any text, split into strings of the allowed length', () => {
    const text = { record: 'SPF', type: 'TXT', ttl: 60, priority: null, status: 'pending' } as const;
    fc.assert(
      fc.property(anyText({ maxLength: 600 }), (value) => {
        const [read, ...more] = readZone(zoneFile('a.example', [{ ...text, name: 'a.example', value }]));
        assert.deepEqual(more, []);
        assert.equal(read?.data, Buffer.from(value).toString());
        assert.ok(read.strings.every(({ length }) => length <= 255));
      }),
    );
  });
});
