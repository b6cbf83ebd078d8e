/**
 * A typed client for the web client's API:
 *
 *     const { mailbox } = useMailbox();
 *     const { data } = useQuery({
 *       queryKey: ['folders', mailbox],
 *       queryFn: ({ signal }) =>
 *         dataOf(api.GET('/mailboxes/{mailbox}/folders', { params: { path: { mailbox } }, signal })),
 *     });
 */
import type { MAILBOX_ACCESS_OPERATIONS } from '../../src/mailboxes/sign-in/operations.ts';
import type { SHARING_OPERATIONS } from '../../src/mailboxes/sharing/operations.ts';
import type { ROUTE_OPERATIONS } from '../../src/routes/operations.ts';
import type { FILTER_OPERATIONS } from '../../src/receiving/operations.ts';
import type { FILE_LINK_OPERATIONS } from '../../src/file-links/operations.ts';
import type { CONTACT_OPERATIONS } from '../../src/contacts/operations.ts';
import type { MAIL_LIST_OPERATIONS } from '../../src/webmail/list/operations.ts';
import type { MAIL_ACTION_OPERATIONS } from '../../src/webmail/act/operations.ts';
import type { MAIL_LABEL_OPERATIONS } from '../../src/webmail/labels/operations.ts';
import type { INVITATION_OPERATIONS } from '../../src/webmail/invitations/operations.ts';
import type { PUSH_OPERATIONS } from '../../src/webmail/push/operations.ts';
import type { MAIL_SETTINGS_OPERATIONS } from '../../src/webmail/settings/operations.ts';
import type { MAIL_READING_OPERATIONS } from '../../src/webmail/read/operations.ts';
import type { MAIL_WRITING_OPERATIONS } from '../../src/webmail/write/operations.ts';
import { createApi } from './client.ts';
import type { CallsOf, PathsOf } from './paths.ts';
import type { MailAccount } from '../../src/contract/mail/session.ts';

/** Tokens by mailbox, because each mailbox has its own session. */
let csrfTokens: ReadonlyMap<string, string> = new Map();

/** @param accounts each mailbox once. The token of a shared mailbox also tells the service which member is acting */
export function setCsrfTokens(accounts: readonly MailAccount[]): void {
  csrfTokens = new Map(accounts.map(({ mailbox, csrf_token: token }) => [mailbox, token]));
}

/** The value of X-CSRF-Token for requests that `api` does not send. */
export function csrfTokenOf(mailbox: string): string {
  return csrfTokens.get(mailbox) ?? '';
}

type Calls =
  | CallsOf<typeof MAILBOX_ACCESS_OPERATIONS, 'mail'>
  | CallsOf<typeof SHARING_OPERATIONS, 'mail'>
  | CallsOf<typeof ROUTE_OPERATIONS, 'mail'>
  | CallsOf<typeof FILTER_OPERATIONS, 'mail'>
  | CallsOf<typeof FILE_LINK_OPERATIONS, 'mail'>
  | CallsOf<typeof CONTACT_OPERATIONS, 'mail'>
  | CallsOf<typeof MAIL_LIST_OPERATIONS, 'mail'>
  | CallsOf<typeof MAIL_ACTION_OPERATIONS, 'mail'>
  | CallsOf<typeof MAIL_LABEL_OPERATIONS, 'mail'>
  | CallsOf<typeof INVITATION_OPERATIONS, 'mail'>
  | CallsOf<typeof PUSH_OPERATIONS, 'mail'>
  | CallsOf<typeof MAIL_SETTINGS_OPERATIONS, 'mail'>
  | CallsOf<typeof MAIL_READING_OPERATIONS, 'mail'>
  | CallsOf<typeof MAIL_WRITING_OPERATIONS, 'mail'>;

export const api = createApi<PathsOf<Calls>>({
  prefix: '/mail/api',
  // The service takes up to 30 seconds to open a large message.
  readTimeoutMs: 40_000,
  csrfToken: ({ mailbox = '' }) => csrfTokenOf(mailbox),
});
