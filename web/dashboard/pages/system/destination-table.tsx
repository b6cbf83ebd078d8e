import { Link } from '@tanstack/react-router';
import type { QueueDestination } from '../../../../src/contract/dashboard/system.ts';
import { number } from '../../../ui/amounts.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Row, rowLink, Table, Td, Th } from '../../../ui/table.tsx';
import { Time } from '../../../ui/time.tsx';
import { OrderButtons } from './order-buttons.tsx';
import { RecipientsLink } from './queued-recipients.tsx';

export function DestinationTable({ destinations }: { destinations: readonly QueueDestination[] }) {
  return (
    <Table
      label="Destinations"
      head={
        <>
          <Th>Destination</Th>
          <Th>State</Th>
          <Th isNumeric>Waiting</Th>
          <Th isWideOnly>Oldest</Th>
          <Th isWideOnly>Next attempt</Th>
          <Th isWideOnly>
            <span className="sr-only">Actions</span>
          </Th>
        </>
      }
    >
      {destinations.map((destination) => (
        <DestinationRow key={destination.domain} destination={destination} />
      ))}
    </Table>
  );
}

function DestinationRow({ destination }: { destination: QueueDestination }) {
  const { domain, waiting, oldest_at, next_try_at, last_words } = destination;
  return (
    <Row>
      <Td className="w-full max-w-0">
        <Link
          to="."
          search={(before: Readonly<Record<string, string | undefined>>) => ({
            ...before,
            destination: domain,
          })}
          className={`${rowLink} block truncate`}
        >
          {domain}
        </Link>
        {last_words !== null && <span className="block truncate text-sm text-muted">{last_words.text}</span>}
      </Td>
      <Td>
        <DestinationState destination={destination} />
      </Td>
      <Td isNumeric className="relative tabular-nums">
        <RecipientsLink value={waiting} kind="waiting" domain={domain} className="relative z-1">
          {number(waiting)}
        </RecipientsLink>
      </Td>
      <Td isWideOnly>
        <Time value={oldest_at} never="" />
      </Td>
      <Td isWideOnly>
        <Time value={next_try_at} never="" />
      </Td>
      <Td isWideOnly className="relative">
        <span className="flex justify-end gap-1.5">
          <OrderButtons destination={destination} />
        </span>
      </Td>
    </Row>
  );
}

/** The state of a destination as text, so that the color is not the only sign. */
export function DestinationState({ destination }: { destination: QueueDestination }) {
  const { state, refused_senders: refused, put_off } = destination;
  if (state === 'held') return <Badge tone="warn">Paused</Badge>;
  if (state === 'closed') return <Badge tone="bad">Unavailable</Badge>;
  if (refused > 0)
    return <Badge tone="warn">Rejects {refused === 1 ? '1 sender' : `${refused} senders`}</Badge>;
  if (put_off > 0) return <Badge tone="warn">Defers {number(put_off)}</Badge>;
  return <Badge tone="good">Open</Badge>;
}
