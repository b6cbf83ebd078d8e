import { bytes } from '../../../ui/amounts.ts';
import type { Limits } from '../draft/composition.ts';
import { type AttachedFile, isComing } from './files.ts';

/** What base64 and its lines add. */
const ENCODED = (4 / 3) * (78 / 76);

/** How much fits into a message, as files count it. */
export const fileCapacityOf = ({ message_bytes: limit }: Limits): number => limit / ENCODED;

/** Of those that go along: what is too large for that takes no room. */
export const totalOf = (files: readonly AttachedFile[]): number =>
  files
    .filter((file) => !isComing(file) || file.offered === undefined)
    .reduce((sum, { octets }) => sum + octets, 0);

/** Why a file cannot go along with what there is; null: it can. */
export function tooLarge(
  { name, size }: { name: string; size: number },
  others: readonly AttachedFile[],
  limits: Limits,
): string | null {
  if (size > limits.file_bytes)
    return `${name} has ${bytes(size)}, and a file in a message may have ${bytes(limits.file_bytes)}.`;
  return totalOf(others) + size > fileCapacityOf(limits)
    ? `With ${name} the message would be larger than mail may be (${bytes(limits.message_bytes)}).`
    : null;
}

/** Why these cannot go out in one message; null: they can. */
export function tooMuch(files: readonly AttachedFile[], limits: Limits): string | null {
  const total = totalOf(files);
  if (total <= fileCapacityOf(limits)) return null;
  return `The files have ${bytes(total)} together, and a message takes ${bytes(fileCapacityOf(limits))}. Remove some, or send them in two messages.`;
}
