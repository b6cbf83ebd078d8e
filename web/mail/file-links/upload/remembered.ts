/** What was being uploaded, in this tab: after a reload the same file is known again. It goes with the tab, and at sign-out. */

interface Kept {
  name: string;
  size: number;
  lastModified: number;
}

/** Names the mailbox: sign-out finds it. */
const keyOf = (mailbox: string, id: string) => `posthorn-upload:${mailbox}:${id}`;

export function rememberFile(mailbox: string, id: string, { name, size, lastModified }: Kept): void {
  try {
    sessionStorage.setItem(keyOf(mailbox, id), JSON.stringify({ name, size, lastModified }));
  } catch {
    // Full, or switched off: then name and size alone are compared.
  }
}

export function forgetFile(mailbox: string, id: string): void {
  sessionStorage.removeItem(keyOf(mailbox, id));
}

/**
 * Whether a file that was chosen again is the one that was on its way. Of the bytes it looks at none: the service has only some of them.
 * @returns what is wrong with it; null: nothing
 */
export function notTheSame(
  mailbox: string,
  { id, name, octets }: { id: string; name: string; octets: number },
  file: Kept,
): string | null {
  if (file.size !== octets || file.name !== name) return `That is another file. Choose ${name} again.`;
  const kept = read(mailbox, id);
  return kept !== null && kept.lastModified !== file.lastModified
    ? `${name} has changed since. Remove the link, and add the file again.`
    : null;
}

function read(mailbox: string, id: string): Kept | null {
  try {
    return JSON.parse(sessionStorage.getItem(keyOf(mailbox, id)) ?? 'null') as Kept | null;
  } catch {
    return null;
  }
}
