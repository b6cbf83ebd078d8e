import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { prepare } from '../../src/app/app.ts';
import { readConfig } from '../../src/app/config.ts';
import { openDatabase } from '../../src/db/database.ts';
import { StartupError } from '../../src/model/startup-error.ts';
import { listenToQueue, QueueNotifier } from '../../src/db/notify.ts';
import { eventually } from '../support/eventually.ts';
import { startService } from '../support/service.ts';
import { hookLimit, withPeers } from './peers.ts';
import { startPgBouncer } from './pgbouncer.ts';
import { type Postgres15, startPostgres15 } from './postgresql.ts';

const SECRET = 'correct horse battery staple';
const EMAIL = {
  from: 'hello@posthorn.localhost',
  to: ['you@example.com'],
  subject: 'Hello',
  text: 'It works.',
};

describe("Debian's PgBouncer", withPeers, () => {
  const stack = new AsyncDisposableStack();
  let postgres: Postgres15;

  before(async () => {
    postgres = stack.use(await startPostgres15());
  }, hookLimit);
  after(() => stack.disposeAsync(), hookLimit);

  test('in session mode, the service with all roles delivers mail with a database behind PgBouncer', async () => {
    await using pooler = await startPgBouncer(await postgres.createDatabase(), 'session');
    const env = { POSTHORN_DATABASE_URL: pooler.url, POSTHORN_SECRET: SECRET };
    await using service = await startService({ env });
    const client = service.client();
    const { status, body } = await client.post<{ id: string }>('/v1/emails', EMAIL);
    assert.equal(status, 202);
    const isDelivered = async () =>
      (await client.get<{ status: string }>(`/v1/emails/${body.id}`)).body.status === 'delivered';
    assert.ok(await eventually(isDelivered, 60_000));
    assert.equal((await fetch(`${service.baseUrl}/readyz`)).status, 200);
  });

  test('in session mode, PostgreSQL timeouts are set, also in a reused session', async () => {
    await using pooler = await startPgBouncer(await postgres.createDatabase(), 'session');
    for (let attempt = 0; attempt < 3; attempt++) {
      const database = openDatabase(pooler.url, { poolSize: 1 });
      const { rows } = await sql<Record<string, string>>`
        select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock,
          current_setting('idle_in_transaction_session_timeout') as idle`.execute(database);
      await database.destroy();
      assert.deepEqual(rows, [{ statement: '30s', lock: '2s', idle: '10s' }]);
    }
  });

  test('in session mode, PgBouncer passes on the notifications that wake workers', async () => {
    await using pooler = await startPgBouncer(await postgres.createDatabase(), 'session');
    const database = openDatabase(pooler.url);
    stack.defer(() => database.destroy());
    let wakes = 0;
    await using _listening = listenToQueue(pooler.url, () => (wakes += 1));
    const { wake } = new QueueNotifier(database);
    assert.ok(
      await eventually(async () => {
        wake();
        return wakes > 0;
      }, 60_000),
    );
  });

  for (const mode of ['transaction', 'statement'] as const) {
    test(`in ${mode} mode, the start fails and names the PgBouncer setting to change`, async () => {
      await using pooler = await startPgBouncer(await postgres.createDatabase(), mode);
      const config = readConfig({ POSTHORN_DATABASE_URL: pooler.url, POSTHORN_SECRET: SECRET });
      await assert.rejects(prepare(pooler.url, SECRET, config), (error) => {
        assert.ok(error instanceof StartupError, String(error));
        assert.match(error.message, /pool_mode = session/);
        return true;
      });
    });
  }
});
