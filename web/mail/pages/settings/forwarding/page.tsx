import { useQuery } from '@tanstack/react-query';
import { dataOf } from '../../../../api/client.ts';
import { api } from '../../../../api/mail.ts';
import { Forwarding } from '../../../../filters/forwarding.tsx';
import { useMailbox } from '../../../shell/session.ts';
import { SettingsPart } from '../part.tsx';

export default function ForwardingPage() {
  const { mailbox } = useMailbox();
  const params = { path: { mailbox } };
  const queryKey = ['forwarding', mailbox];
  const query = useQuery({
    queryKey,
    queryFn: ({ signal }) => dataOf(api.GET('/mailboxes/{mailbox}/forwarding', { params, signal })),
  });
  return (
    <Forwarding
      frame={SettingsPart}
      query={query}
      calls={{
        queryKey,
        set: (body) => dataOf(api.PUT('/mailboxes/{mailbox}/forwarding', { params, body })),
        end: () => dataOf(api.DELETE('/mailboxes/{mailbox}/forwarding', { params })),
      }}
    />
  );
}
