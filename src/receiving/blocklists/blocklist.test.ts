import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { type DnsServer, startDnsServer } from '../../../test/support/dns-server.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { DnsResolver } from '../../net/dns.ts';
import { Blocklist, testList } from './blocklist.ts';
import { type ListKind, parseLists } from './list-settings.ts';
import { TIMINGS } from './timings.ts';

const GOOD = {
  '2.0.0.127.ip.example': { A: ['127.0.0.2'] },
  'test.uri.example': { A: ['127.0.0.2'] },
  '7.100.51.198.ip.example': { A: ['127.0.0.2', '127.0.0.4'] },
};

const EVERY = { A: ['127.0.0.2'] };

let dns: DnsServer;
before(async () => {
  dns = await startDnsServer();
});
beforeEach(() => {
  dns.zone = structuredClone(GOOD);
  dns.questions.length = 0;
});
after(() => dns[Symbol.asyncDispose]());

function settingsOf(text: string, kind: ListKind) {
  const lists = parseLists(kind, text);
  assert.ok(!('error' in lists) && lists[0] !== undefined);
  return lists[0];
}

function open(
  text = 'ip.example=127.0.0.2:2,ip.example=127.0.0.4:4',
  { kind = 'address', timings = {} }: { kind?: ListKind; timings?: Partial<typeof TIMINGS> } = {},
) {
  const warnings: { reason?: string }[] = [];
  const resolver = new DnsResolver(dns.address, { tryTimeoutMs: 200, tries: 1 });
  const list = new Blocklist({
    settings: settingsOf(text, kind),
    lookUp: (name) => resolver.a(name),
    logger: { warn: (fields) => warnings.push(fields) },
    timings: { ...TIMINGS, ...timings },
  });
  return { list, warnings };
}

/** The questions, sorted, with `***` for random labels. */
const questions = () =>
  dns.questions.map((question) => question.replace(/\b[0-9a-f]{16}\b/, '***')).toSorted();

const PATIENCE_MS = 10_000;
const LISTED = '7.100.51.198';
const reasonIn = (warnings: readonly { reason?: string }[]) => warnings[0]?.reason ?? '';

