/** The names of the offline copy's caches. Each mailbox has its own cache, so that a single copy can be deleted. */

import type { MailAccounts } from '../../../src/contract/mail/session.ts';

export const SCOPE = '/mail/';
/** The cache for the pages of one release has this name and an identifier of the release. It contains no personal data. */
export const PAGES_CACHE = 'posthorn-pages-';
const COPY = 'posthorn-copy-';

/** The worker's response to `GET /session` while the service does not respond. Only mailboxes with a copy are listed, without tokens. */
export interface OfflineAccounts extends MailAccounts {
  is_offline: true;
}

/** @param mailbox `mbx_…` */
export function copyName(mailbox: string): string {
  return COPY + mailbox;
}

/** The mailbox of a cache. Null if the cache is not a copy of a mailbox. */
export function mailboxOfCopy(name: string): string | null {
  return name.startsWith(COPY) ? name.slice(COPY.length) : null;
}

/** The path under which a copy contains the account, for pages opened offline. */
export const ACCOUNT = '/mail/offline/account';
/** The path under which a copy contains the rows of conversations, each as it was when the conversation was stored. */
export const STORED_PATH = '/mail/offline/kept';
