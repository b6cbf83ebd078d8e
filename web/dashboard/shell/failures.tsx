/** What is shown where a page cannot be. */
import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router';
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

/** A page that broke. The menu beside it works. */
export function PageFailure({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const retry = () => {
    reset();
    void router.invalidate();
  };
  return (
    <>
      <PageHeader title="This page broke" />
      <Failure title="It cannot be shown" onRetry={retry}>
        {messageOf(error)}
      </Failure>
    </>
  );
}
