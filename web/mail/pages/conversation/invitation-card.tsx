import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ApiProblem, dataOf } from '../../../api/client.ts';
import { api } from '../../../api/mail.ts';
import type { Invitation } from '../../../../src/contract/mail/invitations.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button, buttonClass } from '../../../ui/button.tsx';
import { CheckIcon, WarningIcon } from '../../../ui/icons.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { Time } from '../../../ui/time.tsx';
import { toast } from '../../../ui/toast.tsx';
import { InvitationPeople, PersonName } from './invitation-people.tsx';
import { invitationQuery } from './invitation-query.ts';
import { theirWhenInWords, whenInWords } from './invitation-times.ts';
import { NewerMessages } from './newer-messages.tsx';
import { Run } from './text-body.tsx';

type InvitationResponse = NonNullable<Invitation['answer']>['answer'];

const KINDS: Readonly<Record<Invitation['kind'], string>> = {
  invitation: 'Invitation',
  update: 'Updated invitation',
  cancelled: 'Cancelled',
  reply: 'Invitation response',
  proposal: 'New time proposed',
  event: 'Event',
};
const ANSWERS: readonly { answer: InvitationResponse; label: string; done: string }[] = [
  { answer: 'accepted', label: 'Accept', done: 'You accepted' },
  { answer: 'tentative', label: 'Maybe', done: 'You responded maybe' },
  { answer: 'declined', label: 'Decline', done: 'You declined' },
];

interface InvitationCardProps {
  /** `mbx_…` */
  mailbox: string;
  /** `msg_…` */
  message: string;
}

/** The event in a message. The content comes from a stranger, so all of it is shown as text, with links as in the text of a message. */
export default function InvitationCard({ mailbox, message }: InvitationCardProps) {
  const query = invitationQuery(mailbox, message);
  const found = useQuery(query);
  const queries = useQueryClient();
  const reply = useMutation({
    mutationFn: (answer: InvitationResponse) =>
      dataOf(
        api.POST('/mailboxes/{mailbox}/messages/{id}/invitation', {
          params: { path: { mailbox, id: message } },
          body: { answer },
        }),
      ),
    meta: { showsErrors: true },
    onSuccess(invitation) {
      queries.setQueryData(query.queryKey, invitation);
      toast('Response sent to the organizer');
    },
    async onError(error) {
      // The organizer has changed or cancelled the event in the meantime.
      if (error instanceof ApiProblem && error.status === 409)
        await queries.invalidateQueries({ queryKey: query.queryKey });
    },
  });
  // An invitation that cannot be read appears only as an attachment.
  if (found.error !== null) return null;
  if (found.data === undefined) return <Skeleton className="h-40 w-full max-w-2xl" />;
  const invitation = found.data;
  return (
    // A group, not a landmark: a conversation has all messages about an event.
    <div
      role="group"
      aria-label={headOf(invitation).label}
      className="max-w-2xl rounded-lg border border-line bg-page p-4 sm:p-5"
    >
      <Summary invitation={invitation} />
      <NewerMessages invitation={invitation} />
      {invitation.warnings.map((warning) => (
        <p key={warning} className="mt-3 flex gap-2 rounded-md bg-warn-soft px-3 py-2 text-warn">
          <WarningIcon className="mt-[3px]" />
          <span className="min-w-0 wrap-anywhere">{warning}</span>
        </p>
      ))}
      <Details invitation={invitation} />
      <div className="mt-4 flex flex-wrap items-center gap-2">
        {invitation.can_answer &&
          ANSWERS.map(({ answer, label }) => {
            const isGiven = invitation.answer?.answer === answer && invitation.answer.is_current;
            return (
              <Button
                key={answer}
                aria-pressed={isGiven}
                icon={isGiven ? <CheckIcon /> : undefined}
                kind={answer === 'accepted' && invitation.answer === null ? 'primary' : 'secondary'}
                isBusy={reply.isPending && reply.variables === answer}
                disabled={reply.isPending}
                onClick={() => reply.mutate(answer)}
              >
                {label}
              </Button>
            );
          })}
        <a
          href={`/mail/api/mailboxes/${mailbox}/messages/${message}/parts/${invitation.part}`}
          download
          className={buttonClass('quiet')}
        >
          Download .ics
        </a>
      </div>
      <GivenAnswer invitation={invitation} />
      {reply.error !== null && (
        <p role="alert" className="mt-2 text-bad wrap-anywhere">
          {faultOf(reply.error)}
        </p>
      )}
    </div>
  );
}

