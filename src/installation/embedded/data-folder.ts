/** The data folder and its lock. Each start takes the lock first, because two PostgreSQL servers on one cluster destroy the cluster. */
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartupError } from '../../model/startup-error.ts';

/**
 * The kind of process that holds the lock. A server holds the lock as long as it runs. A command releases the lock within seconds, so other
 * processes wait for a command.
 */
export type FolderHolder = 'server' | 'command';

/** How long a server waits for a command to release the lock. */
const WAIT_FOR_COMMAND_MS = 10_000;
const POLL_MS = 50;
const SQLITE_BUSY = 5;

/**
 * Creates the folder if it is missing, accessible only by its owner.
 * @returns the real path of the folder, without symbolic links
 * @throws StartupError
 */
export function openDataFolder(dataDir: string): string {
  try {
    makeFolder(dataDir);
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
    return realpathSync(dataDir);
  } catch (error) {
    throw new StartupError(
      `The data folder ${dataDir} cannot be used: ${(error as Error).message}. Start Posthorn as the owner of the folder, or set POSTHORN_DATA to another folder.`,
    );
  }
}

/**
 * Creates a folder and its parents, unless they exist. Does not use Node's option `recursive`, which never returns if the system reports an
 * existing folder as missing, as Linux does below `/proc`.
 * @throws the system error
 */
export function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have created the folder at the same time.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !existsSync(path)) throw error;
  }
}

/**
 * Takes the lock if it is free. The lock is never stale, because the kernel releases it when this process ends for any reason. The lock is
 * SQLite's lock on an empty file, because Node has no other file lock. Unlike an abstract socket, this lock also works between containers
 * that share the folder, and other users cannot take it.
 * @param dataDir a path from `openDataFolder`
 * @returns null if another process holds the lock
 */
export function tryLock(dataDir: string, as: FolderHolder): Disposable | null {
  let lock: DatabaseSync | undefined;
  try {
    lock = new DatabaseSync(join(dataDir, 'posthorn.lock'), { timeout: 0 });
    lock.exec('pragma locking_mode = exclusive; begin exclusive');
  } catch (error) {
    lock?.close();
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return null;
    throw new StartupError(
      `The data folder ${dataDir} cannot be locked: ${(error as Error).message}. It must belong to the user that runs Posthorn, and be on a file system that supports locks.`,
    );
  }
  const pidFile = join(dataDir, 'posthorn.pid');
  // An earlier pid file may belong to another user, so it is removed first.
  rmSync(pidFile, { force: true });
  writeFileSync(pidFile, `${process.pid} ${as}\n`);
  return { [Symbol.dispose]: () => lock.close() };
}

/** The process that holds the lock, or that last held it; null if unknown. */
export function readHolder(dataDir: string): { pid: number; as: FolderHolder } | null {
  let text: string;
  try {
    text = readFileSync(join(dataDir, 'posthorn.pid'), 'utf8');
  } catch {
    return null;
  }
  const [, pid, as] = /^(\d+) (server|command)\n$/.exec(text) ?? [];
  return pid === undefined ? null : { pid: Number(pid), as: as as FolderHolder };
}

/**
 * Takes the lock for a server. If a command holds the lock, waits until the command has released it.
 * @param dataDir a path from `openDataFolder`
 * @throws StartupError if another server holds the lock, or a command does not release it
 */
export async function lockForServer(dataDir: string): Promise<Disposable> {
  for (const deadline = Date.now() + WAIT_FOR_COMMAND_MS; ; await sleep(POLL_MS)) {
    const lock = tryLock(dataDir, 'server');
    if (lock !== null) return lock;
    const holder = readHolder(dataDir);
    if (holder?.as === 'command' && Date.now() < deadline) continue;
    const holderName =
      holder === null ? 'Another process' : `A ${holder.as} of Posthorn (process ${holder.pid})`;
    throw new StartupError(
      `${holderName} is using the data folder ${dataDir}. Stop it first, or set POSTHORN_DATA to another folder for this server.`,
    );
  }
}
