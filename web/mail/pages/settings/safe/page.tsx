import { useQuery } from '@tanstack/react-query';
import { dataOf } from '../../../../api/client.ts';
import { api } from '../../../../api/mail.ts';
import { SafeSenders } from '../../../../filters/sender-list.tsx';
import { useMailbox } from '../../../shell/session.ts';
import { SettingsPart } from '../part.tsx';

export default function SafePage() {
  const { mailbox } = useMailbox();
  const path = { mailbox };
  const queryKey = ['safe', mailbox];
  const query = useQuery({
    queryKey,
    queryFn: ({ signal }) => dataOf(api.GET('/mailboxes/{mailbox}/safe', { params: { path }, signal })),
    select: ({ data }) => data,
  });
  return (
    <SafeSenders
      frame={SettingsPart}
      query={query}
      calls={{
        queryKey,
        add: (sender) =>
          dataOf(api.POST('/mailboxes/{mailbox}/safe', { params: { path }, body: { sender } })),
        remove: (sender) =>
          dataOf(api.DELETE('/mailboxes/{mailbox}/safe', { params: { path, query: { sender } } })),
      }}
      hint="Add the addresses and domains whose mail you always want in your Inbox."
    />
  );
}
