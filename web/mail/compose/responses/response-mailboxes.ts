import { useAccounts, useMailbox } from '../../shell/session.ts';

/** A mailbox whose canned responses the user can insert. */
export interface ResponseMailbox {
  mailbox: string;
  address: string;
  mayChange: boolean;
}

/** The mailbox in which the user writes, then the mailboxes that are shared with it. */
export function useResponseMailboxes(): ResponseMailbox[] {
  const { own } = useMailbox();
  const accounts = useAccounts();
  return accounts
    .filter(({ mailbox, shared }) => mailbox === own || shared?.member === own)
    .toSorted((a, b) => Number(b.mailbox === own) - Number(a.mailbox === own))
    .map(({ mailbox, address, shared }) => ({
      mailbox,
      address,
      mayChange: shared === null || shared.access === 'write',
    }));
}
