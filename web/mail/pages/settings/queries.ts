/** What becomes of the mail of a mailbox. */
import { queryOptions } from '@tanstack/react-query';
import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/mail.ts';

export function rulesQuery(mailbox: string) {
  return queryOptions({
    queryKey: ['rules', mailbox],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/mailboxes/{mailbox}/rules', { params: { path: { mailbox } }, signal })),
  });
}

export function vacationQuery(mailbox: string) {
  return queryOptions({
    queryKey: ['vacation', mailbox],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/mailboxes/{mailbox}/vacation', { params: { path: { mailbox } }, signal })),
  });
}

export function forwardingQuery(mailbox: string) {
  return queryOptions({
    queryKey: ['forwarding', mailbox],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/mailboxes/{mailbox}/forwarding', { params: { path: { mailbox } }, signal })),
  });
}

export function blockedQuery(mailbox: string) {
  return queryOptions({
    queryKey: ['blocked', mailbox],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/mailboxes/{mailbox}/blocked', { params: { path: { mailbox } }, signal })),
  });
}

export function ownFoldersQuery(mailbox: string) {
  return queryOptions({
    queryKey: ['own-folders', mailbox],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/mailboxes/{mailbox}/folders', { params: { path: { mailbox } }, signal })),
  });
}
