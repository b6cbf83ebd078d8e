import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { RouteMessageSummary } from '../../../../src/contract/dashboard/route-messages.ts';
import type { Route } from '../../../../src/contract/routes.ts';
import { NotLoaded } from '../../../shell/loaded.tsx';
import { bytes } from '../../../ui/amounts.ts';
import { Status } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Field, Select } from '../../../ui/field.tsx';
import { useSearchParam } from '../../../ui/search-params.ts';
import { Row, rowLink, Table, Td, Th } from '../../../ui/table.tsx';
import { Time } from '../../../ui/time.tsx';
import { usePolling } from '../webhooks/poll.ts';
import { type MessageStatus, messagesQuery, type RouteKey } from '../routes/queries.ts';

const STATUSES: Readonly<Record<MessageStatus, string>> = {
  pending: 'Pending',
  delivered: 'Delivered',
  failed: 'Failed',
  stored: 'Stored',
};
/** If more pages than this are loaded, the list is no longer refreshed automatically. */
const MAX_LIVE_PAGES = 3;

export function Messages({ of: key, route }: { of: RouteKey; route: Route }) {
  const [text, setText] = useSearchParam('status');
  const status = text in STATUSES ? (text as MessageStatus) : null;
  const poll = usePolling<{ pages: readonly { data: readonly RouteMessageSummary[] }[] }>(({ pages }) =>
    pages.some(({ data }) => data.some((message) => message.status === 'pending')),
  );
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = useInfiniteQuery({
    ...messagesQuery(key, status),
    refetchInterval: (query) =>
      (query.state.data?.pages.length ?? 0) > MAX_LIVE_PAGES ? false : poll(query),
    placeholderData: (before) => before,
  });
  const messages = data?.pages.flatMap((page) => page.data);
  return (
    <section aria-label="Messages" className="mt-8">
      <div className="mb-3 flex items-end gap-2">
        <h2 className="mr-auto self-center text-lg">Messages</h2>
        <Field label="Status" isLabelHidden>
          <Select value={status ?? ''} onChange={(change) => setText(change.target.value)}>
            <option value="">All statuses</option>
            {Object.entries(STATUSES).map(([each, name]) => (
              <option key={each} value={each}>
                {name}
              </option>
            ))}
          </Select>
        </Field>
      </div>
      {messages === undefined && (
        <NotLoaded title="Could not load the messages" error={error} refetch={refetch} />
      )}
      {messages?.length === 0 && (
        <EmptyState title={status === null ? 'No messages yet' : 'No matching messages'}>
          {status === null
            ? 'Messages are listed here for 30 days after their last attempt.'
            : 'Choose another status.'}
        </EmptyState>
      )}
      {messages !== undefined && messages.length > 0 && (
        <MessageTable messages={messages} isPrivate={route.matches === 'mailbox'} />
      )}
      {hasNextPage && (
        <Button className="mt-3" isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show more
        </Button>
      )}
    </section>
  );
}

interface MessageTableProps {
  messages: readonly RouteMessageSummary[];
  /** Whether the senders and subjects are those of a mailbox, which only its owner sees. */
  isPrivate: boolean;
}

function MessageTable({ messages, isPrivate }: MessageTableProps) {
  return (
    <>
      {isPrivate && (
        <p className="mb-3 text-sm text-muted">
          Senders and subjects are not shown, because mail of a mailbox is private.
        </p>
      )}
      <Table
        label="Messages"
        head={
          <>
            <Th>Status</Th>
            <Th>{isPrivate ? 'Recipient' : 'From'}</Th>
            <Th isNumeric isWideOnly>
              Size
            </Th>
            <Th isNumeric isWideOnly>
              Response
            </Th>
            <Th isNumeric isWideOnly>
              Attempts
            </Th>
            <Th isNumeric>Received</Th>
          </>
        }
      >
        {messages.map((message) => (
          <MessageRow key={message.id} message={message} />
        ))}
      </Table>
    </>
  );
}

function MessageRow({ message }: { message: RouteMessageSummary }) {
  const { id, status, author, subject, recipients, octets, http_status, error, attempts, max_attempts } =
    message;
  return (
    <Row>
      <Td>
        <Status value={status} {...(status === 'stored' && { tone: 'info' as const })} />
      </Td>
      <Td className="relative w-full max-w-0">
        <Link
          to="."
          search={(before: Readonly<Record<string, string | undefined>>) => ({ ...before, message: id })}
          resetScroll={false}
          className={`${rowLink} block truncate`}
        >
          {author === null ? recipients.join(', ') : author || 'No sender'}
        </Link>
        {subject !== null && (
          <span className="block truncate text-sm text-muted">
            {subject === '' ? '(no subject)' : subject}
          </span>
        )}
        {error !== null && <span className="block truncate text-sm text-bad">{error}</span>}
      </Td>
      <Td isNumeric isWideOnly className="whitespace-nowrap">
        {bytes(octets)}
      </Td>
      <Td isNumeric isWideOnly>
        {http_status ?? <span className="text-muted">{attempts === 0 ? '–' : 'None'}</span>}
      </Td>
      <Td isNumeric isWideOnly className="whitespace-nowrap">
        {status === 'stored' ? (
          <span className="text-muted">–</span>
        ) : (
          <>
            {attempts} <span className="text-muted">of {max_attempts}</span>
          </>
        )}
      </Td>
      <Td isNumeric className="whitespace-nowrap">
        <Time value={message.created_at} />
      </Td>
    </Row>
  );
}
