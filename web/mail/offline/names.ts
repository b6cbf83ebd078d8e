/** What the offline copy is called in a browser. The copies of mailboxes are apart, so that one goes without the others. */

export const SCOPE = '/mail/';
/** The pages themselves: they say nothing of anybody. */
export const PAGES_CACHE = 'posthorn-pages';
const COPY = 'posthorn-copy-';

/** @param mailbox `mbx_…` */
export function copyName(mailbox: string): string {
  return COPY + mailbox;
}

/** Null: it is no copy of a mailbox. */
export function mailboxOfCopy(name: string): string | null {
  return name.startsWith(COPY) ? name.slice(COPY.length) : null;
}

/** In a copy: the account, for pages that are opened without a connection. */
export const ACCOUNT = '/mail/offline/account';
/** In a copy: what each conversation looked like when it was kept. */
export const STORED_PATH = '/mail/offline/kept';
