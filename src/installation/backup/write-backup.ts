import { createWriteStream, renameSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdCompress } from 'node:zlib';
import { StartupError } from '../../model/startup-error.ts';
import { type BackedUp, backUp } from './back-up.ts';
import { DamagedBackup } from './damaged-backup.ts';
import type { BackupObjects } from './objects.ts';
import { openBackup } from './open-backup.ts';
import { readMembers, type RowConsumer } from './read-members.ts';

const NEW_LINE = 0x0a;

/** Compression with a checksum, which reveals damage before the rows are loaded. */
const PACKING = { params: { [constants.ZSTD_c_checksumFlag]: 1 } };

/**
 * Writes a backup to a file that only its owner may read. The file gets its name only after it has been written to the disk and read back
 * as in a restore. It then replaces any existing file of that name. A backup to standard output is not read back.
 * @param file a path; `-` is standard output
 * @throws StartupError if the backup cannot be written, or if the database cannot be backed up
 */
export async function writeBackup(
  url: string,
  secret: string | null,
  objects: BackupObjects,
  file: string,
): Promise<BackedUp> {
  const stopping = new AbortController();
  const stop = (): void => stopping.abort(new Error('It was interrupted.'));
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.once(signal, stop);
  let done: BackedUp | undefined;
  const write = async (sink: Writable): Promise<void> => {
    const rows = backUp(url, secret, objects, (backedUp) => (done = backedUp));
    const { signal } = stopping;
    await pipeline(Readable.from(rows, { objectMode: false }), createZstdCompress(PACKING), sink, { signal });
  };
  try {
    await (file === '-'
      ? write(process.stdout)
      : writeWhole(file, async (unfinished) => {
          // Attack: another user may have created this file to read the backup, so an existing file is not used.
          await write(createWriteStream(unfinished, { flags: 'wx', mode: 0o600, flush: true }));
          await checkBackup(unfinished, stopping.signal);
        }));
    if (done === undefined) throw new Error('The backup ended before all data was written.');
    return done;
  } catch (cause) {
    throw noBackup(stopping.signal.aborted ? stopping.signal.reason : cause);
  } finally {
    for (const signal of signals) process.off(signal, stop);
  }
}

function noBackup(cause: unknown): StartupError {
  if (cause instanceof StartupError && !(cause instanceof DamagedBackup)) return cause;
  const why =
    cause instanceof DamagedBackup
      ? `The written file differs when it is read back: ${cause.why}.`
      : (cause as Error).message;
  return new StartupError(`No backup was made. ${why}`, { cause });
}

/**
 * Writes under a temporary name and renames the file once it is complete. When the promise resolves, the file and its name are on the
 * disk.
 */
async function writeWhole(file: string, write: (unfinished: string) => Promise<void>): Promise<void> {
  const unfinished = `${file}.unfinished-${process.pid}`;
  rmSync(unfinished, { force: true });
  try {
    await write(unfinished);
    renameSync(unfinished, file);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
  const folder = await open(dirname(file));
  await folder.sync().finally(() => folder.close());
}

/**
 * Reads a backup to its end like a restore, but does not load the rows.
 * @param signal aborts the check
 * @throws DamagedBackup if the backup is not complete
 * @throws the reason of the signal
 */
async function checkBackup(file: string, signal: AbortSignal): Promise<void> {
  await readMembers(await openBackup(file), {
    table: () => new Counting(signal),
    object: () => Promise.resolve(signal.throwIfAborted()),
  });
}

class Counting implements RowConsumer {
  readonly #signal: AbortSignal;
  #count = 0;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** Counts the rows. Each row is one line, because a newline in a value is written as two characters (PostgreSQL, COPY, Text Format). */
  write(rows: Buffer): Promise<void> {
    for (let at = rows.indexOf(NEW_LINE); at !== -1; at = rows.indexOf(NEW_LINE, at + 1)) this.#count += 1;
    return Promise.resolve(this.#signal.throwIfAborted());
  }

  end(): Promise<number> {
    return Promise.resolve(this.#count);
  }
}
