import { createReadStream } from 'node:fs';
import { type Readable, Writable } from 'node:stream';
import { createZstdDecompress, type ZstdDecompress } from 'node:zlib';
import { StartupError } from '../../model/startup-error.ts';
import { DamagedBackup } from './damaged-backup.ts';
import { HEADER, type BackupHeader, readHeader, digestOf, SECRET } from './manifest.ts';
import { type TarMember, unpackTar } from './tar.ts';

/** A backup whose beginning was read. */
export interface OpenedBackup {
  header: BackupHeader;
  headerSha256: string;
  /** That it carries; null: none. */
  secret: string | null;
  /** What comes after it: the rows of the tables, then the digests. Read once. */
  members: AsyncIterable<TarMember>;
}

/**
 * @param file a path; `-` is standard input
 * @throws StartupError when it cannot be read, or is no backup that this version can read
 */
export async function openBackup(file: string): Promise<OpenedBackup> {
  const bytes: Readable = file === '-' ? process.stdin : createReadStream(file);
  const members = unpackTar(decompress(bytes, file));
  const { body, name } = await next(members);
  if (name !== HEADER) throw new DamagedBackup('it does not begin with what it says of itself');
  const header = readHeader(body);
  let secret: string | null = null;
  if (header.includes.includes('secret')) {
    const member = await next(members);
    if (member.name !== SECRET) throw new DamagedBackup('the secret that it names is not in it');
    secret = member.body.toString().trim();
  }
  return { header, headerSha256: digestOf(body), secret, members };
}

async function next(members: AsyncIterator<TarMember, void>): Promise<TarMember> {
  const { value } = await members.next();
  if (value === undefined) throw new DamagedBackup('there is nothing in it');
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
      throw new DamagedBackup('what zstd packed is damaged, or ends before its end');
    throw new StartupError(`${file} cannot be read: ${message}`, { cause: error });
  } finally {
    bytes.destroy();
  }
}

/**
 * Takes the bytes of a file, and gives what unpacks them nothing that stands behind the frame (RFC 8878, section 3.1). Node writes an empty frame there
 * when its stream is ended with writes waiting (nodejs/node#66078). Reading, it drops the bytes behind a frame up to the end of the chunk (nodejs/node#64741), and
 * takes the rest of an empty frame that two chunks divide for damage.
 */
function frameInto(unpacked: ZstdDecompress): Writable {
  let given = 0;
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (unpacked.bytesWritten < given) {
        done();
        return;
      }
      given += chunk.length;
      // It calls back once it is done with the chunk: then it is known whether the frame ended in it.
      unpacked.write(chunk, (error) => done(error));
    },
    final(done) {
      unpacked.end();
      done();
    },
    // Whoever reads what was unpacked gets it.
  }).on('error', () => {});
}
