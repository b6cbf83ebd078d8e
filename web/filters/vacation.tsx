import type { MailboxVacation } from '../../src/contract/mailbox-filing.ts';
import { useChange } from '../api/use-change.ts';
import { Loaded } from '../shell/loaded.tsx';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import type { PartProps, VacationCalls } from './part.ts';
import { type Calendar, firstDay, lastDay } from './vacation-days.ts';
import { VacationForm } from './vacation-form.tsx';

export interface VacationProps extends PartProps<{ vacation: MailboxVacation | null }, VacationCalls> {
  /** The text under the heading, which differs between the owner of the mailbox and an administrator. */
  description: string;
  calendar: Calendar;
  /** Whether the form has a field for the HTML part of the reply. */
  hasHtml: boolean;
}

export function Vacation({ frame: PartFrame, query, calls, description, calendar, hasHtml }: VacationProps) {
  return (
    <PartFrame
      title="Vacation"
      status={query.data !== undefined && <Status vacation={query.data.vacation} />}
      description={description}
      actions={query.data?.vacation != null && calls !== null && <End calls={calls} />}
    >
      <Loaded query={query}>
        {({ vacation }) =>
          calls === null ? (
            <Summary vacation={vacation} calendar={calendar} />
          ) : (
            // A changed vacation reply resets the form.
            <VacationForm
              key={JSON.stringify(vacation)}
              vacation={vacation}
              calls={calls}
              calendar={calendar}
              hasHtml={hasHtml}
            />
          )
        }
      </Loaded>
    </PartFrame>
  );
}

function End({ calls }: { calls: VacationCalls }) {
  const end = useChange(calls.queryKey, calls.end, 'Vacation replies turned off');
  return (
    <Button isBusy={end.isPending} onClick={() => end.mutate()}>
      Turn off
    </Button>
  );
}

function Status({ vacation }: { vacation: MailboxVacation | null }) {
  const state = vacation === null ? 'Off' : stateOf(vacation);
  return <Badge tone={TONES[state]}>{state}</Badge>;
}

const TONES = { Off: 'quiet', Ended: 'quiet', Scheduled: 'info', On: 'good' } as const;

function stateOf({ from, until }: MailboxVacation): keyof typeof TONES {
  const now = Date.now();
  if (until !== null && Date.parse(until) <= now) return 'Ended';
  return from !== null && Date.parse(from) > now ? 'Scheduled' : 'On';
}

interface SummaryProps {
  vacation: MailboxVacation | null;
  calendar: Calendar;
}

function Summary({ vacation, calendar }: SummaryProps) {
  if (vacation === null) return null;
  const { subject, text, html, from, until, days } = vacation;
  return (
    <>
      <p>{spanOf(firstDay(calendar, from), lastDay(calendar, until))}</p>
      <p className="mt-2 font-medium wrap-anywhere">{subject ?? '“Auto:” plus the original subject'}</p>
      <p className="mt-1 max-h-40 overflow-y-auto whitespace-pre-wrap wrap-anywhere" tabIndex={0}>
        {text}
      </p>
      <p className="mt-2 text-sm text-muted">
        Each sender gets one reply every {days === 1 ? 'day' : `${days} days`}.
        {html !== null && ' It has an HTML part.'}
      </p>
    </>
  );
}

function spanOf(first: string, last: string): string {
  if (first !== '' && last !== '') return `${first} to ${last}`;
  if (first !== '') return `From ${first}`;
  return last === '' ? 'No end date' : `Until ${last}`;
}
