/**
 * The API of the web client for its pages, typed by its document:
 *
 *     const { mailbox } = useMailbox();
 *     const { data } = useQuery({
 *       queryKey: ['folders', mailbox],
 *       queryFn: ({ signal }) =>
 *         dataOf(api.GET('/mailboxes/{mailbox}/folders', { params: { path: { mailbox } }, signal })),
 *     });
 */
import { createApi } from './client.ts';
import type { MailAccount, paths } from './mail-schema.ts';

/** By mailbox: each has a session of its own. */
let csrfTokens: ReadonlyMap<string, string> = new Map();

/** What `GET /session` has told. */
export function setCsrfTokens(accounts: readonly MailAccount[]): void {
  csrfTokens = new Map(accounts.map(({ mailbox, csrf_token: token }) => [mailbox, token]));
}

/** For a request that is not sent by `api`: goes into X-CSRF-Token. */
export function csrfTokenOf(mailbox: string): string {
  return csrfTokens.get(mailbox) ?? '';
}

export const api = createApi<paths>({
  prefix: '/mail/api',
  csrfToken: ({ mailbox = '' }) => csrfTokenOf(mailbox),
});
