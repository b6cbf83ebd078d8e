/**
 * Objects in a backup: large messages, and files that are sent as links. Each object is a member `objects/<project>/<id>` of the tar file.
 */
import { createHash, hash } from 'node:crypto';
import type pg from 'pg';
import { StartupError } from '../../model/startup-error.ts';
import { DamagedBackup } from './damaged-backup.ts';
import type { ObjectsDigest } from './manifest.ts';
import type { TarMember } from './tar.ts';

export interface Name {
  projectId: string;
  id: string;
}

/** The operations of the object store that backups need. */
export interface BackupObjects {
  /** Null if there is no such object. */
  get(name: Name): Promise<Buffer | null>;
  put(name: Name, bytes: Uint8Array): Promise<void>;
  delete(name: Name): Promise<void>;
}

const PAGE = 500;
const NIL = '00000000-0000-0000-0000-000000000000';
/** The tables whose rows have objects. */
const HOLDERS = [
  { table: 'blobs', condition: 'object is not null' },
  { table: 'link_file_parts', condition: 'true' },
];
const MEMBER = /^objects\/([0-9a-f-]{36})\/([0-9a-f-]{36})$/;

/** Counts objects and computes one digest of all of them. */
export class ObjectsTally {
  readonly #sha256 = createHash('sha256');
  #count = 0;
  #bytes = 0;

  add({ name, body }: TarMember): void {
    this.#sha256.update(`${name} ${body.length}\n`).update(body);
    this.#count += 1;
    this.#bytes += body.length;
  }

  digest(): ObjectsDigest {
    return { count: this.#count, bytes: this.#bytes, sha256: this.#sha256.digest('hex') };
  }
}

/**
 * Yields all objects that have a row, in the order of their names.
 * @throws StartupError if an object is missing or damaged, because the backup would be incomplete
 */
export async function* objectsOf(
  client: pg.Client,
  objects: BackupObjects,
): AsyncGenerator<TarMember, void, undefined> {
  const pages = HOLDERS.map(
    ({ table, condition }) => `
      (select project_id, object, digest from ${table}
       where ${condition} and (project_id, object) > ($1::uuid, $2::uuid) order by project_id, object limit ${PAGE})`,
  );
  for (let last: Name = { projectId: NIL, id: NIL }; ; ) {
    const { rows } = await client.query<{ project_id: string; object: string; digest: Buffer }>(
      `select project_id, object, digest from (${pages.join(' union all ')}) o
       order by project_id, object limit ${PAGE}`,
      [last.projectId, last.id],
    );
    for (const { project_id: projectId, object: id, digest } of rows) {
      const body = await objects.get({ projectId, id });
      if (body === null)
        throw new StartupError(
          `The object ${projectId}/${id} of a message is missing. Check that POSTHORN_DATA and POSTHORN_BLOBS are the same as for the service.`,
        );
      if (!hash('sha256', body, 'buffer').equals(digest))
        throw new StartupError(
          `The object ${projectId}/${id} is damaged: its content has changed since it was stored, and cannot be restored.`,
        );
      yield { name: `objects/${projectId}/${id}`, body };
      last = { projectId, id };
    }
    if (rows.length < PAGE) return;
  }
}

/** @returns null if the member is not an object */
export function nameOfObject(member: string): Name | null {
  const [, projectId, id] = MEMBER.exec(member) ?? [];
  return projectId === undefined || id === undefined ? null : { projectId, id };
}

/** Stores an object. Replaces a different object with the same name, which an earlier, failed restore has left. */
export async function putBack(objects: BackupObjects, name: Name, bytes: Buffer): Promise<void> {
  const existing = await objects.get(name);
  if (existing?.equals(bytes) === true) return;
  if (existing !== null) await objects.delete(name);
  await objects.put(name, bytes);
}

/** @throws DamagedBackup if the objects differ from the objects that were backed up */
export function compareObjects(expected: ObjectsDigest | undefined, found: ObjectsDigest): void {
  const { count, bytes, sha256 } = expected ?? new ObjectsTally().digest();
  if (count !== found.count || bytes !== found.bytes || sha256 !== found.sha256)
    throw new DamagedBackup('its large messages have changed since it was written');
}
