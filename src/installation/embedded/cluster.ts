/** Creates the cluster, the folder of the embedded PostgreSQL with its databases. */
import { spawn } from 'node:child_process';
import { existsSync, lchownSync, lstatSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type SystemAccount, dieWithParent } from './account.ts';
import type { Binaries } from './binaries.ts';
import { StartupError } from '../../model/startup-error.ts';

const UNFINISHED = 'postgres.unfinished-';

export function clusterFolder(dataDir: string): string {
  return join(dataDir, 'postgres');
}

/**
 * Creates the cluster with its database `posthorn`, unless the cluster exists. The folder is created under another name and renamed at the
 * end, so a folder with the right name is always complete.
 * @throws StartupError
 */
export async function ensureCluster(
  cluster: string,
  binaries: Binaries,
  account: SystemAccount,
): Promise<void> {
  if (existsSync(cluster)) {
    if (lstatSync(cluster).uid !== account.uid) chownTo(cluster, account);
    return;
  }
  for (const name of readdirSync(dirname(cluster)).filter((name) => name.startsWith(UNFINISHED))) {
    rmSync(join(dirname(cluster), name), { recursive: true, force: true });
  }
  // The name differs each time, because a process that was just killed may still have a write in progress.
  const unfinished = join(dirname(cluster), `${UNFINISHED}${process.pid}-${Date.now()}`);
  await run(account, binaries, binaries.initdb, [
    '-D',
    unfinished,
    '-U',
    'posthorn',
    '--auth=trust',
    '--no-instructions',
    // The built-in locale is the same on every machine, whatever locales are installed.
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    // A compromise between small and large log segments. All commits wait while a new segment is zeroed and synced: 20 ms for the usual 16
    // MB. Commits also wait while a checkpoint renames old segments and syncs each of them: 280 ms for a thousand segments of 1 MB.
    '--wal-segsize=4',
    // Syncs the file system once instead of a thousand files one by one.
    ...(process.platform === 'linux' ? ['--sync-method=syncfs'] : []),
  ]);
  // The default database is renamed, because renaming takes a millisecond, while creating a database copies 7 MB.
  await run(
    account,
    binaries,
    binaries.postgres,
    ['--single', '-D', unfinished, 'template1'],
    'alter database postgres rename to posthorn;\n',
  );
  renameSync(unfinished, cluster);
}

/** Changes the owner of the cluster. Needed if root ran PostgreSQL in a user namespace before and no longer can. */
function chownTo(path: string, account: SystemAccount): void {
  lchownSync(path, account.uid, account.gid);
  if (!lstatSync(path).isDirectory()) return;
  for (const name of readdirSync(path)) chownTo(join(path, name), account);
}

async function run(
  { prefix }: SystemAccount,
  { env }: Binaries,
  program: string,
  args: string[],
  input = '',
): Promise<void> {
  const [command = '', ...rest] = [...prefix, ...dieWithParent(), program, ...args];
  // The program is detached from the terminal, so that Ctrl-C does not interrupt it halfway.
  const child = spawn(command, rest, { env, detached: true, cwd: '/', stdio: ['pipe', 'ignore', 'pipe'] });
  const output: Buffer[] = [];
  child.stderr.on('data', (chunk: Buffer) => output.push(chunk));
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const end = await new Promise((resolve) => child.once('close', resolve).once('error', resolve));
  if (end === 0) return;
  throw new StartupError(
    `The embedded PostgreSQL cannot be set up: ${Buffer.concat(output).toString().trim() || String(end)}\nIf it cannot run on this machine, set POSTHORN_DATABASE_URL to the URL of your own PostgreSQL, 15 or later (and set POSTHORN_SECRET).`,
  );
}
