import { queryOptions, useQuery } from '@tanstack/react-query';
import { createContext, use } from 'react';
import { dataOf, ServiceAway } from '../../api/client.ts';
import { api, setCsrfTokens } from '../../api/mail.ts';
import { notSendingSince } from './state.ts';
import type { MailAccount, MailAccounts } from '../../../src/contract/mail/session.ts';
import type { OfflineAccounts } from '../offline/names.ts';

const STALE_MS = 60_000;
const OPENED_AS = 'posthorn-opened-as';

/** A mailbox that the browser is or was signed in to. */
type SignedIn = Pick<MailAccount, 'mailbox' | 'address'>;

/** The member by the address of each shared mailbox that this page has listed, even if the access was revoked since. */
const membersByAddress = new Map<string, SignedIn>();

/**
 * The member by the address of each mailbox that this tab has opened. It is kept over a reload, so that a message is never written in the
 * mailbox of another member than before.
 */
const openedAs = new Map<string, SignedIn>(
  JSON.parse(sessionStorage.getItem(OPENED_AS) ?? '[]') as [string, SignedIn][],
);

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
  return eachOnce(data, own);
}

/** The mailbox that the browser is signed in to: a member of the account's mailbox, or this mailbox itself. */
export function ownOf({ mailbox, shared }: MailAccount): string {
  return shared?.member ?? mailbox;
}

/**
 * The account with an address. After this tab has opened a shared mailbox as a member who has lost access, another member is used only if
 * the user opens it from a page of that member.
 * @param own the member to prefer for a mailbox that is shared with several members, so that opening it does not change the mailbox in
 * which messages are written
 */
export function accountAt(
  accounts: readonly MailAccount[],
  address: string,
  own: string | undefined,
): MailAccount | undefined {
  const found = accounts.filter((each) => each.address === address);
  const opened = openedAs.get(address);
  const known =
    found.find((each) => ownOf(each) === own) ?? found.find((each) => ownOf(each) === opened?.mailbox);
  if (known !== undefined) return known;
  const [first] = found;
  if (opened !== undefined && first?.shared !== null) return undefined;
  return found.find(({ shared }) => shared?.access === 'write') ?? first;
}

/**
 * The mailbox that could open the address before: as which this tab opened it, or else, if its list had the address, the user's current
 * mailbox or the listed member.
 */
export function formerMemberAt(
  accounts: readonly MailAccount[],
  address: string,
  own: string | undefined,
): SignedIn | undefined {
  const listed = membersByAddress.get(address);
  return openedAs.get(address) ?? (listed && (signedInTo(accounts, own) ?? listed));
}

/** Whether the accounts come from the offline copy, which has no tokens and no shared mailboxes. */
export function areCopies(accounts: readonly MailAccount[]): boolean {
  return accounts.some(({ csrf_token: token }) => token === '');
}

/** The account of a mailbox that the browser is signed in to. */
export function signedInTo(
  accounts: readonly MailAccount[],
  own: string | undefined,
): MailAccount | undefined {
  return accounts.find(({ mailbox, shared }) => mailbox === own && shared === null);
}

/** Makes a member, or the owner, the one whose session changes mailboxes. @param address the mailbox that was opened. Null: none */
export function actAs(accounts: readonly MailAccount[], member: SignedIn, address: string | null): void {
  if (address !== null && openedAs.get(address)?.mailbox !== member.mailbox) {
    openedAs.set(address, { mailbox: member.mailbox, address: member.address });
    try {
      sessionStorage.setItem(OPENED_AS, JSON.stringify([...openedAs]));
    } catch {
      // Storage is full or disabled. After a reload, a mailbox may then be opened as another member.
    }
  }
  setCsrfTokens(eachOnce(accounts, member.mailbox));
}

function eachOnce(accounts: readonly MailAccount[], own: string): MailAccount[] {
  return accounts.filter((account) => account === accountAt(accounts, account.address, own));
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
