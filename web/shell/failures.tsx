/** Components shown instead of a page. */
import { useQueryClient } from '@tanstack/react-query';
import { type ErrorComponentProps, Link } from '@tanstack/react-router';
import { messageOf } from '../api/client.ts';
import { buttonClass } from '../ui/button.tsx';
import { Failure } from '../ui/empty-state.tsx';
import { PageHeader } from '../ui/page-header.tsx';

/** @param home the label of the link to the first page */
export function NoSuchPage({ home }: { home: string }) {
  return (
    <>
      <PageHeader
        title="Page not found"
        description="Check the address. The link that you followed may be out of date."
      />
      <Link to="/" className={buttonClass()}>
        {home}
      </Link>
    </>
  );
}

/** Shown if a page failed to render. The menu beside the failed page still works. */
export function PageFailure({ error }: Pick<ErrorComponentProps, 'error'>) {
  return (
    <>
      <PageHeader title="Something went wrong" />
      {/* Only a full reload loads a missing chunk of the page again. */}
      <Failure title="This page could not be shown" onRetry={() => location.reload()}>
        {messageOf(error)}
      </Failure>
    </>
  );
}

/** Shown without a menu if the session could not be loaded. Once the server responds, the session is loaded again. */
export function Unreachable({ title, error }: { title: string; error: Error }) {
  const queries = useQueryClient();
  return (
    <main>
      {/* A reload would end on the error page of the browser while the server is away. */}
      <Failure title={title} onRetry={() => void queries.refetchQueries()}>
        {messageOf(error)}
      </Failure>
    </main>
  );
}
