import type { ReactNode } from 'react';
import { messageOf } from '../api/client.ts';
import { Failure } from '../ui/empty-state.tsx';
import { SkeletonRows } from '../ui/skeleton.tsx';

interface NotLoadedProps {
  /** Null while loading. */
  error: Error | null;
  refetch(): unknown;
  /** The title above an error. */
  title?: string;
  /** The number of placeholder rows while loading. */
  rows?: number;
}

/** Shown instead of data: placeholder rows while the data loads, or the error. */
export function NotLoaded({ error, refetch, title = 'Could not load this content', rows }: NotLoadedProps) {
  if (error === null) return <SkeletonRows {...(rows !== undefined && { count: rows })} />;
  return (
    <Failure title={title} onRetry={() => void refetch()}>
      {messageOf(error)}
    </Failure>
  );
}

/** The parts of a query that a page shows. */
export interface LoadedQuery<Data> {
  data: Data | undefined;
  error: Error | null;
  refetch(): unknown;
}

interface LoadedProps<Data> {
  query: LoadedQuery<Data>;
  /** The title above an error. */
  title?: string;
  children(data: Data): ReactNode;
}

/** Shows the data of a query once it is loaded. */
export function Loaded<Data>({ query: { data, error, refetch }, title, children }: LoadedProps<Data>) {
  if (data !== undefined) return children(data);
  return <NotLoaded error={error} refetch={refetch} {...(title !== undefined && { title })} />;
}
