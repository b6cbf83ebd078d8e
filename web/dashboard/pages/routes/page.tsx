import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, Suspense } from 'react';
import type { Route } from '../../../../src/contract/routes.ts';
import { number } from '../../../ui/amounts.ts';
import { Button } from '../../../ui/button.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { PlusIcon, RouteIcon } from '../../../ui/icons.tsx';
import { PageHeader } from '../../../ui/page-header.tsx';
import { useSearchParam } from '../../../ui/search-params.ts';
import { Row, rowLink, Table, Td, Th } from '../../../ui/table.tsx';
import { Time } from '../../../ui/time.tsx';
import { lazyPart } from '../../../shell/code.ts';
import { NotLoaded } from '../../../shell/loaded.tsx';
import { useMay, useProject } from '../../shell/session.ts';
import { routesQuery } from './queries.ts';
import { FORMATS, nameOf, RouteState } from './words.tsx';

const CreateRoute = lazyPart(() => import('./create-route.tsx'));
const REFRESH_MS = 15_000;

export default function RoutesPage() {
  const { id: project } = useProject();
  const mayChange = useMay('admin');
  const [creating, setCreating] = useSearchParam('create');
  const { data, error, refetch } = useQuery({
    ...routesQuery(project),
    enabled: mayChange,
    refetchInterval: REFRESH_MS,
  });
  const create = (
    <Button kind="primary" icon={<PlusIcon />} onClick={() => setCreating('yes')}>
      Create route
    </Button>
  );
  const isEmpty = data?.data.length === 0;
  if (!mayChange) {
    return (
      <>
        <PageHeader title="Routes" />
        <EmptyState icon={<RouteIcon />} title="Only admins and owners can see routes">
          Routes pass incoming mail to programs.
        </EmptyState>
      </>
    );
  }
  return (
    <>
      <PageHeader
        title="Routes"
        description="Pass incoming mail to your programs, at a URL or when they ask for it."
        actions={data === undefined || isEmpty ? undefined : create}
      />
      {data === undefined && (
        <NotLoaded title="Could not load the routes" error={error} refetch={refetch} rows={3} />
      )}
      {data !== undefined && !isEmpty && <RouteTable routes={data.data} />}
      {isEmpty && <NoRoutes action={create} />}
      {creating !== '' && (
        <Suspense fallback={null}>
          <CreateRoute project={project} onClose={() => setCreating('')} />
        </Suspense>
      )}
    </>
  );
}

function RouteTable({ routes }: { routes: readonly Route[] }) {
  return (
    <Table
      label="Routes"
      head={
        <>
          <Th>Receives</Th>
          <Th>Status</Th>
          <Th isWideOnly>Format</Th>
          <Th isWideOnly>Last success</Th>
          <Th isWideOnly>Last failure</Th>
          <Th isNumeric isWideOnly>
            Deferred
          </Th>
        </>
      }
    >
      {routes.map((route) => (
        <Row key={route.id}>
          <Td className="w-full max-w-0">
            <Link to="/routes/$id" params={{ id: route.id }} className={`${rowLink} block truncate`}>
              {nameOf(route)}
            </Link>
            <span className="block truncate text-sm text-muted">{route.url ?? 'Fetched by programs'}</span>
          </Td>
          <Td>
            <RouteState {...route} />
          </Td>
          <Td isWideOnly className="whitespace-nowrap">
            {FORMATS[route.format]}
          </Td>
          <Td isWideOnly>
            <Time value={route.last_success_at} />
          </Td>
          <Td isWideOnly>
            <Time value={route.last_failure_at} />
          </Td>
          <Td isNumeric isWideOnly>
            {number(route.deferred)}
          </Td>
        </Row>
      ))}
    </Table>
  );
}

function NoRoutes({ action }: { action: ReactNode }) {
  return (
    <EmptyState icon={<RouteIcon />} title="No routes yet" action={action}>
      <p>
        A route passes incoming mail to a program: support requests, replies to notifications, or all mail of
        a domain.
      </p>
      <p className="mt-2">
        Each message is sent to your URL as JSON, as Postmark does, or as it is, and retried for 17 hours if
        your endpoint is down.
      </p>
    </EmptyState>
  );
}
