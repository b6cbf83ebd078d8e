/** A file of a link as its visitors see it. */
import type { OpenedFile } from '../../../file-links/open/opened-link.ts';
import { distinctNames } from '../../../rfc/zip/stored-zip.ts';
import { fileName } from '../../../webmail/read/parts/file-name.ts';

export interface OfferedFile {
  file: OpenedFile;
  /** In its address, from 1. */
  number: number;
  /** As it is shown and saved: without tricks, and that of no other file of the link. */
  name: string;
  /** What is to be said of the name; null: nothing. */
  warning: string | null;
  /** Whether it is handed out, and if not why. */
  state: 'ready' | 'coming' | 'waiting' | 'infected';
}

/** What a name has on most file systems, with room for a number in front of its end. */
const MAX_NAME_BYTES = 200;

/** @param hasScanner files are looked at before they are handed out */
export function offeredFiles(files: readonly OpenedFile[], hasScanner: boolean): OfferedFile[] {
  const named = files.map(({ name, type }, at) => fileName(name, type.toLowerCase(), String(at + 1)));
  const names = distinctNames(named.map(({ name }) => fitting(name)));
  return files.map((file, at) => ({
    file,
    number: at + 1,
    name: names[at] ?? '',
    warning: named[at]?.warning ?? null,
    state: stateOf(file, hasScanner),
  }));
}

function stateOf({ wholeAt, scan, isWaitOver }: OpenedFile, hasScanner: boolean): OfferedFile['state'] {
  if (scan === 'infected') return 'infected';
  if (wholeAt === null) return 'coming';
  return hasScanner && scan === null && !isWaitOver ? 'waiting' : 'ready';
}

/** Its end is kept: that is what says what it is. */
function fitting(name: string): string {
  if (Buffer.byteLength(name) <= MAX_NAME_BYTES) return name;
  const [, base = name, end = ''] = /^(.+?)(\.[^.]{1,16})?$/su.exec(name) ?? [];
  let left = MAX_NAME_BYTES - Buffer.byteLength(end);
  let kept = '';
  for (const character of base) {
    left -= Buffer.byteLength(character);
    if (left < 0) break;
    kept += character;
  }
  return `${kept.trimEnd()}${end}`;
}
