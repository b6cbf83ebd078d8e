import type { ReactNode } from 'react';
import { messageOf } from '../api/client.ts';
import { Failure } from '../ui/empty-state.tsx';
import { SkeletonRows } from '../ui/skeleton.tsx';

/** A query, as far as a page shows it. */
export interface LoadedQuery<Data> {
  data: Data | undefined;
  error: Error | null;
  refetch(): unknown;
}

interface LoadedProps<Data> {
  query: LoadedQuery<Data>;
  /** Above the reason where it failed. */
  title?: string;
  children(data: Data): ReactNode;
}

/** The data of a query; rows in its position while it loads, and why it failed. */
export function Loaded<Data>({ query, title = 'It cannot be shown', children }: LoadedProps<Data>) {
  if (query.data !== undefined) return children(query.data);
  if (query.error === null) return <SkeletonRows />;
  return (
    <Failure title={title} onRetry={() => void query.refetch()}>
      {messageOf(query.error)}
    </Failure>
  );
}