/** What the card says about the event first. A newer message of the organizer takes precedence over the message itself. */
function headOf({ kind, newest }: Invitation): { label: string; tone: 'bad' | 'warn' | 'info' } {
  if (kind === 'cancelled' || newest?.kind === 'cancelled') return { label: 'Cancelled', tone: 'bad' };
  if (newest !== null) return { label: 'Superseded', tone: 'warn' };
  return { label: KINDS[kind], tone: kind === 'update' ? 'warn' : 'info' };
}

function Summary({ invitation }: { invitation: Invitation }) {
  const { label, tone } = headOf(invitation);
  const { summary } = invitation;
  return (
    <header className="flex flex-wrap items-center gap-2">
      <Badge tone={tone}>{label}</Badge>
      <h2
        dir="auto"
        className={`min-w-0 text-lg font-semibold wrap-anywhere ${tone === 'bad' ? 'line-through' : ''}`}
      >
        {summary === '' ? 'Untitled event' : summary}
      </h2>
    </header>
  );
}

function Details({ invitation }: { invitation: Invitation }) {
  const { start, repeats, recurrence, location, conference, others, comment, description, organizer } =
    invitation;
  const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  const theirs = theirWhenInWords(invitation, zone);
  return (
    <dl className="mt-3 grid gap-x-4 gap-y-2 sm:grid-cols-[5.5rem_minmax(0,1fr)] [&_dt]:text-muted">
      <dt>When</dt>
      <dd>
        {whenInWords(invitation, zone)}
        {start.at !== null && <span className="text-muted"> ({zone})</span>}
        {theirs !== null && <p className="text-sm text-muted wrap-anywhere">For the organizer: {theirs}</p>}
        {!start.is_all_day && start.at === null && start.zone === null && (
          <p className="text-sm text-muted">No time zone given: local time at the event’s location.</p>
        )}
        {repeats !== null && <p>{repeats}</p>}
        {recurrence !== null && (
          <p className="text-sm text-muted">One of a series: {recurrence.local.slice(0, 10)}.</p>
        )}
        {others > 0 && (
          <p className="text-sm text-muted">
            The file has {others} more {others === 1 ? 'event or changed date' : 'events or changed dates'}.
          </p>
        )}
      </dd>
      {location.length > 0 && (
        <>
          <dt>Where</dt>
          <dd dir="auto" className="wrap-anywhere">
            <Runs runs={location} />
          </dd>
        </>
      )}
      {conference !== null && (
        <>
          <dt>Online</dt>
          <dd className="wrap-anywhere">
            <a
              href={conference}
              target="_blank"
              rel="noopener noreferrer"
              className="text-accent hover:underline"
            >
              {conference}
            </a>
          </dd>
        </>
      )}
      {organizer !== null && (
        <>
          <dt>Organizer</dt>
          <dd className="wrap-anywhere">
            <PersonName {...organizer} />
          </dd>
        </>
      )}
      {invitation.attendees.length > 0 && (
        <>
          <dt>Who</dt>
          <dd className="min-w-0">
            <InvitationPeople invitation={invitation} />
          </dd>
        </>
      )}
      {comment !== null && (
        <>
          <dt>Comment</dt>
          <dd dir="auto" className="whitespace-pre-wrap wrap-anywhere">
            {comment}
          </dd>
        </>
      )}
      {description.length > 0 && (
        <>
          <dt>Description</dt>
          <dd>
            <div
              role="group"
              aria-label="Description"
              tabIndex={0}
              dir="auto"
              className="max-h-40 overflow-y-auto whitespace-pre-wrap wrap-anywhere"
            >
              <Runs runs={description} />
            </div>
          </dd>
        </>
      )}
    </dl>
  );
}

function Runs({ runs }: { runs: Invitation['description'] }) {
  return runs.map((run, at) => <Run key={at} run={run} />);
}

function GivenAnswer({ invitation: { answer, organizer } }: { invitation: Invitation }) {
  if (answer === null) return null;
  const done = ANSWERS.find((each) => each.answer === answer.answer)?.done;
  return (
    <p role="status" className="mt-2 text-sm text-muted wrap-anywhere">
      {done} <Time value={answer.answered_at} />.{' '}
      {answer.is_current
        ? `${organizer?.address ?? 'The organizer'} was notified by email.`
        : 'The event has changed since then. Please respond again.'}
    </p>
  );
}

/** The reason why the response could not be sent, from the field error if there is one. */
function faultOf(error: Error): string {
  if (error instanceof ApiProblem) return error.errors['answer'] ?? error.message;
  return 'The response could not be sent. Try again.';
}
