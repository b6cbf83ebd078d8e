import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { type DnsZone, startDnsServer } from '../../../test/support/dns-server.ts';
import { DnsResolver } from '../../net/dns.ts';
import type { RecordResolver } from '../../net/zone-dns.ts';
import { evaluateSpf } from './evaluate-spf.ts';
import { judgeSpf, type SpfJudgement } from './judge-spf.ts';

const server = await startDnsServer();
after(() => server[Symbol.asyncDispose]());
const resolver = new DnsResolver(server.address, { tryTimeoutMs: 500, tries: 1 });

const HOST = 'mx.posthorn.example';
const OURS = `a:${HOST}`;
const EXPECTED = { name: 'send.acme.example', hostname: HOST, mechanism: OURS };
// Public addresses, because those for documentation are ignored.
const HOSTS: DnsZone = { [HOST]: { A: ['93.184.215.7', '93.184.215.8'], AAAA: ['2606:2800::7'] } };
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
    ['v=spf1 ip4:93.184.215.0/24 ip6:2606:2800::/32 -all'],
    ['v=spf1 mx -all', { 'send.acme.example': { MX: [`10 ${HOST}`] } }],
    [
      'v=spf1 a:other.example/24//64 -all',
      { 'other.example': { A: ['93.184.215.1'], AAAA: ['2606:2800::1'] } },
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
    ['v=spf1 ~all', /93\.184\.215\.7, an address of mx\.posthorn\.example: "~all" applies/, '~all'],
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
    ['v=spf1 ip4:93.184.215.7 ip6:2606:2800::7 -all', /93\.184\.215\.8, an address/, '-all'],
    ['v=spf1 ip4:93.184.215.0/28 -all', /2606:2800::7, an address/, '-all'],
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
      await judge('v=spf1 ip4:93.184.215.7 ip6:2606:2800::7 -ip4:93.184.215.8 a:broken.example -all', {
        'broken.example': { fault: 'servfail' },
      }),
      /"-ip4:93\.184\.215\.8" applies/,
      '-ip4:93.184.215.8',
    ));
});

describe('if the addresses are not known', () => {
  const both: [text: string, error: RegExp | null, wrongTerm?: string][] = [
    [`v=spf1 include:_spf.relay.example ${OURS} ~all`, null],
    ['v=spf1 include:_spf.relay.example ~all', /does not have a:mx\.posthorn\.example/],
    [`v=spf1 -${OURS} ~all`, /does not have/, `-${OURS}`],
    [`v=spf1 ~all ${OURS}`, /in front of "all"/, OURS],
    [`v=spf1 ${OURS} +all`, /lets anyone send/, '+all'],
    [`v=spf1 ipv4:192.0.2.1 ${OURS} ~all`, /is not valid/, 'ipv4:192.0.2.1'],
    [`v=spf1 include:none.example ${OURS} ~all`, /there is no SPF record/, 'include:none.example'],
    [`v=spf1 ${names(10)} ${OURS} ~all`, /more than 10 DNS look-ups/, OURS],
  ];
  const zone: DnsZone = {
    ...policies(10),
    '_spf.relay.example': spf('v=spf1 ip4:203.0.113.1 -all'),
    'broken.example': { fault: 'servfail' },
  };
  // Receivers evaluate the terms behind the mechanism only for the addresses of a smart host.
  const withSmartHost: typeof both = [
    ...both,
    [`v=spf1 ${OURS} include:none.example ~all`, /there is no SPF record/, 'include:none.example'],
    [`v=spf1 ${OURS} ${names(10)} ~all`, /more than 10 .*\. Remove terms/, 'include:s9.example'],
  ];
  for (const [text, error, wrongTerm] of withSmartHost)
    test(`because a smart host sends, all of the record must be valid: ${text.slice(0, 80)}`, async () => {
      const judged = await judge(text, zone, false);
      if (error === null) assert.deepEqual(judged, { error: null });
      else check(judged, error, wrongTerm);
    });

  test('because a smart host sends, DNS must answer for all terms', async () => {
    const judged = await judge(`v=spf1 ${OURS} include:broken.example ~all`, zone, false);
    assert.match('failed' in judged ? judged.failed : '', /"include:broken\.example"/);
  });

  const reasons: [reason: string, addresses: DnsZone[string]][] = [
    ['the host has none', {}],
    ['all addresses of the host are private', { A: ['10.0.0.7', '127.0.1.1'], AAAA: ['fd00::7'] }],
  ];
  const withoutAddress: typeof both = [...both, [`v=spf1 ${OURS} include:none.example ~all`, null]];
  for (const [reason, addresses] of reasons)
    for (const [text, error, wrongTerm] of withoutAddress)
      test(`because ${reason}, receivers must accept the mechanism: ${text.slice(0, 80)}`, async () => {
        const judged = await judge(text, { ...zone, [HOST]: addresses });
        if (error !== null) return check(judged, error, wrongTerm);
        assert.ok('error' in judged && judged.error === null);
        assert.match(judged.advice?.join() ?? '', /has no public address in DNS/);
      });

  test('but private addresses are ignored if the host has public ones', async () => {
    const addresses = { A: ['10.0.0.7', '93.184.215.7'] };
    const judged = await judge('v=spf1 ip4:93.184.215.7 -all', { [HOST]: addresses });
    assert.ok('error' in judged && judged.error === null, JSON.stringify(judged));
  });
});

