import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { Suspense } from 'react';
import { lazyPart } from '../../../shell/code.ts';
import type { InspectedEmail } from '../../../../src/contract/dashboard/email.ts';
import { ApiProblem, messageOf } from '../../../api/client.ts';
import { IconButton } from '../../../ui/button.tsx';
import { EmptyState, Failure } from '../../../ui/empty-state.tsx';
import { ChevronDownIcon, ChevronLeftIcon } from '../../../ui/icons.tsx';
import { backLink } from '../../../ui/page-header.tsx';
import { useKeys } from '../../../shell/keys.ts';
import { useLiveUpdates } from '../../shell/live.ts';
import { useProject } from '../../shell/session.ts';
import { Contents } from './contents.tsx';
import { EmailHeader } from './email-header.tsx';
import { emailQuery } from './queries.ts';
import { Timeline } from './timeline.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { useHeading } from '../../../ui/use-heading.ts';
import { useWatched } from '../../../ui/watched.ts';
import { previousList } from '../../shell/state.ts';

const TroubleCards = lazyPart(async () => ({ default: (await import('./trouble-cards.tsx')).TroubleCards }));

/** Whether to load the code that explains failures. */
function mayBeInTrouble({
  recipients,
  events,
  is_done: isDone,
  sending_stopped: stopped,
}: InspectedEmail): boolean {
  return (
    (!isDone && stopped !== null) ||
    events.some(({ event }) => ['deferred', 'failed', 'bounced', 'complained'].includes(event.type)) ||
    recipients.some(({ is_paused: isPaused, waits_for: destination }) => isPaused || destination !== null)
  );
}

/** The page of an email with its content and timeline (docs/emails.md). */
export default function EmailPage() {
  const { id = '' } = useParams({ strict: false });
  const project = useProject();
  const query = useQuery(emailQuery(project.id, id));
  const { data: email, error, refetch } = query;
  const updates = useLiveUpdates(query);
  return (
    <>
      <EmailNavigation id={id} />
      {email !== undefined ? (
        <>
          <EmailHeader email={email} />
          {mayBeInTrouble(email) && (
            <Suspense fallback={<Skeleton className="mb-6 h-56" />}>
              <TroubleCards key={id} email={email} />
            </Suspense>
          )}
          <div className="grid gap-6 xl:grid-cols-[minmax(0,1fr)_21rem]">
            {/* On narrow screens the timeline comes first, because a preview may be several screens high. */}
            <Timeline key={`timeline ${id}`} email={email} updates={updates} />
            <Contents key={id} email={email} />
          </div>
        </>
      ) : error === null ? (
        <EmailSkeleton />
      ) : error instanceof ApiProblem && error.status === 404 ? (
        <>
          <h1 className="sr-only">Email</h1>
          <EmptyState title="Email not found">
            It belongs to another project, or was deleted at the end of its retention period.
          </EmptyState>
        </>
      ) : (
        <>
          <h1 className="sr-only">Email</h1>
          <Failure title="Could not load the email" onRetry={() => void refetch()}>
            {messageOf(error)}
          </Failure>
        </>
      )}
    </>
  );
}

/** Links to the list, and to the previous and next email in the list. */
function EmailNavigation({ id }: { id: string }) {
  const navigate = useNavigate();
  const { neighborsOf, search } = useWatched(previousList);
  const { before, after } = neighborsOf(id);
  const opening = (to: string | undefined) =>
    to === undefined
      ? undefined
      : () => void navigate({ to: '/emails/$id', params: { id: to }, replace: true });
  const previous = opening(before);
  const next = opening(after);
  useKeys({ j: next, k: previous, Escape: () => void navigate({ to: '/emails', search }) });
  return (
    <nav aria-label="Emails" className="mb-3 flex min-h-9 items-center gap-1 text-sm sm:min-h-8">
      <Link to="/emails" search={search} className={backLink}>
        <ChevronLeftIcon />
        Emails
      </Link>
      {(previous !== undefined || next !== undefined) && (
        <span className="ml-auto flex">
          <IconButton label="Previous email (k)" disabled={previous === undefined} onClick={previous}>
            <ChevronDownIcon className="rotate-180" />
          </IconButton>
          <IconButton label="Next email (j)" disabled={next === undefined} onClick={next}>
            <ChevronDownIcon />
          </IconButton>
        </span>
      )}
    </nav>
  );
}

function EmailSkeleton() {
  const heading = useHeading();
  return (
    <div role="status" aria-label="Loading the email">
      <h1 ref={heading} tabIndex={-1} className="sr-only">
        Email
      </h1>
      <Skeleton className="h-7 w-2/3 max-w-md" />
      <div className="mt-5 grid max-w-2xl gap-3 border-b border-line pb-5 sm:grid-cols-2">
        {[0, 1, 2, 3].map((at) => (
          <Skeleton key={at} className="h-4 w-56" />
        ))}
      </div>
      <div className="mt-6 grid gap-6 xl:grid-cols-[minmax(0,1fr)_21rem]">
        <Skeleton className="h-72 xl:order-last" />
        <Skeleton className="h-[32rem]" />
      </div>
    </div>
  );
}
