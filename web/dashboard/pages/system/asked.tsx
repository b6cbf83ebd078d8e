import type { ReactNode } from 'react';
import { messageOf } from '../../../api/client.ts';
import { Failure } from '../../../ui/empty-state.tsx';
import { SkeletonRows } from '../../../ui/skeleton.tsx';
import type { Asked } from './queries.ts';

/** What is shown of an answer, while it comes, and where there is none. */
export function Answer<Data>({
  of: { data, error, refetch },
  children,
}: {
  of: Asked<Data>;
  children(data: Data): ReactNode;
}) {
  if (data !== undefined) return children(data);
  if (error === null) return <SkeletonRows />;
  return (
    <Failure title="This cannot be shown" onRetry={() => void refetch()}>
      {messageOf(error)}
    </Failure>
  );
}
