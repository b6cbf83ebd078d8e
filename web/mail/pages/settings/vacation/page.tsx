import { useQuery } from '@tanstack/react-query';
import { dataOf } from '../../../../api/client.ts';
import { api } from '../../../../api/mail.ts';
import type { MailboxVacation } from '../../../../../src/contract/mailbox-filing.ts';
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
  const state = vacation === null ? 'Off' : stateOf(vacation);
  return <Badge tone={TONES[state]}>{state}</Badge>;
}

const TONES = { Off: 'quiet', Over: 'quiet', Planned: 'info', On: 'good' } as const;

function stateOf({ from, until }: MailboxVacation): keyof typeof TONES {
  const now = Date.now();
  if (until !== null && Date.parse(until) <= now) return 'Over';
  return from !== null && Date.parse(from) > now ? 'Planned' : 'On';
}
