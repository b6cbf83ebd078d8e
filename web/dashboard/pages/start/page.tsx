import { useQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import type { NextSteps as Facts } from '../../../../src/contract/dashboard/overview.ts';
import { dataOf, messageOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import { Failure } from '../../../ui/empty-state.tsx';
import { PageHeader } from '../../../ui/page-header.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { lazyPart } from '../../../shell/code.ts';
import { useProject, useSession } from '../../shell/session.ts';
import { FirstEmail } from './first-email.tsx';
import { Overview } from './overview.tsx';

const NextSteps = lazyPart(() => import('./next-steps.tsx'));

/** The refresh interval while the first email is in transit. */
const WATCH_MS = 2_000;

/** Guides the user to the first email, then shows the next steps and an overview of the project's mail. */
export default function StartPage() {
  const project = useProject();
  const sendsMail = useSendsMail();
  // Keeps the guide open once the first email was delivered, until the user continues.
  const [isFollowing, setFollowing] = useState(false);
  const { data, error, refetch } = useQuery({
    queryKey: ['start', project.id],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/projects/{project}/start', { params: { path: { project: project.id } }, signal })),
    refetchInterval: ({ state }) => (state.data?.email === null || isFollowing ? WATCH_MS : false),
  });
  if (data !== undefined && data.email === null && !isFollowing) setFollowing(true);
  const isStarting = data !== undefined && isFollowing;
  return (
    <>
      <PageHeader
        title="Start"
        {...(isStarting && { description: 'Three steps to the first email of this project.' })}
      />
      {error !== null && data === undefined && (
        <Failure title="Could not load this page" onRetry={() => void refetch()}>
          {messageOf(error)}
        </Failure>
      )}
      {data === undefined && error === null && <Waiting />}
      {isStarting && <FirstEmail progress={data} onDone={() => setFollowing(false)} />}
      {data !== undefined && !isStarting && (
        <Overview>
          {/* A process of an earlier version sends no next steps. */}
          {data.next != null && !isComplete(data.next, sendsMail) && (
            <Suspense fallback={<Skeleton className="h-64" />}>
              <NextSteps facts={data.next} sendsMail={sendsMail} />
            </Suspense>
          )}
        </Overview>
      )}
    </>
  );
}

/** Whether the installation sends mail to real recipients. Null for users who cannot change this. */
function useSendsMail(): boolean | null {
  const { user, service } = useSession();
  return user.is_operator ? service.provider !== 'sandbox' && service.provider !== 'none' : null;
}

/** Decided here, so that the code of the card is not loaded once all steps are done. */
function isComplete({ domain, has_webhook, has_colleague }: Facts, sendsMail: boolean | null): boolean {
  return domain?.may_send === true && has_webhook && has_colleague && sendsMail !== false;
}

function Waiting() {
  return (
    <div role="status" aria-label="Loading" className="grid gap-4">
      <Skeleton className="h-8 w-56" />
      <Skeleton className="h-72" />
      <Skeleton className="h-40" />
    </div>
  );
}
