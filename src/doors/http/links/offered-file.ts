/** A file of a link, as the page offers it to visitors. */
import type { OpenedFile } from '../../../file-links/open/opened-link.ts';
import { distinctNames } from '../../../rfc/zip/stored-zip.ts';
import { fileName } from '../../../store/parts/file-name.ts';

export interface OfferedFile {
  file: OpenedFile;
  /** The number of the file in its URL, starting at 1. */
  number: number;
  /** The name on the page and of the saved file. The name is safe, and unique within the link. */
  name: string;
  /** A warning about the name. Null if there is no warning. */
  warning: string | null;
  /**
   * `ready`: the file can be downloaded. `coming`: its upload is incomplete. `waiting`: it is being scanned. `infected`: the scan found a
   * threat.
   */
  state: 'ready' | 'coming' | 'waiting' | 'infected';
}

/** Maximum bytes of a name: the limit of most file systems, less space for a number before the extension. */
const MAX_NAME_BYTES = 200;

/** @param hasScanner whether files are scanned before they can be downloaded */
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

/** Truncates a name but keeps its extension, which shows the type of the file. */
function fitting(name: string): string {
  if (Buffer.byteLength(name) <= MAX_NAME_BYTES) return name;
  const [, base = name, end = ''] = /^(.+?)(\.[^.]{1,16})?$/su.exec(name) ?? [];
  let left = MAX_NAME_BYTES - Buffer.byteLength(end);
  let result = '';
  for (const character of base) {
    left -= Buffer.byteLength(character);
    if (left < 0) break;
    result += character;
  }
  return `${result.trimEnd()}${end}`;
}
