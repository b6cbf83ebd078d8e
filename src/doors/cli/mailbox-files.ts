/** Imports mail into a mailbox from files and exports it to files (docs/mailboxes.md, Import and export). */
import { hash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import type { Command } from 'commander';
import { Option } from 'commander';
import type { Blobs } from '../../blobs/blobs.ts';
import type { Database } from '../../db/database.ts';
import { recordChange } from '../../accounts/audit.ts';
import { findMailbox } from '../../mailboxes/find-mailbox.ts';
import { AppError, validationError } from '../../model/app-error.ts';
import { printable } from '../../rfc/smtp/reply.ts';
import type { FactsReader } from '../../store/facts/facts-reader.ts';
import type { NewMessage } from '../../store/append.ts';
import { findOrCreateFolder } from '../../moving/target-folder.ts';
import { FLAG } from '../../store/flags.ts';
import { fittingFolderNames, normalFolderName } from '../../store/folder-name.ts';
import type { FolderKey } from '../../store/in-folder.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import { Store } from '../../store/store.ts';
import { example, json, print, projectOption, type ProjectOptions, withProject } from './command.ts';
import {
  type MailFormat,
  openSink,
  readFolders,
  type SourceFolder,
  type SourceMessage,
} from './mail-files.ts';

/** A batch ends with the message that reaches one of these limits. The limits are needed because a batch stays in memory. */
const BATCH = 50;
const MB = 1024 * 1024;
const BATCH_BYTES = 8 * MB;

/** Maximum characters of a printed line. Subjects are untrusted and of any length. */
const MAX_LINE = 500;

const LETTERS = { D: FLAG.draft, F: FLAG.flagged, R: FLAG.answered, S: FLAG.seen, T: FLAG.deleted } as const;

/** The exit code of an import that skipped messages or folders. */
const SKIPPED = 3;

type Options = ProjectOptions & { address: string };

export function addFileCommands(mailbox: Command): void {
  mailbox
    .command('import')
    .description('import mail from a Maildir or mbox files into a mailbox')
    .argument('<path>', 'a Maildir, an mbox file, or a folder of *.mbox files')
    .addOption(projectOption('the project of the mailbox'))
    .requiredOption('--address <address>', 'the address of the mailbox')
    .option('--folder <name>', 'import all messages into this folder')
    .addOption(json)
    .addHelpText('after', example('mailbox import ~/Maildir --project default --address sales@acme.example'))
    .action(importMail);
  mailbox
    .command('export')
    .description('export the mail of a mailbox to files')
    .argument('<path>', 'a new or empty folder')
    .addOption(projectOption('the project of the mailbox'))
    .requiredOption('--address <address>', 'the address of the mailbox')
    .addOption(
      new Option('--format <format>', 'maildir, or mbox with one file per folder')
        .choices(['maildir', 'mbox'])
        .default('maildir'),
    )
    .addOption(json)
    .addHelpText('after', example('mailbox export ./sales --project default --address sales@acme.example'))
    .action(exportMail);
}

interface MailboxContext {
  database: Database;
  store: Store;
  blobs: Blobs;
  facts: FactsReader;
  mailbox: MailboxKey;
  /** The size limit of a message. */
  maxBytes: number;
}

async function withMailbox(
  options: Options,
  work: (context: MailboxContext) => Promise<void>,
): Promise<void> {
  await withProject(options.project, async ({ config, database, blobs, facts }, projectId) => {
    const mailboxId = await findMailbox(database, projectId, options.address);
    await work({
      database,
      store: new Store(database),
      blobs,
      facts,
      mailbox: { projectId, mailboxId },
      maxBytes: config.maxImportMb * MB,
    });
  });
}

interface Counts {
  imported: number;
  /** The number of messages that the folder already contained, byte for byte. */
  alreadyThere: number;
  /** The number of messages that were too large, rejected by the store, or in a skipped folder. */
  leftOut: number;
  /** The number of folders that were skipped because they cannot be created. */
  foldersLeftOut: number;
  /** The number of messages that lost keywords. */
  lostKeywords: number;
  /** The number of folders that have the UIDVALIDITY and UIDs of the source. */
  uidsKept: number;
  renamed: { from: string; to: string }[];
}

async function importMail(path: string, options: Options & { folder?: string }): Promise<void> {
  if (!existsSync(path)) throw new AppError('not-found', `There is no file or folder at ${path}.`);
  if (options.folder !== undefined && normalFolderName(options.folder) === null)
    throw validationError({ folder: 'is not a valid folder name (docs/mailboxes.md, Limits)' });
  await withMailbox(options, async (context) => {
    const counts: Counts = {
      imported: 0,
      alreadyThere: 0,
      leftOut: 0,
      foldersLeftOut: 0,
      lostKeywords: 0,
      uidsKept: 0,
      renamed: [],
    };
    const sources: SourceFolder[] = [];
    for await (const source of readFolders(path, context.maxBytes)) sources.push(source);
    if (sources.length === 0)
      throw new AppError(
        'not-found',
        `${path} is not a Maildir or an mbox file, and contains no *.mbox files.`,
      );
    const fitting = fittingFolderNames(sources.map(({ name }) => name));
    for (const source of sources) {
      const name = options.folder ?? fitting.get(source.name) ?? source.name;
      if (options.folder === undefined && normalFolderName(source.name) !== name) {
        counts.renamed.push({ from: source.name, to: name });
        warn(`Renamed the folder ${JSON.stringify(source.name)} to ${JSON.stringify(name)}.`);
      }
      const target = await findOrCreateFolder(context.store, context.mailbox, { name });
      if ('refusal' in target) {
        const messages = await countMessages(source);
        counts.foldersLeftOut += 1;
        counts.leftOut += messages;
        warn(
          `Skipped ${source.path} with ${messages} ${messages === 1 ? 'message' : 'messages'}: ${target.refusal}.`,
        );
        continue;
      }
      const folder: FolderKey = { ...context.mailbox, folderId: target.folderId };
      // Without its folders, a Maildir has several messages for one UID.
      const hasUids =
        options.folder === undefined &&
        source.uids !== null &&
        (await context.store.adoptUids(folder, source.uids));
      if (hasUids) counts.uidsKept += 1;
      await importFolder(
        context,
        { ...folder, hasUids, takesUidls: options.folder === undefined && name === 'INBOX' },
        source,
        counts,
      );
    }
    const { imported, alreadyThere, leftOut, foldersLeftOut } = counts;
    if (imported > 0)
      await recordChange(context.database, {
        of: { projectId: context.mailbox.projectId },
        action: 'mailbox.import',
        target: options.address,
        after: { messages: imported },
      });
    const result = {
      imported,
      already_there: alreadyThere,
      left_out: leftOut,
      folders_left_out: foldersLeftOut,
      without_keywords: counts.lostKeywords,
      folders_with_uids: counts.uidsKept,
    };
    const people = [...Object.entries(result), ['renamed_folders', counts.renamed.length]];
    print(
      options.json,
      { ...result, renamed_folders: counts.renamed },
      people.map(([name, value]) => `${name}: ${value}`).join('\n'),
    );
    if (leftOut > 0 || foldersLeftOut > 0) process.exitCode = SKIPPED;
  });
}

async function countMessages(source: SourceFolder): Promise<number> {
  let count = 0;
  for await (const _ of source.messages()) count += 1;
  return count;
}

type ImportTarget = FolderKey & { hasUids: boolean; takesUidls: boolean };

async function importFolder(
  context: MailboxContext,
  folder: ImportTarget,
  source: SourceFolder,
  counts: Counts,
): Promise<void> {
  let batch: (SourceMessage & { raw: Buffer })[] = [];
  let bytes = 0;
  for await (const { raw, ...message } of source.messages()) {
    if (raw === null) {
      counts.leftOut += 1;
      if (message.isMissing === true)
        warn(
          `Skipped ${message.where}: its file is gone. It was deleted or renamed while the folder was read.`,
        );
      else
        warn(
          `Skipped ${message.where}: it is larger than ${context.maxBytes / MB} MB (POSTHORN_MAX_IMPORT_MB).`,
        );
      continue;
    }
    batch.push({ ...message, raw });
    bytes += raw.length;
    if (batch.length < BATCH && bytes < BATCH_BYTES) continue;
    await importBatch(context, folder, batch, counts);
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) await importBatch(context, folder, batch, counts);
}

async function importBatch(
  { store, blobs, facts, mailbox }: MailboxContext,
  folder: ImportTarget,
  batch: readonly (SourceMessage & { raw: Buffer })[],
  counts: Counts,
): Promise<void> {
  const byDigest = new Map(batch.map((message) => [hash('sha256', message.raw), message]));
  const known = await store.digestsIn(folder, [...byDigest.keys()]);
  const missing = [...byDigest].filter(([digest]) => !known.has(digest)).map(([, message]) => message);
  const messages: NewMessage[] = [];
  for (const { raw, letters, keywords, date, uid, uidl } of missing)
    messages.push({
      ...mailbox,
      folder: { id: folder.folderId },
      blob: await blobs.prepare(mailbox.projectId, raw),
      facts: await facts.read(raw),
      flags: [...letters].reduce(
        (flags, letter) => flags | (LETTERS[letter as keyof typeof LETTERS] ?? 0),
        0,
      ),
      keywords,
      internalDate: date,
      authentication: null,
      spam: null,
      ...(folder.hasUids && uid !== undefined && { uid }),
      // POP3 shows only the Inbox.
      ...(folder.takesUidls && { uidl: uidl ?? null }),
    });
  const results = await store.append(messages);
  for (const [at, result] of results.entries()) {
    const where = missing[at]?.where;
    if (result.outcome === 'stored') {
      counts.imported += 1;
      if (result.leftOutKeywords.length === 0) continue;
      counts.lostKeywords += 1;
      warn(
        printable(
          `Imported ${where} without the keywords ${result.leftOutKeywords.join(' ')}: they are invalid or too many.`,
          MAX_LINE,
        ),
      );
    } else if (result.outcome === 'over-quota' || result.outcome === 'over-storage')
      throw tooFull(result.outcome, counts.imported);
    else {
      counts.leftOut += 1;
      warn(`Skipped ${where}: ${result.outcome}.`);
    }
  }
  counts.alreadyThere += batch.length - missing.length;
}

function tooFull(outcome: 'over-quota' | 'over-storage', imported: number): AppError {
  const what = outcome === 'over-quota' ? 'The mailbox is full' : "The project's storage is used up";
  return new AppError(
    'plan-limit-exceeded',
    `${what} after ${imported} messages. Free some space and run the command again. Messages that are already imported are not imported twice.`,
  );
}

async function exportMail(path: string, options: Options & { format: MailFormat }): Promise<void> {
  if (existsSync(path) && readdirSync(path).length > 0)
    throw new AppError('already-exists', `${path} is not empty. Choose a new or empty folder.`);
  await withMailbox(options, async ({ store, blobs, mailbox }) => {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    const folders = await store.folders(mailbox);
    let exported = 0;
    const missing: { folder: string; uid: number; subject: string }[] = [];
    for (const { id, name } of folders) {
      const folder = { ...mailbox, folderId: id };
      const sink = await openSink(path, options.format, name);
      for (let last = 0; ; ) {
        const messages = await store.messages(folder, [{ first: last + 1, last: 2 ** 31 - 1 }]);
        for (const { uid, digest, flags, keywords, internalDate, subject } of messages) {
          last = uid;
          const raw = await (await blobs.open(mailbox.projectId, digest))?.read();
          if (raw === undefined || raw === null) {
            const [still] = await store.messages(folder, [{ first: uid, last: uid }]);
            // The message was expunged after `store.messages` listed it.
            if (still === undefined) continue;
            missing.push({ folder: name, uid, subject });
            warn(
              printable(
                `Skipped message ${uid} of ${name}: its content is missing. Subject: ${subject}`,
                MAX_LINE,
              ),
            );
            continue;
          }
          await sink.write({ raw, letters: lettersOf(flags), keywords, date: internalDate });
          exported += 1;
        }
        if (messages.length === 0) break;
      }
      await sink.close();
    }
    print(options.json, { path, folders: folders.length, messages: exported, missing });
    if (missing.length > 0) process.exitCode = 1;
  });
}

function lettersOf(flags: number): string {
  return Object.entries(LETTERS)
    .filter(([, bit]) => (flags & bit) !== 0)
    .map(([letter]) => letter)
    .join('');
}

function warn(line: string): void {
  process.stderr.write(`${line}\n`);
}
