import { copyName, mailboxOfCopy, PAGES_CACHE, SCOPE } from './names.ts';

/** Deletes the offline copy of a mailbox. With the last copy, the stored pages and the worker are deleted, too. */
export async function dropCopy(mailbox: string): Promise<void> {
  // Without TLS there is no copy and no cache API.
  if (!('caches' in window)) return;
  await caches.delete(copyName(mailbox));
  if ((await caches.keys()).some((name) => mailboxOfCopy(name) !== null)) return;
  await caches.delete(PAGES_CACHE);
  const registration = await navigator.serviceWorker.getRegistration(SCOPE);
  await registration?.unregister();
}
