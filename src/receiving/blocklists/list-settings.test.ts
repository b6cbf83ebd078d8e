import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../test/support/property-runs.ts';
import {
  isRefusal,
  KNOWN_LISTS,
  type ListKind,
  type ListSettings,
  MAX_LISTS,
  parseLists,
  pointsOf,
  withoutKeys,
} from './list-settings.ts';

function valid(text: string, kind: ListKind = 'address'): ListSettings[] {
  const lists = parseLists(kind, text);
  assert.ok(!('error' in lists), JSON.stringify(lists));
  return lists;
}

function one(text: string, kind: ListKind = 'address'): ListSettings {
  const [list, ...more] = valid(text, kind);
  assert.ok(list !== undefined && more.length === 0);
  return list;
}

const ANSWERS: [text: string, answers: string[], points: number][] = [
  ['l.example=127.0.0.2', ['127.0.0.2'], 3],
  ['l.example=127.0.0.2', ['127.0.0.3'], 0],
  ['l.example=127.0.0.2', [], 0],
  ['l.example=127.0.0.2:1.5', ['127.0.0.2'], 1.5],
  ['l.example=127.0.0.2-127.0.0.11:6', ['127.0.0.11'], 6],
  ['l.example=127.0.0.2-127.0.0.11', ['127.0.0.12'], 0],
  ['l.example=127.0.0.2+127.0.1.4-127.0.1.6', ['127.0.1.5'], 3],
  ['l.example=127.0.0.2:1,l.example=127.0.0.4:4', ['127.0.0.2', '127.0.0.4'], 4],
  ['l.example=127.0.0.2:1,l.example=127.0.0.4:4', ['127.0.0.2'], 1],
  ['l.example=127.0.0.2-127.254.255.255', ['127.0.0.1'], 0],
  ['l.example=127.0.0.2-127.254.255.255', ['127.255.255.254'], 0],
  ['l.example=127.0.0.2-127.254.255.255', ['203.0.113.7'], 0],
  ['l.example=bit8+bit64', ['127.0.0.8'], 3],
  ['l.example=bit8+bit64', ['127.0.0.80'], 3],
  ['l.example=bit8+bit64', ['127.0.0.6'], 0],
  // The bit 1 means that the query was refused, whatever the other bits are.
  ['l.example=bit8+bit64', ['127.0.0.9'], 0],
  ['l.example=bit8+bit64', ['127.0.0.255'], 0],
  ['l.example=bit8', ['127.0.1.8'], 0],
  ['zen.spamhaus.org', ['127.0.0.4'], 3],
  ['zen.spamhaus.org', ['127.0.0.8'], 0],
  ['zen.spamhaus.org=127.0.0.10-127.0.0.11:1', ['127.0.0.2'], 0],
  ['ZEN.Spamhaus.ORG:2', ['127.0.0.2'], 2],
];
for (const [text, answers, points] of ANSWERS)
  test(`${text} gives ${points} points for ${answers.join(' and ') || 'no answer'}`, () =>
    assert.equal(pointsOf(one(text), answers), points));

test('refusals are 127.0.0.1, 127.255.0.0/16, and everything outside 127.0.0.0/8', () => {
  const refusals = [
    '127.0.0.0',
    '127.0.0.1',
    '127.255.0.0',
    '127.255.255.252',
    '128.0.0.2',
    '0.0.0.0',
    '::1',
    '',
  ];
  assert.deepEqual(refusals.filter(isRefusal), refusals);
  assert.deepEqual(['127.0.0.2', '127.0.1.255', '127.254.255.255'].filter(isRefusal), []);
});

