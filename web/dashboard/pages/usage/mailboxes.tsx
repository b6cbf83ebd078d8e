import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import { NotLoaded } from '../../../shell/loaded.tsx';
import type { MailboxUsage } from '../../../../src/contract/dashboard/usage.ts';
import { number } from '../../../ui/amounts.ts';
import { Button } from '../../../ui/button.tsx';
import { useSearchParam } from '../../../ui/search-params.ts';
import { Segmented } from '../../../ui/segmented.tsx';
import { Row, rowLink, Table, Td, Th } from '../../../ui/table.tsx';
import { Storage } from '../mailboxes/storage.tsx';

const ORDERS = [
  { value: 'storage', label: 'Storage' },
  { value: 'month', label: 'This month' },
  { value: 'today', label: 'Today' },
] as const;

/** The mailboxes with the highest usage. */
export function MailboxUsages({ project }: { project: string }) {
  const [chosen, setBy] = useSearchParam('by');
  const by = ORDERS.find(({ value }) => value === chosen)?.value ?? 'storage';
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: ['usage', project, 'mailboxes', by],
    queryFn: ({ signal, pageParam }) =>
      dataOf(
        api.GET('/projects/{project}/usage/mailboxes', {
          params: { path: { project }, query: { by, ...(pageParam !== null && { cursor: pageParam }) } },
          signal,
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    placeholderData: keepPreviousData,
  });
  const mailboxes = data?.pages.flatMap((page) => page.data);
  if (mailboxes?.length === 0) return null;
  return (
    <section aria-labelledby="usage-of-mailboxes" className="mt-8">
      <div className="mb-3 flex flex-wrap items-center justify-between gap-3">
        <h2 id="usage-of-mailboxes" className="text-lg font-semibold">
          By mailbox
        </h2>
        <div className="flex items-center gap-2">
          <span aria-hidden="true" className="text-sm text-muted">
            Sort by
          </span>
          <Segmented
            label="Sort by"
            value={by}
            options={ORDERS}
            onChange={(value) => setBy(value === 'storage' ? '' : value)}
          />
        </div>
      </div>
      {mailboxes === undefined && (
        <NotLoaded title="Could not load the mailboxes" error={error} refetch={refetch} />
      )}
      {mailboxes !== undefined && <MailboxTable mailboxes={mailboxes} />}
      {hasNextPage && (
        <div className="mt-4 text-center">
          <Button isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show more
          </Button>
        </div>
      )}
    </section>
  );
}

function MailboxTable({ mailboxes }: { mailboxes: readonly MailboxUsage[] }) {
  return (
    <Table
      label="Usage by mailbox"
      head={
        <>
          <Th>Address</Th>
          <Th>Storage</Th>
          <Th isNumeric>Sent this month</Th>
          <Th isWideOnly isNumeric>
            Sent today
          </Th>
        </>
      }
    >
      {mailboxes.map((mailbox) => (
        <Row key={mailbox.id}>
          <Td className="w-full max-w-0">
            <Link
              to="/mailboxes/$id"
              params={{ id: mailbox.id }}
              className={`${rowLink} block wrap-anywhere sm:truncate`}
              title={mailbox.address}
            >
              {mailbox.address}
            </Link>
          </Td>
          <Td>
            <Storage {...mailbox} className="w-28 sm:w-36" />
          </Td>
          <Td isNumeric>{number(mailbox.month_emails)}</Td>
          <Td isWideOnly isNumeric>
            {number(mailbox.today_emails)}
            {mailbox.daily_send_limit !== null && (
              <span className="block text-sm whitespace-nowrap text-muted">
                limit: {number(mailbox.daily_send_limit)} recipients
              </span>
            )}
          </Td>
        </Row>
      ))}
    </Table>
  );
}
