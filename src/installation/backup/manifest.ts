/** What a backup says of itself: at its beginning what it holds, at its end the digests of it (docs/decisions/0039-backups.md). */
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
/** Raised when an older version would misread a backup. */
const FORMAT_VERSION = 1;
/** What a backup may have beside its header and digests. A kind that is not known is refused: nothing is lost silently. */
const KINDS: readonly string[] = ['tables', 'secret', 'objects'];

const HeaderSchema = Type.Object({
  format: Type.Literal(FORMAT),
  format_version: Type.Integer(),
  posthorn: Type.String(),
  postgresql: Type.String(),
  /** By the clock of the database. Whatever was committed before is in the backup, and nothing else. */
  made_at: Type.String(),
  migrations: Type.Array(Type.String()),
  /** Tells whether a secret is the one that the database is sealed with. Null: nothing is sealed yet. */
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
  /** Of all objects, in their order. Earlier versions had none. */
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

/** @throws StartupError for what is no backup, or one that this version cannot read */
export function readHeader(body: Buffer): BackupHeader {
  const header = read(HeaderSchema, body);
  const unknown = header.includes.find((kind) => !KINDS.includes(kind));
  if (header.format_version > FORMAT_VERSION || unknown !== undefined) throw isNewer(header.posthorn);
  return header;
}

/** @param version of Posthorn that made the backup */
export function isNewer(version: string): StartupError {
  return new StartupError(
    `This backup was made by Posthorn ${version}, which is newer than this one. Restore it with that version or a later one.`,
  );
}

/** A backup whose schema this version does not make. */
export function isTooOld(): StartupError {
  return new StartupError(
    `This backup is of code before 0.2.0, the first release. Restore it with commit ${LAST_BEFORE} of Posthorn into an empty place, then start this version there.`,
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
    throw new DamagedBackup('it does not say what it holds');
  }
  if (!Compile(schema).Check(value)) throw new DamagedBackup('it does not say what it holds');
  return value;
}
