import type { Wire } from './wire.ts';

/** Octets that are written before waiting for the network to take them. */
const BLOCK = 262_144;

/**
 * Writes a large content block by block, so that a network that takes nothing is noticed, and the final dot is
 * not written long before it can leave.
 * @param taken called for each block that the network has taken, with whether it was the last
 */
export function writeInBlocks(wire: Wire, content: Buffer, taken: (isLast: boolean) => void): void {
  const writeFrom = (from: number): void => {
    const next = from + BLOCK;
    wire.write(content.subarray(from, next), () => {
      const isLast = next >= content.length;
      taken(isLast);
      if (!isLast) writeFrom(next);
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
