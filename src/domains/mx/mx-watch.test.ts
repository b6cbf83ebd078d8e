import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type DnsZone, startDnsServer } from '../../../test/support/dns-server.ts';
import { testDatabase } from '../../../test/support/postgres.ts';
import { newDomain, newProject } from '../../../test/support/projects.ts';
import { newUuid } from '../../model/ids.ts';
import { DnsResolver } from '../../net/dns.ts';
import { locationByMx, type MxState, UNKNOWN_MX } from './mx-state.ts';
import { MAX_QUERIES, MxWatch, type MxWatchOptions } from './mx-watch.ts';
import { type MxClaim, readMx } from './record-mx.ts';

const OURS = ['mx.here.example'];
const HOUR_MS = 3_600_000;
const MX_HERE = { MX: ['10 mx.here.example'] };
const stack = new AsyncDisposableStack();
after(() => stack.disposeAsync());
const db = stack.use(await testDatabase());
const dns = stack.use(await startDnsServer());

const watchWith = (options: Partial<MxWatchOptions> = {}) =>
  new MxWatch({
    database: db.database,
    dnsOf: () => new DnsResolver(dns.address, { tryTimeoutMs: 1_000, tries: 1 }),
    ownHosts: OURS,
    ...options,
  });

async function newClaim(entry: DnsZone[string]): Promise<MxClaim> {
  const name = `${newUuid().slice(-12)}.example`;
  dns.zone[name] = entry;
  const projectId = await newProject(db.database);
  return { projectId, name, id: await newDomain(db.database, projectId, name, { status: 'verified' }) };
}

const queriesFor = ({ name }: MxClaim): number =>
  dns.questions.filter((question) => question === `MX ${name}`).length;
const standing = ({ name }: MxClaim, state: MxState) => locationByMx(name, state, new Set(OURS));
const stored = async (claim: MxClaim): Promise<MxState> => {
  const { gateways: _, ...state } = await readMx(db.database, claim);
  return state;
};

test('a thousand first deliveries to one domain cause one DNS query, even if their state was read before the answer', async () => {
  const claim = await newClaim(MX_HERE);
  const watch = watchWith();
  const burst = () =>
    Promise.all(Array.from({ length: 1_000 }, async () => watch.current(claim, UNKNOWN_MX)));
  for (const state of [...(await burst()), ...(await burst())]) assert.equal(standing(claim, state), 'here');
  assert.equal(queriesFor(claim), 1);
});

test('an answer is used for an hour without another query, and then DNS is queried again', async () => {
  const claim = await newClaim(MX_HERE);
  let nowMs = Date.now();
  const watch = watchWith({ nowMs: () => nowMs });
  const first = await watch.current(claim, UNKNOWN_MX);
  assert.equal(watch.current(claim, first), first);
  nowMs += HOUR_MS;
  dns.zone[claim.name] = { MX: ['10 mx.other.example'] };
  await watch.current(claim, first);
  assert.equal(queriesFor(claim), 2);
  assert.deepEqual((await stored(claim)).hosts, [{ priority: 10, exchange: 'mx.other.example' }]);
});

test('after a failed query the last definite answer is used', async () => {
  const claim = await newClaim(MX_HERE);
  let nowMs = Date.now();
  const watch = watchWith({ nowMs: () => nowMs });
  const first = await watch.current(claim, UNKNOWN_MX);
  dns.zone[claim.name] = { fault: 'servfail' };
  nowMs += HOUR_MS;
  const after = await watch.current(claim, first);
  assert.equal(standing(claim, after), 'here');
  assert.deepEqual({ ...after, askedAt: null }, { ...first, askedAt: null });
  assert.equal(queriesFor(claim), 2);
});

/** A name server that does not answer until the test ends. */
function silentServer() {
  const { promise, resolve } = Promise.withResolvers<{ outcome: 'failed'; reason: string }>();
  return {
    mx: () => promise,
    [Symbol.dispose]: () => resolve({ outcome: 'failed', reason: 'the test is over' }),
  };
}

test('a silent name server does not delay other domains', async () => {
  using silent = silentServer();
  const [slow, quick] = await Promise.all([newClaim({}), newClaim(MX_HERE)]);
  const watch = watchWith({
    timings: { firstWaitMs: 60_000, queryMs: 60_000 },
    dnsOf: (name) => (name === slow.name ? silent : new DnsResolver(dns.address)),
  });
  const waiting = Promise.resolve(watch.current(slow, UNKNOWN_MX)).then(() => 'slow');
  const answered = Promise.resolve(watch.current(quick, UNKNOWN_MX)).then(() => 'quick');
  assert.equal(await Promise.race([waiting, answered]), 'quick');
});

test('deliveries wait for a silent name server for a bounded time, then use the last definite answer', async () => {
  using silent = silentServer();
  const [slow, known] = await Promise.all([newClaim({}), newClaim(MX_HERE)]);
  const before = await watchWith().current(known, UNKNOWN_MX);
  const watch = watchWith({
    nowMs: () => Date.now() + HOUR_MS,
    timings: { waitMs: 20, firstWaitMs: 20, queryMs: 60_000 },
    dnsOf: () => silent,
  });
  const waiting = Array.from({ length: 100 }, async () => watch.current(slow, UNKNOWN_MX));
  for (const state of await Promise.all(waiting)) assert.equal(standing(slow, state), 'unknown');
  assert.equal(standing(known, await watch.current(known, before)), 'here');
});

test('beyond the limit of concurrent queries a first delivery does not wait, and is sent to the provider', async () => {
  const claim = await newClaim(MX_HERE);
  const silent = silentServer();
  const watch = watchWith({ dnsOf: () => silent });
  const slow = Array.from({ length: MAX_QUERIES }, async (_, at) =>
    watch.current({ ...claim, id: newUuid(), name: `slow${at}.example` }, UNKNOWN_MX),
  );
  const state = watch.current(claim, UNKNOWN_MX);
  assert.equal(state, UNKNOWN_MX);
  assert.equal(standing(claim, UNKNOWN_MX), 'unknown');
  const stale = { ...UNKNOWN_MX, hosts: [{ priority: 10, exchange: 'mx.here.example' }] };
  assert.equal(watch.current(claim, stale), stale);
  assert.equal(standing(claim, stale), 'here');
  silent[Symbol.dispose]();
  await Promise.all(slow);
  assert.ok(watch.current(claim, UNKNOWN_MX) instanceof Promise);
});

test('the answer for a claim that was deleted in the meantime is not stored', async () => {
  const claim = await newClaim(MX_HERE);
  const gone = { ...claim, id: newUuid() };
  assert.equal(standing(gone, await watchWith().current(gone, UNKNOWN_MX)), 'here');
  assert.deepEqual(await stored(gone), UNKNOWN_MX);
});
