import type { ReactNode } from 'react';
import { messageOf } from '../api/client.ts';
import { Failure } from '../ui/empty-state.tsx';
import { SkeletonRows } from '../ui/skeleton.tsx';

interface NotLoadedProps {
  /** Null: it is loading. */
  error: Error | null;
  refetch(): unknown;
  /** Above the reason where it failed. */
  title?: string;
  /** How many rows stand in while it loads. */
  rows?: number;
}

/** In the position of data that a page does not have: rows while it loads, and why it failed. */
export function NotLoaded({ error, refetch, title = 'It cannot be shown', rows }: NotLoadedProps) {
  if (error === null) return <SkeletonRows {...(rows !== undefined && { count: rows })} />;
  return (
    <Failure title={title} onRetry={() => void refetch()}>
      {messageOf(error)}
    </Failure>
  );
}

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

/** The data of a query, once it is there. */
export function Loaded<Data>({ query: { data, error, refetch }, title, children }: LoadedProps<Data>) {
  if (data !== undefined) return children(data);
  return <NotLoaded error={error} refetch={refetch} {...(title !== undefined && { title })} />;
}
