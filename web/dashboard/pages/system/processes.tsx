import { useQuery } from '@tanstack/react-query';
import type { SystemProcesses } from '../../../../src/contract/dashboard/system.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Row, Table, Td, Th } from '../../../ui/table.tsx';
import { Since, Time } from '../../../ui/time.tsx';
import { Loaded } from '../../../shell/loaded.tsx';
import { processesQuery } from './queries.ts';
import { durationWords } from './words.ts';

type Process = SystemProcesses['data'][number];

/** A larger clock difference causes a warning, as in `posthorn doctor`. */
const CLOCK_WARN_MS = 2_000;
const CLOCK_BAD_MS = 30_000;

/** The processes of Posthorn on all machines, and those that died or hang within the last day. */
export default function Processes() {
  return (
    <Loaded query={useQuery(processesQuery)}>
      {({ data, version }) => (
        <>
          <p className="mb-3 text-muted">
            <Summary processes={data} />
            <span className="hidden md:inline"> Clocks are compared with the database’s.</span>
          </p>
          <Table
            label="Processes"
            head={
              <>
                <Th>Process</Th>
                <Th>State</Th>
                <Th isWideOnly>Roles</Th>
                <Th isWideOnly>Version</Th>
                <Th>Started</Th>
                <Th isNumeric isWideOnly>
                  Clock
                </Th>
                <Th isNumeric isWideOnly>
                  Connections
                </Th>
              </>
            }
          >
            {data.map((process) => (
              <ProcessRow key={process.id} process={process} version={version} />
            ))}
          </Table>
        </>
      )}
    </Loaded>
  );
}

function ProcessRow({ process, version }: { process: Process; version: string }) {
  const { name, host, roles, is_alive, heartbeat_at, started_at, connections } = process;
  return (
    <Row>
      <Td>
        <span className="font-medium">{name}</span>
        <span className="block text-sm text-muted">{host}</span>
      </Td>
      <Td>
        {is_alive ? (
          <Badge tone="good">Alive</Badge>
        ) : (
          <Badge tone="bad">
            <span>
              Gone since <Since value={heartbeat_at} />
            </span>
          </Badge>
        )}
      </Td>
      <Td isWideOnly>{roles.join(', ')}</Td>
      <Td isWideOnly>
        {process.version === version ? version : <Badge tone="warn">{process.version}</Badge>}
      </Td>
      <Td>
        <Time value={started_at} />
      </Td>
      <Td isNumeric isWideOnly className="tabular-nums">
        {is_alive && <Clock aheadMs={process.clock_ahead_ms} />}
      </Td>
      <Td isNumeric isWideOnly className="tabular-nums">
        {is_alive && connections}
      </Td>
    </Row>
  );
}

/** The difference between a process's clock and the database's clock. */
function Clock({ aheadMs }: { aheadMs: number }) {
  const offMs = Math.abs(aheadMs);
  const words = offMs === 0 ? 'In sync' : `${durationWords(offMs)} ${aheadMs < 0 ? 'behind' : 'ahead'}`;
  if (offMs < CLOCK_WARN_MS) return <span className="whitespace-nowrap text-muted">{words}</span>;
  return <Badge tone={offMs < CLOCK_BAD_MS ? 'warn' : 'bad'}>{words}</Badge>;
}

function Summary({ processes }: { processes: readonly Process[] }) {
  const alive = processes.filter((process) => process.is_alive);
  const hosts = new Set(alive.map(({ host }) => host)).size;
  const count = `${alive.length} ${alive.length === 1 ? 'process' : 'processes'}`;
  const gone = processes.length - alive.length;
  return (
    <>
      {count} on {hosts} {hosts === 1 ? 'machine' : 'machines'}.
      {gone > 0 && (
        <span className="text-bad">
          {' '}
          {gone === 1 ? '1 process does' : `${gone} processes do`} not respond.
        </span>
      )}
    </>
  );
}
