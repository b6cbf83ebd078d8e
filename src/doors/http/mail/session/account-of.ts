import { CONFIRMED_MS } from '../../../../accounts/limits.ts';
import type { MailAccount } from '../../../../contract/mail/session.ts';
import type { WebSession } from '../../../../accounts/calls.ts';
import type { Grant } from '../../../../mailboxes/sharing/grants.ts';
import { encodeId } from '../../../../model/ids.ts';
import { csrfTokenOf } from '../../browser/csrf.ts';

/** The session as the API returns it. */
export function accountOf(session: WebSession, token: string): MailAccount {
  return {
    mailbox: encodeId('mbx', session.mailboxId),
    address: session.address,
    display_name: session.displayName,
    session_id: encodeId('ses', session.sessionId),
    csrf_token: csrfTokenOf(token),
    confirmed_until: new Date(session.confirmedAt.getTime() + CONFIRMED_MS).toISOString(),
    shared: null,
  };
}

/** The mailbox of a grant, which the session of its member can open. @param unread the number of unread messages in its Inbox */
export function sharedAccountOf(
  session: WebSession,
  token: string,
  { mailboxId, address, displayName, access }: Grant,
  unread: number,
): MailAccount {
  const member = accountOf(session, token);
  return {
    ...member,
    mailbox: encodeId('mbx', mailboxId),
    address,
    display_name: displayName,
    shared: { member: member.mailbox, access, unread },
  };
}
