import { queryOptions } from '@tanstack/react-query';
import { dataOf } from '../../api/client.ts';
import { api } from '../../api/mail.ts';

/** The sender identities of a mailbox, and the limits on a message. */
export const identitiesQuery = (mailbox: string) =>
  queryOptions({
    queryKey: ['mail-identities', mailbox],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/mailboxes/{mailbox}/identities', { params: { path: { mailbox } }, signal })),
    staleTime: 60_000,
  });

/** Messages waiting to be sent. */
export const outgoingQuery = (mailbox: string) =>
  queryOptions({
    queryKey: ['mail-outgoing', mailbox],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/mailboxes/{mailbox}/outgoing', { params: { path: { mailbox } }, signal })),
  });
