import { useQuery } from '@tanstack/react-query';
import { dataOf } from '../../../../api/client.ts';
import { api } from '../../../../api/mail.ts';
import { BlockedSenders } from '../../../../filters/sender-list.tsx';
import { useMailbox } from '../../../shell/session.ts';
import { SettingsPart } from '../part.tsx';

export default function BlockedPage() {
  const { mailbox } = useMailbox();
  const path = { mailbox };
  const queryKey = ['blocked', mailbox];
  const query = useQuery({
    queryKey,
    queryFn: ({ signal }) => dataOf(api.GET('/mailboxes/{mailbox}/blocked', { params: { path }, signal })),
    select: ({ data }) => data,
  });
  return (
    <BlockedSenders
      frame={SettingsPart}
      query={query}
      calls={{
        queryKey,
        add: (sender) =>
          dataOf(api.POST('/mailboxes/{mailbox}/blocked', { params: { path }, body: { sender } })),
        remove: (sender) =>
          dataOf(api.DELETE('/mailboxes/{mailbox}/blocked', { params: { path, query: { sender } } })),
      }}
      hint="Block a sender here, or in the menu of a message. To deal with spam, mark it as junk instead, which trains the filter."
    />
  );
}
