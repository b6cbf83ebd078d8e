/** Names of folders (RFC 9051, section 5.1): paths separated by '/'. */

/** Maximum length of a whole path, in characters. */
const MAX_LENGTH = 255;
const MAX_DEPTH = 10;

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

/** The parent folders of a folder, outermost first. */
export function parentsOf(path: string): string[] {
  const parts = path.split('/');
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join('/'));
}
