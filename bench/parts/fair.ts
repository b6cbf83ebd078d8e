/** Measures how long one project's mail is delayed while another project has a backlog. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { KEY, REGION } from '../../test/support/ses-server.ts';
import { destinationsOf, type Destination, zoneOf } from '../support/destinations.ts';
import { startDns } from '../support/dns.ts';
import { MESSAGE_BYTES } from '../support/end-to-end.ts';
import { runLoad, sendEmail } from '../support/load.ts';
import { mxAddress, type MxServers, startMx } from '../support/mx.ts';
import type { Context } from '../support/part.ts';
import { fillPausedQueue } from '../support/paused-queue.ts';
import { freePort, waitForPort } from '../support/ports.ts';
import { startProcess } from '../support/processes.ts';
import { type Product, startProduct } from '../support/product.ts';
import { percentile } from '../support/stats.ts';
import type { Row } from '../support/table.ts';

const SES_PER_SECOND = 14;
/** How long the workers are busy with the backlog before the small project sends mail. */
const SETTLE_MS = 5_000;
/** How long to wait after the last email is accepted. An email that is still unsent then counts as sent at that moment. */
const PATIENCE_MS = 30_000;
const QUICK_PATIENCE_MS = 2_000;

/** The mail of the small project: a number of emails at fixed intervals. */
interface Small {
  to: string;
  count: number;
  everyMs: number;
}

interface Scene {
  name: string;
  settings: Record<string, string>;
  /**
   * The mail of the project with the backlog. All recipients have the same length, and the last run of `#` in each is replaced by a number.
   */
  large: { to: string[]; count: number };
  small: Small;
  /** The limit for the 99th percentile of the small project's mail, in seconds. */
  limit: number;
  /** The event at which an email is considered sent. */
  until: 'sent' | 'delivered';
  patienceMs: number;
}

export async function fair(context: Context): Promise<Row[]> {
  const rows: Row[] = [];
  for (const together of await scenes(context))
    rows.push(...(await Promise.all(together.map((scene) => play(scene, context)))));
  return rows;
}

/** The scenes, one after the other. Scenes of one inner list run at the same time, because they only wait for limits on rates. */
async function scenes({ quick, folder }: Context): Promise<Scene[][]> {
  const mx = await startMx(folder);
  const many = destinationsOf(
    quick ? { slow: 4, silent: 2, refusing: 2 } : { slow: 400, silent: 50, refusing: 50 },
  );
  const own: Destination[] = [
    { name: 'aside.test', kind: 'live' },
    { name: 'narrow.test', kind: 'serial' },
  ];
  const dns = await startDns(folder, { ...zoneOf(many), ...zoneOf(own) });
  const direct = { POSTHORN_PROVIDER: 'direct', POSTHORN_DNS: dns, POSTHORN_MX_PORT: String(mx.port) };
  const patienceMs = quick ? QUICK_PATIENCE_MS : PATIENCE_MS;
  const often = { count: quick ? 5 : 100, everyMs: 100 };
  return [
    [
      {
        name: 'through a smart host with replies after 0.1 s',
        settings: smartHost(mx),
        large: { to: ['b########@large.test'], count: quick ? 300 : 50_000 },
        small: { to: 'b####@small.test', ...often },
        limit: 2,
        until: 'sent',
        patienceMs,
      },
    ],
    [
      {
        name: `through SES at ${SES_PER_SECOND}/s`,
        settings: await ses(),
        large: { to: ['b########@large.test'], count: quick ? 100 : 10_000 },
        small: { to: 'b####@small.test', count: quick ? 5 : 40, everyMs: 500 },
        limit: 2,
        until: 'sent',
        patienceMs,
      },
      {
        name: 'to the same destination, which accepts one message a second',
        settings: direct,
        large: { to: ['b########@narrow.test'], count: quick ? 100 : 17_500 },
        small: { to: 'b####@narrow.test', count: quick ? 2 : 12, everyMs: quick ? 500 : 3_000 },
        limit: 10,
        until: 'delivered',
        patienceMs,
      },
    ],
    [
      {
        name: 'to a destination other than 500 slow and dead ones',
        settings: direct,
        large: { to: many.map(({ name }) => `b########@${name}`), count: quick ? 300 : 50_000 },
        small: { to: 'b####@aside.test', ...often },
        limit: 2,
        until: 'delivered',
        patienceMs,
      },
    ],
  ];
}

