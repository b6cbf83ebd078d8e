/**
 * Who PostgreSQL runs as. It refuses user id 0, and initdb refuses a user id without a name, so:
 * - an ordinary user runs it directly;
 * - root (and a nameless user of a container) runs it in a user namespace where they bear an ordinary id: outside
 *   it is still root, so files below /root stay within reach and belong to root;
 * - root without user namespaces runs it as the owner of the cluster or nobody, with only the capability to pass
 *   folders such as /root.
 */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, lstatSync, readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { delimiter, join } from 'node:path';
import { StartupError } from '../../model/startup-error.ts';

export interface SystemAccount {
  /** Comes before the program and its arguments. */
  prefix: readonly string[];
  /** Must own the cluster, as seen from here. */
  uid: number;
  gid: number;
}

/**
 * @param cluster folder of the cluster; may be missing
 * @throws StartupError
 */
export function chooseAccount(cluster: string): SystemAccount {
  const uid = process.geteuid?.() ?? -1;
  const gid = process.getegid?.() ?? -1;
  const owner = lstatSync(cluster, { throwIfNoEntry: false });
  if (uid !== 0) {
    if (owner !== undefined && owner.uid !== uid) {
      throw new StartupError(
        `The database in ${cluster} belongs to user id ${owner.uid}, and this runs as ${uid}. Start it as that user, or set POSTHORN_DATA to another folder.`,
      );
    }
    if (hasName()) return { prefix: [], uid, gid };
    return { prefix: userNamespace() ?? refuse('This user has no name on this machine'), uid, gid };
  }
  if (owner === undefined || owner.uid === 0) {
    const prefix = userNamespace();
    if (prefix !== null) return { prefix, uid, gid };
  }
  const other = owner !== undefined && owner.uid !== 0 ? owner : ordinaryPerson();
  if (other === null) refuse('There is no ordinary user in /etc/passwd');
  return {
    prefix: otherUser(other) ?? refuse('This is root, which PostgreSQL refuses to run as'),
    uid: other.uid,
    gid: other.gid,
  };
}

/**
 * Makes the kernel stop PostgreSQL (fast shutdown) when this process dies, even by SIGKILL. Without this program an
 * orphaned PostgreSQL runs until the next start finds it.
 */
export function dieWithParent(): readonly string[] {
  return isOnPath('setpriv') ? ['setpriv', '--pdeathsig', 'SIGINT'] : [];
}

function refuse(reason: string): never {
  throw new StartupError(
    `${reason}, and neither unshare (a user namespace) nor setpriv (another user) of util-linux works here. Start it as an ordinary user, or set POSTHORN_DATABASE_URL to a PostgreSQL 15 or later (and POSTHORN_SECRET).`,
  );
}

function userNamespace(): string[] | null {
  const person = ordinaryPerson();
  if (person === null) return null;
  return working(['unshare', '--user', `--map-user=${person.uid}`, `--map-group=${person.gid}`]);
}

function otherUser({ uid, gid }: { uid: number; gid: number }): string[] | null {
  return working([
    'setpriv',
    `--reuid=${uid}`,
    `--regid=${gid}`,
    '--clear-groups',
    '--inh-caps=+dac_override',
    '--ambient-caps=+dac_override',
    // PostgreSQL looks at its own program with access(2), which without this drops the capability.
    '--securebits=+no_setuid_fixup',
  ]);
}

function working(prefix: string[]): string[] | null {
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

/** nobody, else the first of /etc/passwd that is not root. */
function ordinaryPerson(): { uid: number; gid: number } | null {
  let text: string;
  try {
    text = readFileSync('/etc/passwd', 'utf8');
  } catch {
    return null;
  }
  const people = text
    .split('\n')
    .map((line) => {
      const [name = '', , uid = '', gid = ''] = line.split(':');
      return { name, uid: Number.parseInt(uid, 10), gid: Number.parseInt(gid, 10) };
    })
    .filter(({ uid, gid }) => uid > 0 && gid > 0);
  return people.find(({ name }) => name === 'nobody') ?? people[0] ?? null;
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
