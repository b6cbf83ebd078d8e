/** Names of folders (RFC 9051, section 5.1): paths separated by '/'. */

/** Maximum length of a whole path, in characters. */
const MAX_LENGTH = 255;
const MAX_DEPTH = 10;
/** LIST wildcards, control characters and Unicode line separators. */
const FORBIDDEN = /[%*\p{Cc}\u2028\u2029]/gu;

/**
 * Normalizes a path to its stored form: NFC, with INBOX in upper case because its case is ignored.
 * @returns null if no folder can have this name
 */
export function normalFolderName(name: string): string | null {
  const checked = checkFolderName(name);
  return 'fault' in checked ? null : checked.path;
}

/** Like `normalFolderName`, but describes why no folder can have the name, for example `contains % or *`. */
export function checkFolderName(name: string): { path: string } | { fault: string } {
  const parts = name.normalize('NFC').split('/');
  if (parts[0]?.toUpperCase() === 'INBOX') parts[0] = 'INBOX';
  const path = parts.join('/');
  const fault = faultOf(path, parts);
  return fault === null ? { path } : { fault };
}

function faultOf(path: string, parts: readonly string[]): string | null {
  if (path === '') return 'is empty';
  if (parts.includes('')) return 'has an empty level: two / in a row, or a / at the start or end';
  if (parts.length > MAX_DEPTH) return `has more than ${MAX_DEPTH} levels`;
  if (path.length > MAX_LENGTH) return `has more than ${MAX_LENGTH} characters`;
  // LIST wildcards.
  if (/[%*]/.test(path)) return 'contains % or *';
  if (/[\p{Cc}\u2028\u2029]/u.test(path)) return 'contains a control character or a line separator';
  if (!path.isWellFormed()) return 'is not valid Unicode';
  // Names of other namespaces.
  if (path.startsWith('#')) return 'starts with #';
  return parts.some((part) => part.trim() !== part) ? 'has a level that starts or ends with a space' : null;
}

/**
 * Like `checkFolderName`, for a new or renamed folder. Mail apps show shared mailboxes below `Shared/<address>/` (docs/mail-apps.md, Shared
 * mailboxes), so a folder with such a name would hide a mailbox.
 */
export function checkNewFolderName(name: string): { path: string } | { fault: string } {
  const checked = checkFolderName(name);
  return 'path' in checked && /^Shared\/[^/]*@/.test(checked.path)
    ? { fault: 'belongs to a shared mailbox: below Shared/, use a name without @' }
    : checked;
}

/**
 * Chooses a valid name for each folder of another server. A name that is valid for a new folder stays as it is. In other names, `%`, `*`,
 * control characters, a leading `#`, and `@` directly below `Shared/` become `_`, surrounding spaces are removed, and levels below the tenth
 * are joined to it by ` - `. Subfolders follow their parents. A name that is taken already gets a number.
 * @param names paths with `/` between levels. The result does not depend on their order
 */
export function fittingFolderNames(names: readonly string[]): Map<string, string> {
  const prefixes = [...new Set(names.flatMap((name) => [...parentsOf(name), name]))].sort();
  const fitting = new Map<string, string>();
  const taken = new Set<string>();
  for (const prefix of prefixes) {
    const checked = checkNewFolderName(prefix);
    if ('fault' in checked) continue;
    fitting.set(prefix, checked.path);
    taken.add(checked.path);
  }
  for (const prefix of prefixes) {
    if (fitting.has(prefix)) continue;
    const name = fittingLevel(prefix.split('/').at(-1) ?? '');
    const parent = fitting.get(parentsOf(prefix).at(-1) ?? '');
    const wanted = parent === undefined ? name.replace(/^#/, '_') : below(parent, name);
    let path = cut(wanted, '');
    for (let number = 2; taken.has(path); number++) path = cut(wanted, ` (${number})`);
    fitting.set(prefix, path);
    taken.add(path);
  }
  return new Map(names.map((name) => [name, fitting.get(name) ?? name]));
}

function below(parent: string, name: string): string {
  // Below Shared/, a name with @ is a shared mailbox.
  if (parent === 'Shared') return `${parent}/${name.replaceAll('@', '_')}`;
  return `${parent}${parent.split('/').length < MAX_DEPTH ? '/' : ' - '}${name}`;
}

function fittingLevel(name: string): string {
  const fitting = name.toWellFormed().normalize('NFC').replaceAll(FORBIDDEN, '_').trim();
  return fitting === '' ? '_' : fitting;
}

/** Shortens a path to the maximum length with its suffix, without cutting a character in half or leaving a space at the end. */
function cut(path: string, suffix: string): string {
  let length = MAX_LENGTH - suffix.length;
  if (path.length <= length) return path + suffix;
  if (/[\ud800-\udbff]/.test(path.charAt(length - 1))) length -= 1;
  return path.slice(0, length).replace(/[/\s]+$/, '') + suffix;
}

/** The parent folders of a folder, outermost first. */
export function parentsOf(path: string): string[] {
  const parts = path.split('/');
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join('/'));
}
