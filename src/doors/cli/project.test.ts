import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { environmentOf, posthorn } from '../../../test/support/cli.ts';
import { newEmail } from '../../../test/support/emails.ts';
import { type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { showProcess } from '../../../test/support/process-rows.ts';
import { newProject } from '../../../test/support/projects.ts';
import { ApiKeys, createApiKey } from '../../accounts/keys/api-keys.ts';
import { findProjectByName } from '../../accounts/projects/projects.ts';
import { foldStorage } from '../../accounts/usage.ts';
import { insertEmails, storedBytes } from '../../sending/accept/insert-emails.ts';
import { HOUR_MS } from '../../model/day.ts';
import { newUuid, restartIds } from '../../model/ids.ts';
import { PLAN_LIMITS } from '../../model/plans.ts';

let db: TestDatabase;
before(async () => {
  db = await testDatabase();
  assert.equal((await project('create', '--name', 'shop', '--plan', 'free')).code, 0);
});
after(() => db[Symbol.asyncDispose]());

const project = (...args: string[]) => posthorn(environmentOf(db), 'project', ...args);

async function show(): Promise<Record<string, unknown>> {
  return JSON.parse((await project('show', '--project', 'shop', '--json')).stdout) as Record<string, unknown>;
}

test('project show prints the settings, the usage and the limits of the plan', async () => {
  const projectId = await findProjectByName(db.database, 'shop');
  const emails = [newEmail({ projectId }), newEmail({ projectId, text: 'ü' })];
  const bytes = emails.reduce((sum, email) => sum + storedBytes(email), 0);
  await insertEmails(db.database, emails.slice(0, 1));
  await foldStorage(db.database);
  await insertEmails(db.database, emails.slice(1));
  const { id, ...shown } = await show();
  assert.match(String(id), /^prj_/);
  assert.deepEqual(shown, {
    name: 'shop',
    plan: 'free',
    spam_level: 'medium',
    track_opens: false,
    track_clicks: false,
    smtp_tracking: false,
    smtp_events: false,
    mail_directory: false,
    link_names: false,
    keep_days: null,
    keep_bodies_days: null,
    usage: {
      storage_bytes: bytes,
      emails_this_month: 2,
      mailbox_emails_this_month: 0,
      mailboxes: 0,
      own_domains: 0,
    },
    limits: {
      storage_bytes: PLAN_LIMITS.free.storageBytes,
      emails_this_month: 100,
      mailbox_emails_this_month: 300,
      mailboxes: 1,
      own_domains: 1,
    },
  });
  const { stdout } = await project('show', '--project', 'shop');
  assert.match(stdout, /^emails_this_month: 2 of 100$/m);
});

test('project set changes only the given settings', async () => {
  await project('set', '--project', 'shop', '--spam-level', 'high', '--track-opens', 'on');
  await project('set', '--project', 'shop', '--keep-days', '30', '--keep-bodies-days', '0');
  const result = await project(
    'set',
    '--project',
    'shop',
    '--track-clicks',
    'on',
    '--keep-days',
    'forever',
    '--json',
  );
  const { id: _, ...settings } = JSON.parse(result.stdout) as Record<string, unknown>;
  assert.deepEqual(settings, {
    name: 'shop',
    plan: 'free',
    spam_level: 'high',
    track_opens: true,
    track_clicks: true,
    smtp_tracking: false,
    smtp_events: false,
    mail_directory: false,
    link_names: false,
    keep_days: null,
    keep_bodies_days: 0,
  });
  await project('set', '--project', 'shop', '--track-opens', 'off');
  assert.equal((await show())['track_opens'], false);
});

test('project set returns only after a running server uses the new plan', async () => {
  const projectId = await findProjectByName(db.database, 'shop');
  const keys = new ApiKeys(db.database);
  const { token } = await createApiKey(db.database, projectId, 'running', null);
  const planNow = async () => (await keys.authenticate(token, '::1'))?.plan;
  assert.equal(await planNow(), 'free');
  await showProcess(db.database, { role: 'http' });
  const setting = project('set', '--project', 'shop', '--plan', 'paid');
  // Poll, so that the server caches the plan until the last moment before the change.
  const polling = setInterval(() => void planNow(), 20);
  assert.equal((await setting).code, 0);
  clearInterval(polling);
  assert.equal(await planNow(), 'paid');
});

const rejected: [args: string[], why: RegExp][] = [
  [[], /choose what to change/],
  [['--plan', 'gold'], /Allowed choices are free, paid/],
  [['--spam-level', 'none'], /Allowed choices are off, low, medium, high/],
  [['--track-opens', 'yes'], /Allowed choices are on, off/],
  [['--keep-days', '0'], /whole number from 1 to 36500, or forever/],
];
for (const [args, why] of rejected) {
  test(`project set rejects ${JSON.stringify(args)}`, async () => {
    const { code, stderr } = await project('set', '--project', 'shop', ...args);
    assert.equal(code, 1);
    assert.match(stderr, why);
  });
}

test('project show and project set fail if the project does not exist', async () => {
  const results = [
    await project('show', '--project', 'nowhere'),
    await project('set', '--project', 'nowhere', '--plan', 'paid'),
  ];
  for (const { code, stderr } of results) {
    assert.equal(code, 1);
    assert.match(stderr, /There is no project named nowhere/);
  }
});

test('email erase deletes emails of a person, organization export exports all projects, and project delete requires --yes', async () => {
  const projectId = await newProject(db.database, 'leaving');
  await insertEmails(db.database, [
    newEmail({ projectId, recipients: ['ada@x.test'] }),
    newEmail({ projectId }),
  ]);
  const cli = (...args: string[]) => posthorn(environmentOf(db), ...args, '--json');
  const erased = await cli('email', 'erase', '--address', 'ADA@x.test', '--project', 'leaving');
  assert.equal((JSON.parse(erased.stdout) as { emails_deleted: number }).emails_deleted, 1);
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-export-'));
  try {
    const { stdout } = await cli('organization', 'export', '--organization', 'default', '--out', folder);
    assert.deepEqual(JSON.parse(stdout), { organization: 'default', folder, projects: 2, emails: 3 });
  } finally {
    rmSync(folder, { recursive: true });
  }
  const unconfirmed = await cli('project', 'delete', '--project', 'leaving');
  assert.match(unconfirmed.stderr, /This cannot be undone\. Add --yes/);
  const deleted = await cli('project', 'delete', '--project', 'leaving', '--yes');
  assert.deepEqual(JSON.parse(deleted.stdout), { project: 'leaving', deleted: true });
  assert.equal((await cli('project', 'show', '--project', 'leaving')).code, 1);
});

test('the counts of an hour are due again after email erase', async () => {
  const projectId = await newProject(db.database, 'counted');
  const hour = new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS - 30 * HOUR_MS);
  restartIds();
  const email = newEmail({ projectId, emailId: newUuid(hour.getTime()), recipients: ['ada@x.test'] });
  restartIds();
  await insertEmails(db.database, [email]);
  await sql`
    insert into email_counts (project_id, hour, emails, recipients, delivered, opened, clicked, failed, bounced, complained, counted_at, next_at)
    values (${projectId}, ${hour}, 1, 1, 0, 0, 0, 0, 0, 0, now() - interval '4 hours', now() + interval '1 hour')`.execute(
    db.database,
  );
  await posthorn(environmentOf(db), 'email', 'erase', '--address', 'ada@x.test', '--project', 'counted');
  const { nextAt } = await db.database
    .selectFrom('emailCounts')
    .select('nextAt')
    .where('projectId', '=', projectId)
    .executeTakeFirstOrThrow();
  assert.ok(nextAt.getTime() <= Date.now());
});
