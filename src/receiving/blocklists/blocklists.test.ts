import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { type DnsServer, startDnsServer } from '../../../test/support/dns-server.ts';
import { testDatabase } from '../../../test/support/postgres.ts';
import { newDomain, newProject } from '../../../test/support/projects.ts';
import { noteVerified } from '../../domains/first-verified.ts';
import { HOSTED_PROJECT_ID } from '../../domains/hosted.ts';
import { html, letter } from '../spam/spam-mail.fixture.ts';
import { Blocklists, type BlocklistsOptions } from './blocklists.ts';
import { domainsOfInstallation } from './domains-of-installation.ts';
import { linkDomainsOf, registeredDomain } from './link-domains.ts';
import { parseLists } from './list-settings.ts';
import { TIMINGS } from './timings.ts';

const V6 = '7.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2';

let dns: DnsServer;
before(async () => {
  dns = await startDnsServer();
});
beforeEach(() => {
  dns.questions.length = 0;
  dns.zone = {
    '2.0.0.127.one.example': { A: ['127.0.0.2'] },
    '2.0.0.127.two.example': { A: ['127.0.0.2'] },
    'test.uri.example': { A: ['127.0.0.2'] },
    '7.100.51.198.one.example': { A: ['127.0.0.2'] },
    '7.100.51.198.two.example': { A: ['127.0.0.2'] },
    [`${V6}.one.example`]: { A: ['127.0.0.2'] },
    'example.org.uri.example': { A: ['127.0.0.2'] },
    'example.com.uri.example': { A: ['127.0.0.2'] },
  };
});
after(() => dns[Symbol.asyncDispose]());

const settings = (dnsbl: string, uribl: string) =>
  [parseLists('address', dnsbl), parseLists('domain', uribl)].flatMap((lists) => {
    assert.ok(!('error' in lists));
    return lists;
  });

function open(options: Partial<BlocklistsOptions> = {}): Blocklists {
  return new Blocklists({
    lists: settings('one.example=127.0.0.2,two.example=127.0.0.2:1.5', 'uri.example=127.0.0.2:4'),
    dns: dns.address,
    hosts: ['mx.example.net'],
    ownDomains: async (domains) => domains.filter((domain) => domain === 'example.com'),
    logger: { warn: () => {} },
    ...options,
  });
}

const CLIENT = { address: '198.51.100.7' };

/** The domains of links whose host is the domain itself. */
const at = (...domains: string[]) => domains.map((domain) => ({ domain, names: [domain] }));

describe('blocklists', () => {
  test('give a reason for each list that contains the client or a link', async () => {
    assert.deepEqual(await open().start(CLIENT)(at('example.edu', 'example.org')), [
      { rule: 'DOMAIN_LISTED:uri.example', weight: 4 },
      { rule: 'ADDRESS_LISTED:one.example', weight: 3 },
      { rule: 'ADDRESS_LISTED:two.example', weight: 1.5 },
    ]);
  });

  test('look up an IPv6 address by its digits, and an IPv4-mapped one as IPv4', async () => {
    const reasons = [{ rule: 'ADDRESS_LISTED:one.example', weight: 3 }];
    assert.deepEqual(await open().start({ address: '2001:db8::7' })([]), reasons);
    const mapped = await open().start({ address: '::ffff:198.51.100.7' })([]);
    assert.equal(mapped.length, 2);
  });

  test('are not asked about mail of this installation', async () => {
    assert.deepEqual(await open().start({ ...CLIENT, isOwn: true })(at('example.org')), []);
    assert.deepEqual(dns.questions, []);
  });

  for (const address of ['', '127.0.0.2', '::1', '10.1.2.3', '100.64.0.1', 'fe80::1', 'fd00::1', 'unknown'])
    test(`are not asked about the client ${address || 'without an address'}`, async () => {
      assert.deepEqual(await open().start({ address })([]), []);
      assert.deepEqual(dns.questions, []);
    });

  test('are not asked about domains of this installation', async () => {
    await open().start({ address: '' })(at('example.com', 'example.net', 'example.edu'));
    const asked = dns.questions.filter((question) => question.includes('A example'));
    assert.deepEqual(asked, ['A example.edu.uri.example']);
  });

  test('are not asked about a domain if a link leads to a name below it that is a domain of this installation', async () => {
    const names = ['example.org', 'news.example.org'];
    const ownDomains = async (asked: readonly string[]) =>
      asked.filter((name) => name === 'news.example.org');
    assert.deepEqual(
      await open({ ownDomains }).start({ address: '' })([{ domain: 'example.org', names }]),
      [],
    );
    assert.deepEqual(dns.questions, []);
  });

  test('are not asked about any domain while the own domains are unknown', async () => {
    const ownDomains = () => Promise.reject(new Error('the database is unavailable'));
    assert.deepEqual(await open({ ownDomains }).start({ address: '' })(at('example.org')), []);
    assert.deepEqual(dns.questions, []);
  });

  test('add at most nine points together, so that they reject nothing alone', async () => {
    const lists = settings('one.example=127.0.0.2:7.4,two.example=127.0.0.2:9', 'uri.example=127.0.0.2:4');
    assert.deepEqual(await open({ lists }).start(CLIENT)(at('example.org')), [
      { rule: 'ADDRESS_LISTED:two.example', weight: 9 },
    ]);
    const others = settings('one.example=127.0.0.2:7.4', 'uri.example=127.0.0.2:4');
    assert.deepEqual(await open({ lists: others }).start(CLIENT)(at('example.org')), [
      { rule: 'ADDRESS_LISTED:one.example', weight: 7.4 },
      { rule: 'DOMAIN_LISTED:uri.example', weight: 1.6 },
    ]);
  });

  test('that do not answer in time do not count, and those that do answer count', async () => {
    dns.zone['*.two.example'] = { fault: 'silent' };
    dns.zone['2.0.0.127.two.example'] = { fault: 'silent' };
    dns.zone['7.100.51.198.two.example'] = { fault: 'silent' };
    const timings = { ...TIMINGS, listsMs: 500, tryTimeoutMs: 1_000, tries: 1 };
    assert.deepEqual(await open({ timings }).start(CLIENT)([]), [
      { rule: 'ADDRESS_LISTED:one.example', weight: 3 },
    ]);
  });

  test('count the answers about other links if one answer is late', async () => {
    dns.zone['example.edu.uri.example'] = { fault: 'silent' };
    const timings = { ...TIMINGS, listsMs: 500, tryTimeoutMs: 1_000, tries: 1 };
    assert.deepEqual(await open({ timings }).start({ address: '' })(at('example.edu', 'example.org')), [
      { rule: 'DOMAIN_LISTED:uri.example', weight: 4 },
    ]);
  });

  test('are asked about no more names at once than the limit, and about others afterwards', async () => {
    const lists = open({ maxLookUps: 1 });
    const [first, second] = [lists.start({ address: '' }), lists.start({ address: '' })];
    await Promise.all([first(at('example.edu')), second(at('example.org'))]);
    const asked = () => dns.questions.filter((question) => question.startsWith('A example'));
    assert.deepEqual(asked(), ['A example.edu.uri.example']);
    assert.equal((await lists.start({ address: '' })(at('example.org'))).length, 1);
  });

  test('are asked once about the same address within a minute', async () => {
    const lists = open();
    await lists.start(CLIENT)([]);
    const asked = dns.questions.length;
    await lists.start(CLIENT)([]);
    assert.equal(dns.questions.length, asked);
  });
});

