// Runs in its own process: it counts all events of the process.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { after, before, suite, test } from 'node:test';
import { parseExposition } from '../../test/support/exposition.ts';
import { type TestDatabase, testDatabase } from '../../test/support/postgres.ts';
import { type Database, openDatabase } from '../db/database.ts';
import { TIMINGS } from '../db/timings.ts';
import { acceptedEmails } from '../observe/instruments.ts';
import { measureProcess } from '../observe/registry.ts';
import { Exposition, STATEMENT_TIMEOUT_MS } from './exposition.ts';

const WORKER = `# HELP posthorn_emails_accepted_total Emails accepted by the API, or by SMTP with an API key, without replays.
# TYPE posthorn_emails_accepted_total counter
posthorn_emails_accepted_total{process="worker-1"} 5

# HELP only_here What another version of the program counts.
# TYPE only_here gauge
only_here{process="worker-1"} 1
`;

measureProcess('http');
acceptedEmails.inc(2);

const INSTANCE = {
  environment: 'development',
  provider: 'sandbox',
  roles: ['worker'],
  dataDir: tmpdir(),
  databaseUrl: 'postgres://db',
  readServiceMail: async () => null,
} as const;

suite('the exposition', () => {
  let db: TestDatabase;
  let own: Database;
  before(async () => {
    db = await testDatabase();
    own = openDatabase(db.url, { name: 'metrics', poolSize: 1, statementTimeoutMs: STATEMENT_TIMEOUT_MS });
  });
  after(async () => {
    await own.destroy();
    await db[Symbol.asyncDispose]();
  });

  test('groups the series of all processes by family, and adds the series of the instance', async () => {
    const { read } = new Exposition(own, INSTANCE, () => Promise.resolve({ figures: [WORKER], missing: 3 }));
    const { sum, valuesOf } = parseExposition(await read());
    assert.deepEqual([...valuesOf('posthorn_emails_accepted_total', 'process')], ['http', 'worker-1']);
    assert.equal(sum('posthorn_emails_accepted_total'), 7);
    assert.equal(sum('only_here'), 1);
    assert.equal(sum('posthorn_scrape_missing_processes'), 3);
    assert.equal(sum('posthorn_database_up'), 1);
    assert.equal(sum('posthorn_queue_recipients'), 0);
    assert.equal(sum('posthorn_database_pool_max_connections', { pool: 'metrics' }), 1);
  });

  test('is created once and shared by concurrent requests', async () => {
    let asked = 0;
    const { read } = new Exposition(own, INSTANCE, () => {
      asked += 1;
      return Promise.resolve({ figures: [], missing: 0 });
    });
    const [first, second] = await Promise.all([read(), read()]);
    assert.equal(first, second);
    assert.equal(asked, 1);
    await read();
    assert.equal(asked, 2);
  });

  test('shows an unavailable database as down, without its other series', async () => {
    const away = openDatabase('postgres://nobody@127.0.0.1:1/none', { poolSize: 1 });
    const { read } = new Exposition(away, INSTANCE, () => Promise.resolve({ figures: [], missing: 0 }));
    const { sum, series } = parseExposition(await read());
    await away.destroy();
    assert.equal(sum('posthorn_database_up'), 0);
    assert.equal(sum('posthorn_emails_accepted_total', { process: 'http' }), 2);
    assert.ok(!series.some(({ name }) => /^posthorn_(?:queue|webhook_deliveries|webhook_oldest)/.test(name)));
  });

  test('waits at most two seconds for a database that does not respond', async () => {
    const sockets = new Set<Socket>();
    const silent = createServer((socket) => void sockets.add(socket)).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    // The connection must not time out before the two seconds are over.
    const timings = { ...TIMINGS, connectTimeoutMs: 60_000 };
    const stuck = openDatabase(`postgres://nobody@127.0.0.1:${port}/none`, { poolSize: 1, timings });
    const { read } = new Exposition(stuck, INSTANCE, () => Promise.resolve({ figures: [], missing: 0 }));
    const startedMs = performance.now();
    assert.equal(parseExposition(await read()).sum('posthorn_database_up'), 0);
    const tookMs = performance.now() - startedMs;
    assert.ok(tookMs < 10_000, `${tookMs}`);
    for (const socket of sockets) socket.destroy();
    silent.close();
    await stuck.destroy();
  });
});
