import { useInfiniteQuery } from '@tanstack/react-query';
import type { TlsResult } from '../../../../src/contract/dashboard/tls-results.ts';
import { number } from '../../../ui/amounts.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Field, Input } from '../../../ui/field.tsx';
import { SearchField } from '../../../ui/search-field.tsx';
import { useSearchParam } from '../../../ui/search-params.ts';
import { Row, Table, Td, Th } from '../../../ui/table.tsx';
import { Loaded } from '../../../shell/loaded.tsx';
import { tlsResultsQuery } from './queries.ts';

/** TLS results from sessions with recipients' servers. */
export default function TlsResults() {
  const [q, setQ] = useSearchParam('q');
  const [day, setDay] = useSearchParam('day');
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(
    tlsResultsQuery({ ...(q !== '' && { q }), ...(day !== '' && { day }) }),
  );
  return (
    <>
      <p className="mb-4 max-w-2xl text-pretty text-muted">
        TLS results of all sessions with recipients’ servers in the last 30 days.{' '}
        <a href="/docs/operate/tls-results" className="text-accent underline underline-offset-2">
          What the outcomes mean
        </a>
      </p>
      <div className="mb-3 flex flex-wrap items-end gap-2">
        <SearchField
          label="Search domains"
          placeholder="Search domains"
          value={q}
          onSearch={setQ}
          className="min-w-0 grow sm:max-w-72"
        />
        <Field label="Day (UTC)">
          <Input type="date" value={day} onChange={(event) => setDay(event.target.value)} />
        </Field>
      </div>
      <Loaded query={{ data: data?.pages.flatMap((page) => page.data), error, refetch }}>
        {(results) =>
          results.length === 0 ? (
            <Nothing isFiltered={q !== '' || day !== ''} />
          ) : (
            <ResultTable results={results} />
          )
        }
      </Loaded>
      {hasNextPage && (
        <Button className="mt-3" isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show more
        </Button>
      )}
    </>
  );
}

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  return isFiltered ? (
    <EmptyState title="No matching results">No sessions match this domain and day.</EmptyState>
  ) : (
    <EmptyState title="No TLS results yet">
      Only direct delivery to recipients’ servers is counted (POSTHORN_PROVIDER=direct). Sessions appear here
      within a minute.
    </EmptyState>
  );
}

function ResultTable({ results }: { results: readonly TlsResult[] }) {
  return (
    <Table
      label="TLS results"
      head={
        <>
          <Th>Domain</Th>
          <Th>Outcome</Th>
          <Th isWideOnly>Policy</Th>
          <Th isNumeric>Sessions</Th>
          <Th isWideOnly isNumeric>
            Day
          </Th>
        </>
      }
    >
      {results.map(({ day, policy_domain, policy_type, mx_host, outcome, sessions }) => (
        <Row key={`${day} ${policy_domain} ${policy_type} ${mx_host} ${outcome}`}>
          <Td className="w-full max-w-0">
            <span className="block truncate font-medium" title={policy_domain}>
              {policy_domain}
            </span>
            <span className="block truncate text-sm text-muted" title={mx_host ?? ''}>
              {mx_host ?? 'About the policy, not a server'}
              <span className="sm:hidden">, {day}</span>
            </span>
          </Td>
          <Td>
            <Badge tone={outcome === 'success' ? 'good' : 'warn'}>{outcome}</Badge>
          </Td>
          <Td isWideOnly className="font-mono text-sm whitespace-nowrap">
            {policy_type}
          </Td>
          <Td isNumeric className="tabular-nums">
            {number(sessions)}
          </Td>
          <Td isWideOnly isNumeric className="whitespace-nowrap tabular-nums">
            {day}
          </Td>
        </Row>
      ))}
    </Table>
  );
}
