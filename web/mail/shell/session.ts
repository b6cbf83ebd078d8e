import { queryOptions, useQuery } from '@tanstack/react-query';
import { createContext, use } from 'react';
import { dataOf, ServiceAway } from '../../api/client.ts';
import { api, setCsrfTokens } from '../../api/mail.ts';
import { notSendingSince } from './state.ts';
import type { MailAccount, MailAccounts } from '../../../src/contract/mail/session.ts';
import type { OfflineAccounts } from '../offline/names.ts';

const STALE_MS = 60_000;

/** The member by the address of each shared mailbox that this page has listed, even if the access was revoked since. */
export const membersByAddress = new Map<string, MailAccount>();

/**
 * The mailboxes that this browser can open: those that it is signed in to, in the order of sign-in, then the shared mailboxes, each once
 * for every member.
 */
export const accountsQuery = queryOptions({
  queryKey: ['session'],
  staleTime: STALE_MS,
  async queryFn({ client, queryKey, signal }) {
    const answer: MailAccounts & Partial<OfflineAccounts> = await dataOf(api.GET('/session', { signal }));
    const { accounts, not_sending_since, is_offline } = answer;
    // The offline copy has no tokens and no shared mailboxes, so it is only used if there is nothing better.
    if (is_offline === true && client.getQueryData(queryKey) !== undefined) throw new ServiceAway();
    notSendingSince.set(not_sending_since);
    setCsrfTokens(accounts);
    for (const { address, shared } of accounts) {
      const member = accounts.find(({ mailbox }) => mailbox === shared?.member);
      if (member !== undefined) membersByAddress.set(address, member);
    }
    return accounts;
  },
});

/** The accounts, each mailbox once: a mailbox that is shared with several members is the one of the current member. */
export function useAccounts(): readonly MailAccount[] {
  const { own } = useMailbox();
  const { data = [] } = useQuery(accountsQuery);
  return data.filter((account) => account === accountAt(data, account.address, own));
}

/**
 * The account with an address. @param own the member to prefer for a mailbox that is shared with several members, so that opening it
 * does not change the mailbox in which messages are written
 */
export function accountAt(
  accounts: readonly MailAccount[],
  address: string,
  own: string | undefined,
): MailAccount | undefined {
  const found = accounts.filter((each) => each.address === address);
  return (
    found.find(({ shared }) => shared?.member === own) ??
    found.find(({ shared }) => shared?.access === 'write') ??
    found[0]
  );
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
  ownAddress: string;
  /** What the user may do in `mailbox`. */
  access: 'owner' | 'read' | 'write';
}

export const MailboxContext = createContext<Mailbox | null>(null);

export function useMailbox(): Mailbox {
  const mailbox = use(MailboxContext);
  if (mailbox === null) throw new TypeError('this page is not within the shell');
  return mailbox;
}
