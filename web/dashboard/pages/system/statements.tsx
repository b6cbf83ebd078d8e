import { useQuery } from '@tanstack/react-query';
import type { SystemStatements } from '../../../../src/contract/dashboard/system.ts';
import { number } from '../../../ui/amounts.ts';
import { Row, Table, Td, Th } from '../../../ui/table.tsx';
import { Loaded } from '../../../shell/loaded.tsx';
import { statementsQuery } from './queries.ts';
import { durationWords } from './words.ts';

export function Statements() {
  const query = useQuery(statementsQuery);
  const title = query.data?.source === 'running' ? 'Slow statements' : 'Statements by total time';
  return (
    <section aria-label={title} className="mt-8">
      <h2 className="mb-1 text-lg">{title}</h2>
      <Loaded query={query}>
        {(statements) => (
          <>
            <p className="mb-2 max-w-2xl text-muted">{describe(statements)}</p>
            {statements.data.length > 0 && <StatementTable {...statements} />}
          </>
        )}
      </Loaded>
    </section>
  );
}

function describe({ source, data }: SystemStatements): string {
  if (source === 'pg_stat_statements')
    return 'The statements that have taken the most time in total since PostgreSQL’s statistics were last reset.';
  return data.length === 0
    ? 'No statement has been running for more than a second. Install the extension pg_stat_statements to see the statements that have taken the most time.'
    : 'Statements that have been running for more than a second.';
}

function StatementTable({ source, data }: SystemStatements) {
  const isCounted = source === 'pg_stat_statements';
  return (
    <Table
      label={isCounted ? 'Statements by total time' : 'Slow statements'}
      head={
        <>
          <Th>Statement</Th>
          {isCounted ? (
            <>
              <Th isNumeric isWideOnly>
                Calls
              </Th>
              <Th isNumeric isWideOnly>
                Average
              </Th>
            </>
          ) : (
            <Th isWideOnly>Waits for</Th>
          )}
          <Th isNumeric>{isCounted ? 'Total' : 'Running for'}</Th>
        </>
      }
    >
      {data.map(({ text, calls, mean_ms, state, total_ms }, at) => (
        <Row key={at}>
          <Td className="max-w-0 w-full">
            <code className="block font-mono text-sm wrap-anywhere">{text}</code>
          </Td>
          {isCounted ? (
            <>
              <Td isNumeric isWideOnly className="tabular-nums">
                {number(calls ?? 0)}
              </Td>
              <Td isNumeric isWideOnly className="whitespace-nowrap tabular-nums">
                {durationWords(mean_ms ?? 0)}
              </Td>
            </>
          ) : (
            <Td isWideOnly>{state ?? ''}</Td>
          )}
          <Td isNumeric className="whitespace-nowrap tabular-nums">
            {durationWords(total_ms)}
          </Td>
        </Row>
      ))}
    </Table>
  );
}
