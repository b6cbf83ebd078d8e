import { watched } from '../../ui/watched.ts';

/**
 * The senders whose messages keep their own colors in a dark theme, until the page is reloaded. They are not stored, because the senders of
 * a mailbox are private.
 */
export const asSent = watched<ReadonlySet<string>>(new Set());

export function toggleAsSent(sender: string): void {
  const changed = new Set(asSent.get());
  if (!changed.delete(sender)) changed.add(sender);
  asSent.set(changed);
}
