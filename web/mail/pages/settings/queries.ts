import { queryOptions } from '@tanstack/react-query';
import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/mail.ts';

export function ownFoldersQuery(mailbox: string) {
  return queryOptions({
    queryKey: ['own-folders', mailbox],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/mailboxes/{mailbox}/folders', { params: { path: { mailbox } }, signal })),
  });
}
