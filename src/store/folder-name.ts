/** Names of folders (RFC 9051, section 5.1): paths with '/'. */

/** Of a whole path, in characters. */
const MAX_LENGTH = 255;
const MAX_DEPTH = 10;

/**
 * A path in the form in which it is kept: composed (NFC), and INBOX in capitals, whose case does not count.
 * @returns null: no folder can have this name
 */
export function normalFolderName(name: string): string | null {
  const parts = name.normalize('NFC').split('/');
  if (parts[0]?.toUpperCase() === 'INBOX') parts[0] = 'INBOX';
  const path = parts.join('/');
  if (path.length > MAX_LENGTH || parts.length > MAX_DEPTH || !path.isWellFormed()) return null;
  // Wildcards of LIST, controls, line ends of Unicode, and the mark of a namespace.
  if (/[%*\p{Cc}\u2028\u2029]/u.test(path) || path.startsWith('#')) return null;
  return parts.some((part) => part.trim() !== part || part === '') ? null : path;
}

/** The folders that a folder is in, the outermost first. */
export function parentsOf(path: string): string[] {
  const parts = path.split('/');
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join('/'));
}
