/**
 * The folder for the embedded PostgreSQL's socket. Every user who can access the socket becomes superuser without a password (`trust`), so
 * the permissions of the folder (0700) are the only protection.
 */
import { createHash } from 'node:crypto';
import { chownSync, lstatSync, mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StartupError } from '../../model/startup-error.ts';

/** `sun_path` has 108 bytes including the final NUL (unix(7)). */
const MAX_SOCKET_PATH_BYTES = 107;
const SOCKET_NAME = '.s.PGSQL.5432';

/** The socket folder for a data folder. @param dataDir a path from `openDataFolder` */
export function socketFolder(dataDir: string): string {
  const inside = join(dataDir, 'run');
  if (fits(inside)) return inside;
  const hash = createHash('sha256').update(dataDir).digest('hex').slice(0, 24);
  const outside = join(tmpdir(), `posthorn-${hash}`);
  return fits(outside) ? outside : join('/tmp', `posthorn-${hash}`);
}

/**
 * Creates the folder, or empties an existing folder.
 * @param owner the account that runs PostgreSQL
 * @throws StartupError if the folder belongs to another user
 */
export function makeSocketFolder(folder: string, owner: { uid: number; gid: number }): void {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  const isOurs = found?.isDirectory() && [owner.uid, process.geteuid?.()].includes(found.uid);
  // Attack: below /tmp another user may have created a folder or link with this name, to impersonate PostgreSQL.
  if (found !== undefined && !isOurs) {
    throw new StartupError(
      `${folder} exists and belongs to another user, but the embedded PostgreSQL needs it for its socket. Remove it, or set POSTHORN_DATA to a shorter path.`,
    );
  }
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { mode: 0o700 });
  // A systemd unit may forbid chown, and an ordinary user does not need it for its own folder.
  if (owner.uid !== process.geteuid?.()) chownSync(folder, owner.uid, owner.gid);
}

/** The postgres:// URL of the socket in a folder. */
export function socketUrl(folder: string, database: string): string {
  return `postgres://posthorn@${encodeURIComponent(folder)}/${database}`;
}

function fits(folder: string): boolean {
  return Buffer.byteLength(join(folder, SOCKET_NAME)) <= MAX_SOCKET_PATH_BYTES;
}
