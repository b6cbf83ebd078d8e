import { createReadStream } from 'node:fs';
import { type Readable, Writable } from 'node:stream';
import { createZstdDecompress, type ZstdDecompress } from 'node:zlib';
import { StartupError } from '../../model/startup-error.ts';
import { DamagedBackup } from './damaged-backup.ts';
import { HEADER, type BackupHeader, readHeader, digestOf, SECRET } from './manifest.ts';
import { type TarMember, unpackTar } from './tar.ts';

/** A backup whose header has been read. */
export interface OpenedBackup {
  header: BackupHeader;
  headerSha256: string;
  /** The secret in the backup; null if the backup has no secret. */
  secret: string | null;
  /** The remaining members: rows of tables, objects, then the digests. Can be read only once. */
  members: AsyncIterable<TarMember>;
}

/**
 * @param file a path; `-` is standard input
 * @throws StartupError if the file cannot be read, or is not a backup that this version can read
 */
export async function openBackup(file: string): Promise<OpenedBackup> {
  const bytes: Readable = file === '-' ? process.stdin : createReadStream(file);
  const members = unpackTar(decompress(bytes, file));
  const { body, name } = await next(members);
  if (name !== HEADER) throw new DamagedBackup('it does not begin with its header');
  const header = readHeader(body);
  let secret: string | null = null;
  if (header.includes.includes('secret')) {
    const member = await next(members);
    if (member.name !== SECRET) throw new DamagedBackup('its secret is missing');
    secret = member.body.toString().trim();
  }
  return { header, headerSha256: digestOf(body), secret, members };
}

async function next(members: AsyncIterator<TarMember, void>): Promise<TarMember> {
  const { value } = await members.next();
  if (value === undefined) throw new DamagedBackup('it is empty');
  return value;
}

async function* decompress(bytes: Readable, file: string): AsyncGenerator<Buffer, void, undefined> {
  const unpacked = createZstdDecompress();
  bytes.once('error', (error) => unpacked.destroy(error));
  bytes.pipe(frameInto(unpacked));
  try {
    yield* unpacked as AsyncIterable<Buffer>;
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (code.startsWith('ZSTD') || code.startsWith('Z_'))
      throw new DamagedBackup('its compressed data is damaged or cut off');
    throw new StartupError(`${file} cannot be read: ${message}`, { cause: error });
  } finally {
    bytes.destroy();
  }
}

/**
 * Passes only the first frame (RFC 8878, section 3.1) of a file to the decompressor. Node appends an empty frame if its stream is ended
 * with pending writes (nodejs/node#66078). When reading, Node drops the bytes after a frame up to the end of the chunk (nodejs/node#64741)
 * and reports the rest of an empty frame that is split between two chunks as damage.
 */
function frameInto(unpacked: ZstdDecompress): Writable {
  let passedBytes = 0;
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (unpacked.bytesWritten < passedBytes) {
        done();
        return;
      }
      passedBytes += chunk.length;
      // The callback runs after the chunk has been processed. The end of the frame can be detected only then.
      unpacked.write(chunk, (error) => done(error));
    },
    final(done) {
      unpacked.end();
      done();
    },
    // The error is ignored here, because the reader of the unpacked bytes also gets it.
  }).on('error', () => {});
}
