/** A state is a short text with the MODSEQ up to which a client has read the changes of each folder. */
import { hash } from 'node:crypto';

export interface FolderModseq {
  id: string;
  highestModseq: number;
}

const VERSION = 1;
const DIGEST_OCTETS = 6;
/** Maximum length in octets of a MODSEQ as a varint. */
const MAX_VARINT = 8;

/** Sorts folders by creation. Newer folders come last, so a state stays valid when folders are added. */
function inOrder(folders: readonly FolderModseq[]): FolderModseq[] {
  return folders.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

function digestOf(folders: readonly FolderModseq[]): Buffer {
  return hash('sha256', folders.map(({ id }) => id).join(' '), 'buffer').subarray(0, DIGEST_OCTETS);
}

export function encodeState(folders: readonly FolderModseq[]): string {
  const known = inOrder(folders);
  const octets = [VERSION, ...digestOf(known)];
  for (const { highestModseq } of known) {
    let rest = highestModseq;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) octets.push((rest % 0x80) | 0x80);
    octets.push(rest);
  }
  return Buffer.from(octets).toString('base64url');
}

/**
 * The MODSEQs in a state, by folder id.
 * @param folders the current folders of the mailbox
 * @returns null if the text is not a state, or if a folder in the state no longer exists
 */
export function decodeState(state: string, folders: readonly FolderModseq[]): Map<string, number> | null {
  const octets = Buffer.from(state, 'base64url');
  if (octets[0] !== VERSION || octets.toString('base64url') !== state) return null;
  const modseqs: number[] = [];
  for (let at = 1 + DIGEST_OCTETS; at < octets.length; ) {
    let [value, factor, octet] = [0, 1, 0x80];
    for (let length = 0; octet >= 0x80; factor *= 0x80) {
      octet = octets[at++] ?? Number.NaN;
      if (++length > MAX_VARINT || Number.isNaN(octet)) return null;
      value += (octet % 0x80) * factor;
    }
    if (!Number.isSafeInteger(value)) return null;
    modseqs.push(value);
  }
  const known = inOrder(folders).slice(0, modseqs.length);
  if (known.length < modseqs.length || !digestOf(known).equals(octets.subarray(1, 1 + DIGEST_OCTETS)))
    return null;
  return new Map(known.map(({ id }, n) => [id, modseqs[n] ?? 0]));
}
