/** Reads and writes mail in the formats of other programs: Maildir with its folders, and mbox with one file per folder. */
import { createReadStream } from 'node:fs';
import { lstat, mkdir, open, opendir, readFile, rename, utimes, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { decodeFolderName, encodeFolderName } from '../../rfc/imap/modified-utf7.ts';
import { type FiledMessage, mboxEntry, readMbox } from '../../rfc/mbox/mbox.ts';

export type MailFormat = 'maildir' | 'mbox';

/** The largest message that the service accepts. */
const MAX_MESSAGE_BYTES = 40 * 1024 * 1024;
const INBOX = 'INBOX';

/** A folder to import. */
export interface SourceFolder {
  /** The folder name, with `/` between levels as in the store. Null if the name cannot be decoded. */
  name: string | null;
  path: string;
  messages(): AsyncIterable<SourceMessage>;
}

export interface SourceMessage extends FiledMessage {
  /** The location of the message, for warnings: the path of the file, and for mbox also the number of the message. */
  where: string;
}

/** A folder to export to. */
export interface FolderSink {
  write(message: FiledMessage & { raw: Buffer; date: Date }): Promise<void>;
  close(): Promise<void>;
}

/** Yields the folders below `root`. Symbolic links are not followed, and pipes are not opened. */
export async function* readFolders(root: string): AsyncGenerator<SourceFolder, void, undefined> {
  const stats = await lstat(root);
  if (stats.isFile()) {
    yield mboxAt(root, INBOX);
    return;
  }
  if (await isMaildir(root)) {
    yield maildirAt(root, INBOX);
    for (const name of await foldersIn(root)) {
      if (!name.startsWith('.') || !(await isMaildir(join(root, name)))) continue;
      const decoded = name.slice(1).split('.').map(decodeFolderName);
      yield maildirAt(join(root, name), decoded.includes(null) ? null : decoded.join('/'));
    }
    return;
  }
  for (const entry of (await namesIn(root)).toSorted()) {
    if (!entry.endsWith('.mbox') || !(await isFile(join(root, entry)))) continue;
    const parts = entry.slice(0, -'.mbox'.length).split('.').map(decodeFolderName);
    yield mboxAt(join(root, entry), parts.includes(null) ? null : parts.join('/'));
  }
}

/** Creates a folder below `root`. Fails if a file or folder of that name exists. */
export async function openSink(root: string, format: MailFormat, folder: string): Promise<FolderSink> {
  const name = folder.split('/').map(encodeFolderName).join('.');
  return format === 'mbox'
    ? openMbox(join(root, `${name}.mbox`))
    : openMaildir(folder === INBOX ? root : join(root, `.${name}`));
}

function mboxAt(path: string, name: string | null): SourceFolder {
  async function* messages(): AsyncGenerator<SourceMessage, void, undefined> {
    let number = 0;
    const chunks = createReadStream(path) as AsyncIterable<Buffer>;
    for await (const message of readMbox(chunks, MAX_MESSAGE_BYTES)) {
      number += 1;
      yield { ...message, where: `message ${number} of ${path}` };
    }
  }
  return { name, path, messages };
}

/** A folder of a Maildir. Line ends are converted to CRLF, because some programs store messages with LF only. */
function maildirAt(path: string, name: string | null): SourceFolder {
  async function* messages(): AsyncGenerator<SourceMessage, void, undefined> {
    const keywords = await readKeywords(path);
    for (const part of ['cur', 'new']) {
      const folder = join(path, part);
      for (const entry of (await namesIn(folder)).toSorted()) {
        const file = join(folder, entry);
        const stats = await lstat(file).catch(() => null);
        if (stats?.isFile() !== true) continue;
        const fits = stats.size <= MAX_MESSAGE_BYTES;
        const flags = /:2,([A-Za-z]*)$/.exec(entry)?.[1] ?? '';
        yield {
          raw: fits ? withCrlf(await readFile(file)) : null,
          letters: ['D', 'F', 'R', 'S', 'T'].filter((letter) => flags.includes(letter)).join(''),
          keywords: [...flags].flatMap((letter) => keywords.get(letter) ?? []),
          date: stats.mtime,
          where: file,
        };
      }
    }
  }
  return { name, path, messages };
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
