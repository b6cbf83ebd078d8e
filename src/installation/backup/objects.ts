/** Large messages, and files of links, in a backup: a member for each, `objects/<project>/<id>`. */
import { createHash, hash } from 'node:crypto';
import type pg from 'pg';
import { StartupError } from '../../model/startup-error.ts';
import { DamagedBackup } from './damaged-backup.ts';
import type { ObjectsDigest } from './manifest.ts';
import type { TarMember } from './tar.ts';

/** Of an object. */
export interface Name {
  projectId: string;
  id: string;
}

/** Where objects are, as far as a backup is concerned. */
export interface BackupObjects {
  /** null: there is no such object. */
  get(name: Name): Promise<Buffer | null>;
  put(name: Name, bytes: Uint8Array): Promise<void>;
  delete(name: Name): Promise<void>;
}

const PAGE = 500;
const NIL = '00000000-0000-0000-0000-000000000000';
/** Which rows have objects. */
const HOLDERS = [
  { table: 'blobs', condition: 'object is not null' },
  { table: 'link_file_parts', condition: 'true' },
];
const MEMBER = /^objects\/([0-9a-f-]{36})\/([0-9a-f-]{36})$/;

/** Counts what goes by, and makes one digest of all. */
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
 * All objects that have a row, in the order of their names.
 * @throws StartupError where one of them is missing or damaged: a backup without it would not be whole
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
          `The object ${projectId}/${id} of a message is not there. Is POSTHORN_DATA, or POSTHORN_BLOBS, that of the service?`,
        );
      if (!hash('sha256', body, 'buffer').equals(digest))
        throw new StartupError(
          `The object ${projectId}/${id} is damaged: it is not what was put there. Nothing can be restored from it.`,
        );
      yield { name: `objects/${projectId}/${id}`, body };
      last = { projectId, id };
    }
    if (rows.length < PAGE) return;
  }
}

/** @returns null: the member is none */
export function nameOfObject(member: string): Name | null {
  const [, projectId, id] = MEMBER.exec(member) ?? [];
  return projectId === undefined || id === undefined ? null : { projectId, id };
}

/** Puts an object where it was. One that is there already is what a try before this one has left. */
export async function putBack(objects: BackupObjects, name: Name, bytes: Buffer): Promise<void> {
  const there = await objects.get(name);
  if (there?.equals(bytes) === true) return;
  if (there !== null) await objects.delete(name);
  await objects.put(name, bytes);
}

/** @throws DamagedBackup where what was put back is not what was written */
export function compareObjects(expected: ObjectsDigest | undefined, found: ObjectsDigest): void {
  const { count, bytes, sha256 } = expected ?? new ObjectsTally().digest();
  if (count !== found.count || bytes !== found.bytes || sha256 !== found.sha256)
    throw new DamagedBackup('the large messages are not those that were written');
}
