/** Copies mailboxes from another IMAP server (docs/moving-in.md). */
import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { type Command, InvalidArgumentError } from 'commander';
import { recordChange } from '../../accounts/audit.ts';
import type { Core } from '../../app/core.ts';
import { Semaphore } from '../../concurrency/semaphore.ts';
import { findMailbox } from '../../mailboxes/find-mailbox.ts';
import { AppError, validationError } from '../../model/app-error.ts';
import { type CopyContext, copyMailbox, type CopyReport, newReport } from '../../moving/copy-mailbox.ts';
import { SourceMailbox, type SourceServer } from '../../moving/source-mailbox.ts';
import { verifyCopies, type VerifyReport } from '../../moving/verify-copies.ts';
import { printable } from '../../rfc/smtp/reply.ts';
import { Store } from '../../store/store.ts';
import { example, json, projectOption, type ProjectOptions, withProject } from './command.ts';
import { printList } from './table.ts';

const MB = 1024 * 1024;
const STANDARD_INPUT = 0;
const MAX_USERS = 10_000;
const MAX_PARALLEL = 16;
/** Attempts per mailbox and pass, and the pause before the second. Each further pause is twice as long. */
const MAX_TRIES = 5;
const FIRST_PAUSE_MS = 2_000;
/** Maximum characters of a printed line. Names of folders are untrusted and of any length. */
const MAX_LINE = 500;
/** The exit code of a pass that left out messages. */
const SKIPPED = 3;

interface Options extends ProjectOptions {
  from: SourceServer;
  users: string;
  master?: string;
  masterPasswordFile?: string;
  ca?: string;
  allowPlaintext?: boolean;
  exclude: string[];
  parallel: number;
  every?: number;
  dryRun?: boolean;
  verify?: boolean;
  deleteMany?: boolean;
}

export function defineMigrateMail(command: Command): void {
  command
    .description('copy mailboxes from another IMAP server, and repeat for what changed there')
    .addOption(projectOption('the project of the mailboxes'))
    .requiredOption(
      '--from <url>',
      'the old server: imaps://host[:port], or imap://host[:port] for STARTTLS',
      serverFrom,
    )
    .requiredOption(
      '--users <file>',
      'a line for each mailbox: address,user on the old server,password there; - is standard input',
    )
    .option('--master <user>', 'sign in as this user of the old server, who may act for all others')
    .option('--master-password-file <file>', 'a file with the password of the master user')
    .option(
      '--ca <file>',
      'certificates in PEM of the authority that issued the certificate of the old server',
    )
    .option('--allow-plaintext', 'sign in without TLS if the old server offers none')
    .option(
      '--exclude <folder>',
      'do not copy this folder; can be repeated',
      (name, all: string[]) => [...all, name],
      [],
    )
    .option('--parallel <number>', 'mailboxes copied at the same time', numberUpTo(MAX_PARALLEL), 4)
    .option('--every <minutes>', 'repeat until the command is stopped', numberUpTo(24 * 60))
    .option('--dry-run', 'only report what would be copied and what does not fit')
    .option('--verify', 'then read all messages again and compare them with their copies')
    .option('--delete-many', 'delete copies even if most originals are gone')
    .addOption(json)
    .addHelpText(
      'after',
      example('migrate-mail --project default --from imaps://imap.old.example --users users.csv'),
    )
    .action(migrateMail);
}

/** A mailbox to copy, one line of the users' file. */
interface Move {
  address: string;
  user: string;
  password: string;
  mailboxId: string;
}

interface MoveResult {
  address: string;
  user: string;
  /** Null if everything was copied, or counted in a dry run. */
  error: string | null;
  copied: CopyReport;
  verified: VerifyReport | null;
}

async function migrateMail(options: Options): Promise<void> {
  const { from, master, masterPasswordFile, ca, allowPlaintext } = options;
  if ((master === undefined) !== (masterPasswordFile === undefined))
    throw new AppError('bad-request', 'Use --master and --master-password-file together.');
  const server: SourceServer = {
    ...from,
    allowsPlaintext: allowPlaintext === true,
    ca: ca === undefined ? null : readText('ca', ca),
  };
  const masterPassword =
    masterPasswordFile === undefined
      ? null
      : readText('master-password-file', masterPasswordFile).replace(/\r?\n$/, '');
  const lines = usersFrom(readText('users', options.users), masterPassword);
  await withProject(options.project, async (core, projectId) => {
    const moves = await findMailboxes(core, projectId, lines);
    const store = new Store(core.database);
    for (;;) {
      const slots = new Semaphore(options.parallel);
      const results = await Promise.all(
        moves.map((move) => slots.run(() => moveMailbox({ core, store, projectId, server, options }, move))),
      );
      report(options, results);
      if (options.every === undefined) return;
      await setTimeout(options.every * 60_000);
    }
  });
}

interface MoveContext {
  core: Core;
  store: Store;
  projectId: string;
  server: SourceServer;
  options: Options;
}

