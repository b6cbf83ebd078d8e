import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { QueuedRecipientPage } from '../../../../src/contract/dashboard/queued-recipients.ts';
import { number } from '../../../ui/amounts.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { classes } from '../../../ui/classes.ts';
import { countLink } from '../../../ui/count-link.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ChevronLeftIcon } from '../../../ui/icons.tsx';
import { backLink } from '../../../ui/page-header.tsx';
import { Row, Table, Td, Th } from '../../../ui/table.tsx';
import { Time } from '../../../ui/time.tsx';
import { Loaded } from '../../../shell/loaded.tsx';
import { queuedRecipientsQuery } from './queries.ts';

const KINDS = {
  waiting: 'Waiting recipients',
  'in-flight': 'Recipients in flight',
  deferred: 'Deferred recipients',
  'other-kind': 'Recipients that wait for another kind of provider',
} as const;
type Kind = keyof typeof KINDS;

const STATES = {
  due: ['Due', 'info'],
  'in-flight': ['In flight', 'info'],
  deferred: ['Deferred', 'warn'],
  parked: ['Parked', 'warn'],
  'set-aside': ['Other provider', 'bad'],
} as const;

interface RecipientsLinkProps {
  value: number;
  kind: Kind;
  /** The destination. Default: all. */
  domain?: string;
  children: ReactNode;
  className?: string;
}

/** A number of the queue that leads to the recipients that it counts. */
export function RecipientsLink({ value, kind, domain, children, className }: RecipientsLinkProps) {
  if (value === 0) return children;
  return (
    <Link
      to="."
      search={{ part: 'queue', recipients: kind, ...(domain !== undefined && { domain }) }}
      className={classes(countLink, className)}
    >
      {children}
    </Link>
  );
}

/** The kind of recipients in the page's URL. Undefined: the page lists the destinations. */
export function useRecipientKind(): Kind | undefined {
  const { recipients } = useSearch({ strict: false });
  return recipients !== undefined && Object.hasOwn(KINDS, recipients) ? (recipients as Kind) : undefined;
}

/** The recipients behind a number of the queue, by project and age. Operators see no addresses. */
export function QueuedRecipients({ kind }: { kind: Kind }) {
  const { domain } = useSearch({ strict: false });
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(
    queuedRecipientsQuery({
      ...(kind !== 'waiting' && { state: kind }),
      ...(domain !== undefined && domain !== '' && { domain }),
    }),
  );
  return (
    <section aria-labelledby="queued-recipients">
      <Link to="." search={{ part: 'queue' }} className={backLink}>
        <ChevronLeftIcon />
        All destinations
      </Link>
      <h2 id="queued-recipients" className="mt-2 mb-3 text-lg wrap-anywhere">
        {KINDS[kind]}
        {domain !== undefined && domain !== '' && ` at ${domain}`}
      </h2>
      <Loaded query={{ data: data?.pages.flatMap((page) => page.data), error, refetch }}>
        {(rows) =>
          rows.length === 0 && !hasNextPage ? (
            <EmptyState title="No recipients">None of them waits any more.</EmptyState>
          ) : (
            <RecipientTable rows={rows} />
          )
        }
      </Loaded>
      {hasNextPage && (
        <Button className="mt-3" isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show more
        </Button>
      )}
    </section>
  );
}

function RecipientTable({ rows }: { rows: QueuedRecipientPage['data'] }) {
  return (
    <Table
      label="Queued recipients"
      head={
        <>
          <Th>Destination</Th>
          <Th>State</Th>
          <Th isWideOnly>Project</Th>
          <Th isNumeric isWideOnly>
            Attempts
          </Th>
          <Th>Accepted</Th>
          <Th isWideOnly>Next attempt</Th>
        </>
      }
    >
      {rows.map((row, at) => (
        // An email can have several recipients at a destination.
        <Row key={`${row.id} ${at}`}>
          <Td className="w-full max-w-0">
            <span className="block truncate">{row.domain}</span>
            <span className="block truncate font-mono text-sm text-muted">{row.id}</span>
          </Td>
          <Td>
            <Badge tone={STATES[row.state][1]}>{STATES[row.state][0]}</Badge>
          </Td>
          <Td isWideOnly className="font-mono text-sm">
            {row.project_id}
          </Td>
          <Td isNumeric isWideOnly>
            {number(row.attempts)}
          </Td>
          <Td className="whitespace-nowrap">
            <Time value={row.accepted_at} />
          </Td>
          <Td isWideOnly className="whitespace-nowrap">
            <Time value={row.next_attempt_at} never="" />
          </Td>
        </Row>
      ))}
    </Table>
  );
}
