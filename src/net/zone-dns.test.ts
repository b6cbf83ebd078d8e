import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type DnsServer, type DnsZone, startDnsServer } from '../../test/support/dns-server.ts';
import { DnsResolver } from './dns.ts';
import { ZoneDns } from './zone-dns.ts';

const NS_1 = '127.0.0.2';
const NS_2 = '127.0.0.3';
const DELEGATION: DnsZone = {
  'acme.example': { NS: ['ns1.host.example', 'ns2.host.example'] },
  'ns1.host.example': { A: [NS_1] },
  'ns2.host.example': { A: [NS_2] },
};
const APEX: DnsZone = { 'acme.example': { SOA: ['ns1.host.example'] } };
const found = (...records: unknown[]) => ({ outcome: 'found', records });
const NOT_THERE = { outcome: 'none', nameExists: false };

interface Servers extends AsyncDisposable {
  /** The recursive resolver. (`first` and `second` are the authoritative name servers of the zone.) */
  resolver: DnsServer;
  first: DnsServer;
  second: DnsServer;
  open(domain?: string, allowLoopback?: boolean): ZoneDns;
}

/**
 * @param resolved the records of the resolver in addition to the delegation @param first records of the zone's first name server; by
 * default the second has the same
 */
async function start(resolved: DnsZone, first: DnsZone, second: DnsZone = first): Promise<Servers> {
  const stack = new AsyncDisposableStack();
  const one = stack.use(await startDnsServer({ ...APEX, ...first }, { host: NS_1, port: 0 }));
  const port = Number(one.address.split(':')[1]);
  const two = stack.use(await startDnsServer({ ...APEX, ...second }, { host: NS_2, port }));
  const resolver = stack.use(await startDnsServer({ ...DELEGATION, ...resolved }));
  return {
    resolver,
    first: one,
    second: two,
    open: (domain = 'acme.example', allowLoopback = true) =>
      new ZoneDns(domain, { resolver: new DnsResolver(resolver.address), allowLoopback, port }),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

const ZONE = { name: 'acme.example', nameServers: ['ns1.host.example', 'ns2.host.example'] };

const asked = ({ questions }: DnsServer, question: string) => questions.includes(question);

describe('the response of the name servers of the zone', () => {
  test('takes precedence over records cached by the resolver', async () => {
    await using servers = await start(
      { 'old.acme.example': { TXT: ['old'] } },
      { 'fresh.acme.example': { TXT: ['published'] }, 'send.acme.example': { MX: ['10 mx.example'] } },
    );
    const dns = servers.open();
    assert.deepEqual(await dns.txt('fresh.acme.example'), found('published'));
    assert.deepEqual(await dns.mx('send.acme.example'), found({ priority: 10, exchange: 'mx.example' }));
    assert.deepEqual(await dns.txt('old.acme.example'), NOT_THERE);
    assert.ok(!servers.resolver.questions.some((question) => /^(?:TXT|MX)/.test(question)));
  });

  test('comes from the servers of the parent zone if the domain is not a zone', async () => {
    await using servers = await start({}, { 'send.mail.acme.example': { TXT: ['published'] } });
    assert.deepEqual(
      await servers.open('mail.acme.example').txt('send.mail.acme.example'),
      found('published'),
    );
  });

  test('comes from the same servers after a restart, without finding them again', async () => {
    await using servers = await start(
      {},
      { 'acme.example': { ...APEX['acme.example'], TXT: ['published'] } },
    );
    const dns = servers.open();
    await dns.txt('acme.example');
    const before = servers.resolver.questions.length;
    assert.deepEqual(await dns.restarted().txt('acme.example'), found('published'));
    assert.equal(servers.resolver.questions.length, before);
  });

  test('comes from the zone, which is found only once and is also returned', async () => {
    await using servers = await start({}, {});
    const dns = servers.open('mail.acme.example');
    assert.partialDeepStrictEqual(await dns.zone(), ZONE);
    await dns.txt('acme.example');
    assert.partialDeepStrictEqual(await dns.restarted().zone(), ZONE);
    const searches = servers.resolver.questions.filter((question) => question.startsWith('NS '));
    assert.deepEqual(searches, ['NS mail.acme.example', 'NS acme.example']);
  });

  test('is fetched over TCP if it does not fit in a datagram', async () => {
    await using servers = await start({}, { 'long.acme.example': { TXT: ['x'.repeat(3_000)] } });
    assert.deepEqual(await servers.open().txt('long.acme.example'), found('x'.repeat(3_000)));
  });

  for (const fault of ['refused', 'servfail', 'silent'] as const) {
    test(`comes from the second server if the first is ${fault}`, async () => {
      await using servers = await start(
        {},
        { 'a.acme.example': { fault } },
        { 'a.acme.example': { TXT: ['published'] } },
      );
      assert.deepEqual(await servers.open().txt('a.acme.example'), found('published'));
      assert.ok(asked(servers.first, 'TXT a.acme.example'));
    });
  }

  test('comes from the second server if the first sends octets that are not a DNS message', async () => {
    await using servers = await start(
      {},
      { 'a.acme.example': { octets: Buffer.from('no message at all') } },
      { 'a.acme.example': { TXT: ['published'] } },
    );
    assert.deepEqual(await servers.open().txt('a.acme.example'), found('published'));
  });

  test('is ignored if the name server does not serve the zone', async () => {
    await using servers = await start(
      {},
      { 'acme.example': {} },
      { 'a.acme.example': { TXT: ['published'] } },
    );
    assert.deepEqual(await servers.open().txt('a.acme.example'), found('published'));
    assert.ok(!asked(servers.first, 'TXT a.acme.example'));
  });
});

describe('the resolver is used for', () => {
  const REST: [name: string, resolved: DnsZone, zone: DnsZone][] = [
    [
      'an alias into another zone',
      { 'x.other.example': { TXT: ['told'] } },
      { 'a.acme.example': { CNAME: ['x.other.example'] } },
    ],
    ['a name in a delegated zone', { 'a.acme.example': { TXT: ['told'] } }, { 'b.a.acme.example': {} }],
    [
      'a zone with only failing servers',
      { 'a.acme.example': { TXT: ['told'] } },
      { 'a.acme.example': { fault: 'servfail' } },
    ],
    ['a zone with only lame servers', { 'a.acme.example': { TXT: ['told'] } }, { 'acme.example': {} }],
    ['a zone without name servers', { 'acme.example': {}, 'a.acme.example': { TXT: ['told'] } }, {}],
    [
      'name servers without an address',
      { 'ns1.host.example': {}, 'ns2.host.example': {}, 'a.acme.example': { TXT: ['told'] } },
      {},
    ],
    [
      'name servers that cannot be looked up',
      { 'acme.example': { NS: ['1.2.3.4'] }, 'a.acme.example': { TXT: ['told'] } },
      {},
    ],
  ];
  for (const [name, resolved, zone] of REST) {
    test(name, async () => {
      await using servers = await start(resolved, zone);
      assert.deepEqual(await servers.open().txt('a.acme.example'), found('told'));
    });
  }

  test('names outside the zone', async () => {
    await using servers = await start(
      { 'x.other.example': { TXT: ['told'] } },
      { 'x.other.example': { TXT: ['lie'] } },
    );
    assert.deepEqual(await servers.open().txt('x.other.example'), found('told'));
  });

  test('name servers at addresses that may not be contacted', async () => {
    for (const address of [NS_1, '10.0.0.1', '169.254.169.254', '::1', '::ffff:127.0.0.2', 'fd00::1']) {
      const kind = address.includes(':') ? 'AAAA' : 'A';
      const hosts = { 'ns1.host.example': { [kind]: [address] }, 'ns2.host.example': {} };
      await using servers = await start({ ...hosts, 'a.acme.example': { TXT: ['told'] } }, {});
      assert.deepEqual(await servers.open('acme.example', false).txt('a.acme.example'), found('told'));
      assert.deepEqual(servers.first.questions, []);
    }
  });
});

describe('the effort of a query is limited', () => {
  test('when no server responds', async () => {
    await using servers = await start(
      { 'a.acme.example': { fault: 'silent' } },
      { 'a.acme.example': { fault: 'silent' } },
    );
    const startedMs = performance.now();
    assert.deepEqual(await servers.open().txt('a.acme.example'), { outcome: 'failed', reason: 'no answer' });
    assert.ok(performance.now() - startedMs < 5_500);
  });

  test('when the resolver is silent about the zone', async () => {
    await using servers = await start(
      { 'acme.example': { fault: 'silent' }, 'a.acme.example': { TXT: ['told'] } },
      {},
    );
    const startedMs = performance.now();
    assert.deepEqual(await servers.open().txt('a.acme.example'), found('told'));
    assert.ok(performance.now() - startedMs < 4_000);
  });

  test('to a few name servers of a zone with many', async () => {
    const hosts = Array.from({ length: 50 }, (_, at) => `ns${at}.many.example`);
    const zone: DnsZone = { 'acme.example': { NS: hosts } };
    for (const host of hosts) zone[host] = { A: [NS_1] };
    await using servers = await start(zone, { 'a.acme.example': { TXT: ['published'] } });
    assert.deepEqual(await servers.open().txt('a.acme.example'), found('published'));
    assert.equal(servers.resolver.questions.filter((question) => question.startsWith('A ')).length, 4);
  });
});
