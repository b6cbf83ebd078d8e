import { queryOptions } from '@tanstack/react-query';
import { dataOf } from '../../api/client.ts';
import { api } from '../../api/mail.ts';

/** As whom a mailbox writes, and within what bounds. */
export const identitiesQuery = (mailbox: string) =>
  queryOptions({
    queryKey: ['mail-identities', mailbox],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/mailboxes/{mailbox}/identities', { params: { path: { mailbox } }, signal })),
    staleTime: 60_000,
  });

/** What waits to be sent. */
export const outgoingQuery = (mailbox: string) =>
  queryOptions({
    queryKey: ['mail-outgoing', mailbox],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/mailboxes/{mailbox}/outgoing', { params: { path: { mailbox } }, signal })),
  });
