import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, watch } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { findProjectByName } from '../../src/accounts/projects/projects.ts';
import { verifyPassword } from '../../src/accounts/passwords/verify-password.ts';
import { environmentOf, posthornProcess } from '../support/cli.ts';
import { newEmail } from '../support/emails.ts';
import { insertEmails } from '../../src/sending/accept/insert-emails.ts';
import { eventually } from '../support/eventually.ts';
import { emptyDatabase, sealedDatabase, type TestDatabase } from '../support/postgres.ts';
import { newShop, passwordHashOf } from '../support/projects.ts';
import { scrapeText } from '../support/scrape.ts';
import { startService } from '../support/service.ts';
import { startSmtpServer, type SmtpTestServer } from '../support/smtp-server.ts';
import { isSigned, startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';
import { allStatuses, deliveredIds, postEmails, queueIsEmpty, SHORT_LEASE } from './support.ts';

const PROGRAM = fileURLToPath(new URL('../../src/doors/cli/main.ts', import.meta.url));
const PASSWORD = 'a password of the mailbox';
const folder = mkdtempSync(join(tmpdir(), 'posthorn-backups-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** PostgreSQL looks at the modes of its files. */
const copy = (from: string, to: string) => execFileSync('cp', ['-a', from, to]);

const through = ({ port }: SmtpTestServer) => ({
  POSTHORN_PROVIDER: 'smtp',
  POSTHORN_SMTP_URL: `smtp://127.0.0.1:${port}`,
});

suite('a backup that is made under load', () => {
  const file = join(folder, 'under-load.tar.zst');
  const restored = join(folder, 'restored');
  let receiver: WebhookReceiver;
  /** What the first place had told before the backup began, and what its smart host was handed in all. */
  let accepted: string[];
  let sentBefore: Set<string>;
  let token: string;
  let scoped: string;
  let secret: string;

  before(async () => {
    receiver = await startWebhookReceiver();
    await using server = await startSmtpServer();
    await using service = await startService({ env: through(server), patches: SHORT_LEASE });
    token = service.token ?? '';
    const run = async (...args: string[]): Promise<{ token: string }> => {
      const { code, stdout, stderr } = await posthornProcess(
        { POSTHORN_DATA: service.dataDir },
        ...args,
        '--json',
      );
      assert.equal(code, 0, stderr);
      return JSON.parse(stdout) as { token: string };
    };
    ({ token: scoped } = await run(
      'key',
      'create',
      '--project',
      'default',
      '--name',
      'r',
      '--scopes',
      'emails:read',
    ));
    await newShop(service.database, 'shop', { localPart: 'sales', password: PASSWORD });
    const webhook = { url: receiver.url, events: ['email.sent'] };
    const { body } = await service.client().post<{ secret: string }>('/v1/webhooks', webhook);
    ({ secret } = body);
    const stopPosting = new AbortController();
    const posting = postEmails(service, { signal: stopPosting.signal });
    await server.waitForMessages(200, 20_000);
    // All of it is committed: the snapshot comes later.
    accepted = [...(await allStatuses(service.client())).keys()];
    await run('backup', file, '--with-secret');
    await server.waitForMessages(server.messages.length + 50, 20_000);
    stopPosting.abort();
    await posting;
    await service.stop();
    sentBefore = new Set(deliveredIds(server));
    const { code, stderr } = await posthornProcess({ POSTHORN_DATA: restored }, 'restore', file);
    assert.equal(code, 0, stderr);
  });
  after(() => receiver[Symbol.asyncDispose]());

  test('has every email that was accepted before it, every key, signature and password', async () => {
    await using server = await startSmtpServer();
    const dataDir = join(folder, 'all');
    copy(restored, dataDir);
    const told = receiver.received.length;
    await using service = await startService({ dataDir, env: through(server), patches: SHORT_LEASE });
    const statuses = await allStatuses(service.client(token));
    assert.deepEqual(
      accepted.filter((id) => !statuses.has(id)),
      [],
    );
    assert.equal((await service.client(scoped).get('/v1/emails')).status, 200);
    const projectId = await findProjectByName(service.database, 'shop');
    assert.ok(verifyPassword(PASSWORD, await passwordHashOf(service.database, projectId)));

    // Nothing goes out, and mail is taken.
    const { accepted: since } = await postEmails(
      { ...service, client: () => service.client(token) },
      { count: 5 },
    );
    assert.equal(since.length, 5);
    assert.match(await scrapeText(service), /^posthorn_queue_paused 1$/m);
    assert.equal(
      await eventually(() => server.messages.length + receiver.received.length > told, 3_000),
      false,
    );

    const resumed = await posthornProcess({ POSTHORN_DATA: dataDir }, 'queue', 'resume', '--json');
    const { waiting, waiting_older: older } = JSON.parse(resumed.stdout) as {
      waiting: number;
      waiting_older: number;
    };
    assert.equal(waiting, older + since.length);
    assert.ok(await queueIsEmpty(service, 40_000));
    const sent = deliveredIds(server);
    assert.equal(sent.length, waiting);
    const everSent = new Set([...sentBefore, ...sent]);
    assert.deepEqual(
      [...accepted, ...since].filter((id) => !everSent.has(id)),
      [],
    );
    const posts = await receiver.waitFor(told + since.length, 20_000);
    assert.ok(posts.every((post) => isSigned(post, secret)));
  });

  test('sends nothing of what waited when that is withdrawn, and all that comes then', async () => {
    await using server = await startSmtpServer();
    const dataDir = join(folder, 'withdrawn');
    copy(restored, dataDir);
    const { code, stdout } = await posthornProcess(
      { POSTHORN_DATA: dataDir },
      'queue',
      'resume',
      '--withdraw-older',
      '--json',
    );
    assert.equal(code, 0);
    assert.equal((JSON.parse(stdout) as { waiting: number }).waiting, 0);
    await using service = await startService({ dataDir, env: through(server), patches: SHORT_LEASE });
    const { accepted: since } = await postEmails(
      { ...service, client: () => service.client(token) },
      { count: 5 },
    );
    assert.ok(await queueIsEmpty(service, 20_000));
    assert.deepEqual(deliveredIds(server).toSorted(), since.toSorted());
  });

  test('control: without the pause mail goes out again', async () => {
    await using server = await startSmtpServer();
    const dataDir = join(folder, 'control');
    copy(restored, dataDir);
    const unpaused = { file: 'src/queue/pause.ts', protection: 'sending paused', replace: 'return false;' };
    await using service = await startService({
      dataDir,
      env: through(server),
      patches: [...SHORT_LEASE, unpaused],
    });
    await postEmails({ ...service, client: () => service.client(token) }, { count: 1 });
    await server.waitForMessages(1, 20_000);
  });
});

suite('a kill leaves nothing half done', () => {
  let source: TestDatabase;
  const whole = join(folder, 'whole.tar.zst');
  before(async () => {
    source = await sealedDatabase();
    // Of several blocks, which nothing packs.
    const texts = Array.from({ length: 40 }, () => randomBytes(150_000).toString('base64'));
    await insertEmails(
      source.database,
      texts.map((text) => newEmail({ text })),
    );
    const { code, stderr } = await posthornProcess(environmentOf(source), 'backup', whole);
    assert.equal(code, 0, stderr);
  });
  after(() => source[Symbol.asyncDispose]());

  const start = (db: TestDatabase, ...args: string[]) =>
    spawn(process.execPath, [PROGRAM, ...args], {
      env: { ...process.env, ...environmentOf(db) },
      stdio: ['pipe', 'ignore', 'inherit'],
    });

  for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
    test(`of a backup, by ${signal}`, async () => {
      const file = join(folder, signal, 'backup.tar.zst');
      mkdirSync(join(folder, signal));
      const watching = watch(join(folder, signal));
      const child = start(source, 'backup', file);
      await once(watching, 'change');
      child.kill(signal);
      await once(child, 'exit');
      watching.close();
      assert.equal(existsSync(file), false);
      if (signal === 'SIGTERM') assert.deepEqual(readdirSync(join(folder, signal)), []);
    });
  }

  test('of a restore', async () => {
    await using target = await emptyDatabase();
    const bytes = readFileSync(whole);
    const child = start(target, 'restore', '-');
    // What it did not read when it was killed.
    child.stdin?.on('error', () => {});
    child.stdin?.write(bytes.subarray(0, bytes.length - 1_000_000));
    // Asked from another database: an early migration ends the idle connections of the one that it changes.
    const name = new URL(target.url).pathname.slice(1);
    const loading = sql`select from pg_stat_activity where datname = ${name} and query like 'copy "email_contents%'`;
    const isLoading = async () => (await loading.execute(source.database)).rows.length > 0;
    assert.ok(await eventually(isLoading, 20_000));
    child.kill('SIGKILL');
    await once(child, 'exit');
    // PostgreSQL ends the session as soon as it notices.
    assert.ok(await eventually(async () => !(await isLoading()), 20_000));
    const { code, stderr } = await posthornProcess(environmentOf(target), 'restore', whole);
    assert.equal(code, 0, stderr);
    const { rows } = await sql`select from email_contents`.execute(target.database);
    assert.equal(rows.length, 40);
  });

  test('and a secret that is another one restores nothing', async () => {
    await using target = await emptyDatabase();
    const env = { ...environmentOf(target), POSTHORN_SECRET: 'not the secret of the tests' };
    const { code, stderr } = await posthornProcess(env, 'restore', whole);
    assert.equal(code, 1);
    assert.match(
      stderr,
      /^POSTHORN_SECRET is not that of the place where the backup was made\. Nothing was changed\.$/m,
    );
    const { rows } = await sql`select from pg_class where relname = 'emails'`.execute(target.database);
    assert.equal(rows.length, 0);
  });
});

test('a pause holds when its command ends, also where a worker waits for a lock meanwhile', async () => {
  await using service = await startService({
    patches: [
      { timings: 'src/db', values: { lockTimeoutMs: 20_000 } },
      { timings: 'src/worker', values: { foldMs: 1 } },
    ],
  });
  const workers = async () => {
    const { rows } = await sql`select from leases where holds = 'recipients'`.execute(service.database);
    return rows.length;
  };
  assert.ok(await eventually(async () => (await workers()) === 1, 10_000));
  await service.database.transaction().execute(async (tx) => {
    await sql`lock table storage_changes in access exclusive mode`.execute(tx);
    const isWaitedFor = async () => {
      const { rows } = await sql`
        select from pg_locks where relation = 'storage_changes'::regclass and not granted`.execute(tx);
      return rows.length > 0;
    };
    assert.ok(await eventually(isWaitedFor, 10_000));
    const { code, stderr } = await posthornProcess({ POSTHORN_DATA: service.dataDir }, 'queue', 'pause');
    assert.equal(code, 0, stderr);
    assert.equal(await workers(), 0);
  });
});
