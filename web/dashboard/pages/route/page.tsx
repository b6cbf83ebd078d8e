import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { type ReactNode, Suspense } from 'react';
import type { Route } from '../../../../src/contract/routes.ts';
import { ApiProblem, messageOf } from '../../../api/client.ts';
import { lazyPart } from '../../../shell/code.ts';
import { counted } from '../../../ui/amounts.ts';
import { Card } from '../../../ui/card.tsx';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { Copy } from '../../../ui/copy.tsx';
import { EmptyState, Failure } from '../../../ui/empty-state.tsx';
import { WarningIcon } from '../../../ui/icons.tsx';
import { PageHeader } from '../../../ui/page-header.tsx';
import { useSearchParam } from '../../../ui/search-params.ts';
import { Skeleton, SkeletonRows } from '../../../ui/skeleton.tsx';
import { Time } from '../../../ui/time.tsx';
import { useProject } from '../../shell/session.ts';
import { usePolling } from '../webhooks/poll.ts';
import { type RouteKey, routeQuery } from '../routes/queries.ts';
import { Messages } from './messages.tsx';
import { BACK, RouteHead } from './route-head.tsx';
import { Secret } from './secret.tsx';

const MessageDialog = lazyPart(() => import('./message-dialog.tsx'));

export default function RoutePage() {
  const { id: project } = useProject();
  const { id = '' } = useParams({ strict: false });
  const key = { project, id };
  const refetchInterval = usePolling<Route>(() => false);
  const { data, error, refetch } = useQuery({ ...routeQuery(key), refetchInterval });
  if (data !== undefined) return <Shown of={key} route={data} />;
  const isUnknown = error instanceof ApiProblem && error.status === 404;
  return (
    <>
      <PageHeader back={BACK} title="Route" />
      {error === null && (
        <>
          <Skeleton className="mb-8 h-40" />
          <SkeletonRows />
        </>
      )}
      {isUnknown && (
        <EmptyState title="Route not found">It was deleted or belongs to another project.</EmptyState>
      )}
      {error !== null && !isUnknown && (
        <Failure title="Could not load the route" onRetry={() => void refetch()}>
          {messageOf(error)}
        </Failure>
      )}
    </>
  );
}

function Shown({ of: key, route }: { of: RouteKey; route: Route }) {
  const [message, setMessage] = useSearchParam('message');
  const { failing_since, deferred, last_deferred_at, url } = route;
  return (
    <>
      <RouteHead of={key} route={route} />
      {failing_since !== null && (
        <Notice>
          Your endpoint began to fail <Time value={failing_since} />. Messages are kept for 30 days after
          their last attempt: fix the endpoint, then replay them.
        </Notice>
      )}
      {deferred > 0 && (
        <Notice>
          {counted(deferred, 'message was', 'messages were')} deferred because their senders sent more than 20
          in a minute, last <Time value={last_deferred_at} />. Their servers try again.
        </Notice>
      )}
      <div className="grid gap-4 lg:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
        {url === null ? <Fetching route={route} /> : <Target route={route} />}
        <Secret of={key} />
      </div>
      <Messages of={key} route={route} />
      {message !== '' && (
        <Suspense fallback={null}>
          <MessageDialog
            key={message}
            of={key}
            id={message}
            onClose={() => setMessage('')}
            hasUrl={url !== null}
          />
        </Suspense>
      )}
    </>
  );
}

function Notice({ children }: { children: ReactNode }) {
  return (
    <p className="mb-5 flex items-start gap-2.5 rounded-lg bg-warn-soft px-4 py-3 text-warn">
      <WarningIcon className="mt-[3px]" />
      <span>{children}</span>
    </p>
  );
}

function Target({ route }: { route: Route }) {
  return (
    <Card title="Requests" className="min-w-0">
      <p className="flex items-center gap-1">
        <span className="min-w-0 font-mono text-sm wrap-anywhere">{route.url}</span>
        <Copy text={route.url ?? ''} what="the URL" className="-my-1.5" />
      </p>
      <p className="mt-3 text-muted">
        {route.has_credentials && 'Requests have the user name and the password of the URL. '}
        Verify the signature of each request with the secret.{' '}
        <a href="/docs/routes" className="text-accent underline underline-offset-2">
          How programs receive messages
        </a>
      </p>
    </Card>
  );
}

function Fetching({ route }: { route: Route }) {
  const url = `${location.origin}/v1/routes/${route.id}/messages?wait=30`;
  return (
    <Card title="Fetch messages" className="min-w-0">
      <p className="mb-3 text-muted">
        The route has no URL. Your program asks for messages, and waits up to 30 seconds for the next one. It
        needs an API key with the scope routes:read.{' '}
        <a href="/docs/routes" className="text-accent underline underline-offset-2">
          How programs fetch messages
        </a>
      </p>
      <CodeBlock
        label="Request"
        isWrapped
        code={`curl '${url}' \\\n  -H 'Authorization: Bearer <API_KEY>'`}
      />
    </Card>
  );
}
