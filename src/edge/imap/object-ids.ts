/** MAILBOXID of a folder (RFC 8474, section 4): the same however often it is renamed, and never used again. */
export function mailboxIdOf(folderId: string): string {
  return `F${folderId.replaceAll('-', '')}`;
}
