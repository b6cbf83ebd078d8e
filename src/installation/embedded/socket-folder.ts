/**
 * Where the socket of the embedded PostgreSQL is. Anyone who can reach it is let in as superuser without a
 * password (`trust`), so the permissions of its folder, 0700, are the guard.
 */
import { createHash } from 'node:crypto';
import { chownSync, lstatSync, mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StartupError } from '../../model/startup-error.ts';

/** sun_path of unix(7) has 108 bytes, the last of them NUL. */
const MAX_SOCKET_PATH_BYTES = 107;
const SOCKET_NAME = '.s.PGSQL.5432';

/** @param dataDir a path from `openDataFolder` */
export function socketFolder(dataDir: string): string {
  const inside = join(dataDir, 'run');
  if (fits(inside)) return inside;
  const hash = createHash('sha256').update(dataDir).digest('hex').slice(0, 24);
  const outside = join(tmpdir(), `posthorn-${hash}`);
  return fits(outside) ? outside : join('/tmp', `posthorn-${hash}`);
}

/**
 * Makes the folder, empty.
 * @param owner PostgreSQL's account
 * @throws StartupError when it is somebody else's
 */
export function makeSocketFolder(folder: string, owner: { uid: number; gid: number }): void {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  const isOurs = found?.isDirectory() && [owner.uid, process.geteuid?.()].includes(found.uid);
  // Below /tmp anyone may have put a folder, or a link, of this name here first, to answer in PostgreSQL's place.
  if (found !== undefined && !isOurs) {
    throw new StartupError(
      `${folder} is in the way: the socket of the embedded PostgreSQL goes there. Remove it, or set POSTHORN_DATA to a shorter path.`,
    );
  }
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { mode: 0o700 });
  // A unit of systemd may forbid the call, and for its own folder an ordinary user has no need of it.
  if (owner.uid !== process.geteuid?.()) chownSync(folder, owner.uid, owner.gid);
}

/** A postgres:// URL for the socket in a folder. */
export function socketUrl(folder: string, database: string): string {
  return `postgres://posthorn@${encodeURIComponent(folder)}/${database}`;
}

function fits(folder: string): boolean {
  return Buffer.byteLength(join(folder, SOCKET_NAME)) <= MAX_SOCKET_PATH_BYTES;
}
