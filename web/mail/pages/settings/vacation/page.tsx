import { useQuery } from '@tanstack/react-query';
import { dataOf } from '../../../../api/client.ts';
import { api } from '../../../../api/mail.ts';
import { Vacation } from '../../../../filters/vacation.tsx';
import { LOCAL } from '../../../../filters/vacation-days.ts';
import { useMailbox } from '../../../shell/session.ts';
import { SettingsPart } from '../part.tsx';

export default function VacationPage() {
  const { mailbox } = useMailbox();
  const params = { path: { mailbox } };
  const queryKey = ['vacation', mailbox];
  const query = useQuery({
    queryKey,
    queryFn: ({ signal }) => dataOf(api.GET('/mailboxes/{mailbox}/vacation', { params, signal })),
  });
  return (
    <Vacation
      frame={SettingsPart}
      query={query}
      calls={{
        queryKey,
        set: (body) => dataOf(api.PUT('/mailboxes/{mailbox}/vacation', { params, body })),
        end: () => dataOf(api.DELETE('/mailboxes/{mailbox}/vacation', { params })),
      }}
      description="Sends an automatic reply while you are away. Mailing lists, newsletters, automated mail and spam get no reply. Each sender gets at most one reply per interval set in “Days between replies”."
      calendar={LOCAL}
      hasHtml={false}
    />
  );
}
