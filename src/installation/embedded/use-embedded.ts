/** Gives a command access to the embedded PostgreSQL, with or without a running server. */
import { setTimeout as sleep } from 'node:timers/promises';
import { clusterFolder } from './cluster.ts';
import { openDataFolder, readHolder, tryLock } from './data-folder.ts';
import { startEmbedded } from './embedded.ts';
import { isPostmasterOf, readPostmasterFile } from './postmaster-file.ts';
import { socketUrl } from './socket-folder.ts';
import { StartupError } from '../../model/startup-error.ts';

/** Time limit for waiting for a server that is starting, or for another command to end. */
const WAIT_MS = 30_000;
const POLL_MS = 50;

export interface UsedPostgres extends AsyncDisposable {
  readonly url: string;
}

/**
 * Uses the PostgreSQL of the running server. Without a server, starts PostgreSQL and stops it when the result is disposed of.
 * @param mayStart whether to start PostgreSQL if no server is running. No server can start while this PostgreSQL runs
 * @throws StartupError
 */
export async function useEmbedded(dataDir: string, mayStart = true): Promise<UsedPostgres> {
  const folder = openDataFolder(dataDir);
  for (const deadline = Date.now() + WAIT_MS; Date.now() < deadline; await sleep(POLL_MS)) {
    const lock = tryLock(folder, 'command');
    if (lock !== null && mayStart) return startOwn(folder, lock);
    if (lock !== null) {
      lock[Symbol.dispose]();
      throw new StartupError(`No server is running on the data folder ${folder}. Start it first: npm start.`);
    }
    // Waits until another command has ended, because the PostgreSQL of that command stops with the command.
    if (readHolder(folder)?.as !== 'server') continue;
    const cluster = clusterFolder(folder);
    const file = readPostmasterFile(cluster);
    if (file?.ready && isPostmasterOf(cluster, file.pid)) {
      return { url: socketUrl(file.socketFolder, 'posthorn'), async [Symbol.asyncDispose]() {} };
    }
  }
  const holder = readHolder(folder);
  throw new StartupError(
    `The data folder ${folder} is in use by ${holder === null ? 'another process' : `process ${holder.pid}`}, and its PostgreSQL does not accept connections. Try again, or stop that process.`,
  );
}

async function startOwn(folder: string, lock: Disposable): Promise<UsedPostgres> {
  await using stack = new AsyncDisposableStack();
  stack.use(lock);
  const postgres = await startEmbedded(folder);
  stack.defer(() => postgres.stop('fast'));
  const own = stack.move();
  return { url: postgres.url, [Symbol.asyncDispose]: () => own.disposeAsync() };
}
