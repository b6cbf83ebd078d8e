/**
 * The data folder and the lock on it. Two PostgreSQL servers on one cluster destroy it, so a start takes
 * the lock first.
 */
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

/** A server stays; a command is done within seconds and is worth waiting for. */
export type FolderHolder = 'server' | 'command';

/** A command that holds the lock for longer is stuck. */
const WAIT_FOR_COMMAND_MS = 10_000;
const POLL_MS = 50;
const SQLITE_BUSY = 5;

/**
 * Makes the folder if it is missing, for its owner alone.
 * @returns its real path, the same whatever way leads to it
 * @throws StartupError
 */
export function openDataFolder(dataDir: string): string {
  try {
    makeFolder(dataDir);
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
    return realpathSync(dataDir);
  } catch (error) {
    throw new StartupError(
      `The data folder ${dataDir} cannot be used: ${(error as Error).message}. Start as the user whom it belongs to, or set POSTHORN_DATA to another folder.`,
    );
  }
}

/**
 * Makes a folder, and those that it is in, unless it is there. Node's own way (`recursive`) never returns where the system
 * says that a folder is missing which is there, as `/proc` does.
 * @throws what the system says
 */
export function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may start at the same moment.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !existsSync(path)) throw error;
  }
}

/**
 * Takes the lock if it is free. The kernel lets go of it when this process ends, however it ends, so it is
 * never stale. It is SQLite's lock on an empty file: the one file lock that Node has, and unlike an abstract
 * socket it also holds between containers that share the folder, and no other user can squat it.
 * @param dataDir a path from `openDataFolder`
 * @returns null when another process holds it
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
      `The data folder ${dataDir} cannot be locked: ${(error as Error).message}. It must belong to the user who runs this, on a file system that has locks.`,
    );
  }
  const pidFile = join(dataDir, 'posthorn.pid');
  // Removed first: an earlier one may belong to another user.
  rmSync(pidFile, { force: true });
  writeFileSync(pidFile, `${process.pid} ${as}\n`);
  return { [Symbol.dispose]: () => lock.close() };
}

/** Who holds, or last held, the lock; null when unknown. */
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
 * The lock for a server. Waits for a command that holds it.
 * @param dataDir a path from `openDataFolder`
 * @throws StartupError when another server holds it
 */
export async function lockForServer(dataDir: string): Promise<Disposable> {
  for (const deadline = Date.now() + WAIT_FOR_COMMAND_MS; ; await sleep(POLL_MS)) {
    const lock = tryLock(dataDir, 'server');
    if (lock !== null) return lock;
    const holder = readHolder(dataDir);
    if (holder?.as === 'command' && Date.now() < deadline) continue;
    const who = holder === null ? 'Another process' : `A ${holder.as} of Posthorn (process ${holder.pid})`;
    throw new StartupError(
      `${who} is using the data folder ${dataDir}. Stop it first, or give this server a folder of its own with POSTHORN_DATA.`,
    );
  }
}
