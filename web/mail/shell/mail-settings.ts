/** The owner's settings for reading and writing, stored by the service. */
import { queryOptions } from '@tanstack/react-query';
import { dataOf } from '../../api/client.ts';
import { api } from '../../api/mail.ts';

const STALE_MS = 5 * 60_000;

/** @param mailbox `mbx_…` */
export function mailSettingsQuery(mailbox: string) {
  return queryOptions({
    queryKey: ['settings', mailbox],
    staleTime: STALE_MS,
    queryFn: ({ signal }) =>
      dataOf(api.GET('/mailboxes/{mailbox}/settings', { params: { path: { mailbox } }, signal })),
  });
}
