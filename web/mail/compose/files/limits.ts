import { bytes } from '../../../ui/amounts.ts';
import type { Limits } from '../draft/composition.ts';
import type { AttachedFile } from './files.ts';

/** What base64 and its lines add. */
const ENCODED = (4 / 3) * (78 / 76);

/** How much fits into a message, as files count it. */
export const roomOf = ({ message_bytes: limit }: Limits): number => limit / ENCODED;

export const totalOf = (files: readonly AttachedFile[]): number =>
  files.reduce((sum, { octets }) => sum + octets, 0);

/** Why a file cannot be attached at all; null: it can. */
export function tooLarge(
  { name, size }: { name: string; size: number },
  { file_bytes: limit }: Limits,
): string | null {
  if (size <= limit) return null;
  return `${name} has ${bytes(size)}, and a file may have ${bytes(limit)}. Make it smaller, or put it where it can be downloaded and send the link.`;
}

/** Why these cannot go out in one message; null: they can. */
export function tooMuch(files: readonly AttachedFile[], limits: Limits): string | null {
  const total = totalOf(files);
  if (total <= roomOf(limits)) return null;
  return `The files have ${bytes(total)} together, and a message takes ${bytes(roomOf(limits))}. Remove some, or send them in two messages.`;
}