const INVALID: [text: string, error: RegExp][] = [
  [' , ', /without items/],
  ['l.example', /answers are missing/],
  ['l.example:3', /answers are missing/],
  ['localhost=127.0.0.2', /not a domain name/],
  ['-l.example=127.0.0.2', /not a domain name/],
  [`${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}.example=127.0.0.2`, /not a domain name/],
  ['l.example=', /form/],
  ['l.example=127.0.0.2:', /form/],
  ['l.example=127.0.0.2:-3', /form/],
  ['l.example=127.0.0.2:10', /form/],
  ['l.example=127.0.0.2:1.55', /form/],
  ['l.example=127.0.0.2:0', /points/],
  ['l.example=127.0.0.2 127.0.0.3', /form/],
  ['https://l.example/=127.0.0.2', /form/],
  ...[
    '127.0.0.1',
    '127.255.255.254',
    '10.0.0.2',
    '127.0.0.256',
    '127.0.0',
    '127.0.0.02',
    '127.0.0.9-127.0.0.2',
    '127.0.0.2-127.0.0.3-127.0.0.4',
    '127.0.0.2-',
    '127.0.0.2+',
    'bit1',
    'bit3',
    'bit256',
    'bit',
    '127.0.0.2-127.255.0.1',
  ].map((code): [string, RegExp] => [`l.example=${code}`, /an answer is not/]),
  ['dbl.spamhaus.org', /lists domains/],
  ['zen.dq.spamhaus.net', /key@zen\.dq\.spamhaus\.net/],
  ['hunter22.zen.dq.spamhaus.net', /key@zen\.dq\.spamhaus\.net/],
  ['hunter22@zen.spamhaus.org=10.0.0.1', /\*\*\*@zen/],
  ['hunter22.xbl.dq.spamhaus.net=127.0.0.4', /key@xbl\.dq\.spamhaus\.net/],
  ['xbl.dq.spamhaus.net=127.0.0.4', /the key is missing/],
  ['hunter22.combined.mail.abusix.zone=127.0.0.2', /key@combined\.mail\.abusix\.zone/],
  ['hunter22hunter22hunter22.l.example=127.0.0.2', /"\*\*\*\.l\.example.*key@l\.example/],
  ['l.example@hunter22', /\*\*\*@\*\*\*/],
  [
    Array.from({ length: MAX_LISTS + 1 }, (_, at) => `l${at}.example=127.0.0.2`).join(','),
    /more than 10 zones/,
  ],
];
for (const [text, error] of INVALID)
  test(`${text.slice(0, 60)} is rejected with the reason`, () => {
    const lists = parseLists('address', text);
    assert.ok('error' in lists);
    assert.match(lists.error, error);
    assert.doesNotMatch(lists.error, /hunter22/);
  });

describe('a key', () => {
  test('is part of the zone that is queried, but not of the name of the list', () => {
    const { name, zone } = one('hunter22@zen.dq.spamhaus.net:4');
    assert.deepEqual([name, zone], ['zen.dq.spamhaus.net', 'hunter22.zen.dq.spamhaus.net']);
  });

  test('is masked in the text of the setting', () => {
    const masked = withoutKeys(
      'a.example=127.0.0.2, hunter22@b.example=127.0.0.2,hunter22.zen.spamhaus.org:2',
    );
    assert.equal(withoutKeys('l.example@hunter22, k@l.example'), '***@***, ***@l.example');
    assert.equal(masked, 'a.example=127.0.0.2, ***@b.example=127.0.0.2,***.zen.spamhaus.org:2');
  });
});

test('the documentation lists the known lists with their answers', () => {
  const page = readFileSync(new URL('../../../docs/operate/spam.md', import.meta.url), 'utf8');
  const rows = page.split('\n').filter((line) => /\| `POSTHORN_(?:DNSBL|URIBL)` \|/.test(line));
  for (const [zone, { kind, codes, needsKey }] of Object.entries(KNOWN_LISTS)) {
    const setting = kind === 'address' ? 'POSTHORN_DNSBL' : 'POSTHORN_URIBL';
    const named = `\`${needsKey === true ? 'key@' : ''}${zone}\``;
    assert.ok(
      rows.some((row) => [named, setting, `\`${codes}\``].every((part) => row.includes(part))),
      zone,
    );
  }
});

test('every known list can be written without its answers', () => {
  for (const [zone, { kind, needsKey }] of Object.entries(KNOWN_LISTS)) {
    const { codes, listed, unlisted } = one(`${needsKey === true ? 'key@' : ''}${zone}`, kind);
    assert.ok(codes.length > 0 && listed !== unlisted);
  }
});

test('any text is parsed or rejected, and only documented answers count', () => {
  const octet = fc.integer({ min: 0, max: 255 });
  const address = fc.tuple(fc.constantFrom(127, 127, 10), octet, octet, octet).map((each) => each.join('.'));
  const code = fc.oneof(
    address,
    fc.tuple(address, address).map((both) => both.join('-')),
    fc.integer({ min: 0, max: 300 }).map((bit) => `bit${bit}`),
  );
  const item = fc
    .tuple(
      fc.option(fc.constantFrom('key@', '@', 'a@b@'), { nil: '' }),
      fc.constantFrom('a.example', 'b.example', 'zen.spamhaus.org', 'x'),
      fc.option(
        fc.array(code, { minLength: 1, maxLength: 3 }).map((codes) => `=${codes.join('+')}`),
        { nil: '' },
      ),
      fc.option(
        fc.float({ min: 0, max: 12, noNaN: true }).map((points) => `:${points.toFixed(1)}`),
        { nil: '' },
      ),
    )
    .map((parts) => parts.join(''));
  const text = fc.oneof(
    fc.array(item, { maxLength: 4 }).map((items) => items.join(',')),
    fc.string({ maxLength: 60 }),
  );
  fc.assert(
    fc.property(text, address, (setting, answer) => {
      const lists = parseLists('address', setting);
      if ('error' in lists) return assert.ok(lists.error.length > 0);
      for (const list of lists) {
        const points = pointsOf(list, [answer]);
        assert.ok(points === 0 || (points >= 0.1 && points <= 9));
        if (isRefusal(answer)) assert.equal(points, 0);
        assert.equal(pointsOf(list, [answer, '127.0.0.1']), points);
      }
    }),
    { numRuns: runs(5_000) },
  );
});
