/** Tests rules for every command, and the format of tables. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Command } from 'commander';
import { DASHBOARD_OPERATIONS } from '../http/dashboard/operations.ts';
import { OPERATION_MODULES } from '../http/operation-modules.ts';
import { age, table } from './table.ts';

const FOLDER = new URL('./', import.meta.url);

/** All commands that have an action, by their full names. */
async function allCommands(): Promise<[name: string, command: Command][]> {
  const programs = ['main.ts', 'program.ts'];
  const files = readdirSync(FOLDER).filter((name) => /^[a-z-]+\.ts$/.test(name) && !programs.includes(name));
  const modules = await Promise.all(
    files.map(async (name) => [name, (await import(new URL(name, FOLDER).href)) as object] as const),
  );
  return modules.flatMap(([file, exported]) =>
    Object.entries(exported)
      .filter(([name]) => name.startsWith('define'))
      .flatMap(([, define]) => {
        const command = new Command(file.replace('.ts', ''));
        (define as (command: Command) => void)(command);
        return leavesOf(command.name(), command);
      }),
  );
}

function leavesOf(name: string, command: Command): [string, Command][] {
  const { commands } = command;
  return commands.length === 0
    ? [[name, command]]
    : commands.flatMap((each) => leavesOf(`${name} ${each.name()}`, each));
}

function helpOf(command: Command): string {
  let help = '';
  command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
  return help;
}

test('every command has an example in its help, and the option --json', async () => {
  const commands = await allCommands();
  assert.ok(commands.length >= 30, `${commands.length} commands`);
  for (const [name, command] of commands) {
    const help = helpOf(command);
    assert.ok(help.includes(`\nExample:\n  npm run -s posthorn -- ${name}`), `${name}: ${help}`);
    assert.ok(
      command.options.some(({ long }) => long === '--json'),
      `${name} has no --json`,
    );
  }
});

/** Declared commands whose operation the dashboard also has. */
const DECLARED = new Set(
  OPERATION_MODULES.flatMap(({ operations }) =>
    Object.values(operations).flatMap(({ doors: { cli, dashboard } }) =>
      cli === undefined || dashboard === undefined ? [] : [cli.command as string],
    ),
  ),
);

/** For commands that are not declared: the dashboard operations that do the same. */
// biome-ignore format: a table
const IN_DASHBOARD: Readonly<Record<string, readonly string[]>> = {
  'alias create': ['createAlias'], 'alias list': ['listAliases'], 'alias delete': ['deleteAlias'],
  'complaint address': ['getDomain'],
  'doctor': ['getDoctor', 'runDoctor'],
  'domain add': ['addDomain'], 'domain list': ['listDomains'], 'domain set': ['setDomainTracking'], 'domain show': ['getDomain'],
  'domain rotate-dkim': ['startDkimRotation', 'cancelDkimRotation'],
  'email list': ['listEmails'], 'email show': ['getInspectedEmail'], 'email raw': ['getEmailSource'], 'email retry': ['retryEmail'],
  'email cancel': ['cancelEmail'], 'email erase': ['eraseEmail', 'erasePerson'],
  'file-link list': ['listProjectFileLinks'],
  'key create': ['createApiKey'], 'key list': ['listApiKeys'], 'key revoke': ['revokeApiKey'],
  'mailbox list': ['listMailboxes'], 'mailbox create': ['createMailbox'],
  'mailbox set-password': ['setMailboxPassword'], 'mailbox unlock': ['unlockMailbox'], 'mailbox set': ['updateMailbox'],
  'mailbox rule add': ['addMailboxRule'], 'mailbox rule change': ['changeMailboxRule'], 'mailbox rule list': ['getMailboxFiling'],
  'mailbox rule move': ['changeMailboxRule'], 'mailbox rule set': ['changeMailboxRule'],
  'mailbox block add': ['blockSender'], 'mailbox block list': ['getMailboxFiling'], 'mailbox block remove': ['unblockSender'],
  'mailbox vacation set': ['setVacation'], 'mailbox vacation off': ['endVacation'], 'mailbox vacation show': ['getMailboxFiling'],
  'mailbox forward set': ['setForwarding'], 'mailbox forward off': ['endForwarding'], 'mailbox forward show': ['getMailboxFiling'],
  'organization create': ['createOrganization'], 'organization export': ['exportOrganization'], 'organization delete': ['deleteOrganization'],
  'project create': ['createProject'], 'project set': ['updateProject', 'setRetention'], 'project list': ['getSession'],
  'project show': ['getProjectSettings', 'getUsage'], 'project export': ['exportProject'], 'project delete': ['deleteProject'],
  'queue show': ['getSystemQueue'], 'queue pause': ['pauseQueue'], 'queue hold': ['holdDestination'],
  'queue resume': ['resumeQueue', 'withdrawQueue', 'resumeDestination'], 'queue try': ['tryDestination'],
  'send': ['composeEmail', 'sendTemplateTest'],
  'share create': ['createShare'], 'share remove': ['deleteShare'],
  'suppression list': ['listSuppressions'], 'suppression add': ['addSuppressions'], 'suppression remove': ['removeSuppressions'],
  'suppression import': ['importSuppressions'], 'suppression export': ['exportSuppressions'],
  'tail': ['listEmails'],
  'template create': ['createTemplate'], 'template update': ['updateTemplate'],
  'tls-results': ['listTlsResults'],
  'user create': ['createInvitation', 'acceptInvitation'], 'user reset': ['makeMemberResetLink', 'resetMemberSecondFactor'], 'user set': ['updateMember'],
  'user require-sign-in': ['requireSignIn', 'requireOperatorSignIn'],
  'user invite': ['createInvitation'],
  'user sessions list': ['listMemberSessions'], 'user sessions end': ['endMemberSession', 'endMemberSessions'],
  'user list': ['listMembers'], 'user delete': ['removeMember'],
  'webhook list': ['listWebhooks'], 'webhook rotate-secret': ['rotateWebhookSecret'], 'webhook replay': ['replayWebhookDelivery'],
};