/** Copies a mailbox. Repeats after faults of the network, which loses nothing because copies are recorded. */
async function moveMailbox(
  { core, store, projectId, server, options }: MoveContext,
  { address, user, password, mailboxId }: Move,
): Promise<MoveResult> {
  const { database, blobs, facts } = core;
  const maxMessageOctets = core.config.maxImportMb * MB;
  const note = (line: string) => {
    process.stderr.write(`${printable(`${address}: ${line}`, MAX_LINE)}\n`);
  };
  const context: CopyContext = { database, store, blobs, facts, maxMessageOctets, note };
  // Without the port, so that a change from STARTTLS to TLS is not another source.
  const key = { projectId, mailboxId, source: `${user} ${server.host.toLowerCase()}` };
  const login = { user, password, master: options.master ?? null };
  const isDryRun = options.dryRun === true;
  const result: MoveResult = { address, user, error: null, copied: newReport(), verified: null };
  for (let tries = 1; ; tries++) {
    try {
      await using source = await SourceMailbox.open(server, login, maxMessageOctets);
      await copyMailbox(
        context,
        source,
        key,
        { excluded: new Set(options.exclude), isDryRun, deletesMany: options.deleteMany === true },
        result.copied,
      );
      if (options.verify === true && !isDryRun) result.verified = await verifyCopies(context, source, key);
      break;
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      result.error = error instanceof AppError || tries === MAX_TRIES ? error.message : null;
      note(`${error.message}${result.error === null ? ' Trying again.' : ''}`);
      if (result.error !== null) break;
      await setTimeout(FIRST_PAUSE_MS * 2 ** (tries - 1));
    }
  }
  const { imported } = result.copied;
  if (imported > 0 && !isDryRun)
    await recordChange(database, {
      of: { projectId },
      action: 'mailbox.import',
      target: address,
      after: { messages: imported },
    });
  return result;
}

function report({ json }: Options, results: readonly MoveResult[]): void {
  const hasSkipped = results.some(
    ({ copied, verified }) =>
      copied.leftOut + copied.foldersLeftOut + copied.notDeleted + copied.lackingOctets > 0 ||
      (verified?.differing ?? 0) > 0,
  );
  if (results.some(({ error }) => error !== null)) process.exitCode = 1;
  else process.exitCode = hasSkipped ? SKIPPED : 0;
  const data = results.map(({ address, user, error, copied, verified }) => ({
    address,
    user,
    error,
    folders: copied.folders,
    messages: copied.messages,
    imported: copied.imported,
    imported_bytes: copied.importedOctets,
    already_there: copied.alreadyThere,
    flags_changed: copied.flagsChanged,
    deleted: copied.deleted,
    not_deleted: copied.notDeleted,
    left_out: copied.leftOut,
    folders_left_out: copied.foldersLeftOut,
    without_keywords: copied.withoutKeywords,
    folders_with_uids: copied.foldersWithUids,
    no_longer_here: copied.noLongerHere,
    lacking_bytes: copied.lackingOctets,
    renamed_folders: copied.renamed,
    ...(verified !== null && { verified: verified.verified, differing: verified.differing }),
  }));
  printList(
    json,
    { data },
    {
      columns: [
        { title: 'MESSAGES' },
        { title: 'IMPORTED' },
        { title: 'ALREADY THERE' },
        { title: 'FLAGS' },
        { title: 'DELETED' },
        { title: 'LEFT OUT' },
        { title: 'VERIFIED' },
        { title: 'MAILBOX', isCut: true },
      ],
      rowOf: (row) => [
        String(row.messages),
        String(row.imported),
        String(row.already_there),
        String(row.flags_changed),
        String(row.deleted),
        String(row.left_out),
        'verified' in row ? `${row.verified}, ${row.differing} differ` : '-',
        row.error === null ? row.address : `${row.address}: ${row.error}`,
      ],
      none: 'The file of users has no lines.',
    },
  );
}

type UserLine = Omit<Move, 'mailboxId'>;

/** @param masterPassword used for all users; null if each line has a password @throws AppError validation-failed */
function usersFrom(text: string, masterPassword: string | null): UserLine[] {
  const users: UserLine[] = [];
  const seen = new Set<string>();
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const [, address = '', named = '', own] = /^([^,]*)(?:,([^,]*)(?:,(.*))?)?$/.exec(line) ?? [];
    const user = named.trim() === '' ? address.trim() : named.trim();
    const password = masterPassword ?? own ?? '';
    if (password === '')
      throw validationError({ users: `line ${at + 1} has no password; write address,user,password` });
    if (seen.has(`${address.trim()},${user}`))
      throw validationError({ users: `line ${at + 1} repeats a line` });
    seen.add(`${address.trim()},${user}`);
    users.push({ address: address.trim(), user, password });
  }
  if (users.length > MAX_USERS) throw validationError({ users: `has more than ${MAX_USERS} lines` });
  return users;
}

/** @throws AppError validation-failed with all addresses that are not mailboxes, before anything is copied */
async function findMailboxes(
  { database }: Core,
  projectId: string,
  lines: readonly UserLine[],
): Promise<Move[]> {
  const moves: Move[] = [];
  const missing: string[] = [];
  for (const line of lines) {
    try {
      moves.push({ ...line, mailboxId: await findMailbox(database, projectId, line.address) });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      missing.push(printable(line.address, MAX_LINE));
    }
  }
  if (missing.length > 0)
    throw validationError({
      users: `not mailboxes of the project: ${missing.join(', ')}. Create them first`,
    });
  return moves;
}

function serverFrom(text: string): Omit<SourceServer, 'allowsPlaintext' | 'ca'> {
  const url = URL.parse(text);
  const isSecure = url?.protocol === 'imaps:';
  if (
    url === null ||
    (!isSecure && url.protocol !== 'imap:') ||
    url.hostname === '' ||
    url.username + url.password !== '' ||
    !['', '/'].includes(url.pathname) ||
    url.search + url.hash !== ''
  )
    throw new InvalidArgumentError('It must be imaps://host, imap://host, or one of these with :port.');
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? (isSecure ? 993 : 143) : Number(url.port),
    isSecure,
  };
}

function numberUpTo(most: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (Number.isInteger(number) && number >= 1 && number <= most) return number;
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${most}.`);
  };
}

/** @throws AppError validation-failed */
function readText(option: string, path: string): string {
  try {
    return readFileSync(path === '-' ? STANDARD_INPUT : path, 'utf8');
  } catch (error) {
    throw validationError({ [option]: `the file cannot be read: ${(error as Error).message}` });
  }
}
