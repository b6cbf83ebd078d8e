/** The command line program. It works whether or not a server is running. */
import { Command } from 'commander';
import { ConfigError } from '../../app/config.ts';
import { BAD_CONFIGURATION, StartupError } from '../../model/startup-error.ts';
import { AppError } from '../../model/app-error.ts';
import { VERSION } from '../../model/version.ts';

/** Adds options, an action and subcommands to a command. */
type Define = (command: Command) => void;

/**
 * Each module is loaded only when its command is named, because all modules together take longer to load than most commands take to run.
 */
// biome-ignore format: a table
const COMMANDS: readonly [name: string, about: string, load: () => Promise<Define>][] = [
  ['dev', 'catch mail during development: SMTP port, inbox and API, all on this machine', async () => (await import('./dev.ts')).defineDev],
  ['config', 'list every environment variable with its default and meaning', async () => (await import('./config.ts')).defineConfig],
  ['doctor', 'check the setup of this machine, and say how to fix what is wrong', async () => (await import('./doctor.ts')).defineDoctor],
  ['project', 'manage projects', async () => (await import('./project.ts')).defineProject],
  ['organization', 'manage organizations, which own projects', async () => (await import('./organization.ts')).defineOrganization],
  ['user', 'manage users of the dashboard', async () => (await import('./user.ts')).defineUser],
  ['key', 'manage API keys', async () => (await import('./key.ts')).defineKey],
  ['domain', 'manage sending domains', async () => (await import('./domain.ts')).defineDomain],
  ['send', 'send an email', async () => (await import('./send.ts')).defineSend],
  ['email', 'list, inspect, retry, cancel and erase emails', async () => (await import('./email.ts')).defineEmail],
  ['queue', 'inspect, pause and resume sending', async () => (await import('./queue.ts')).defineQueue],
  ['backup', 'back up everything to one file; the server may be running or stopped', async () => (await import('./backup.ts')).defineBackup],
  ['restore', 'restore a backup into an empty installation; sending stays paused until "queue resume"', async () => (await import('./restore.ts')).defineRestore],
  ['tail', 'follow email events as they happen', async () => (await import('./tail.ts')).defineTail],
  ['webhook', 'manage webhooks', async () => (await import('./webhook.ts')).defineWebhook],
  ['route', 'manage routes: incoming mail that programs receive', async () => (await import('./route.ts')).defineRoute],
  ['template', 'manage email templates', async () => (await import('./template.ts')).defineTemplate],
  ['mailbox', 'manage mailboxes', async () => (await import('./mailbox.ts')).defineMailbox],
  ['alias', 'manage aliases: addresses that deliver to one or more mailboxes', async () => (await import('./alias.ts')).defineAlias],
  ['file-link', 'list and revoke links to large files', async () => (await import('./file-link.ts')).defineFileLink],
  ['share', 'share the directory of a project with another project', async () => (await import('./share.ts')).defineShare],
  ['suppression', 'manage the suppression list: addresses that get no mail', async () => (await import('./suppression.ts')).defineSuppression],
  ['migrate', 'migrate the database to this version; servers of the previous version keep running', async () => (await import('./migrate.ts')).defineMigrate],
  ['migrate-mail', 'copy mailboxes from another IMAP server', async () => (await import('./migrate-mail.ts')).defineMigrateMail],
  ['complaint', 'show the address to register with feedback loops', async () => (await import('./complaint.ts')).defineComplaint],
  ['tls-results', "show TLS results with recipients' servers, one line per kind of result", async () => (await import('./tls-results.ts')).defineTlsResults],
];

/** Builds the program. Loads only the command that `args` name. */
export async function programFor(args: readonly string[]): Promise<Command> {
  const program = new Command('posthorn')
    .description('Self-hosted transactional email and mailboxes.')
    .version(VERSION, '-v, --version', 'print the version');
  for (const [name, about, load] of COMMANDS) {
    const command = program.command(name).description(about);
    if (args.includes(name)) (await load())(command);
  }
  return program;
}

/**
 * Runs a command. Errors are printed on stderr and set the exit code.
 * @param args the arguments without the name of the program
 */
export async function runProgram(args: readonly string[]): Promise<void> {
  try {
    const program = await programFor(args);
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    process.stderr.write(`${await messageOf(error)}\n`);
    process.exitCode = exitCodeOf(error);
  }
}

function exitCodeOf(error: unknown): number {
  if (error instanceof StartupError) return error.exitCode;
  return error instanceof ConfigError ? BAD_CONFIGURATION : 1;
}

/** @throws an error that is a bug, so that Node.js prints its stack */
async function messageOf(error: unknown): Promise<string> {
  if (error instanceof ConfigError || error instanceof StartupError) return error.message;
  if (error instanceof AppError) {
    const details = Object.entries(error.errors ?? {}).map(([field, text]) => `  ${field}: ${text}`);
    return [error.message, ...details].join('\n');
  }
  const { canBeWaitedFor, databaseFault, reasonOf } = await import('../../process/start-fault.ts');
  if (canBeWaitedFor(error)) return `The database cannot be reached: ${reasonOf(error)}`;
  const fault = databaseFault(error, false);
  if (!(fault instanceof StartupError) || fault.exitCode !== BAD_CONFIGURATION) throw error;
  return fault.message;
}
