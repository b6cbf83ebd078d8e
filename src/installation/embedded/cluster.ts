/** The cluster: the folder with the databases. */
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
 * Makes the cluster with its database `posthorn`, unless it exists. It is made under another name, so a folder of
 * the right name is always whole.
 * @throws StartupError
 */
export async function ensureCluster(
  cluster: string,
  binaries: Binaries,
  account: SystemAccount,
): Promise<void> {
  if (existsSync(cluster)) {
    if (lstatSync(cluster).uid !== account.uid) giveTo(cluster, account);
    return;
  }
  for (const name of readdirSync(dirname(cluster)).filter((name) => name.startsWith(UNFINISHED))) {
    rmSync(join(dirname(cluster), name), { recursive: true, force: true });
  }
  // A new name each time: what was killed may have a last write in its hands.
  const unfinished = join(dirname(cluster), `${UNFINISHED}${process.pid}-${Date.now()}`);
  await run(account, binaries, binaries.initdb, [
    '-D',
    unfinished,
    '-U',
    'posthorn',
    '--auth=trust',
    '--no-instructions',
    // Built in: what the machine has of locales, and which version, does not matter.
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    // A new segment of the log is zeroed and synced while all commits wait: 20 ms for the usual 16 MB. A checkpoint
    // renames all that are over, each with its sync: 280 ms of waiting commits for a thousand of 1 MB.
    '--wal-segsize=4',
  ]);
  // Renaming takes a millisecond; creating one copies 7 MB.
  await run(
    account,
    binaries,
    binaries.postgres,
    ['--single', '-D', unfinished, 'template1'],
    'alter database postgres rename to posthorn;\n',
  );
  renameSync(unfinished, cluster);
}

/** Root ran it in a user namespace before, and cannot now. */
function giveTo(path: string, account: SystemAccount): void {
  lchownSync(path, account.uid, account.gid);
  if (!lstatSync(path).isDirectory()) return;
  for (const name of readdirSync(path)) giveTo(join(path, name), account);
}

async function run(
  { prefix }: SystemAccount,
  { env }: Binaries,
  program: string,
  args: string[],
  input = '',
): Promise<void> {
  const [command = '', ...rest] = [...prefix, ...dieWithParent(), program, ...args];
  // Not this process's terminal: Ctrl-C must not reach it halfway.
  const child = spawn(command, rest, { env, detached: true, cwd: '/', stdio: ['pipe', 'ignore', 'pipe'] });
  const said: Buffer[] = [];
  child.stderr.on('data', (chunk: Buffer) => said.push(chunk));
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const how = await new Promise((resolve) => child.once('close', resolve).once('error', resolve));
  if (how === 0) return;
  throw new StartupError(
    `The embedded PostgreSQL cannot be set up: ${Buffer.concat(said).toString().trim() || String(how)}\nIf it cannot run on this machine, set POSTHORN_DATABASE_URL to a PostgreSQL 15 or later (and POSTHORN_SECRET).`,
  );
}
