import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { prepare } from '../../src/app/app.ts';
import { readConfig } from '../../src/app/config.ts';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { posthornProcess } from '../support/cli.ts';
import { eventually } from '../support/eventually.ts';
import type { ApiClient } from '../support/api-client.ts';
import { FREE_PORTS } from '../support/free-ports.ts';
import { type Service, startService } from '../support/service.ts';
import { hookLimit, run, withPeers } from './peers.ts';
import { type Postgres15, startPostgres15 } from './postgresql.ts';

const EMAIL = {
  from: 'hello@posthorn.localhost',
  to: ['you@example.com'],
  subject: 'Hello',
  text: 'It works.',
};
const SOURCES = new URL('../../src/', import.meta.url);
const SECRET = 'correct horse battery staple';

describe("the service on Debian's PostgreSQL 15", withPeers, () => {
  const stack = new AsyncDisposableStack();
  let postgres: Postgres15;
  let env: Record<string, string>;
  let service: Service;

  before(async () => {
    postgres = stack.use(await startPostgres15());
    env = await newDatabase();
    service = stack.use(await startService({ env }));
  }, hookLimit);
  after(() => stack.disposeAsync(), hookLimit);

  const newDatabase = async () => ({
    POSTHORN_DATABASE_URL: await postgres.createDatabase(),
    POSTHORN_SECRET: SECRET,
  });

  /** Runs the service or the CLI to its end, on the database of the service. */
  const start = (name: 'main' | 'doors/cli/main', args: string[], more: Record<string, string> = {}) =>
    run(process.execPath, [fileURLToPath(new URL(`${name}.ts`, SOURCES)), ...args], {
      env: {
        ...process.env,
        ...env,
        POSTHORN_DATA: service.dataDir,
        ...FREE_PORTS,
        ...more,
      },
    });

  test('the service runs on PostgreSQL 15 with a role that is not a superuser', async () => {
    const { rows } = await sql<{ version: string; isSuperuser: string }>`
      select current_setting('server_version') as version, current_setting('is_superuser') as is_superuser`.execute(
      service.database,
    );
    assert.match(rows[0]?.version ?? '', /^15\./);
    assert.equal(rows[0]?.isSuperuser, 'off');
  });

  test('emails are delivered through the sandbox', async () => {
    await whenDelivered(service.client(), await send(service.client()));
  });

  test('emails are listed page by page', async () => {
    const client = service.client();
    const ids: string[] = [];
    for (let at = 0; at < 3; at++) ids.push(await send(client, { tags: ['listed'] }));
    const page = await client.get<EmailPage>('/v1/emails?tag=listed&limit=2');
    const next = await client.get<EmailPage>(`/v1/emails?tag=listed&limit=2&cursor=${page.body.next_cursor}`);
    const listed = [...page.body.data, ...next.body.data].map(({ id }) => id);
    assert.deepEqual(listed, ids.toReversed());
    assert.equal(next.body.next_cursor, null);
  });

  test('an email posted again with its idempotency key gets the original response', async () => {
    const headers = { 'Idempotency-Key': 'once' };
    const post = () => service.client().post('/v1/emails', EMAIL, { headers });
    const [first, twin] = await Promise.all([post(), post()]);
    const replay = await post();
    assert.deepEqual([first.status, twin.text, replay.text], [202, first.text, first.text]);
    assert.equal(replay.headers.get('idempotent-replayed'), 'true');
  });

  test('an API key that the CLI created while the service runs is accepted', async () => {
    const command = 'key create --project default --name ci --scopes emails:send --json';
    const { stdout } = await start('doors/cli/main', command.split(' '));
    const { token } = JSON.parse(String(stdout)) as { token: string };
    const client = service.client(token);
    assert.equal((await client.post('/v1/emails', EMAIL)).status, 202);
    assert.equal((await client.get('/v1/emails')).status, 403);
  });

  test('a start with another secret fails and names POSTHORN_SECRET', async () => {
    const failing = start('main', [], { POSTHORN_SECRET: 'another secret altogether' });
    await assert.rejects(failing, ({ code, stderr }: { code: unknown; stderr: string }) => {
      assert.equal(code, 78);
      assert.match(stderr, /^POSTHORN_SECRET does not match/m);
      return true;
    });
  });

  test('a start or a command with a wrong database password fails', async () => {
    const url = new URL(env.POSTHORN_DATABASE_URL ?? '');
    url.password = 'not the password';
    for (const [name, args, expected] of [
      ['main', [], 78],
      ['doors/cli/main', ['project', 'list'], 1],
    ] as const) {
      const failing = start(name, [...args], { POSTHORN_DATABASE_URL: url.href });
      await assert.rejects(failing, ({ code, stderr }: { code: unknown; stderr: string }) => {
        assert.equal(code, expected);
        assert.match(stderr, /password authentication failed.*Set the right user and password in the URL/);
        assert.doesNotMatch(stderr, /not the password/);
        return true;
      });
    }
  });

  test('a second start finds all data', async () => {
    const own = await newDatabase();
    let token: string | null;
    let id: string;
    {
      await using first = await startService({ env: own });
      token = first.token;
      id = await send(first.client());
      assert.equal(await first.stop(), 0);
    }
    await using second = await startService({ env: own });
    assert.equal(second.token, null);
    const client = second.client(token);
    await whenDelivered(client, id);
    await whenDelivered(client, await send(client));
  });

  test('several instances that start at once on an empty database create only one first key', async () => {
    const own = await newDatabase();
    const database = openDatabase(own.POSTHORN_DATABASE_URL);
    stack.defer(() => database.destroy());
    await migrate(own.POSTHORN_DATABASE_URL);
    const starts = await database.transaction().execute(async (tx) => {
      // No instance can insert a project until all instances wait for this lock.
      await sql`lock table projects in share mode`.execute(tx);
      const starting = Array.from({ length: 3 }, () =>
        prepare(own.POSTHORN_DATABASE_URL, SECRET, readConfig(own)),
      );
      const results = Promise.allSettled(starting);
      assert.ok(await eventually(async () => (await waitingForLock(database)) === 3, 60_000));
      return () => results;
    });
    const results = await starts();
    assert.deepEqual(
      results.filter(({ status }) => status === 'rejected'),
      [],
    );
    const keys = results.filter(
      (result) => result.status === 'fulfilled' && result.value.firstStart !== null,
    );
    assert.equal(keys.length, 1);
  });

  test('emails are delivered by separate instances for each role', async () => {
    const own = await newDatabase();
    await using http = await startService({ env: { ...own, POSTHORN_ROLES: 'http' } });
    await using worker = await startService({ env: { ...own, POSTHORN_ROLES: 'worker' } });
    assert.equal(http.workerPids().length, 0);
    assert.equal((await fetch(`${worker.baseUrl}/v1/emails`)).status, 404);
    const client = http.client();
    const ids = await Promise.all(Array.from({ length: 20 }, () => send(client)));
    for (const id of ids) await whenDelivered(client, id);
  });

  test('PostgreSQL 15 restores a backup of the embedded PostgreSQL 18, and the other way round', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'posthorn-majors-'));
    const [first, second] = [join(folder.path, 'first.tar.zst'), join(folder.path, 'second.tar.zst')];
    const runWith = async (target: Record<string, string>, ...command: string[]) => {
      const { code, stderr } = await posthornProcess(target, ...command);
      assert.equal(code, 0, stderr);
    };
    const ids: string[] = [];
    let token: string | null;
    let secret: string;
    {
      await using embedded = await startService();
      token = embedded.token;
      for (let at = 0; at < 3; at++) ids.push(await send(embedded.client()));
      for (const id of ids) await whenDelivered(embedded.client(), id);
      await runWith({ POSTHORN_DATA: embedded.dataDir }, 'backup', first, '--with-secret');
      secret = readFileSync(join(embedded.dataDir, 'secret'), 'utf8').trim();
    }
    const expect = async (target: Service) => {
      const client = target.client(token);
      const { body } = await client.get<EmailPage>('/v1/emails');
      assert.deepEqual(
        body.data.map(({ id }) => id),
        ids.toReversed(),
      );
      for (const id of ids) await whenDelivered(client, id);
    };
    const on15 = { POSTHORN_DATABASE_URL: await postgres.createDatabase(), POSTHORN_SECRET: secret };
    await runWith(on15, 'restore', first);
    {
      await using restored = await startService({ env: on15 });
      await expect(restored);
      await runWith(on15, 'queue', 'resume');
      ids.push(await send(restored.client(token)));
      await whenDelivered(restored.client(token), ids.at(-1) ?? '');
      await runWith(on15, 'backup', second, '--with-secret');
    }
    const dataDir = join(folder.path, 'back');
    await runWith({ POSTHORN_DATA: dataDir }, 'restore', second);
    await using back = await startService({ dataDir });
    await expect(back);
  });
});

interface EmailPage {
  data: { id: string }[];
  next_cursor: string | null;
}

/** The number of connections of the current role that wait for a lock. */
async function waitingForLock(database: Database): Promise<number> {
  const { rows } = await sql`select from pg_stat_activity where wait_event_type = 'Lock'`.execute(database);
  return rows.length;
}

async function send(client: ApiClient, email: Record<string, unknown> = {}): Promise<string> {
  const { status, body } = await client.post<{ id: string }>('/v1/emails', { ...EMAIL, ...email });
  assert.equal(status, 202, JSON.stringify(body));
  return body.id;
}

async function whenDelivered(client: ApiClient, id: string): Promise<void> {
  let shown = {};
  const isDelivered = await eventually(async () => {
    const { body } = await client.get<{ status: string }>(`/v1/emails/${id}`);
    shown = body;
    return body.status === 'delivered';
  }, 60_000);
  assert.ok(isDelivered, JSON.stringify(shown));
}
