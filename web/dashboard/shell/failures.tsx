/** What is shown where a page cannot be. */
import { type ErrorComponentProps, Link } from '@tanstack/react-router';
import { messageOf } from '../../api/client.ts';
import { buttonClass } from '../../ui/button.tsx';
import { EmptyState, Failure } from '../../ui/empty-state.tsx';
import { PageHeader } from '../../ui/page-header.tsx';

export function NoSuchPage() {
  return (
    <>
      <PageHeader title="Not found" />
      <EmptyState
        title="There is no such page"
        action={
          <Link to="/" className={buttonClass()}>
            Go to Start
          </Link>
        }
      >
        The address may be mistyped, or the link that led here is old.
      </EmptyState>
    </>
  );
}

/** At an address that leads to no page, where there is no menu either. */
export function NoSuchAddress() {
  return (
    <main className="px-4 pt-6 sm:px-6">
      <NoSuchPage />
    </main>
  );
}

/** A page that broke. The menu beside it works. */
export function PageFailure({ error }: ErrorComponentProps) {
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
