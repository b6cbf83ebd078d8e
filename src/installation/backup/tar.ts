/** Reads and writes tar files in the ustar format of POSIX (IEEE Std 1003.1, pax, ustar Interchange Format), which every `tar` can read. */
import { DamagedBackup } from './damaged-backup.ts';

const BLOCK_BYTES = 512;
/**
 * The maximum size of a member, which is held in memory. The largest row has about 30 MB, because an email in hexadecimal takes twice its
 * bytes.
 */
const MAX_MEMBER_BYTES = 64 * 1024 * 1024;
const CHECKSUM_AT = 148;
const CHECKSUM_BYTES = 8;

export interface TarMember {
  name: string;
  body: Buffer;
}

/** Yields the bytes of a tar file. Each member is a plain file that only its owner may read. @param time seconds since 1970 */
export async function* packTar(
  members: AsyncIterable<TarMember>,
  time: number,
): AsyncGenerator<Buffer, void, undefined> {
  for await (const { name, body } of members) {
    yield headerOf(name, body.length, time);
    yield body;
    const rest = body.length % BLOCK_BYTES;
    if (rest > 0) yield Buffer.alloc(BLOCK_BYTES - rest);
  }
  yield Buffer.alloc(2 * BLOCK_BYTES);
}

function headerOf(name: string, bytes: number, time: number): Buffer {
  const header = Buffer.alloc(BLOCK_BYTES);
  if (header.write(name, 0, 100, 'latin1') !== name.length)
    throw new Error(`the name is too long for a tar file: ${name}`);
  const numbers: [at: number, digits: number, value: number][] = [
    [100, 7, 0o600],
    [108, 7, 0],
    [116, 7, 0],
    [124, 11, bytes],
    [136, 11, time],
  ];
  for (const [at, digits, value] of numbers)
    header.write(value.toString(8).padStart(digits, '0'), at, 'latin1');
  header.write('0', 156, 'latin1');
  header.write('ustar\u000000', 257, 'latin1');
  header.write(`${checksumOf(header).toString(8).padStart(6, '0')}\u0000 `, CHECKSUM_AT, 'latin1');
  return header;
}

/** The sum of all bytes of the header, with spaces in place of the checksum. */
function checksumOf(header: Buffer): number {
  let sum = 0;
  for (let at = 0; at < BLOCK_BYTES; at++)
    sum += at >= CHECKSUM_AT && at < CHECKSUM_AT + CHECKSUM_BYTES ? 0x20 : (header[at] ?? 0);
  return sum;
}

/**
 * Yields the members of a tar file written by `packTar`.
 * @throws DamagedBackup if the bytes are not a tar file of this form, or end early
 */
export async function* unpackTar(bytes: AsyncIterable<Buffer>): AsyncGenerator<TarMember, void, undefined> {
  const source = bytes[Symbol.asyncIterator]();
  let buffered: Buffer[] = [];
  let bufferedBytes = 0;
  async function take(count: number): Promise<Buffer> {
    while (bufferedBytes < count) {
      const { value, done } = await source.next();
      if (done === true) throw new DamagedBackup('it is cut off');
      buffered.push(value);
      bufferedBytes += value.length;
    }
    const all = buffered.length === 1 ? (buffered[0] as Buffer) : Buffer.concat(buffered);
    buffered = [all.subarray(count)];
    bufferedBytes -= count;
    return all.subarray(0, count);
  }
  try {
    for (;;) {
      const header = await take(BLOCK_BYTES);
      if (header.every((byte) => byte === 0)) {
        // Reads the remaining bytes, so that the writer of a pipe can finish, and the checksum at the end of the compressed data is
        // verified.
        while ((await source.next()).done !== true);
        return;
      }
      const bytesOfBody = readNumber(header, 124, 12);
      if (
        readNumber(header, CHECKSUM_AT, CHECKSUM_BYTES) !== checksumOf(header) ||
        !(bytesOfBody <= MAX_MEMBER_BYTES)
      )
        throw new DamagedBackup('a part of it has changed since it was written');
      const name = header.toString('latin1', 0, header.indexOf(0));
      const body = await take(Math.ceil(bytesOfBody / BLOCK_BYTES) * BLOCK_BYTES);
      yield { name, body: body.subarray(0, bytesOfBody) };
    }
  } finally {
    await source.return?.();
  }
}

function readNumber(header: Buffer, at: number, bytes: number): number {
  return Number.parseInt(header.toString('latin1', at, at + bytes), 8);
}