function smartHost({ port }: MxServers): Record<string, string> {
  return { POSTHORN_PROVIDER: 'smtp', POSTHORN_SMTP_URL: `smtp://${mxAddress('calm', 0)}:${port}` };
}

async function ses(): Promise<Record<string, string>> {
  const port = await freePort();
  const script = fileURLToPath(new URL('../ses.ts', import.meta.url));
  startProcess(process.execPath, [script, String(port), String(SES_PER_SECOND)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await waitForPort(port, 10_000);
  return {
    POSTHORN_PROVIDER: 'ses',
    POSTHORN_SES_REGION: REGION,
    POSTHORN_SES_ACCESS_KEY_ID: KEY.accessKeyId,
    POSTHORN_SES_SECRET_ACCESS_KEY: KEY.secretAccessKey,
    POSTHORN_SES_ENDPOINT: `http://127.0.0.1:${port}`,
  };
}

async function play(scene: Scene, { quick, folder, log }: Context): Promise<Row> {
  const { name, large, limit } = scene;
  const sceneFolder = join(folder, name.replaceAll(/\W+/g, '-'));
  mkdirSync(sceneFolder);
  const product = await startProduct(join(sceneFolder, 'product'), scene.settings);
  await product.run('project', 'create', '--name', 'small');
  const token = await product.createKey('small');

  const alone = await send(product, token, {
    ...scene,
    small: { ...scene.small, count: Math.ceil(scene.small.count / 3) },
  });
  log(`${name}, alone: p50 ${show(alone, 0.5)}, p99 ${show(alone, 0.99)}`);

  const linesPath = join(sceneFolder, 'recipients');
  writeFileSync(linesPath, linesOf(large));
  const largeTarget = sendEmail(
    product.port,
    MESSAGE_BYTES,
    await product.createKey(),
    '#'.repeat(large.to[0]?.length ?? 0),
  );
  (await fillPausedQueue(product, largeTarget, large.count, { linesPath }))();
  if (!quick) await sleep(SETTLE_MS);
  const beside = await send(product, token, scene);
  log(
    `${name}, beside ${large.count} of another project: p50 ${show(beside, 0.5)}, p99 ${show(beside, 0.99)}`,
  );
  await product.stop();
  return {
    measure: `202 to ${scene.until}, p99, beside ${large.count} emails of another project, ${name}`,
    unit: 's',
    runs: [percentile(beside, 0.99)],
    baseline: { name: 'alone', runs: [percentile(alone, 0.99)] },
    goal: { on: 'value', sense: 'below', limit },
  };
}

/** The recipients of the backlog, in round-robin order, one per line. */
function linesOf({ to, count }: Scene['large']): string {
  const line = (at: number): string =>
    (to[at % to.length] ?? '').replace(/#+/, (run) => String(at).padStart(run.length, '0'));
  return Array.from({ length: count }, (_, at) => line(at)).join('\n');
}

/** @returns the seconds until each email of the small project was sent, in ascending order */
async function send(product: Product, token: string, { small, until, patienceMs }: Scene): Promise<number[]> {
  const { to, count, everyMs } = small;
  const [before] = await product.query<{ id: string }>('select max(id::text) as id from emails');
  await runLoad(sendEmail(product.port, MESSAGE_BYTES, token, to), {
    // Few connections, so that no connection is idle for longer than the server's keep-alive time.
    connections: 2,
    ratePerSecond: 1_000 / everyMs,
    maxRequests: count,
    durationMs: count * everyMs + patienceMs,
  });
  const giveUpAt = Date.now() + patienceMs;
  for (;;) {
    const rows = await product.query<{ seconds: number; isGone: boolean }>(`
      select extract(epoch from coalesce(uuid_extract_timestamp(gone.id), now()) - uuid_extract_timestamp(e.id))::float8 as seconds,
             gone.id is not null as "isGone"
      from emails e join projects p on p.id = e.project_id and p.name = 'small'
      left join events gone on gone.project_id = e.project_id and gone.email_id = e.id and gone.type = '${until}'
      where e.id::text > '${before?.id ?? ''}' order by 1`);
    if (rows.every(({ isGone }) => isGone) || Date.now() > giveUpAt)
      return rows.map(({ seconds }) => seconds);
    await sleep(500);
  }
}

function show(seconds: readonly number[], q: number): string {
  return `${percentile(seconds, q).toFixed(2)} s`;
}
