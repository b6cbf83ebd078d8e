/** The header of a backup, which lists its contents, and the digests at its end (docs/decisions/0039-backups.md). */
import { hash } from 'node:crypto';
import { Type } from 'typebox';
import type { Static, TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { LAST_BEFORE } from '../../db/baseline.ts';
import { StartupError } from '../../model/startup-error.ts';
import { DamagedBackup } from './damaged-backup.ts';

export const HEADER = 'backup.json';
export const SECRET = 'secret';
export const DIGESTS = 'digests.json';

const FORMAT = 'posthorn-backup';
/** The version of the format. Incremented for a change that older versions would misread. */
const FORMAT_VERSION = 1;
/**
 * The kinds of contents, without the header and the digests. A backup with an unknown kind is rejected, so that no data is lost silently.
 */
const KINDS: readonly string[] = ['tables', 'secret', 'objects'];

const HeaderSchema = Type.Object({
  format: Type.Literal(FORMAT),
  format_version: Type.Integer(),
  posthorn: Type.String(),
  postgresql: Type.String(),
  /**
   * The time of the snapshot, by the clock of the database. The backup contains exactly the changes that were committed before this time.
   */
  made_at: Type.String(),
  migrations: Type.Array(Type.String()),
  /** Used to verify that a secret is the one with which the database is sealed. Null if nothing is sealed yet. */
  secret_check: Type.Union([Type.String(), Type.Null()]),
  includes: Type.Array(Type.String()),
  tables: Type.Array(
    Type.Object({
      name: Type.String(),
      columns: Type.Array(Type.String()),
      partitions: Type.Array(
        Type.Object({
          name: Type.String(),
          from: Type.Union([Type.String(), Type.Null()]),
          until: Type.Union([Type.String(), Type.Null()]),
        }),
      ),
    }),
  ),
});
export type BackupHeader = Static<typeof HeaderSchema>;

const DigestsSchema = Type.Object({
  header_sha256: Type.String(),
  tables: Type.Array(
    Type.Object({ name: Type.String(), rows: Type.Integer(), bytes: Type.Integer(), sha256: Type.String() }),
  ),
  /** The digest of all objects in order. Absent in backups by earlier versions. */
  objects: Type.Optional(
    Type.Object({ count: Type.Integer(), bytes: Type.Integer(), sha256: Type.String() }),
  ),
});
export type Digests = Static<typeof DigestsSchema>;
export type ObjectsDigest = NonNullable<Digests['objects']>;
export type TableDigest = Digests['tables'][number];

export function writeHeader(header: Omit<BackupHeader, 'format' | 'format_version'>): Buffer {
  return write({ format: FORMAT, format_version: FORMAT_VERSION, ...header });
}

/** @throws StartupError if the bytes are not the header of a backup, or if this version cannot read the backup */
export function readHeader(body: Buffer): BackupHeader {
  const header = read(HeaderSchema, body);
  const unknown = header.includes.find((kind) => !KINDS.includes(kind));
  if (header.format_version > FORMAT_VERSION || unknown !== undefined) throw isNewer(header.posthorn);
  return header;
}

/** The error for a backup by a newer version. @param version the version of Posthorn that made the backup */
export function isNewer(version: string): StartupError {
  return new StartupError(
    `This backup was made by Posthorn ${version}, which is newer than this one. Restore it with that version or a later one.`,
  );
}

/** The error for a backup with a schema that this version cannot create. */
export function isTooOld(): StartupError {
  return new StartupError(
    `This backup was made by code before 0.2.0, the first release. Restore it with commit ${LAST_BEFORE} of Posthorn into an empty installation, then start this version on it.`,
  );
}

export function writeDigests(digests: Digests): Buffer {
  return write(digests);
}

export function readDigests(body: Buffer): Digests {
  return read(DigestsSchema, body);
}

export function digestOf(body: Buffer): string {
  return hash('sha256', body);
}

function write(value: object): Buffer {
  return Buffer.from(`${JSON.stringify(value, null, 1)}\n`);
}

function read<T extends TSchema>(schema: T, body: Buffer): Static<T> {
  let value: unknown;
  try {
    value = JSON.parse(body.toString());
  } catch {
    throw new DamagedBackup('its header or its digests are not valid');
  }
  if (!Compile(schema).Check(value)) throw new DamagedBackup('its header or its digests are not valid');
  return value;
}
