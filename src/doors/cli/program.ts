/** What the command line can do, beside a running server and without one. */
import { Command } from 'commander';
import { ConfigError } from '../../app/config.ts';
import { BAD_CONFIGURATION, StartupError } from '../../model/startup-error.ts';
import { AppError } from '../../model/app-error.ts';
import { VERSION } from '../../model/version.ts';

/** Adds to a command what it does: its options, and its subcommands. */
type Define = (command: Command) => void;

/** What each does is loaded when it is named: all of it together would take most of the time of a command. */
// biome-ignore format: a table
const COMMANDS: readonly [name: string, about: string, load: () => Promise<Define>][] = [
  ['config', 'every environment variable with its default and meaning', async () => (await import('./config.ts')).defineConfig],
  ['doctor', 'look at the set-up of this machine, and say what to do about what is wrong', async () => (await import('./doctor.ts')).defineDoctor],
  ['project', 'projects', async () => (await import('./project.ts')).defineProject],
  ['organization', 'organisations, each with its projects', async () => (await import('./organization.ts')).defineOrganization],
  ['user', 'people who sign in to the dashboard', async () => (await import('./user.ts')).defineUser],
  ['key', 'API keys', async () => (await import('./key.ts')).defineKey],
  ['domain', 'domains to send from', async () => (await import('./domain.ts')).defineDomain],
  ['send', 'send an email', async () => (await import('./send.ts')).defineSend],
  ['email', 'emails', async () => (await import('./email.ts')).defineEmail],
  ['queue', 'whether mail goes out, and what waits', async () => (await import('./queue.ts')).defineQueue],
  ['backup', 'write everything that is kept to a file, while the service runs or not', async () => (await import('./backup.ts')).defineBackup],
  ['restore', 'load a backup into an empty place; nothing goes out before queue resume', async () => (await import('./restore.ts')).defineRestore],
  ['tail', 'what happens to emails, as it happens, until Ctrl-C', async () => (await import('./tail.ts')).defineTail],
  ['webhook', 'webhooks', async () => (await import('./webhook.ts')).defineWebhook],
  ['template', 'templates: saved subjects and bodies', async () => (await import('./template.ts')).defineTemplate],
  ['mailbox', 'mailboxes', async () => (await import('./mailbox.ts')).defineMailbox],
  ['alias', 'addresses that lead to one or more mailboxes', async () => (await import('./alias.ts')).defineAlias],
  ['file-link', 'large files that went out as links', async () => (await import('./file-link.ts')).defineFileLink],
  ['share', 'directories shared between projects', async () => (await import('./share.ts')).defineShare],
  ['suppression', 'addresses that get no more mail', async () => (await import('./suppression.ts')).defineSuppression],
  ['migrate', 'make the changes to the database that this version needs, while the version before goes on serving', async () => (await import('./migrate.ts')).defineMigrate],
  ['complaint', 'feedback loops', async () => (await import('./complaint.ts')).defineComplaint],
  ['tls-results', "how TLS went with the recipients' servers, a line for each kind of result", async () => (await import('./tls-results.ts')).defineTlsResults],
];

/** The program with those of its commands loaded that the arguments name. */
export async function programFor(args: readonly string[]): Promise<Command> {
  const program = new Command('posthorn')
    .description('Transactional email that a team runs itself.')
    .version(VERSION, '-v, --version', 'print the version of this program');
  for (const [name, about, load] of COMMANDS) {
    const command = program.command(name).description(about);
    if (args.includes(name)) (await load())(command);
  }
  return program;
}

/**
 * Runs a command, and says on stderr what was wrong.
 * @param args behind the name of the program
 */
export async function runProgram(args: readonly string[]): Promise<void> {
  try {
    const program = await programFor(args);
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    process.stderr.write(`${await inWords(error)}\n`);
    process.exitCode = exitCodeOf(error);
  }
}

function exitCodeOf(error: unknown): number {
  if (error instanceof StartupError) return error.exitCode;
  return error instanceof ConfigError ? BAD_CONFIGURATION : 1;
}

/** @throws what is a bug, as it is */
async function inWords(error: unknown): Promise<string> {
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
