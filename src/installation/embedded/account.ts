/**
 * Chooses the user that runs PostgreSQL. PostgreSQL cannot run as user id 0, and initdb rejects a user id without a name. Therefore:
 * - an ordinary user runs PostgreSQL directly;
 * - root, and a user without a name in a container, run PostgreSQL in a user namespace in which they have an ordinary id. Outside the
 *   namespace the id is unchanged, so files below /root can be accessed and belong to root;
 * - root without user namespaces runs PostgreSQL as the owner of the cluster, or if there is no cluster yet, as `nobody`, with one
 *   capability that allows entering folders such as /root.
 */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, lstatSync, readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { delimiter, join } from 'node:path';
import { StartupError } from '../../model/startup-error.ts';

export interface SystemAccount {
  /** The command that runs a program as this account. It is followed by the program and its arguments. */
  prefix: readonly string[];
  /** The required owner of the cluster, as seen by this process. */
  uid: number;
  gid: number;
}

/**
 * @param cluster the folder of the cluster, which may not exist yet
 * @throws StartupError
 */
export function chooseAccount(cluster: string): SystemAccount {
  const uid = process.geteuid?.() ?? -1;
  const gid = process.getegid?.() ?? -1;
  const owner = lstatSync(cluster, { throwIfNoEntry: false });
  if (uid !== 0) {
    if (owner !== undefined && owner.uid !== uid) {
      throw new StartupError(
        `The database in ${cluster} belongs to user id ${owner.uid}, but Posthorn runs as ${uid}. Start it as that user, or set POSTHORN_DATA to another folder.`,
      );
    }
    if (hasName()) return { prefix: [], uid, gid };
    return { prefix: userNamespace() ?? fail('The current user has no name on this machine'), uid, gid };
  }
  if (owner === undefined || owner.uid === 0) {
    const prefix = userNamespace();
    if (prefix !== null) return { prefix, uid, gid };
  }
  const other = owner !== undefined && owner.uid !== 0 ? owner : ordinaryUser();
  if (other === null) fail('There is no ordinary user in /etc/passwd');
  return {
    prefix: otherUser(other) ?? fail('PostgreSQL refuses to run as root'),
    uid: other.uid,
    gid: other.gid,
  };
}

/**
 * The prefix of a command that makes the kernel stop PostgreSQL (fast shutdown) when this process dies, even by SIGKILL. Without `setpriv`,
 * an orphaned PostgreSQL runs until the next start stops it.
 */
export function dieWithParent(): readonly string[] {
  return isOnPath('setpriv') ? ['setpriv', '--pdeathsig', 'SIGINT'] : [];
}

function fail(reason: string): never {
  throw new StartupError(
    `${reason}, and neither unshare (a user namespace) nor setpriv (another user) of util-linux works here. Start Posthorn as an ordinary user, or set POSTHORN_DATABASE_URL to the URL of your own PostgreSQL, 15 or later (and set POSTHORN_SECRET).`,
  );
}

function userNamespace(): string[] | null {
  const user = ordinaryUser();
  if (user === null) return null;
  return ifItWorks(['unshare', '--user', `--map-user=${user.uid}`, `--map-group=${user.gid}`]);
}

function otherUser({ uid, gid }: { uid: number; gid: number }): string[] | null {
  return ifItWorks([
    'setpriv',
    `--reuid=${uid}`,
    `--regid=${gid}`,
    '--clear-groups',
    '--inh-caps=+dac_override',
    '--ambient-caps=+dac_override',
    // PostgreSQL checks its own program with access(2), which ignores the capability without this flag.
    '--securebits=+no_setuid_fixup',
  ]);
}

function ifItWorks(prefix: string[]): string[] | null {
  const [command = '', ...args] = prefix;
  return spawnSync(command, [...args, 'true'], { stdio: 'ignore' }).status === 0 ? prefix : null;
}

function hasName(): boolean {
  try {
    userInfo();
    return true;
  } catch {
    return false;
  }
}

/** The user `nobody`. If there is no such user, the first user in /etc/passwd other than root. */
function ordinaryUser(): { uid: number; gid: number } | null {
  let text: string;
  try {
    text = readFileSync('/etc/passwd', 'utf8');
  } catch {
    return null;
  }
  const users = text
    .split('\n')
    .map((line) => {
      const [name = '', , uid = '', gid = ''] = line.split(':');
      return { name, uid: Number.parseInt(uid, 10), gid: Number.parseInt(gid, 10) };
    })
    .filter(({ uid, gid }) => uid > 0 && gid > 0);
  return users.find(({ name }) => name === 'nobody') ?? users[0] ?? null;
}

function isOnPath(program: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
