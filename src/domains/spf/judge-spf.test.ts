import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { type DnsZone, startDnsServer } from '../../../test/support/dns-server.ts';
import { DnsResolver } from '../../net/dns.ts';
import { judgeSpf, type SpfJudgement } from './judge-spf.ts';

const server = await startDnsServer();
after(() => server[Symbol.asyncDispose]());
const resolver = new DnsResolver(server.address, { tryTimeoutMs: 500, tries: 1 });

const HOST = 'mx.posthorn.example';
const OURS = `a:${HOST}`;
const EXPECTED = { name: 'send.acme.example', hostname: HOST, mechanism: OURS };
const HOSTS: DnsZone = { [HOST]: { A: ['198.51.100.7', '198.51.100.8'], AAAA: ['2001:db8::7'] } };
const spf = (...records: string[]) => ({ TXT: records });
const names = (count: number, kind = 'include') =>
  Array.from({ length: count }, (_, at) => `${kind}:s${at}.example`).join(' ');
const policies = (count: number): DnsZone =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`s${at}.example`, spf('v=spf1 -all')]));

async function judge(text: string, zone: DnsZone = {}, sendsDirectly = true): Promise<SpfJudgement> {
  server.zone = { ...HOSTS, ...zone, 'send.acme.example': { ...zone['send.acme.example'], TXT: [text] } };
  return judgeSpf([text], EXPECTED, resolver, sendsDirectly);
}

function check(judged: SpfJudgement, error: RegExp, wrongTerm: string | undefined): void {
  assert.ok('error' in judged, JSON.stringify(judged));
  assert.match(judged.error ?? '', error);
  assert.equal(judged.wrongTerm, wrongTerm);
}

describe('a record passes', () => {
  const table: [text: string, zone?: DnsZone][] = [
    [`v=spf1 ${OURS} ~all`],
    [`v=spf1 ${OURS} -all`],
    [`v=spf1 +a:MX.posthorn.example ?all`],
    [`V=SPF1 ${OURS}`],
    [`v=spf1  ${OURS}  ~all `],
    [
      `v=spf1 include:_spf.other.example ${OURS} ~all`,
      { '_spf.other.example': spf('v=spf1 ip4:192.0.2.9 -all') },
    ],
    [`v=spf1 ${OURS} ${names(20)} ~all`],
    [`v=spf1 ${names(9)} ${OURS} ~all`, policies(9)],
    [`v=spf1 ${'ip4:192.0.2.1 '.repeat(100)}${OURS} ~all`],
    [`v=spf1 exists:%{i}.x.example ${OURS} ~all`, { 'x.example': {} }],
    [`v=spf1 ${OURS} future=%{d} exp=why.acme.example -all`],
  ];
  for (const [text, zone] of table)
    test(`without advice: ${text.slice(0, 80)}`, async () =>
      assert.deepEqual(await judge(text, zone), { error: null }));

  const others: [text: string, zone?: DnsZone][] = [
    ['v=spf1 ip4:198.51.100.0/24 ip6:2001:db8::/32 -all'],
    ['v=spf1 mx -all', { 'send.acme.example': { MX: [`10 ${HOST}`] } }],
    [
      'v=spf1 a:other.example/24//64 -all',
      { 'other.example': { A: ['198.51.100.1'], AAAA: ['2001:db8::1'] } },
    ],
    ['v=spf1 include:_spf.acme.example -all', { '_spf.acme.example': spf(`v=spf1 ${OURS} -all`) }],
    ['v=spf1 redirect=_spf.acme.example', { '_spf.acme.example': spf('hello', `v=spf1 ${OURS} -all`) }],
    ['v=spf1 exists:%{d2}.allowed.example -all', { 'acme.example.allowed.example': { A: ['127.0.0.2'] } }],
  ];
  for (const [text, zone] of others)
    test(`with the advice that it differs: ${text}`, async () => {
      const judged = await judge(text, zone);
      assert.ok('error' in judged && judged.error === null, JSON.stringify(judged));
      assert.match(judged.advice?.join() ?? '', /not by a:mx\.posthorn\.example/);
    });
});

