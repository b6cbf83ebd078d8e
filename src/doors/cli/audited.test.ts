// Runs in its own process: commands read its environment and write to its output.
/** Tests the audit log entries of changes on the command line. */
import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { after, before, mock, test } from 'node:test';
import { Command } from 'commander';
import { newEmail } from '../../../test/support/emails.ts';
import { environmentOf } from '../../../test/support/cli.ts';
import { type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { newProject, newShop } from '../../../test/support/projects.ts';
import { findProjectByName } from '../../accounts/projects/projects.ts';
import type { Database } from '../../db/database.ts';
import { encodeId, newUuid } from '../../model/ids.ts';
import { insertEmails } from '../../sending/accept/insert-emails.ts';
import { defineAlias } from './alias.ts';
import { defineDomain } from './domain.ts';
import { defineEmail } from './email.ts';
import { defineFileLink } from './file-link.ts';
import { defineKey } from './key.ts';
import { defineMailbox } from './mailbox.ts';
import { defineMigrateMail } from './migrate-mail.ts';
import { defineOrganization } from './organization.ts';
import { defineProject } from './project.ts';
import { defineQueue } from './queue.ts';
import { defineShare } from './share.ts';
import { defineSuppression } from './suppression.ts';
import { defineTemplate } from './template.ts';
import { defineUser } from './user.ts';
import { defineRoute } from './route.ts';
import { defineWebhook } from './webhook.ts';

const GROUPS: Readonly<Record<string, (command: Command) => void>> = {
  alias: defineAlias,
  domain: defineDomain,
  email: defineEmail,
  key: defineKey,
  'file-link': defineFileLink,
  mailbox: defineMailbox,
  'migrate-mail': defineMigrateMail,
  organization: defineOrganization,
  project: defineProject,
  queue: defineQueue,
  share: defineShare,
  suppression: defineSuppression,
  template: defineTemplate,
  user: defineUser,
  route: defineRoute,
  webhook: defineWebhook,
};

/** Command groups that change nothing in an organization. */
const INSTALLATION_GROUPS = new Set([
  'config',
  'doctor',
  'send',
  'backup',
  'restore',
  'tail',
  'migrate',
  'complaint',
  'tls-results',
]);

const SHOP = ['--project', 'shop'];
const SALES = [...SHOP, '--address', 'sales@shop.example'];
const PASSWORD = 'correct horse battery';
const LIST = join(tmpdir(), `posthorn-list-${process.pid}`);

const SIEVE = join(tmpdir(), `posthorn-audited-${process.pid}.sieve`);
const MBOX = join(tmpdir(), `posthorn-audited-${process.pid}.mbox`);
/** The id of an email that no worker has claimed. */
let waiting: string;

/** The id of shop.example. */
let domain: string;

/** The output of each earlier command, by the words of the command. */
const printed = new Map<string, Readonly<Record<string, string>>>();
const idFrom = (words: string) => ['--id', printed.get(words)?.['id'] ?? ''];

/** In order of execution: commands use resources that earlier commands created. */
const CHANGES: readonly [words: string, args: () => readonly string[], action: string][] = [
  ['project create', () => ['--name', 'second'], 'project.create'],
  ['project set', () => [...SHOP, '--track-opens', 'on'], 'project.update'],
  ['key create', () => [...SHOP, '--name', 'ci'], 'api-key.create'],
  ['key revoke', () => [...SHOP, '--name', 'ci'], 'api-key.revoke'],
  [
    'mailbox create',
    () => [...SHOP, '--address', 'new@shop.example', '--password', PASSWORD],
    'mailbox.create',
  ],
  ['mailbox set-password', () => [...SALES, '--password', PASSWORD], 'mailbox.set-password'],
  ['mailbox set', () => [...SALES, '--save-sent', 'on'], 'mailbox.update'],
  ['mailbox unlock', () => SALES, 'mailbox.unlock'],
  ['mailbox app-password create', () => [...SALES, '--name', 'phone'], 'app-password.create'],
  [
    'mailbox app-password revoke',
    () => [...SALES, ...idFrom('mailbox app-password create')],
    'app-password.revoke',
  ],
  [
    'mailbox member set',
    () => [...SALES, '--member', 'ann@shop.example', '--access', 'write'],
    'mailbox.share',
  ],
  ['mailbox member remove', () => [...SALES, '--member', 'ann@shop.example'], 'mailbox.unshare'],
  [
    'mailbox rule add',
    () => [...SALES, '--name', 'News', '--if', 'from contains @news.example', '--then', 'file News'],
    'mailbox.add-rule',
  ],
  [
    'mailbox rule change',
    () => [
      ...SALES,
      ...idFrom('mailbox rule add'),
      '--name',
      'News',
      '--if',
      'from is a@news.example',
      '--then',
      'flag',
    ],
    'mailbox.change-rule',
  ],
  [
    'mailbox rule move',
    () => [...SALES, ...idFrom('mailbox rule add'), '--position', '1'],
    'mailbox.move-rule',
  ],
  [
    'mailbox rule set',
    () => [...SALES, ...idFrom('mailbox rule add'), '--enabled', 'off'],
    'mailbox.enable-rule',
  ],
  ['mailbox rule remove', () => [...SALES, ...idFrom('mailbox rule add')], 'mailbox.remove-rule'],
  ['mailbox rule import', () => [SIEVE, ...SALES], 'mailbox.import-rules'],
  ['mailbox block add', () => [...SALES, '--sender', 'spam.example'], 'mailbox.block'],
  ['mailbox block remove', () => [...SALES, '--sender', 'spam.example'], 'mailbox.unblock'],
  ['mailbox safe add', () => [...SALES, '--sender', 'friend.example'], 'mailbox.add-safe-sender'],
  ['mailbox safe remove', () => [...SALES, '--sender', 'friend.example'], 'mailbox.remove-safe-sender'],
  ['project safe add', () => [...SHOP, '--sender', 'friend.example'], 'project.add-safe-sender'],
  ['project safe remove', () => [...SHOP, '--sender', 'friend.example'], 'project.remove-safe-sender'],
  ['mailbox vacation set', () => [...SALES, '--text', 'I am away.'], 'mailbox.set-vacation'],
  ['mailbox vacation off', () => SALES, 'mailbox.end-vacation'],
  [
    'alias create',
    () => [...SHOP, '--address', 'info@shop.example', '--mailbox', 'sales@shop.example'],
    'alias.create',
  ],
  ['alias delete', () => [...SHOP, '--address', 'info@shop.example'], 'alias.delete'],
  ['route create', () => [...SHOP, '--domain-id', domain, '--local-part', 'orders'], 'route.create'],
  ['route delete', () => [...SHOP, ...idFrom('route create')], 'route.delete'],
  ['template create', () => [...SHOP, '--name', 'hi', '--subject', 'Hi', '--text', 'Hi'], 'template.create'],
  ['template update', () => [...SHOP, ...idFrom('template create'), '--subject', 'Hello'], 'template.update'],
  ['template delete', () => [...SHOP, ...idFrom('template create')], 'template.delete'],
  ['share create', () => [...SHOP, '--to', 'news'], 'share.create'],
  ['share remove', () => [...SHOP, '--to', 'news'], 'share.delete'],
  ['suppression add', () => [...SHOP, '--address', 'b@dst.test'], 'suppression.create'],
  ['suppression remove', () => [...SHOP, '--address', 'b@dst.test'], 'suppression.delete'],
  ['suppression import', () => [LIST, ...SHOP], 'suppression.import'],
  ['mailbox import', () => [MBOX, ...SALES], 'mailbox.import'],
  ['email cancel', () => [...SHOP, '--id', waiting], 'email.cancel'],
  ['project delete', () => ['--project', 'second', '--yes'], 'project.delete'],
];

const GMX = ['--destination', 'gmx.test'];
/** Commands on the installation, and the actions that the log of operators records. Null means that no action is recorded. */
const OPERATOR_COMMANDS: readonly [words: string, args: readonly string[], action: string | null][] = [
  ['queue pause', [], 'queue.pause'],
  ['queue pause', [], null],
  ['queue resume', [], 'queue.resume'],
  ['queue hold', GMX, 'destination.hold'],
  ['queue hold', GMX, null],
  ['queue resume', GMX, 'destination.resume'],
  ['queue resume', GMX, null],
  ['queue try', GMX, 'destination.try'],
  ['queue provider', ['--set', 'real', '--yes'], 'queue.provider'],
  ['queue provider', ['--set', 'real', '--yes'], null],
  ['queue provider', [], null],
  ['queue release', ['--from', 'sandbox', '--yes'], null],
  ['queue withdraw', ['--from', 'sandbox', '--yes'], null],
];

/**
 * Commands tested elsewhere: erasing, file links, domains, webhooks, users, migrating, which needs a server, and forwarding, which needs a
 * verified domain.
 */
const TESTED_ELSEWHERE = new Set([
  // src/mailboxes/past-holders.test.ts
  'mailbox release',
  'file-link revoke',
  'domain add',
  'domain set',
  'domain remove',
  'domain rotate-dkim',
  'webhook rotate-secret',
  'webhook replay',
  'user create',
  'user delete',
  'user reset',
  'user set',
  'user invite',
  'user invitations withdraw',
  'user invitations confirm',
  'user require-sign-in',
  'user sessions end',
  'organization create',
  'email erase',
  'email retry',
  'mailbox forward set',
  'mailbox forward off',
  'migrate-mail',
]);
/** Commands that only show or export data, `organization delete`, which deletes the organization's log too, and `dev`, which is a server. */
const NO_CHANGES = /(?:^| )(?:list|show|raw|export|hosted)$|^organization delete$|^dev$/;

let db: TestDatabase;
before(async () => {
  db = await testDatabase();
  await newShop(db.database, 'shop', { localPart: 'sales' });
  const { id } = await db.database
    .selectFrom('domains')
    .select('id')
    .where('name', '=', 'shop.example')
    .executeTakeFirstOrThrow();
  domain = encodeId('dom', id);
  await newAnn(db.database);
  await newProject(db.database, 'news');
  const email = newEmail({ projectId: await findProjectByName(db.database, 'shop') });
  await insertEmails(db.database, [email]);
  waiting = encodeId('em', email.emailId);
  writeFileSync(MBOX, 'From a@dst.test Mon Nov 23 12:00:00 2026\nFrom: a@dst.test\nSubject: Hi\n\nHi\n');
  writeFileSync(SIEVE, 'if header "X-A" "1" { stop; }\n');
  writeFileSync(LIST, 'c@dst.test\nd@dst.test\n');
  Object.assign(process.env, environmentOf(db));
});
after(async () => {
  for (const path of [LIST, SIEVE]) rmSync(path);
  await db[Symbol.asyncDispose]();
});

/** Creates a second mailbox on the domain of the shop. */
async function newAnn(database: Database): Promise<void> {
  const sales = await database.selectFrom('mailboxes').selectAll().executeTakeFirstOrThrow();
  const ann = { ...sales, id: newUuid(), localPart: 'ann', localPartKey: 'ann', isCatchAll: false };
  await database.insertInto('mailboxes').values(ann).execute();
}

function group(name: string): Command {
  const command = new Command(name);
  GROUPS[name]?.(command);
  return command;
}

async function run(words: string, args: readonly string[]): Promise<Readonly<Record<string, string>>> {
  const [name = '', ...rest] = words.split(' ');
  let output = '';
  // Restored right after the command, because the test runner also writes to stdout.
  const { mock: written } = mock.method(process.stdout, 'write', (text: string) => {
    output += text;
    return true;
  });
  try {
    await group(name).parseAsync([...rest, ...args, '--json'], { from: 'user' });
  } finally {
    written.restore();
  }
  return JSON.parse(output) as Record<string, string>;
}

/** The full names of all subcommands that have an action. */
function leavesOf(command: Command, words: string): string[] {
  return command.commands.length === 0
    ? [words]
    : command.commands.flatMap((each) => leavesOf(each, `${words} ${each.name()}`));
}

test('every command is in CHANGES or OPERATOR_COMMANDS, or is listed as tested elsewhere or as changing nothing', () => {
  const program = readFileSync(new URL('program.ts', import.meta.url), 'utf8');
  const names = [...program.matchAll(/^ {2}\['([a-z-]+)', /gm)].map(([, name = '']) => name);
  const known = new Set([...CHANGES, ...OPERATOR_COMMANDS].map(([words]) => words));
  const unknown = names
    .filter((name) => !INSTALLATION_GROUPS.has(name))
    .flatMap((name) => leavesOf(group(name), name))
    .filter((words) => !known.has(words) && !TESTED_ELSEWHERE.has(words) && !NO_CHANGES.test(words));
  assert.deepEqual(unknown, []);
});

test('every change of an operator to the installation is logged', async () => {
  await db.database
    .insertInto('destinations')
    .values({ name: 'gmx.test', failures: 1, nextAttemptAt: new Date() })
    .execute();
  const rows = () => db.database.selectFrom('systemChanges').selectAll().orderBy('id').execute();
  for (const [words, args, action] of OPERATOR_COMMANDS) {
    const earlier = (await rows()).length;
    await run(words, args);
    const written = (await rows()).slice(earlier);
    assert.deepEqual(
      written.map((row) => [row.action, row.actorName, row.actorKind]),
      action === null ? [] : [[action, userInfo().username, 'command-line']],
      words,
    );
  }
});

test('every change is logged with the name of the system user, and no secret is logged', async () => {
  const secrets = [PASSWORD];
  const rows = () =>
    db.database
      .selectFrom('auditLog')
      .selectAll()
      .where('actorKind', '=', 'command-line')
      .orderBy('id')
      .execute();
  for (const [words, args, action] of CHANGES) {
    const earlier = (await rows()).length;
    const result = await run(words, args());
    printed.set(words, result);
    for (const name of ['token', 'password', 'secret'])
      if (result[name] !== undefined) secrets.push(result[name]);
    const written = (await rows()).slice(earlier);
    assert.deepEqual(
      written.map((row) => [row.action, row.actorName, row.address]),
      [[action, userInfo().username, null]],
      words,
    );
    assert.notEqual(written[0]?.projectId, null);
  }
  assert.equal(secrets.length, 4);
  const log = JSON.stringify(await rows());
  for (const secret of secrets) assert.ok(!log.includes(secret));
});
