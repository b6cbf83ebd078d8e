import { useInfiniteQuery } from '@tanstack/react-query';
import { Button } from '../../../ui/button.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { RefreshIcon, RequestIcon } from '../../../ui/icons.tsx';
import { PageHeader } from '../../../ui/page-header.tsx';
import { useSearchParam } from '../../../ui/search-params.ts';
import { NotLoaded } from '../../../shell/loaded.tsx';
import { useProject } from '../../shell/session.ts';
import { Filters, useFilter } from './filters.tsx';
import { rejectedQuery } from './queries.ts';
import { RequestDialog } from './request-dialog.tsx';
import { RequestTable } from './request-table.tsx';

export default function ApiLogPage() {
  const { id: project } = useProject();
  const filter = useFilter();
  const [opened, setOpened] = useSearchParam('request');
  const { data, error, refetch, isRefetching, fetchNextPage, hasNextPage, isFetchingNextPage } =
    useInfiniteQuery(rejectedQuery(project, filter.query));
  const requests = data?.pages.flatMap((page) => page.data) ?? [];
  return (
    <>
      <PageHeader
        title="API log"
        description="Requests with your API keys that were rejected in the last seven days. Requests without a valid key (401) are not listed. A successful request that sent an email is listed as that email."
        actions={
          <Button icon={<RefreshIcon />} isBusy={isRefetching} onClick={() => void refetch()}>
            Refresh
          </Button>
        }
      />
      <Filters filter={filter} />
      {data === undefined && <NotLoaded title="Could not load the API log" error={error} refetch={refetch} />}
      {data !== undefined && requests.length === 0 && (
        <EmptyState
          icon={<RequestIcon />}
          title={filter.isSet ? 'No matching requests' : 'No rejected requests'}
          action={filter.isSet && <Button onClick={filter.clear}>Show all requests</Button>}
        >
          {filter.isSet
            ? 'Choose another key or error to see more requests.'
            : 'When a request with a valid API key is rejected, this page shows the request and what is wrong with it.'}
        </EmptyState>
      )}
      {requests.length > 0 && <RequestTable requests={requests} />}
      {hasNextPage && (
        <div className="mt-3">
          <Button isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show older requests
          </Button>
        </div>
      )}
      {opened !== '' && <RequestDialog id={opened} onClose={() => setOpened('')} />}
    </>
  );
}