describe('receivers reject a record', () => {
  const table: [text: string, error: RegExp, wrongTerm: string, zone?: DnsZone][] = [
    [
      `v=spf1 ipv4:192.0.2.1 ${OURS} ~all`,
      /"ipv4:192\.0\.2\.1" is not valid \(unknown mechanism/,
      'ipv4:192.0.2.1',
    ],
    [`v=spf1 ${OURS} ~all;`, /"~all;" is not valid/, '~all;'],
    [`v=spf1 ${OURS} ~all ip4:192.0.2.300`, /"ip4:192\.0\.2\.300" is not valid/, 'ip4:192.0.2.300'],
    [`v=spf1 ${OURS} ip4:192.0.2.0/33 ~all`, /"ip4:192\.0\.2\.0\/33" is not valid/, 'ip4:192.0.2.0/33'],
    [`v=spf1 ${OURS} include ~all`, /"include" is not valid/, 'include'],
    [`v=spf1 ${OURS} a:localhost ~all`, /"a:localhost" is not valid/, 'a:localhost'],
    [
      `v=spf1 ${OURS} exists:%{x}.example ~all`,
      /"exists:%\{x\}\.example" is not valid/,
      'exists:%{x}.example',
    ],
    [`v=spf1 ${OURS} -all; v=DMARC1`, /"-all;" is not valid/, '-all;'],
    [
      `v=spf1 ${OURS} redirect=a.example redirect=b.example`,
      /"redirect=b\.example" is not valid/,
      'redirect=b.example',
    ],
    [`v=spf1 ${OURS} \u2013all`, /is not valid/, '\u2013all'],
    [
      `v=spf1 include:none.example ${OURS} ~all`,
      /of "include:none\.example" \(there is no SPF record at none\.example\)/,
      'include:none.example',
    ],
    [`v=spf1 redirect=none.example`, /there is no SPF record/, 'redirect=none.example'],
    [
      `v=spf1 include:two.example ${OURS} ~all`,
      /several SPF records at two\.example/,
      'include:two.example',
      { 'two.example': spf('v=spf1 -all', 'v=spf1 ~all') },
    ],
    [
      `v=spf1 ip4:192.0.2.1 include:bad.example ${OURS} ~all`,
      /of "include:bad\.example" \(unknown mechanism "ipv4"\)/,
      'include:bad.example',
      { 'bad.example': spf('v=spf1 ipv4:192.0.2.1 -all') },
    ],
    [
      `v=spf1 include:long.example ${OURS} ~all`,
      /the record there is too long/,
      'include:long.example',
      { 'long.example': spf(`v=spf1 ${'ip4:192.0.2.1 '.repeat(400)}-all`) },
    ],
    [`v=spf1 ${names(10)} ${OURS} ~all`, /more than 10 DNS look-ups/, OURS, policies(10)],
    [
      `v=spf1 include:big.example ${OURS} ~all`,
      /more than 10 DNS look-ups/,
      OURS,
      { ...policies(9), 'big.example': spf(`v=spf1 ${names(9)} -all`) },
    ],
    [
      `v=spf1 include:round.example ${OURS} ~all`,
      /more than 10 DNS look-ups/,
      'include:round.example',
      { 'round.example': spf('v=spf1 include:round.example -all') },
    ],
    [`v=spf1 include:send.acme.example ~all`, /more than 10 DNS look-ups/, 'include:send.acme.example'],
    [`v=spf1 ${names(3, 'a')} ${OURS} ~all`, /more than 2 look-ups found nothing/, 'a:s2.example'],
  ];
  for (const [text, error, wrongTerm, zone] of table)
    test(text.slice(0, 80), async () => check(await judge(text, zone), error, wrongTerm));
});

describe('a record does not allow the host', () => {
  const table: [text: string, error: RegExp, wrongTerm: string | undefined, zone?: DnsZone][] = [
    ['v=spf1 ~all', /198\.51\.100\.7, an address of mx\.posthorn\.example: "~all" applies/, '~all'],
    [`v=spf1 ~all ${OURS}`, /Add a:mx\.posthorn\.example in front of "~all"/, '~all'],
    [`v=spf1 -${OURS} ~all`, /"-a:mx\.posthorn\.example" applies/, `-${OURS}`],
    [`v=spf1 ?${OURS} ~all`, /applies/, `?${OURS}`],
    ['v=spf1 ip4:192.0.2.1', /no term applies/, undefined],
    ['v=spf1 a:mx.posthorn.example.org ~all', /"~all" applies/, '~all'],
    [
      'v=spf1 redirect=_spf.acme.example',
      /"redirect=_spf\.acme\.example" applies/,
      'redirect=_spf.acme.example',
      { '_spf.acme.example': spf('v=spf1 -all') },
    ],
    ['v=spf1 ip4:198.51.100.7 ip6:2001:db8::7 -all', /198\.51\.100\.8, an address/, '-all'],
    ['v=spf1 ip4:198.51.100.0/28 -all', /2001:db8::7, an address/, '-all'],
    [`v=spf1 ${OURS} +all`, /lets anyone send/, '+all'],
    [`v=spf1 ${OURS} all`, /lets anyone send/, 'all'],
  ];
  for (const [text, error, wrongTerm, zone] of table)
    test(text, async () => check(await judge(text, zone), error, wrongTerm));
});

describe('a record cannot be judged while DNS fails', () => {
  const table: [text: string, zone: DnsZone][] = [
    [`v=spf1 include:broken.example ${OURS} ~all`, { 'broken.example': { fault: 'servfail' } }],
    [`v=spf1 include:broken.example ${OURS} ~all`, { 'broken.example': { fault: 'silent' } }],
    [`v=spf1 a:broken.example ${OURS} ~all`, { 'broken.example': { fault: 'refused' } }],
    ['v=spf1 mx -all', { [HOST]: { fault: 'servfail' } }],
  ];
  for (const [text, zone] of table)
    test(`${text} with ${JSON.stringify(Object.values(zone)[0])}`, async () => {
      const judged = await judge(text, zone);
      assert.ok('failed' in judged, JSON.stringify(judged));
      assert.match(judged.failed, /"(?:include|a):broken\.example"|query for mx\.posthorn\.example failed/);
    });

  test('but a term that fails for an address is reported', async () =>
    check(
      await judge('v=spf1 ip4:198.51.100.7 ip6:2001:db8::7 -ip4:198.51.100.8 a:broken.example -all', {
        'broken.example': { fault: 'servfail' },
      }),
      /"-ip4:198\.51\.100\.8" applies/,
      '-ip4:198.51.100.8',
    ));
});

describe('if the addresses are not known', () => {
  const table: [text: string, error: RegExp | null, wrongTerm?: string][] = [
    [`v=spf1 include:_spf.relay.example ${OURS} ~all`, null],
    [`v=spf1 ${OURS} include:none.example ~all`, null],
    ['v=spf1 include:_spf.relay.example ~all', /does not have a:mx\.posthorn\.example/],
    [`v=spf1 -${OURS} ~all`, /does not have/, `-${OURS}`],
    [`v=spf1 ~all ${OURS}`, /in front of "all"/, OURS],
    [`v=spf1 ${OURS} +all`, /lets anyone send/, '+all'],
    [`v=spf1 ipv4:192.0.2.1 ${OURS} ~all`, /is not valid/, 'ipv4:192.0.2.1'],
    [`v=spf1 include:none.example ${OURS} ~all`, /there is no SPF record/, 'include:none.example'],
    [`v=spf1 ${names(10)} ${OURS} ~all`, /more than 10 DNS look-ups/, OURS],
  ];
  const zone: DnsZone = { ...policies(10), '_spf.relay.example': spf('v=spf1 ip4:203.0.113.1 -all') };
  for (const [text, error, wrongTerm] of table) {
    const name = text.slice(0, 80);
    test(`because a smart host sends, the record must be valid and have the mechanism: ${name}`, async () => {
      const judged = await judge(text, zone, false);
      if (error === null) assert.deepEqual(judged, { error: null });
      else check(judged, error, wrongTerm);
    });
    test(`because the host has none, the same applies: ${name}`, async () => {
      const judged = await judge(text, { ...zone, [HOST]: {} });
      if (error !== null) return check(judged, error, wrongTerm);
      assert.ok('error' in judged && judged.error === null);
      assert.match(judged.advice?.join() ?? '', /has no address in DNS/);
    });
  }
});

test('the number of DNS queries for a record is bounded', async () => {
  const many = Object.fromEntries(
    Array.from({ length: 10 }, (_, at) => [
      `m${at}.example`,
      { MX: Array.from({ length: 10 }, (__, host) => `${host} h${host}.m${at}.example`) },
    ]),
  );
  const hosts = Object.fromEntries(
    Array.from({ length: 100 }, (_, at) => [
      `h${at % 10}.m${Math.floor(at / 10)}.example`,
      { A: ['192.0.2.1'], AAAA: ['2001:db8:1::1'] },
    ]),
  );
  const before = server.questions.length;
  const judged = await judge(
    `v=spf1 ${Array.from({ length: 10 }, (_, at) => `mx:m${at}.example`).join(' ')} -all`,
    {
      ...many,
      ...hosts,
    },
  );
  assert.ok('error' in judged || 'failed' in judged);
  assert.ok(server.questions.length - before <= 122, `${server.questions.length - before}`);
});
