import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { QueueDestination } from '../../../../src/contract/dashboard/system.ts';
import { number } from '../../../ui/amounts.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { Time } from '../../../ui/time.tsx';
import { Loaded } from '../../../shell/loaded.tsx';
import { DestinationState } from './destination-table.tsx';
import { OrderButtons } from './order-buttons.tsx';
import { RecipientsLink } from './queued-recipients.tsx';
import { queueQuery } from './queries.ts';

interface DestinationDialogProps {
  domain: string;
  /** The destination, if the page already shows it. */
  known: QueueDestination | undefined;
  onClose(): void;
}

/** Shows the destination that the page's URL names. */
export function DestinationDialog({ domain, known, onClose }: DestinationDialogProps) {
  const { data, error, refetch } = useQuery({ ...queueQuery({ q: domain }), enabled: known === undefined });
  const found = data?.data.find((each) => each.domain === domain) ?? (data && null);
  const shown = known ?? found;
  return (
    <Dialog isOpen onClose={onClose} title={domain} actions={shown && <OrderButtons destination={shown} />}>
      <Loaded query={{ data: shown, error, refetch }}>
        {(destination) =>
          destination === null ? (
            <p>No mail is waiting for this destination any more.</p>
          ) : (
            <Details destination={destination} />
          )
        }
      </Loaded>
    </Dialog>
  );
}

function Details({ destination }: { destination: QueueDestination }) {
  const { last_words: words, failures, refused_senders: refused } = destination;
  return (
    <dl className="grid gap-3 sm:grid-cols-2">
      <Fact name="State">
        <DestinationState destination={destination} />
      </Fact>
      <Fact name="Waiting">
        <RecipientsLink value={destination.waiting} kind="waiting" domain={destination.domain}>
          {number(destination.waiting)}
        </RecipientsLink>
        {destination.in_flight > 0 && (
          <>
            ,{' '}
            <RecipientsLink value={destination.in_flight} kind="in-flight" domain={destination.domain}>
              {number(destination.in_flight)}
            </RecipientsLink>{' '}
            in flight
          </>
        )}
        {destination.put_off > 0 && (
          <>
            ,{' '}
            <RecipientsLink value={destination.put_off} kind="deferred" domain={destination.domain}>
              {number(destination.put_off)}
            </RecipientsLink>{' '}
            deferred
          </>
        )}
      </Fact>
      <Fact name="Oldest">
        <Time value={destination.oldest_at} never="None" />
      </Fact>
      {destination.held_since !== null && (
        <Fact name="Paused">
          <Time value={destination.held_since} />
        </Fact>
      )}
      {destination.next_try_at !== null && (
        <Fact name="Next attempt">
          <Time value={destination.next_try_at} />
        </Fact>
      )}
      {destination.failing_since !== null && (
        <Fact name="Started failing">
          <Time value={destination.failing_since} />, after{' '}
          {failures === 1 ? 'one attempt' : `${failures} attempts`}
        </Fact>
      )}
      {refused > 0 && (
        <Fact name="Rejects">{refused === 1 ? 'one sending domain' : `${refused} sending domains`}</Fact>
      )}
      {words !== null && (
        <Fact name={words.server === null ? 'Last response' : `Last response of ${words.server}`} isWide>
          <span className="block rounded-md bg-sunken px-3 py-2 font-mono text-sm wrap-anywhere">
            {words.text}
          </span>
        </Fact>
      )}
    </dl>
  );
}

function Fact({ name, isWide = false, children }: { name: string; isWide?: boolean; children: ReactNode }) {
  return (
    <div className={isWide ? 'sm:col-span-2' : ''}>
      <dt className="mb-0.5 text-xs text-muted">{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
