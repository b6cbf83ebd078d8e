/** What is shown where a page cannot be. */
import { type ErrorComponentProps, Link } from '@tanstack/react-router';
import { messageOf } from '../api/client.ts';
import { buttonClass } from '../ui/button.tsx';
import { EmptyState, Failure } from '../ui/empty-state.tsx';
import { PageHeader } from '../ui/page-header.tsx';

/** @param home the words of the link to the first page */
export function NoSuchPage({ home }: { home: string }) {
  return (
    <>
      <PageHeader title="Not found" />
      <EmptyState
        title="There is no such page"
        action={
          <Link to="/" className={buttonClass()}>
            {home}
          </Link>
        }
      >
        The address may be mistyped, or the link that led here is old.
      </EmptyState>
    </>
  );
}

/** A page that broke. The menu beside it works. */
export function PageFailure({ error }: Pick<ErrorComponentProps, 'error'>) {
  return (
    <>
      <PageHeader title="This page broke" />
      {/* A part of a page that could not be loaded is asked for again only by a whole load. */}
      <Failure title="It cannot be shown" onRetry={() => location.reload()}>
        {messageOf(error)}
      </Failure>
    </>
  );
}

/** No session was received, so that there is no menu either. */
export function Unreachable({ title, error }: { title: string; error: Error }) {
  return (
    <main>
      <Failure title={title} onRetry={() => location.reload()}>
        {messageOf(error)}
      </Failure>
    </main>
  );
}
