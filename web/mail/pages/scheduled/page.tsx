import { useQuery } from '@tanstack/react-query';
import type { Outgoing } from '../../../../src/contract/mail/outgoing.ts';
import { Badge } from '../../../ui/badge.tsx';
import { ClockIcon } from '../../../ui/compose-icons.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { PageHeader } from '../../../ui/page-header.tsx';
import { outgoingQuery } from '../../compose/queries.ts';
import { timeWords } from '../../compose/send/later.ts';
import { useMailbox } from '../../shell/session.ts';
import { ScheduledActions } from './scheduled-actions.tsx';
import { NotLoaded } from '../../../shell/loaded.tsx';

const REFRESH_MS = 15_000;

/** Messages scheduled for later, and scheduled messages that could not be sent. */
export default function ScheduledPage() {
  const { mailbox } = useMailbox();
  const { data, error, refetch } = useQuery({ ...outgoingQuery(mailbox), refetchInterval: REFRESH_MS });
  const shown = data?.data.filter(({ status }) => status !== 'sent');
  return (
    <div className="mx-auto w-full max-w-4xl px-4 py-5 sm:px-6">
      <PageHeader title="Scheduled" description="Messages waiting to be sent later." />
      {shown === undefined && (
        <NotLoaded title="Could not load the scheduled messages" error={error} refetch={refetch} rows={3} />
      )}
      {shown?.length === 0 && (
        <EmptyState icon={<ClockIcon />} title="No scheduled messages">
          To schedule a message, open the menu next to Send and choose “Send later…”. Until it is sent, you
          can change or cancel it here.
        </EmptyState>
      )}
      {shown !== undefined && shown.length > 0 && (
        <ul aria-label="Scheduled" className="border-t border-line">
          {shown.map((outgoing) => (
            <ScheduledRow key={outgoing.id} mailbox={mailbox} outgoing={outgoing} />
          ))}
        </ul>
      )}
    </div>
  );
}

function ScheduledRow({ mailbox, outgoing }: { mailbox: string; outgoing: Outgoing }) {
  const { subject, to, sends_at: sendsAt, status, problem } = outgoing;
  const names = to.map(({ name, address }) => name || address).join(', ');
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line py-3">
      <div className="min-w-0 flex-1 basis-64">
        <div dir="auto" className="truncate font-medium">
          {subject === '' ? 'No subject' : subject}
        </div>
        <div dir="auto" className="truncate text-muted">
          To {names}
        </div>
        {status === 'refused' && (
          <p className="mt-1 text-bad">{problem} The message was moved back to Drafts.</p>
        )}
      </div>
      <div className="flex items-center gap-4 max-sm:w-full max-sm:justify-between">
        {status === 'refused' ? (
          <Badge tone="bad">Not sent</Badge>
        ) : (
          <time dateTime={sendsAt} className="text-muted tabular-nums">
            {timeWords(new Date(sendsAt))}
          </time>
        )}
        <ScheduledActions mailbox={mailbox} outgoing={outgoing} />
      </div>
    </li>
  );
}
