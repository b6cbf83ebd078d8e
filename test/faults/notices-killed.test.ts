/** Kills workers repeatedly while they notify owners of failures and lock mailboxes. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import type { MailboxKey } from '../../src/store/lock-mailboxes.ts';
import { insertSubmissions } from '../../src/sending/submit/insert-submissions.ts';
import { eventually } from '../support/eventually.ts';
import { newMailbox } from '../support/mail.ts';
import type { Patch } from '../support/patches.ts';
import { testDatabase, type TestDatabase } from '../support/postgres.ts';
import { newSubmission, recipientOf } from '../support/submissions.ts';

const PROGRAM = fileURLToPath(new URL('../support/notice-role.ts', import.meta.url));
const PATCH_LOADER = new URL('../support/patch-loader.ts', import.meta.url).href;
const WORKERS = 3;
const MAILBOXES = 4;
/** How many messages each mailbox has sent. */
const MESSAGES = 60;
const MAX_ROUNDS = 60;
const FAILED = JSON.stringify({
  category: 'unknown_user',
  smtp_code: 550,
  enhanced_code: '5.1.1',
  diagnostic: '550 5.1.1 no such user',
  remote_mta: 'mx.dst.test',
});

async function start(db: TestDatabase, folder: string, patches: Patch[]): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['--import', PATCH_LOADER, PROGRAM, db.url, folder], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, POSTHORN_TEST_PATCHES: JSON.stringify(patches) },
  });
  const ended = once(child, 'exit').then(() => assert.fail('a worker ended at once'));
  await Promise.race([once(child.stdout, 'data'), ended]);
  ended.catch(() => {});
  return child;
}

/** Creates mailboxes that have sent messages. Each message has two recipients, and both of them were rejected. */
async function fail(db: TestDatabase): Promise<MailboxKey[]> {
  const mailboxes: MailboxKey[] = [];
  for (let made = 0; made < MAILBOXES; made++) {
    const mailbox = await newMailbox(db.database);
    mailboxes.push(mailbox);
    await insertSubmissions(
      db.database,
      Array.from({ length: MESSAGES }, (_, n) =>
        newSubmission({
          ...mailbox,
          messageId: `<${n}@acme.example>`,
          recipients: [recipientOf('a@dst.test'), recipientOf('b@dst.test')],
        }),
      ),
    );
  }
  await sql`
    update submission_recipients set outcome = 'failed', detail = ${FAILED}, notice_due = true, ended_at = now()`.execute(
    db.database,
  );
  return mailboxes;
}

async function countLeft(db: TestDatabase): Promise<number> {
  const { rows } = await sql<{ left: number }>`
    select (select count(*) from submission_recipients where notice_due)::int
      + ${MAILBOXES}::int - (select count(*) from sending_locks)::int as left`.execute(db.database);
  return rows[0]?.left ?? 0;
}

async function startAll(db: TestDatabase, folder: string, patches: Patch[]): Promise<ChildProcess[]> {
  return Promise.all(Array.from({ length: WORKERS }, () => start(db, folder, patches)));
}

/** Lets all workers begin at once. */
function letWork(children: readonly ChildProcess[]): void {
  for (const child of children) child.stdin?.write('go\n');
}

async function killAll(db: TestDatabase, children: readonly ChildProcess[]): Promise<void> {
  for (const child of children) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  // Wait until the backends of the killed processes have ended.
  await sql`select pg_terminate_backend(pid, 5000) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`.execute(db.database);
}

/** @returns for each mailbox the number of notices about each message, and about the lock */
async function countNotices(db: TestDatabase, mailboxes: readonly MailboxKey[]): Promise<number[][]> {
  return Promise.all(
    mailboxes.map(async ({ projectId, mailboxId }) => {
      const { rows } = await sql<{ notices: number }>`
        select count(*)::int as notices from message_contents
        where project_id = ${projectId} and mailbox_id = ${mailboxId}
        group by coalesce(array_to_string(ancestors, ' '), subject)`.execute(db.database);
      return rows.map(({ notices }) => notices);
    }),
  );
}

test('owners get one notice for each message and for the lock, even if workers are killed repeatedly', async () => {
  await using db = await testDatabase();
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-notices-killed-'));
  try {
    const mailboxes = await fail(db);
    let rounds = 0;
    for (; rounds < MAX_ROUNDS && (await countLeft(db)) > 0; rounds++) {
      const children = await startAll(db, folder, []);
      const before = await countLeft(db);
      letWork(children);
      // Kill the worker at a random time after its first commit.
      await eventually(async () => (await countLeft(db)) < before, 20_000);
      await sleep(Math.random() * 60);
      await killAll(db, children);
    }
    assert.equal(await countLeft(db), 0);
    const each = Array.from({ length: MESSAGES + 1 }, () => 1);
    assert.deepEqual(
      await countNotices(db, mailboxes),
      mailboxes.map(() => each),
    );
    assert.ok(rounds > 1, 'no worker was killed while it worked');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('control: owners are notified twice if no worker locks the recipients of a notice', async () => {
  await using db = await testDatabase();
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-notices-killed-'));
  const mailboxes = await fail(db);
  // Each worker that has read the due notices waits until all other workers have read the notices.
  const unlocked = {
    file: 'src/sending/notices/file-notices.ts',
    protection: 'told by who holds the recipients',
    replace: `await new Promise((resolve) => setTimeout(resolve, 3_000));
    const held = new Set(made.flatMap(recipientsOf).map(nameOf));`,
  };
  const children = await startAll(db, folder, [unlocked]);
  try {
    letWork(children);
    const isNotifiedTwice = async (): Promise<boolean> =>
      (await countNotices(db, mailboxes)).flat().some((notices) => notices > 1);
    assert.ok(await eventually(isNotifiedTwice, 30_000));
  } finally {
    await killAll(db, children);
    rmSync(folder, { recursive: true, force: true });
  }
});
