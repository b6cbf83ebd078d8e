/** Mail of a mailbox into files, and from files into a mailbox (docs/mailboxes.md, Import and export). */
import { hash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import type { Command } from 'commander';
import { Option } from 'commander';
import type { Blobs } from '../../blobs/blobs.ts';
import type { Database } from '../../db/database.ts';
import { recordChange } from '../../accounts/audit.ts';
import { findMailbox } from '../../mailboxes/find-mailbox.ts';
import { AppError } from '../../model/app-error.ts';
import { printable } from '../../rfc/smtp/reply.ts';
import type { FactsReader } from '../../store/facts/facts-reader.ts';
import { checkedKeywords, FLAG } from '../../store/flags.ts';
import { normalFolderName } from '../../store/folder-name.ts';
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

/** Read at once: in memory are so many, and so many bytes and one message more. */
const BATCH = 50;
const BATCH_BYTES = 8 * 1024 * 1024;

/** Anybody writes subjects. */
const MAX_LINE = 500;

const LETTERS = { D: FLAG.draft, F: FLAG.flagged, R: FLAG.answered, S: FLAG.seen, T: FLAG.deleted } as const;

/** The exit code of an import that left out messages or folders. */
const LEFT_SOMETHING_OUT = 3;

type Options = ProjectOptions & { address: string };

export function addFileCommands(mailbox: Command): void {
  mailbox
    .command('import')
    .description('put the mail of a Maildir, or of mbox files, into a mailbox')
    .argument('<path>', 'a Maildir, an mbox file, or a folder with files *.mbox')
    .addOption(projectOption('the project of the mailbox'))
    .requiredOption('--address <address>', 'the address of the mailbox')
    .option('--folder <name>', 'put all of it into this folder')
    .addOption(json)
    .addHelpText('after', example('mailbox import ~/Maildir --project default --address sales@acme.example'))
    .action(importMail);
  mailbox
    .command('export')
    .description('write the mail of a mailbox to files')
    .argument('<path>', 'a folder that is not there yet, or is empty')
    .addOption(projectOption('the project of the mailbox'))
    .requiredOption('--address <address>', 'the address of the mailbox')
    .addOption(
      new Option('--format <format>', 'maildir, or mbox: a file for each folder')
        .choices(['maildir', 'mbox'])
        .default('maildir'),
    )
    .addOption(json)
    .addHelpText('after', example('mailbox export ./sales --project default --address sales@acme.example'))
    .action(exportMail);
}

interface Place {
  database: Database;
  store: Store;
  blobs: Blobs;
  facts: FactsReader;
  mailbox: MailboxKey;
}

async function withMailbox(options: Options, work: (place: Place) => Promise<void>): Promise<void> {
  await withProject(options.project, async ({ database, blobs, facts }, projectId) => {
    const mailboxId = await findMailbox(database, projectId, options.address);
    await work({
      database,
      store: new Store(database),
      blobs,
      facts,
      mailbox: { projectId, mailboxId },
    });
  });
}

interface Counts {
  imported: number;
  /** The folder has the same bytes already. */
  alreadyThere: number;
  /** Messages that are too large, that the store rejects, or in a folder whose name is not possible here. */
  leftOut: number;
  /** Folders whose name is not possible here. */
  foldersLeftOut: number;
}

async function importMail(path: string, options: Options & { folder?: string }): Promise<void> {
  if (!existsSync(path)) throw new AppError('not-found', `There is nothing at ${path}.`);
  await withMailbox(options, async (place) => {
    const counts: Counts = { imported: 0, alreadyThere: 0, leftOut: 0, foldersLeftOut: 0 };
    let folders = 0;
    for await (const source of readFolders(path)) {
      const folder = await folderFor(place, options.folder ?? source.name);
      folders += 1;
      if (folder === null) {
        const messages = await countMessages(source);
        counts.foldersLeftOut += 1;
        counts.leftOut += messages;
        warn(
          `${source.path} is left out with ${messages} ${messages === 1 ? 'message' : 'messages'}: no folder can have its name.`,
        );
      } else await importFolder(place, folder, source, counts);
    }
    if (folders === 0)
      throw new AppError('not-found', `${path} is no Maildir, no mbox file, and has no files *.mbox.`);
    const { imported, alreadyThere, leftOut, foldersLeftOut } = counts;
    if (imported > 0)
      await recordChange(place.database, {
        of: { projectId: place.mailbox.projectId },
        action: 'mailbox.import',
        target: options.address,
        after: { messages: imported },
      });
    print(options.json, {
      imported,
      already_there: alreadyThere,
      left_out: leftOut,
      folders_left_out: foldersLeftOut,
    });
    if (leftOut > 0 || foldersLeftOut > 0) process.exitCode = LEFT_SOMETHING_OUT;
  });
}

async function countMessages(source: SourceFolder): Promise<number> {
  let count = 0;
  for await (const _ of source.messages()) count += 1;
  return count;
}

/** @returns null: it cannot have this name */
async function folderFor({ store, mailbox }: Place, wanted: string | null): Promise<FolderKey | null> {
  const name = wanted === null ? null : normalFolderName(wanted);
  if (name === null) return null;
  const there = (await store.folders(mailbox)).find((folder) => folder.name === name);
  if (there !== undefined) return { ...mailbox, folderId: there.id };
  const made = await store.createFolder(mailbox, { name });
  return made.outcome === 'done' ? { ...mailbox, folderId: made.folderId } : null;
}

async function importFolder(
  place: Place,
  folder: FolderKey,
  source: SourceFolder,
  counts: Counts,
): Promise<void> {
  let batch: (SourceMessage & { raw: Buffer })[] = [];
  let bytes = 0;
  for await (const { raw, ...message } of source.messages()) {
    if (raw === null) {
      counts.leftOut += 1;
      warn(`${message.where} is left out: it is larger than 40 MB.`);
      continue;
    }
    batch.push({ ...message, raw });
    bytes += raw.length;
    if (batch.length < BATCH && bytes < BATCH_BYTES) continue;
    await importBatch(place, folder, batch, counts);
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) await importBatch(place, folder, batch, counts);
}

async function importBatch(
  { store, blobs, facts, mailbox }: Place,
  folder: FolderKey,
  batch: readonly (SourceMessage & { raw: Buffer })[],
  counts: Counts,
): Promise<void> {
  const byDigest = new Map(batch.map((message) => [hash('sha256', message.raw), message]));
  const there = await store.digestsIn(folder, [...byDigest.keys()]);
  const wanted = [...byDigest].filter(([digest]) => !there.has(digest)).map(([, message]) => message);
  const messages = [];
  for (const { raw, letters, keywords, date } of wanted)
    messages.push({
      ...mailbox,
      folder: { id: folder.folderId },
      blob: await blobs.keep(mailbox.projectId, raw),
      facts: await facts.read(raw),
      flags: [...letters].reduce(
        (flags, letter) => flags | (LETTERS[letter as keyof typeof LETTERS] ?? 0),
        0,
      ),
      keywords: keywords.filter((keyword) => checkedKeywords([keyword]) !== null),
      internalDate: date,
      authentication: null,
      spam: null,
    });
  const results = await store.append(messages);
  for (const [at, { outcome }] of results.entries()) {
    if (outcome === 'stored') counts.imported += 1;
    else if (outcome === 'over-quota' || outcome === 'over-storage') throw tooFull(outcome, counts.imported);
    else {
      counts.leftOut += 1;
      warn(`${wanted[at]?.where} is left out: ${outcome}.`);
    }
  }
  counts.alreadyThere += batch.length - wanted.length;
}

function tooFull(outcome: 'over-quota' | 'over-storage', imported: number): AppError {
  const what = outcome === 'over-quota' ? 'The mailbox is full' : "The project's storage is used up";
  return new AppError(
    'plan-limit-exceeded',
    `${what} after ${imported} messages. Make room and run the same again: what is there already is not imported twice.`,
  );
}

async function exportMail(path: string, options: Options & { format: MailFormat }): Promise<void> {
  if (existsSync(path) && readdirSync(path).length > 0)
    throw new AppError('already-exists', `${path} has something in it. Name a folder that is not there yet.`);
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
            // It was expunged meanwhile.
            if (still === undefined) continue;
            missing.push({ folder: name, uid, subject });
            warn(
              printable(
                `${name}, message ${uid} is left out, for its bytes are not there: ${subject}`,
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