describe('a blocklist', () => {
  test('gives the points of the strongest listing, and none if the name is not listed', async () => {
    const { list, warnings } = open();
    assert.equal(await list.pointsFor(LISTED), 4);
    assert.equal(await list.pointsFor('8.100.51.198'), 0);
    assert.deepEqual(warnings, []);
  });

  test('is tested once, and then again after some minutes', async () => {
    const { list } = open();
    await Promise.all([list.pointsFor(LISTED), list.pointsFor('8.100.51.198')]);
    await list.pointsFor('9.100.51.198');
    const tests = () => dns.questions.filter((question) => question === 'A 2.0.0.127.ip.example').length;
    assert.equal(tests(), 1);
    const { list: restless } = open(undefined, { timings: { testMs: 0 } });
    await restless.pointsFor(LISTED);
    await restless.pointsFor(LISTED);
    assert.equal(tests(), 3);
  });

  const FAILURES: [what: string, zone: DnsServer['zone'], reason: RegExp][] = [
    ['answers every query', { '*.ip.example': EVERY, '*.0.0.127.ip.example': EVERY }, /lists 1\.0\.0\.127/],
    [
      'lists every new name, while a resolver still remembers that 127.0.0.1 is not listed',
      { '*.1.0.0.127.ip.example': EVERY },
      /must never be listed/,
    ],
    ['lists 127.0.0.1', { '1.0.0.127.ip.example': { A: ['127.0.0.2'] } }, /must never be listed/],
    ['does not list its test entry', { '2.0.0.127.ip.example': { TXT: ['x'] } }, /test entry 2\.0\.0\.127/],
    [
      'refuses the query with an error code',
      { [`${LISTED}.ip.example`]: { A: ['127.255.255.254'] } },
      /answers 127\.255\.255\.254/,
    ],
    [
      'answers with an address outside 127.0.0.0/8',
      { [`${LISTED}.ip.example`]: { A: ['203.0.113.7', '127.0.0.2'] } },
      /answers 203\.0\.113\.7/,
    ],
    ['fails in its test', { '1.0.0.127.ip.example': { fault: 'servfail' } }, /lookups fail/],
    ['does not answer its test', { '2.0.0.127.ip.example': { fault: 'silent' } }, /no answer/],
  ];
  for (const [what, zone, reason] of FAILURES)
    test(`that ${what} counts nothing, is left alone, and causes one warning`, async () => {
      dns.zone = { ...structuredClone(GOOD), ...zone };
      const { list, warnings } = open();
      assert.equal(await list.pointsFor(LISTED), 0);
      assert.match(reasonIn(warnings), reason);
      dns.zone = structuredClone(GOOD);
      const asked = dns.questions.length;
      assert.equal(await list.pointsFor(LISTED), 0);
      assert.equal(dns.questions.length, asked);
      assert.equal(warnings.length, 1);
    });

  test('counts again once it passes a test after its rest, and does not repeat its warning before an hour has passed', async () => {
    const { list, warnings } = open(undefined, { timings: { restMs: 0 } });
    dns.zone = { '*.ip.example': EVERY, '*.0.0.127.ip.example': EVERY };
    await list.pointsFor(LISTED);
    const tests = () => dns.questions.filter((question) => question === 'A 2.0.0.127.ip.example').length;
    assert.ok(await eventually(async () => (await list.pointsFor(LISTED)) === 0 && tests() > 2, PATIENCE_MS));
    assert.equal(warnings.length, 1);
    dns.zone = structuredClone(GOOD);
    assert.ok(await eventually(async () => (await list.pointsFor(LISTED)) === 4, PATIENCE_MS));
  });

  test('delays no message after its rest, even if it does not answer', async () => {
    dns.zone['2.0.0.127.ip.example'] = { fault: 'silent' };
    const { list } = open(undefined, { timings: { restMs: 0 } });
    await list.pointsFor(LISTED);
    const late = new Promise<string>((resolve) => setImmediate(resolve, 'late'));
    assert.equal(await Promise.race([list.pointsFor(LISTED), late]), 0);
  });

  test('rests after failed look-ups of three names in a row, not after those of one name', async () => {
    const { list, warnings } = open();
    const names = [1, 2, 3].map((at) => `${at}.100.51.198`);
    for (const name of names) dns.zone[`${name}.ip.example`] = { fault: 'servfail' };
    for (const name of [...names.slice(0, 2), ...names.slice(0, 2)]) await list.pointsFor(name);
    assert.equal(await list.pointsFor(LISTED), 4);
    for (const name of names) await list.pointsFor(name);
    assert.equal(await list.pointsFor(LISTED), 0);
    assert.match(reasonIn(warnings), /lookups fail/);
  });

  test('keeps counting if a look-up of its test fails after it passed a test', async () => {
    const { list, warnings } = open(undefined, { timings: { testMs: 0 } });
    assert.equal(await list.pointsFor(LISTED), 4);
    dns.zone['1.0.0.127.ip.example'] = { fault: 'servfail' };
    assert.equal(await list.pointsFor(LISTED), 0);
    dns.zone = structuredClone(GOOD);
    assert.equal(await list.pointsFor(LISTED), 4);
    assert.deepEqual(warnings, []);
  });

  test('of domains is tested with the reserved names TEST and INVALID', async () => {
    dns.zone['spam.com.uri.example'] = { A: ['127.0.0.2'] };
    const { list } = open('uri.example=127.0.0.2', { kind: 'domain' });
    assert.equal(await list.pointsFor('spam.com'), 3);
    assert.deepEqual(
      questions(),
      [
        'A invalid.uri.example',
        'A spam.com.uri.example',
        'A test.uri.example',
        'A ***.invalid.uri.example',
      ].toSorted(),
    );
  });

  test('is named without its key in warnings', async () => {
    dns.zone = { '*.hunter22.ip.example': { fault: 'servfail' } };
    const { list, warnings } = open('hunter22@ip.example=127.0.0.2');
    await list.pointsFor(LISTED);
    assert.equal(warnings.length, 1);
    assert.doesNotMatch(JSON.stringify(warnings), /hunter22/);
  });
});

test('the test of a list asks for one entry that must be there, and for two that must not', async () => {
  const resolver = new DnsResolver(dns.address);
  assert.equal(
    await testList(settingsOf('ip.example=127.0.0.2', 'address'), (name) => resolver.a(name)),
    null,
  );
  assert.deepEqual(questions(), [
    'A ***.1.0.0.127.ip.example',
    'A 1.0.0.127.ip.example',
    'A 2.0.0.127.ip.example',
  ]);
});