test('every command has a counterpart in the dashboard, or docs/dashboard.md lists it as command-line only', async () => {
  const guide = readFileSync(new URL('../../../docs/dashboard.md', FOLDER), 'utf8');
  const [alone = ''] = /^These are available only on the command line[^]*?\n## /m.exec(guide) ?? [];
  const known = new Set(DASHBOARD_OPERATIONS.map(({ operationId }) => operationId));
  const names = (await allCommands()).map(([name]) => name);
  for (const name of names) {
    const operations = IN_DASHBOARD[name];
    if (operations === undefined && !DECLARED.has(name)) assert.ok(alone.includes(`\`${name}\``), name);
    for (const operation of operations ?? []) assert.ok(known.has(operation), `${name}: ${operation}`);
  }
  assert.deepEqual(
    Object.keys(IN_DASHBOARD).filter((name) => !names.includes(name)),
    [],
  );
});

const COLUMNS = [
  { title: 'ID' },
  { title: 'TO', isCut: true as const },
  { title: 'SUBJECT', isCut: true as const },
];

test('a table fits the terminal, does not cut ids, and replaces control characters', () => {
  const id = 'em_01M7X0JR7PEV0VHC0B1T6YJNFF';
  const text = table(
    COLUMNS,
    [
      [id, 'ada@example.com', 'Your order \u001b[31m has been shipped and will be with you tomorrow'],
      [id, 'a.very.long.address.of.someone@sub.domain.example', '注文が発送されました。明日お手元に届きます'],
    ],
    80,
  );
  const lines = text.split('\n');
  assert.equal(lines.length, 3);
  // Each wide character of the last line occupies two columns.
  const widths = lines.map((line) => line.length + (line.match(/[^\x20-\x7e…]/g) ?? []).length);
  assert.ok(Math.max(...widths) <= 80, text);
  for (const line of lines.slice(1)) assert.ok(line.startsWith(`${id}  a`), text);
  assert.match(lines[1] ?? '', /Your order \?\[31m/);
  assert.match(lines[2] ?? '', /…/);
});

test('a table is not cut if the output is not a terminal', () => {
  const subject = 'x'.repeat(300);
  assert.ok(table(COLUMNS, [['em_1', 'a@b.test', subject]], Number.POSITIVE_INFINITY).endsWith(subject));
});

test('an age is printed in one unit', () => {
  const nowMs = Date.parse('2026-11-22T12:00:00Z');
  const ages = [
    '2026-11-22T11:59:20.500Z',
    '2026-11-22T11:58:59Z',
    '2026-11-22T09:00:00Z',
    '2026-11-10T12:00:00Z',
  ];
  assert.deepEqual(
    ages.map((time) => age(time, nowMs)),
    ['39s', '1m', '3h', '12d'],
  );
});
