/** Webhooks of the product, and the process that receives them. */
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { EVENT_KEYS, type EventKey } from '../../src/model/event-keys.ts';
import { freePort, waitForPort } from './ports.ts';
import { startProcess } from './processes.ts';
import type { Product } from './product.ts';

const START_TIMEOUT_MS = 10_000;
const POLL_MS = 10;

export interface ReceiverReport {
  fast: number;
  /** The age of each event at its arrival at /timed, in milliseconds. */
  agesMs: number[];
}

export interface Receiver {
  port: number;
  report(): Promise<ReceiverReport>;
  reset(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const port = await freePort();
  const script = fileURLToPath(new URL('../webhook-receiver.ts', import.meta.url));
  startProcess(process.execPath, [script, String(port)], { stdio: ['ignore', 'ignore', 'inherit'] });
  await waitForPort(port, START_TIMEOUT_MS);
  const get = async (path: string): Promise<ReceiverReport> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    return (await response.json()) as ReceiverReport;
  };
  return {
    port,
    report: () => get('/report'),
    reset: async () => {
      await get('/reset');
    },
  };
}

export async function createWebhook(
  product: Product,
  token: string,
  url: string,
  events: readonly EventKey[] = EVENT_KEYS,
): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${product.port}/v1/webhooks`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ url, events }),
  });
  if (response.status !== 201)
    throw new Error(`The webhook was not created: ${response.status} ${await response.text()}`);
}

/**
 * Resolves once no delivery is pending. Polls over one connection and reads one index entry: a new connection for each poll, and a scan over
 * the rows of finished deliveries, cost PostgreSQL as much processor time as the deliveries.
 * @throws Error after the timeout, or if a delivery failed or was retried
 */
export async function deliveriesDone(product: Product, timeoutMs: number): Promise<void> {
  const until = Date.now() + timeoutMs;
  const client = new pg.Client(product.databaseUrl);
  await client.connect();
  try {
    const pending = 'select from due_deliveries order by webhook_id, next_attempt_at, event_id limit 1';
    while ((await client.query(pending)).rowCount !== 0) {
      if (Date.now() > until) throw new Error('Not all webhooks were delivered');
      await sleep(POLL_MS);
    }
    const { rows } = await client.query<{ count: number }>(
      `select count(*)::int as count from deliveries where status <> 'delivered' or attempts <> 1`,
    );
    if (rows[0]?.count !== 0) throw new Error(`${rows[0]?.count} deliveries failed or were retried`);
  } finally {
    await client.end();
  }
}
