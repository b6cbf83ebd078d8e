import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { dataOf, messageOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import { Failure } from '../../../ui/empty-state.tsx';
import { PageHeader } from '../../../ui/page-header.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { useProject } from '../../shell/session.ts';
import { FirstEmail } from './first-email.tsx';
import { Overview } from './overview.tsx';

/** The refresh interval while the first email is in transit. */
const WATCH_MS = 2_000;

/** Guides the user to the first email, then shows an overview of the project's mail. */
export default function StartPage() {
  const project = useProject();
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
      {data !== undefined && !isStarting && <Overview />}
    </>
  );
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
