/** Workers that die while mail waits for a destination. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startDnsServer } from '../support/dns-server.ts';
import { eventually } from '../support/eventually.ts';
import type { Patch } from '../support/patches.ts';
import { parkedRows } from '../support/queue-rows.ts';
import { type Service, startService } from '../support/service.ts';
import { startSmtpServer } from '../support/smtp-server.ts';
import { happensAtLast, postEmails, queueIsEmpty, SHORT_LEASE } from './support.ts';

const EMAILS = 60;
const KILLS = 3;
/** The time within which the next probe begins. */
const PROBE_MS = 3_000;
const PATIENCE_MS = 30_000;
/** Short waits for retries, and for the lease of a probe whose worker died. */
const SHORT_WAITS: readonly Patch[] = [
  ...SHORT_LEASE,
  { timings: 'src/queue', values: { probeLeaseMs: 1_000, backlogLookMs: 500 } },
  { timings: 'src/sending/deliver', values: { retryDelaysMs: [1_000, 1_000, 1_000, 1_800_000] } },
  { timings: 'src/process', values: { restartWaitsMs: [0, 1] } },
];

interface Result {
  /** Recipients whose message never arrived. */
  lost: string[];
  /** The number of parked queue rows whose destination has no row. */
  orphans: number;
  statuses: Set<string>;
}

/** Kills the worker at each probe of an unavailable destination, then makes the destination available. */
async function killProbes(patches: readonly Patch[], patienceMs: number): Promise<Result> {
  let isAway = true;
  let probed = Promise.withResolvers<void>();
  await using server = await startSmtpServer({
    host: '127.0.0.2',
    reply: async (stage) => {
      if (!isAway || stage !== 'mail') return undefined;
      probed.resolve();
      // The delay is long enough to kill the worker while the probe is in flight.
      await new Promise((resolve) => {
        setTimeout(resolve, 300);
      });
      return '421 4.3.2 not now';
    },
  });
  await using dns = await startDnsServer({
    'away.test': { MX: ['10 mx.away.test'] },
    'mx.away.test': { A: ['127.0.0.2'] },
  });
  await using service = await startService({
    env: {
      POSTHORN_PROVIDER: 'direct',
      POSTHORN_DNS: dns.address,
      POSTHORN_MX_PORT: String(server.port),
      POSTHORN_HOSTNAME: 'mx.sender.test',
    },
    patches: [...SHORT_WAITS, ...patches],
  });
  const to = Array.from({ length: EMAILS }, (_, at) => `b${at}@away.test`);
  await Promise.all(to.map((address) => postEmails(service, { count: 1 }, { to: [address] })));
  // The first kill is made while rows are being parked.
  await eventually(async () => (await parkedOf(service)) > 0, PATIENCE_MS);
  killWorkers(service);
  await eventually(async () => (await parkedOf(service)) === EMAILS, PATIENCE_MS);
  for (let kill = 0; kill < KILLS; kill++) {
    probed = Promise.withResolvers();
    await Promise.race([probed.promise, eventually(() => false, PROBE_MS)]);
    killWorkers(service);
  }
  isAway = false;
  await queueIsEmpty(service, patienceMs);
  const received = new Set(server.messages.flatMap(({ rcptTo }) => rcptTo));
  return {
    lost: to.filter((address) => !received.has(address)),
    orphans: (await parkedRows(service.database)).orphans,
    statuses: await statusesOf(service),
  };
}

function killWorkers(service: Service): void {
  for (const pid of service.workerPids()) process.kill(pid, 'SIGKILL');
}

async function parkedOf({ database }: Service): Promise<number> {
  return (await parkedRows(database)).parked;
}

async function statusesOf(service: Service): Promise<Set<string>> {
  const { body } = await service.client().get<{ data: { status: string }[] }>('/v1/emails?limit=100');
  return new Set(body.data.map(({ status }) => status));
}

const ALL_DELIVERED: Result = { lost: [], orphans: 0, statuses: new Set(['delivered']) };

test('no email is lost when workers are killed while they probe a destination', async () => {
  assert.deepEqual(await killProbes([], PATIENCE_MS), ALL_DELIVERED);
});

test('control: emails are lost if a destination is not probed again after the worker that probed it died', async () => {
  const triedOnce: Patch = { timings: 'src/queue', values: { probeLeaseMs: 1_000_000 } };
  assert.ok(await happensAtLast(async () => (await killProbes([triedOnce], 5_000)).lost.length > 0));
});

test('control: emails are lost if they are parked without the row of their destination', async () => {
  const withoutParkedRow = {
    file: 'src/queue/fragments.ts',
    protection: 'row of a parked destination',
    replace: 'select name, 0, now() from unnest(${textArray(names)}::text[]) as d (name) where false',
  };
  const withoutClosedRow = {
    file: 'src/queue/destinations.ts',
    protection: 'row of a closed destination',
    replace: 'select null::text, 0, now(), null::json, now() where false',
  };
  assert.ok(
    await happensAtLast(
      async () => (await killProbes([withoutParkedRow, withoutClosedRow], 5_000)).orphans > 0,
    ),
  );
});
