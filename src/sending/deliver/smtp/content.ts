import type { Wire } from './wire.ts';

/** Octets that are written before waiting for the network to take them. */
const BLOCK = 262_144;
/** Up to this size the content and its final dot are one write. */
const ONE_WRITE = 65_536;
export const NOTHING = Buffer.alloc(0);

/**
 * Writes a content and has its final dot written. A large one goes block by block, so that a network that takes nothing is
 * noticed, and the dot is not written long before it can leave.
 * @param on.commit writes the dot, behind what is left of the content
 * @param on.onTaken called for each block that the network has taken
 */
export function writeContent(
  wire: Wire,
  content: Buffer,
  on: { commit(rest: Buffer): void; onTaken(): void },
): void {
  if (content.length <= ONE_WRITE) return on.commit(content);
  const writeFrom = (from: number): void => {
    const next = from + BLOCK;
    wire.write(content.subarray(from, next), () => {
      if (next >= content.length) on.commit(NOTHING);
      on.onTaken();
      if (next < content.length) writeFrom(next);
    });
  };
  writeFrom(0);
}

/** One Buffer, so that a message and the commands behind it are one write, and one packet where they fit. */
export function append(content: Buffer, tail: string): Buffer {
  const bytes = Buffer.allocUnsafe(content.length + Buffer.byteLength(tail));
  bytes.write(tail, content.copy(bytes));
  return bytes;
}
