/** Kills processes repeatedly while they check for problems and send alerts. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { Alerts } from '../../src/alerts/alerts.ts';
import { newMember, SETTINGS } from '../../src/alerts/members.fixture.ts';
import type { Database } from '../../src/db/database.ts';
import { eventually } from '../support/eventually.ts';
import { sealedDatabase } from '../support/postgres.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';

const PROGRAM = fileURLToPath(new URL('../support/alert-role.ts', import.meta.url));
const PROCESSES = 2;
const SUBSCRIPTIONS = 16;
const MAX_ROUNDS = 100;

async function start(url: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [PROGRAM, url], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit').then(() => assert.fail('a process ended at once'));
  await Promise.race([once(child.stdout, 'data'), ended]);
  ended.catch(() => {});
  return child;
}

async function killAll(database: Database, children: readonly ChildProcess[]): Promise<void> {
  for (const child of children) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  // Wait until the backends of the killed processes have ended.
  await sql`select pg_terminate_backend(pid, 5000) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`.execute(database);
}

async function progressOf(database: Database): Promise<{ stored: number; sent: number }> {
  const { rows } = await sql<{ stored: number; sent: number }>`
    select count(*)::int as stored, count(sent_at)::int as sent from alert_messages`.execute(database);
  return rows[0] ?? { stored: 0, sent: 0 };
}

test('each problem is reported once, and arrives, even if processes are killed repeatedly', async () => {
  await using db = await sealedDatabase();
  const { database, sealer } = db;
  await using receiver = await startWebhookReceiver({ answer: { delayMs: 150 } });
  const baseUrl = () => 'https://mail.acme.example';
  const alerts = new Alerts({ database, sealer, environment: 'development', channels: {}, baseUrl });
  for (let at = 0; at < SUBSCRIPTIONS; at++)
    await alerts.create(await newMember(database), { ...SETTINGS, url: `${receiver.url}/${at}` });
  let kills = 0;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const before = await progressOf(database);
    if (before.sent === SUBSCRIPTIONS) break;
    const children = await Promise.all(Array.from({ length: PROCESSES }, () => start(db.url)));
    for (const child of children) child.stdin?.write('go\n');
    const hasBegun = async () => {
      const { stored, sent } = await progressOf(database);
      return stored > before.stored || sent > before.sent;
    };
    assert.ok(await eventually(hasBegun, 20_000));
    await sleep(Math.random() * 40);
    await killAll(database, children);
    const { sent } = await progressOf(database);
    if (sent < SUBSCRIPTIONS) kills++;
    // The claims of the killed processes end after two minutes.
    await sql`update alert_messages set claimed_until = now() where claimed_until is not null`.execute(
      database,
    );
  }
  assert.deepEqual(await progressOf(database), { stored: SUBSCRIPTIONS, sent: SUBSCRIPTIONS });
  assert.ok(kills > 0, 'no process was killed while it worked');
  const paths = new Set(receiver.received.map(({ path }) => path));
  assert.equal(paths.size, SUBSCRIPTIONS);
});
