import { queryOptions } from '@tanstack/react-query';
import { dataOf } from '../../../../api/client.ts';
import { api } from '../../../../api/mail.ts';

export const accountQuery = (mailbox: string) =>
  queryOptions({
    queryKey: ['account', mailbox],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/mailboxes/{mailbox}/account', { params: { path: { mailbox } }, signal })),
  });

export const sessionsQuery = (mailbox: string) =>
  queryOptions({
    queryKey: ['sessions', mailbox],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/mailboxes/{mailbox}/sessions', { params: { path: { mailbox } }, signal })),
  });

export const appPasswordsQuery = (mailbox: string) =>
  queryOptions({
    queryKey: ['app-passwords', mailbox],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/mailboxes/{mailbox}/app-passwords', { params: { path: { mailbox } }, signal })),
  });
