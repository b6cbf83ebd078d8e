import { copyName } from './names.ts';
import { dropWorker } from './register.ts';

/** Deletes the offline copy of a mailbox, and everything that no other mailbox needs. */
export async function dropCopy(mailbox: string): Promise<void> {
  // Without TLS there is no cache API, so there is no copy.
  if (!('caches' in window)) return;
  await caches.delete(copyName(mailbox));
  await dropWorker();
}
