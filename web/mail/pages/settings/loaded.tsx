import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { messageOf } from '../../../api/client.ts';
import { Failure } from '../../../ui/empty-state.tsx';
import { SkeletonRows } from '../../../ui/skeleton.tsx';

interface LoadedProps<Data> {
  query: UseQueryResult<Data>;
  children(data: Data): ReactNode;
}

/** What was asked for, in its place while it comes, and why it does not. */
export function Loaded<Data>({ query, children }: LoadedProps<Data>) {
  if (query.data !== undefined) return children(query.data);
  if (query.error === null) return <SkeletonRows />;
  return (
    <Failure title="It cannot be shown" onRetry={() => void query.refetch()}>
      {messageOf(query.error)}
    </Failure>
  );
}
