/** Files one after the other, as POSIX describes them (IEEE Std 1003.1, pax, ustar Interchange Format): what `tar` reads everywhere. */
import { DamagedBackup } from './damaged-backup.ts';

const BLOCK_BYTES = 512;
/** A member is held in memory. A row has at most some 30 MB: twice the bytes of the largest email, written in hexadecimal. */
const MAX_MEMBER_BYTES = 64 * 1024 * 1024;
const CHECKSUM_AT = 148;
const CHECKSUM_BYTES = 8;

export interface TarMember {
  name: string;
  body: Buffer;
}

/** The bytes of a tar file. Each member is a plain file that its owner alone may read. @param time seconds since 1970 */
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
    throw new Error(`too long a name in a tar file: ${name}`);
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

/** The sum of all bytes of the header, with spaces for the checksum itself. */
function checksumOf(header: Buffer): number {
  let sum = 0;
  for (let at = 0; at < BLOCK_BYTES; at++)
    sum += at >= CHECKSUM_AT && at < CHECKSUM_AT + CHECKSUM_BYTES ? 0x20 : (header[at] ?? 0);
  return sum;
}

/**
 * The members of a tar file as `packTar` writes it.
 * @throws DamagedBackup where it is none, or ends before its end
 */
export async function* unpackTar(bytes: AsyncIterable<Buffer>): AsyncGenerator<TarMember, void, undefined> {
  const source = bytes[Symbol.asyncIterator]();
  let have: Buffer[] = [];
  let haveBytes = 0;
  async function take(wanted: number): Promise<Buffer> {
    while (haveBytes < wanted) {
      const { value, done } = await source.next();
      if (done === true) throw new DamagedBackup('it ends before its end');
      have.push(value);
      haveBytes += value.length;
    }
    const all = have.length === 1 ? (have[0] as Buffer) : Buffer.concat(have);
    have = [all.subarray(wanted)];
    haveBytes -= wanted;
    return all.subarray(0, wanted);
  }
  try {
    for (;;) {
      const header = await take(BLOCK_BYTES);
      if (header.every((byte) => byte === 0)) {
        // Whoever writes it to a pipe has more to write, and what was packed has a checksum at its end.
        while ((await source.next()).done !== true);
        return;
      }
      const bytesOfBody = readNumber(header, 124, 12);
      if (
        readNumber(header, CHECKSUM_AT, CHECKSUM_BYTES) !== checksumOf(header) ||
        !(bytesOfBody <= MAX_MEMBER_BYTES)
      )
        throw new DamagedBackup('a part of it is not what was written');
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
