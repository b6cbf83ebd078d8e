import { queryOptions } from '@tanstack/react-query';
import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/mail.ts';

export const responsesQuery = (mailbox: string) =>
  queryOptions({
    queryKey: ['mail-canned-responses', mailbox],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/mailboxes/{mailbox}/canned-responses', { params: { path: { mailbox } }, signal })),
    staleTime: 60_000,
  });
