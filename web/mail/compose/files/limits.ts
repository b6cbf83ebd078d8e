import { bytes } from '../../../ui/amounts.ts';
import type { Limits } from '../draft/composition.ts';
import { type AttachedFile, isUploading } from './files.ts';

/** The factor by which base64 with its line breaks enlarges a file. */
const ENCODED = (4 / 3) * (78 / 76);

/** The maximum total size of the files in a message, in bytes. */
export const fileCapacityOf = ({ message_bytes: limit }: Limits): number => limit / ENCODED;

/** The size of the files that will be attached. Files that are too large are left out. */
export const totalOf = (files: readonly AttachedFile[]): number =>
  files
    .filter((file) => !isUploading(file) || file.offered === undefined)
    .reduce((sum, { octets }) => sum + octets, 0);

/** The reason why a file cannot be attached in addition to other files; null if it can be attached. */
export function tooLarge(
  { name, size }: { name: string; size: number },
  others: readonly AttachedFile[],
  limits: Limits,
): string | null {
  if (size > limits.file_bytes)
    return `${name} is ${bytes(size)}. The limit for attachments is ${bytes(limits.file_bytes)}.`;
  return totalOf(others) + size > fileCapacityOf(limits)
    ? `With ${name} the message would exceed the size limit of ${bytes(limits.message_bytes)}.`
    : null;
}

/** The reason why files cannot be sent in one message; null if they can be sent. */
export function tooMuch(files: readonly AttachedFile[], limits: Limits): string | null {
  const total = totalOf(files);
  if (total <= fileCapacityOf(limits)) return null;
  return `The files are ${bytes(total)} in total. The limit for a message is ${bytes(fileCapacityOf(limits))}. Remove some, or send them in two messages.`;
}
