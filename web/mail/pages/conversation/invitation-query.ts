import { queryOptions } from '@tanstack/react-query';
import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/mail.ts';

/** The event in a message. It is read again each time, because another message may have changed the event. */
export function invitationQuery(mailbox: string, message: string) {
  return queryOptions({
    queryKey: ['invitation', mailbox, message],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/mailboxes/{mailbox}/messages/{id}/invitation', {
          params: { path: { mailbox, id: message } },
          signal,
        }),
      ),
  });
}
