import { queryOptions, useQuery } from '@tanstack/react-query';
import { createContext, use } from 'react';
import { dataOf } from '../../api/client.ts';
import { api, setCsrfTokens } from '../../api/mail.ts';
import { notSendingSince } from './state.ts';
import type { MailAccount } from '../../../src/contract/mail/session.ts';

const STALE_MS = 60_000;

/** The member (`mbx_…`) by the address of each shared mailbox that this page has listed, even if the access was revoked since. */
export const membersByAddress = new Map<string, string>();

/** The mailboxes that this browser can open: those that it is signed in to, in the order of sign-in, then the shared mailboxes. */
export const accountsQuery = queryOptions({
  queryKey: ['session'],
  staleTime: STALE_MS,
  async queryFn({ signal }) {
    const { accounts, not_sending_since } = await dataOf(api.GET('/session', { signal }));
    notSendingSince.set(not_sending_since);
    setCsrfTokens(accounts);
    for (const { address, shared } of accounts)
      if (shared !== null) membersByAddress.set(address, shared.member);
    return accounts;
  },
});

export function useAccounts(): readonly MailAccount[] {
  return useQuery(accountsQuery).data ?? [];
}

/** The mailbox of the page. */
interface Mailbox {
  /** `mbx_…` */
  mailbox: string;
  address: string;
  displayName: string | null;
  /**
   * The mailbox that the browser is signed in to: a member of `mailbox`, or `mailbox` itself. Messages are written in this mailbox, and its
   * settings apply.
   */
  own: string;
  /** What the user may do in `mailbox`. */
  access: 'owner' | 'read' | 'write';
}

export const MailboxContext = createContext<Mailbox | null>(null);

export function useMailbox(): Mailbox {
  const mailbox = use(MailboxContext);
  if (mailbox === null) throw new TypeError('this page is not within the shell');
  return mailbox;
}