const HOSTS: [host: string, domain: string | null][] = [
  ['www.a.example.com', 'example.com'],
  ['shop.example.co.uk', 'example.co.uk'],
  ['someone.github.io', 'someone.github.io'],
  ['example.com.', 'example.com'],
  ['xn--e1afmkfd.xn--p1ai', 'xn--e1afmkfd.xn--p1ai'],
  ['192.0.2.1', null],
  ['[2001:db8::1]', null],
  ['localhost', null],
  ['wiki.corp', null],
  ['nas.home.arpa', null],
  ['site.onion', null],
  ['com', null],
];
for (const [host, domain] of HOSTS)
  test(`the registered domain of ${host} is ${domain}`, () => assert.equal(registeredDomain(host), domain));

describe('the domains of links', () => {
  const domainsOf = (mail: Parameters<typeof linkDomainsOf>[0]) =>
    linkDomainsOf(mail).map(({ domain }) => domain);
  const linksTo = (hosts: readonly string[]) =>
    domainsOf(letter(html(hosts.map((host) => `<a href="https://www.${host}/x">text</a>`).join(' '))));

  test('come from HTML and from text, once each, without those of large services', () => {
    const text = {
      body: 'See http://a.example.com/x, https://b.example.com and https://www.google.com/\r\n',
    };
    assert.deepEqual(linkDomainsOf(letter(text)), [
      { domain: 'example.com', names: ['example.com', 'a.example.com', 'b.example.com'] },
    ]);
    assert.deepEqual(linkDomainsOf(letter({ body: 'http://x.y.example.com./' }))[0]?.names, [
      'example.com',
      'x.y.example.com',
      'y.example.com',
    ]);
    assert.deepEqual(linksTo(['example.com', 'example.org', 'paypal.com', 'example.com']), [
      'example.com',
      'example.org',
    ]);
  });

  test('are the first and the last ten of a message with many', () => {
    const hosts = Array.from({ length: 50 }, (_, at) => `n${at}.com`);
    assert.deepEqual(linksTo(hosts), [...hosts.slice(0, 10), ...hosts.slice(40)]);
  });
});

test('domains of this installation are the hosted domain and domains that were ever verified, not mere claims', async () => {
  await using db = await testDatabase();
  const projectId = await newProject(db.database);
  const domain = (name: string, fields = {}) => newDomain(db.database, projectId, name, fields);
  await domain('verified.example', { status: 'verified', verifiedAt: new Date() });
  await domain('claimed.example', { status: 'pending' });
  const lostId = await domain('lost.example', { status: 'pending' });
  await noteVerified(db.database, { projectId, id: lostId }, new Date());
  await newDomain(db.database, HOSTED_PROJECT_ID, 'hosted.example');
  const names = ['claimed.example', 'hosted.example', 'lost.example', 'unknown.example', 'verified.example'];
  assert.deepEqual((await domainsOfInstallation(db.database, names)).toSorted(), [
    'hosted.example',
    'lost.example',
    'verified.example',
  ]);
});
