import { copyName, mailboxOfCopy, PAGES_CACHE, SCOPE } from './names.ts';

/** Deletes the offline copy of a mailbox. Deleting the last copy also deletes the stored pages and the worker. */
export async function dropCopy(mailbox: string): Promise<void> {
  // Without TLS there is no cache API, so there is no copy.
  if (!('caches' in window)) return;
  await caches.delete(copyName(mailbox));
  if ((await caches.keys()).some((name) => mailboxOfCopy(name) !== null)) return;
  await caches.delete(PAGES_CACHE);
  const registration = await navigator.serviceWorker.getRegistration(SCOPE);
  await registration?.unregister();
}
