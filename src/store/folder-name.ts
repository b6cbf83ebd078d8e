/** Names of folders (RFC 9051, section 5.1): paths separated by '/'. */

/** Maximum length of a whole path, in characters. */
const MAX_LENGTH = 255;
const MAX_DEPTH = 10;

/**
 * Normalizes a path to its stored form: NFC, with INBOX in upper case because its case is ignored.
 * @returns null if no folder can have this name
 */
export function normalFolderName(name: string): string | null {
  const parts = name.normalize('NFC').split('/');
  if (parts[0]?.toUpperCase() === 'INBOX') parts[0] = 'INBOX';
  const path = parts.join('/');
  if (path.length > MAX_LENGTH || parts.length > MAX_DEPTH || !path.isWellFormed()) return null;
  // LIST wildcards, control characters, Unicode line separators and the namespace prefix are not allowed.
  if (/[%*\p{Cc}\u2028\u2029]/u.test(path) || path.startsWith('#')) return null;
  return parts.some((part) => part.trim() !== part || part === '') ? null : path;
}

/** The parent folders of a folder, outermost first. */
export function parentsOf(path: string): string[] {
  const parts = path.split('/');
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join('/'));
}
