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

/** Copies a folder. `cp -a` keeps the file modes, which PostgreSQL checks. */
const copy = (from: string, to: string) => execFileSync('cp', ['-a', from, to]);

const through = ({ port }: SmtpTestServer) => ({
  POSTHORN_PROVIDER: 'smtp',
  POSTHORN_SMTP_URL: `smtp://127.0.0.1:${port}`,
});

suite('a backup made under load', () => {
  const file = join(folder, 'under-load.tar.zst');
  const restored = join(folder, 'restored');
  let receiver: WebhookReceiver;
  /** Ids of the source's emails: `accepted` before the backup began, and `sentBefore`, all that its smart host ever received. */
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
    // All these emails are committed before the snapshot is taken.
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

  test('a restored backup has every email accepted before the backup, and every key, signing secret and password', async () => {
    await using server = await startSmtpServer();
    const dataDir = join(folder, 'all');
    copy(restored, dataDir);
    const receivedBefore = receiver.received.length;
    await using service = await startService({ dataDir, env: through(server), patches: SHORT_LEASE });
    const statuses = await allStatuses(service.client(token));
    assert.deepEqual(
      accepted.filter((id) => !statuses.has(id)),
      [],
    );
    assert.equal((await service.client(scoped).get('/v1/emails')).status, 200);
    const projectId = await findProjectByName(service.database, 'shop');
    assert.ok(verifyPassword(PASSWORD, await passwordHashOf(service.database, projectId)));

    // While sending is paused, mail is accepted but not sent.
    const { accepted: since } = await postEmails(
      { ...service, client: () => service.client(token) },
      { count: 5 },
    );
    assert.equal(since.length, 5);
    assert.match(await scrapeText(service), /^posthorn_queue_paused 1$/m);
    assert.equal(
      await eventually(() => server.messages.length + receiver.received.length > receivedBefore, 3_000),
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
    const posts = await receiver.waitFor(receivedBefore + since.length, 20_000);
    assert.ok(posts.every((post) => isSigned(post, secret)));
  });

  test('after withdrawing older mail from a restored backup, only mail accepted later is sent', async () => {
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

  test('control: without the pause, mail is sent again', async () => {
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

suite('a backup or restore that is interrupted', () => {
  let source: TestDatabase;
  const whole = join(folder, 'whole.tar.zst');
  before(async () => {
    source = await sealedDatabase();
    // The texts fill several blocks and cannot be compressed.
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
    test(`a backup interrupted by ${signal} leaves no backup file`, async () => {
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

  test('a restore interrupted by SIGKILL can be repeated', async () => {
    await using target = await emptyDatabase();
    const bytes = readFileSync(whole);
    const child = start(target, 'restore', '-');
    // Ignore write errors, because the child does not read the rest of the bytes after it was killed.
    child.stdin?.on('error', () => {});
    child.stdin?.write(bytes.subarray(0, bytes.length - 1_000_000));
    // Query through the connection of the source database, because an early migration of the target ends the target's idle connections.
    const name = new URL(target.url).pathname.slice(1);
    const loading = sql`select from pg_stat_activity where datname = ${name} and query like 'copy "email_contents%'`;
    const isLoading = async () => (await loading.execute(source.database)).rows.length > 0;
    assert.ok(await eventually(isLoading, 20_000));
    child.kill('SIGKILL');
    await once(child, 'exit');
    // PostgreSQL ends the session once it notices that the client is gone.
    assert.ok(await eventually(async () => !(await isLoading()), 20_000));
    const { code, stderr } = await posthornProcess(environmentOf(target), 'restore', whole);
    assert.equal(code, 0, stderr);
    const { rows } = await sql`select from email_contents`.execute(target.database);
    assert.equal(rows.length, 40);
  });

  test('a restore with a different POSTHORN_SECRET fails and changes nothing', async () => {
    await using target = await emptyDatabase();
    const env = { ...environmentOf(target), POSTHORN_SECRET: 'not the secret of the tests' };
    const { code, stderr } = await posthornProcess(env, 'restore', whole);
    assert.equal(code, 1);
    assert.match(
      stderr,
      /^POSTHORN_SECRET is not the secret of the installation that was backed up\. Nothing was changed\.$/m,
    );
    const { rows } = await sql`select from pg_class where relname = 'emails'`.execute(target.database);
    assert.equal(rows.length, 0);
  });
});

test('a pause is in effect when the command queue pause returns, even while a worker waits for a lock', async () => {
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
