import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo, useEffect, useRef } from 'react';
import { dataOf, messageOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import { Button } from '../../../ui/button.tsx';
import { EmptyState, Failure } from '../../../ui/empty-state.tsx';
import { ChevronDownIcon, HistoryIcon } from '../../../ui/icons.tsx';
import { Menu, MenuItem } from '../../../ui/menu.tsx';
import { PageHeader } from '../../../ui/page-header.tsx';
import { SkeletonRows } from '../../../ui/skeleton.tsx';
import { useMayInOrganization, useOrganization } from '../people/queries.ts';
import { ChangeTable } from './change-table.tsx';
import { Filters, useFilter } from './filters.tsx';

const PAGE = 50;

export default function AuditPage() {
  const mayRead = useMayInOrganization('admin');
  const organization = useOrganization();
  if (mayRead) return <Log />;
  return (
    <>
      <PageHeader title="Audit log" />
      <EmptyState icon={<HistoryIcon />} title="Only for owners and admins">
        Every change is recorded for 400 days with its author and network address. Only owners and admins of{' '}
        {organization.name} can see the log.
      </EmptyState>
    </>
  );
}

function Log() {
  const { id: organization } = useOrganization();
  const filter = useFilter();
  const log = useInfiniteQuery({
    queryKey: ['changes', organization, filter.query],
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) =>
      dataOf(
        api.GET('/organizations/{organization}/changes', {
          params: {
            path: { organization },
            query: { ...filter.query, limit: PAGE, ...(pageParam !== '' && { cursor: pageParam }) },
          },
          signal,
        }),
      ),
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });
  const changes = useMemo(() => log.data?.pages.flatMap((page) => page.data) ?? [], [log.data]);
  const address = (format: string) =>
    `/dashboard/api/organizations/${organization}/changes/export?${new URLSearchParams({ ...filter.query, format })}`;
  return (
    <>
      <PageHeader
        title="Audit log"
        description="Who changed what, how, and the previous values. Stored for 400 days."
        actions={
          <Menu
            trigger={
              <Button>
                Export
                <ChevronDownIcon />
              </Button>
            }
          >
            <MenuItem render={<a href={address('csv')} download />}>CSV (for spreadsheets)</MenuItem>
            <MenuItem render={<a href={address('ndjson')} download />}>NDJSON (for programs)</MenuItem>
          </Menu>
        }
      />
      <Filters filter={filter} />
      {log.isError && changes.length === 0 && (
        <Failure title="Could not load the audit log" onRetry={() => void log.refetch()}>
          {messageOf(log.error)}
        </Failure>
      )}
      {log.isPending && <SkeletonRows />}
      {log.isSuccess && changes.length === 0 && (
        <EmptyState
          icon={<HistoryIcon />}
          title={filter.isSet ? 'No matching changes' : 'No changes yet'}
          action={filter.isSet && <Button onClick={filter.clear}>Show all changes</Button>}
        >
          {filter.isSet
            ? 'Remove a filter to see more changes.'
            : 'Everything that is created, changed or deleted will appear here.'}
        </EmptyState>
      )}
      {changes.length > 0 && <ChangeTable changes={changes} />}
      {log.hasNextPage && (
        <MoreButton isBusy={log.isFetchingNextPage} onMore={() => void log.fetchNextPage()} />
      )}
    </>
  );
}

/** A button that loads more entries when it scrolls into view or is clicked. */
function MoreButton({ isBusy, onMore }: { isBusy: boolean; onMore(): void }) {
  const button = useRef<HTMLButtonElement>(null);
  const more = useRef(onMore);
  useEffect(() => {
    more.current = onMore;
  });
  useEffect(() => {
    if (button.current === null || isBusy) return undefined;
    const watch = new IntersectionObserver(([entry]) => entry?.isIntersecting === true && more.current(), {
      rootMargin: '400px',
    });
    watch.observe(button.current);
    return () => watch.disconnect();
  }, [isBusy]);
  return (
    <div className="mt-4 text-center">
      <Button ref={button} isBusy={isBusy} onClick={onMore}>
        Show older changes
      </Button>
    </div>
  );
}