/** The resolver, with other answers for addresses. */
function resolverWith(changed: Partial<RecordResolver>): RecordResolver {
  return {
    txt: (name) => resolver.txt(name),
    mx: (name) => resolver.mx(name),
    srv: (name) => resolver.srv(name),
    cname: (name) => resolver.cname(name),
    ptr: (name) => resolver.ptr(name),
    a: (name) => resolver.a(name),
    aaaa: (name) => resolver.aaaa(name),
    zone: (name) => resolver.zone(name),
    ...changed,
  };
}

test('a host whose addresses differ between queries is judged by one answer', async () => {
  let count = 0;
  const changing = resolverWith({
    a: async () => ({ outcome: 'found', records: [`93.184.215.${++count}`] }),
  });
  const text = 'v=spf1 include:_spf.acme.example -all';
  server.zone = { '_spf.acme.example': spf(`v=spf1 ${OURS} -all`) };
  const judged = await judgeSpf([text], EXPECTED, changing, true);
  assert.ok('error' in judged && judged.error === null, JSON.stringify(judged));
  assert.equal(count, 1);
});

describe('if DNS returns only the IPv4 addresses of the host', () => {
  const partial = resolverWith({ aaaa: async () => ({ outcome: 'failed', reason: 'SERVFAIL' }) });
  test('a record that allows them is not judged', async () => {
    server.zone = HOSTS;
    const judged = await judgeSpf(['v=spf1 ip4:93.184.215.0/24 -all'], EXPECTED, partial, true);
    assert.deepEqual(judged, { failed: `the DNS query for ${HOST} failed (SERVFAIL)` });
  });
  test('a record that does not allow them fails', async () => {
    server.zone = HOSTS;
    check(await judgeSpf(['v=spf1 -all'], EXPECTED, partial, true), /"-all" applies/, '-all');
  });
});

test('the number of DNS queries for a record is bounded', async () => {
  const at = (most: number) => Array.from({ length: most }, (_, index) => index);
  const many = Object.fromEntries(
    at(10).map((of) => [`m${of}.example`, { MX: at(10).map((host) => `${host} h${host}.m${of}.example`) }]),
  );
  const hosts = Object.fromEntries(
    at(100).map((of) => [
      `h${of % 10}.m${Math.floor(of / 10)}.example`,
      { A: ['192.0.2.1'], AAAA: ['2606:2800:1::1'] },
    ]),
  );
  const before = server.questions.length;
  const terms = at(10).map((of) => `mx:m${of}.example`);
  const judged = await judge(`v=spf1 ${terms.join(' ')} ${OURS} -all`, { ...many, ...hosts });
  assert.deepEqual(judged, { failed: 'it needs more than 120 DNS queries; shorten it' });
  assert.ok(server.questions.length - before <= 122, `${server.questions.length - before}`);
});

describe('the time for a record is bounded', () => {
  const question = {
    domain: EXPECTED.name,
    hostname: HOST,
    terms: [OURS, '-all'],
    addresses: ['93.184.215.7'],
    answers: {},
  };

  test('for its DNS queries, which then count as failed', async () => {
    const silent = resolverWith({ a: () => Promise.withResolvers<never>().promise });
    const evaluation = await evaluateSpf(question, silent, { queriesMs: 1, totalMs: 60_000 });
    assert.equal(evaluation?.verdicts[0]?.result, 'temperror');
  });

  test('for the whole evaluation', async () => {
    assert.equal(await evaluateSpf(question, resolver, { queriesMs: 1, totalMs: 0 }), null);
  });

  test('for the resolver from the beginning of the evaluation only', async () => {
    const late = resolverWith({
      a: async () => ({ outcome: 'failed', reason: 'no answer' }),
      restarted: () => resolver,
    });
    server.zone = HOSTS;
    const evaluation = await evaluateSpf(question, late);
    assert.equal(evaluation?.verdicts[0]?.result, 'pass');
  });
});

test('of a name with many addresses, the first 20 are read', async () => {
  const addresses = Array.from({ length: 100 }, (_, at) => `203.0.113.${at}`);
  const read = resolverWith({ a: async () => ({ outcome: 'found', records: addresses }) });
  for (const [at, result] of [
    [19, 'pass'],
    [20, 'fail'],
  ] as const) {
    const question = {
      domain: EXPECTED.name,
      hostname: HOST,
      terms: ['a:many.example', '-all'],
      answers: {},
    };
    const evaluation = await evaluateSpf({ ...question, addresses: [`203.0.113.${at}`] }, read);
    assert.equal(evaluation?.verdicts[0]?.result, result);
  }
});
