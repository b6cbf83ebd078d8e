/** Reads and writes mail in the formats of other programs: Maildir with its folders, and mbox with one file per folder. */
import { createReadStream } from 'node:fs';
import { lstat, mkdir, open, opendir, readFile, rename, utimes, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { decodeFolderName, encodeFolderName } from '../../rfc/imap/modified-utf7.ts';
import { defaultUidl, parseUidlist, type Uidlist } from '../../rfc/dovecot/uidlist.ts';
import { type FiledMessage, mboxEntry, readMbox } from '../../rfc/mbox/mbox.ts';
import type { SourceUids } from '../../store/adopt-uids.ts';

export type MailFormat = 'maildir' | 'mbox';

/** A file of UIDs has about 60 bytes per message. */
const MAX_UIDLIST_BYTES = 256 * 1024 * 1024;
const INBOX = 'INBOX';

/** A folder to import. */
export interface SourceFolder {
  /** The folder name, with `/` between levels as in the store. A name that cannot be decoded is used as it is. */
  name: string;
  path: string;
  /** Null if the folder has no `dovecot-uidlist`. */
  uids: SourceUids | null;
  messages(): AsyncIterable<SourceMessage>;
}

export interface SourceMessage extends FiledMessage {
  /** The location of the message, for warnings: the path of the file, and for mbox also the number of the message. */
  where: string;
  /** Whether the file has disappeared since the folder was listed. Then `raw` is null. */
  isMissing?: boolean;
  /** From `dovecot-uidlist`. */
  uid?: number;
  /** The unique-id that Dovecot's POP3 shows for the message. */
  uidl?: string;
}

/** A folder to export to. */
export interface FolderSink {
  write(message: FiledMessage & { raw: Buffer; date: Date }): Promise<void>;
  close(): Promise<void>;
}

/**
 * Yields the folders below `root`. Symbolic links are not followed, and pipes are not opened.
 * @param maxBytes the largest message to read; `raw` of larger messages is null
 */
export async function* readFolders(
  root: string,
  maxBytes: number,
): AsyncGenerator<SourceFolder, void, undefined> {
  const stats = await lstat(root);
  if (stats.isFile()) {
    yield mboxAt(root, INBOX, maxBytes);
    return;
  }
  if (await isMaildir(root)) {
    yield await maildirAt(root, INBOX, maxBytes);
    for (const name of await foldersIn(root)) {
      if (!name.startsWith('.') || !(await isMaildir(join(root, name)))) continue;
      yield await maildirAt(join(root, name), pathOf(name.slice(1)), maxBytes);
    }
    return;
  }
  for (const entry of (await namesIn(root)).toSorted()) {
    if (!entry.endsWith('.mbox') || !(await isFile(join(root, entry)))) continue;
    yield mboxAt(join(root, entry), pathOf(entry.slice(0, -'.mbox'.length)), maxBytes);
  }
}

/** Creates a folder below `root`. Fails if a file or folder of that name exists. */
export async function openSink(root: string, format: MailFormat, folder: string): Promise<FolderSink> {
  const name = folder.split('/').map(encodeFolderName).join('.');
  return format === 'mbox'
    ? openMbox(join(root, `${name}.mbox`))
    : openMaildir(folder === INBOX ? root : join(root, `.${name}`));
}

function pathOf(name: string): string {
  return name
    .split('.')
    .map((part) => decodeFolderName(part) ?? part)
    .join('/');
}

function mboxAt(path: string, name: string, maxBytes: number): SourceFolder {
  async function* messages(): AsyncGenerator<SourceMessage, void, undefined> {
    let number = 0;
    const chunks = createReadStream(path) as AsyncIterable<Buffer>;
    for await (const message of readMbox(chunks, maxBytes)) {
      number += 1;
      yield { ...message, where: `message ${number} of ${path}` };
    }
  }
  return { name, path, uids: null, messages };
}

/**
 * A folder of a Maildir. Messages are read in the order of their UIDs, and messages without a UID last. Line ends are converted to CRLF,
 * because some programs store messages with LF only.
 *
 * A server that is running renames files when flags change, and when a mail app sees new mail. A file with another name is then found by its
 * base name.
 */
async function maildirAt(path: string, name: string, maxBytes: number): Promise<SourceFolder> {
  const list = await readUidlist(path);
  async function* messages(): AsyncGenerator<SourceMessage, void, undefined> {
    const keywords = await readKeywords(path);
    const uidOf = (file: string) => list?.messages.get(baseName(file))?.uid ?? Number.POSITIVE_INFINITY;
    const files = (await filesIn(path)).sort((a, b) => (uidOf(a) === uidOf(b) ? 0 : uidOf(a) - uidOf(b)));
    let later: ReadonlyMap<string, string> | null = null;
    /** Finds a message whose file has disappeared. */
    const findAgain = async (lost: string) => {
      for (let attempt = 0; attempt < 2; attempt++) {
        if (later === null || attempt > 0)
          later = new Map((await filesIn(path)).map((file) => [baseName(file), file]));
        const file = later.get(baseName(lost));
        // It was deleted. To list the folder again for each deleted message would take too long.
        if (file === undefined) return null;
        const found = await readMessage(file, maxBytes);
        if (found !== 'missing') return { file, found };
      }
      return null;
    };
    for (const listedFile of files) {
      const first = await readMessage(listedFile, maxBytes);
      const again = first === 'missing' ? await findAgain(listedFile) : { file: listedFile, found: first };
      if (again === null) {
        yield { raw: null, isMissing: true, letters: '', keywords: [], date: null, where: listedFile };
        continue;
      }
      const { file, found } = again;
      if (found === 'not a file') continue;
      const flags = /:2,([A-Za-z]*)$/.exec(file)?.[1] ?? '';
      const listed = list?.messages.get(baseName(file));
      yield {
        ...found,
        letters: ['D', 'F', 'R', 'S', 'T'].filter((letter) => flags.includes(letter)).join(''),
        keywords: [...flags].flatMap((letter) => keywords.get(letter) ?? []),
        where: file,
        ...(list !== null &&
          listed !== undefined && {
            uid: listed.uid,
            uidl: listed.uidl ?? defaultUidl(listed.uid, list.uidValidity),
          }),
      };
    }
  }
  return { name, path, uids: list === null ? null : { ...list, modseq: null }, messages };
}

/** The maximum number of listings of a folder whose files are renamed all the time. */
const MAX_LISTINGS = 10;

/** The files of messages in a folder of a Maildir, in the order of their names. */
async function filesIn(path: string): Promise<string[]> {
  const files = new Map<string, string>();
  // A file that is renamed during a listing may be in it under neither name.
  for (let known = -1, listings = 0; files.size > known && listings < MAX_LISTINGS; listings++) {
    known = files.size;
    // A message that moves to `cur` in the meantime is in both lists. In the other order, it would be in none.
    for (const folder of ['new', 'cur'])
      for (const entry of await namesIn(join(path, folder)))
        files.set(baseName(entry), join(path, folder, entry));
  }
  return [...files.values()].toSorted();
}

async function readMessage(
  file: string,
  maxBytes: number,
): Promise<{ raw: Buffer | null; date: Date } | 'missing' | 'not a file'> {
  try {
    const stats = await lstat(file);
    if (!stats.isFile()) return 'not a file';
    return { raw: stats.size <= maxBytes ? withCrlf(await readFile(file)) : null, date: stats.mtime };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'missing';
    throw error;
  }
}

/** The name of a message's file without its flags. */
function baseName(file: string): string {
  const entry = basename(file);
  return entry.split(':', 1)[0] ?? entry;
}

async function readUidlist(path: string): Promise<Uidlist | null> {
  const file = join(path, 'dovecot-uidlist');
  const stats = await lstat(file).catch(() => null);
  if (stats?.isFile() !== true || stats.size > MAX_UIDLIST_BYTES) return null;
  return parseUidlist(await readFile(file, 'latin1'));
}

function withCrlf(bytes: Buffer): Buffer {
  if (!/(?<!\r)\n/.test(bytes.toString('latin1'))) return bytes;
  return Buffer.from(bytes.toString('latin1').replaceAll(/\r?\n/g, '\r\n'), 'latin1');
}

/**
 * Reads Dovecot's file of keywords, in which each line has a number and a keyword, such as `0 $Forwarded`. The flag letter `a` in the
 * name of a message file stands for number 0.
 */
async function readKeywords(path: string): Promise<Map<string, string>> {
  const file = join(path, 'dovecot-keywords');
  const text = (await isFile(file)) ? (await readFile(file, 'latin1')).slice(0, 8_192) : '';
  const lines = [...text.matchAll(/^(\d{1,2}) (\S+)$/gm)];
  return new Map(lines.map(([, at, keyword = '']) => [String.fromCharCode(97 + Number(at)), keyword]));
}

async function openMbox(path: string): Promise<FolderSink> {
  const file = await open(path, 'wx', 0o600);
  return {
    async write({ raw, ...known }) {
      await file.appendFile(mboxEntry(raw, known));
    },
    async close() {
      await file.sync();
      await file.close();
    },
  };
}

async function openMaildir(path: string): Promise<FolderSink> {
  for (const part of ['tmp', 'new', 'cur']) await mkdir(join(path, part), { recursive: true, mode: 0o700 });
  const keywords: string[] = [];
  let number = 0;
  return {
    async write({ raw, letters, keywords: wanted, date }) {
      for (const keyword of wanted)
        if (!keywords.includes(keyword) && keywords.length < 26) keywords.push(keyword);
      const own = wanted
        .flatMap((keyword) =>
          keywords.includes(keyword) ? String.fromCharCode(97 + keywords.indexOf(keyword)) : [],
        )
        .sort();
      number += 1;
      const name = `${Math.floor(date.getTime() / 1_000)}.P${process.pid}Q${number}.posthorn,S=${raw.length}`;
      const temporary = join(path, 'tmp', name);
      await writeFile(temporary, raw, { flag: 'wx', mode: 0o600 });
      await utimes(temporary, date, date);
      await rename(temporary, join(path, 'cur', `${name}:2,${letters}${own.join('')}`));
    },
    async close() {
      if (keywords.length === 0) return;
      const lines = keywords.map((keyword, at) => `${at} ${keyword}\n`).join('');
      await writeFile(join(path, 'dovecot-keywords'), lines, { mode: 0o600 });
    },
  };
}

async function isMaildir(path: string): Promise<boolean> {
  return (await isFolder(path)) && (await isFolder(join(path, 'cur')));
}

async function isFolder(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => null))?.isDirectory() === true;
}

async function isFile(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => null))?.isFile() === true;
}

async function foldersIn(path: string): Promise<string[]> {
  const names = await namesIn(path);
  const folders: string[] = [];
  for (const name of names.toSorted()) if (await isFolder(join(path, name))) folders.push(name);
  return folders;
}

/** The names of the entries in a folder. Empty if the folder does not exist. */
async function namesIn(path: string): Promise<string[]> {
  const names: string[] = [];
  if (!(await isFolder(path))) return names;
  for await (const { name } of await opendir(path)) names.push(basename(name));
  return names;
}
