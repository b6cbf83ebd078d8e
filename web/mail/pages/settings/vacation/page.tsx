import { useQuery } from '@tanstack/react-query';
import { dataOf } from '../../../../api/client.ts';
import { api } from '../../../../api/mail.ts';
import type { MailboxVacation } from '../../../../api/mail-schema.ts';
import { Button } from '../../../../ui/button.tsx';
import { PageHeader } from '../../../../ui/page-header.tsx';
import { Badge } from '../../../../ui/badge.tsx';
import { useMailbox } from '../../../shell/session.ts';
import { Loaded } from '../loaded.tsx';
import { vacationQuery } from '../queries.ts';
import { useChange } from '../use-change.ts';
import { VacationForm } from './vacation-form.tsx';

export default function VacationPage() {
  const { mailbox } = useMailbox();
  const query = vacationQuery(mailbox);
  const found = useQuery(query);
  const vacation = found.data?.vacation ?? null;
  const end = useChange(
    query.queryKey,
    () => dataOf(api.DELETE('/mailboxes/{mailbox}/vacation', { params: { path: { mailbox } } })),
    'Nobody is answered any more',
  );
  return (
    <>
      <PageHeader
        title="Vacation"
        status={found.data !== undefined && <VacationStatus vacation={vacation} />}
        description="An answer to people who write to you while you are away. Lists, newsletters, programs and spam get none, and nobody gets it twice within the days below."
        actions={
          vacation !== null && (
            <Button isBusy={end.isPending} onClick={() => end.mutate()}>
              Switch off
            </Button>
          )
        }
      />
      <Loaded query={found}>
        {/* Another one is another form. */}
        {(data) => <VacationForm key={JSON.stringify(data.vacation)} vacation={data.vacation} />}
      </Loaded>
    </>
  );
}

function VacationStatus({ vacation }: { vacation: MailboxVacation | null }) {
  if (vacation === null) return <Badge>Off</Badge>;
  const now = Date.now();
  if (vacation.until !== null && Date.parse(vacation.until) <= now) return <Badge>Over</Badge>;
  if (vacation.from !== null && Date.parse(vacation.from) > now) return <Badge tone="info">Planned</Badge>;
  return <Badge tone="good">On</Badge>;
}
