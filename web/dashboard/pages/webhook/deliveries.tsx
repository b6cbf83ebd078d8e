import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import { lazyPart } from '../../../shell/code.ts';
import type {
  DashboardWebhookDetail,
  DeliveryAbout,
  DeliverySummary,
} from '../../../../src/contract/dashboard/webhooks.ts';
import { Status } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Field, Select } from '../../../ui/field.tsx';
import { RefreshIcon } from '../../../ui/icons.tsx';
import { Row, rowLink, Table, Td, Th } from '../../../ui/table.tsx';
import { Time } from '../../../ui/time.tsx';
import { local } from '../../../ui/times.ts';
import { useSearchParam } from '../../../ui/search-params.ts';
import { useMay } from '../../shell/session.ts';
import { usePolling } from '../webhooks/poll.ts';
import { deliveriesQuery, type DeliveryFilterFields, type WebhookRouteKey } from '../webhooks/queries.ts';
import { EVENT_KEYS } from '../webhooks/webhook-fields.tsx';
import { DeliveryLink } from './delivery-link.tsx';
import { ReplayProgress } from './replay.tsx';
import { RetryProgress, useRetryPending } from './retry.tsx';
import { NotLoaded } from '../../../shell/loaded.tsx';
import { number } from '../../../ui/amounts.ts';

const ReplayDialog = lazyPart(() => import('./replay-dialog.tsx'));

const STATUSES = ['pending', 'delivered', 'failed'] as const;
const TYPES = [...EVENT_KEYS, 'webhook.test'] as const;
const HOUR_MS = 3_600_000;
const TIMES = { '1h': ['Last hour', 1], '24h': ['Last 24 hours', 24], '7d': ['Last 7 days', 168] } as const;
/** If more pages than this are loaded, the list is no longer refreshed automatically. */
const MAX_LIVE_PAGES = 3;

interface DeliveriesProps {
  of: WebhookRouteKey;
  webhook: DashboardWebhookDetail;
}

export function Deliveries({ of: key, webhook }: DeliveriesProps) {
  const mayReplay = useMay('developer') && webhook.enabled;
  const [isReplaying, setReplaying] = useState(false);
  const [filter, filters] = useFilter();
  const { replay, retry, waiting } = webhook;
  const retryPending = useRetryPending(key, webhook);
  const isBusy = replay !== null && replay.ended_at === null;
  return (
    <section id="deliveries" aria-label="Deliveries" className="mt-8 scroll-mt-16">
      <div className="mb-3 flex flex-wrap items-end gap-2">
        <h2 className="mr-auto self-center text-lg">Deliveries</h2>
        <div className="grid w-full grid-cols-2 items-end gap-2 sm:flex sm:w-auto">
          {filters}
          {retryPending !== null && (
            <Button isBusy={retryPending.isPending} onClick={() => retryPending.mutate()}>
              Try all pending
            </Button>
          )}
          {mayReplay && (
            <Button icon={<RefreshIcon />} disabled={isBusy} onClick={() => setReplaying(true)}>
              Replay failed
            </Button>
          )}
        </div>
      </div>
      {retry !== null && <RetryProgress of={key} retry={retry} />}
      {replay !== null && <ReplayProgress of={key} replay={replay} />}
      <DeliveryTable of={key} filter={filter} isMoving={waiting.count > 0 || isBusy} />
      {isReplaying && (
        <Suspense fallback={null}>
          <ReplayDialog of={key} onClose={() => setReplaying(false)} />
        </Suspense>
      )}
    </section>
  );
}

/** The filter in the page's URL, and the controls that change the filter. */
function useFilter() {
  const [status, setStatus] = useSearchParam('status');
  const [type, setType] = useSearchParam('type');
  const [time, setTime] = useSearchParam('time');
  const filter: DeliveryFilterFields = {
    ...(isOneOf(STATUSES, status) && { status }),
    ...(isOneOf(TYPES, type) && { type }),
    ...(isOneOf(TIME_KEYS, time) && { since: sinceOf(TIMES[time][1]) }),
    ...(isMoment(time) && { since: time }),
  };
  const controls = (
    <>
      <Choice
        label="Status"
        value={status}
        onChange={setStatus}
        all="All statuses"
        options={STATUSES.map((each) => [each, each[0]?.toUpperCase() + each.slice(1)])}
      />
      <Choice
        label="Event"
        value={type}
        onChange={setType}
        all="All events"
        options={TYPES.map((each) => [each, each])}
      />
      <Choice
        label="Time"
        value={time}
        onChange={setTime}
        all="Any time"
        options={[
          ...TIME_KEYS.map((each) => [each, TIMES[each][0]] as const),
          ...(isMoment(time) ? [[time, `Since ${local.dateTime(time)}`] as const] : []),
        ]}
      />
    </>
  );
  return [filter, controls] as const;
}

const TIME_KEYS = Object.keys(TIMES) as (keyof typeof TIMES)[];

function isOneOf<Word extends string>(words: readonly Word[], word: string): word is Word {
  return (words as readonly string[]).includes(word);
}

/** A time, to which the numbers above the list lead. */
function isMoment(time: string): boolean {
  return /^\d{4}-\d\d-\d\dT/.test(time) && !Number.isNaN(Date.parse(time));
}

/** The start of the time range, rounded to the minute so that the query stays the same while the page is open. */
function sinceOf(hours: number): string {
  const minute = Math.floor(Date.now() / 60_000) * 60_000;
  return new Date(minute - hours * HOUR_MS).toISOString();
}

interface ChoiceProps {
  label: string;
  value: string;
  onChange(value: string): void;
  all: string;
  options: readonly (readonly [value: string, name: string])[];
}

function Choice({ label, value, onChange, all, options }: ChoiceProps) {
  return (
    <Field label={label} isLabelHidden className="min-w-0">
      <Select value={value} onChange={(change) => onChange(change.target.value)}>
        <option value="">{all}</option>
        {options.map(([each, name]) => (
          <option key={each} value={each}>
            {name}
          </option>
        ))}
      </Select>
    </Field>
  );
}

function DeliveryTable({
  of: key,
  filter,
  isMoving,
}: {
  of: WebhookRouteKey;
  filter: DeliveryFilterFields;
  isMoving: boolean;
}) {
  const poll = usePolling<{ pages: readonly unknown[] }>(() => isMoving);
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = useInfiniteQuery({
    ...deliveriesQuery(key, filter),
    refetchInterval: (query) => {
      const count = query.state.data?.pages.length ?? 0;
      return count > MAX_LIVE_PAGES ? false : poll(query);
    },
    placeholderData: (before) => before,
  });
  if (data === undefined)
    return <NotLoaded title="Could not load the deliveries" error={error} refetch={refetch} />;
  const deliveries = data.pages.flatMap((page) => page.data);
  const last = data.pages.at(-1);
  return (
    <>
      {data.pages[0]?.leaves_out_pending === true && <ManyPending />}
      {deliveries.length === 0 && !hasNextPage ? (
        <NoDeliveries filter={filter} />
      ) : (
        <Table
          label="Deliveries"
          head={
            <>
              <Th>Status</Th>
              <Th>Event</Th>
              <Th isWideOnly>Email</Th>
              <Th isNumeric isWideOnly>
                Response
              </Th>
              <Th isNumeric isWideOnly>
                Attempts
              </Th>
              <Th isNumeric isWideOnly>
                Duration
              </Th>
              <Th isNumeric>When</Th>
            </>
          }
        >
          {deliveries.map((delivery) => (
            <DeliveryRow key={delivery.id} delivery={delivery} />
          ))}
        </Table>
      )}
      {hasNextPage && (
        <div className="mt-3 flex flex-wrap items-center gap-3">
          <Button isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {last?.looked_back_to == null ? 'Show more' : 'Search further back'}
          </Button>
          {last?.looked_back_to != null && (
            <span className="text-sm text-muted">
              Searched back to <Time value={last.looked_back_to} />.
            </span>
          )}
        </div>
      )}
    </>
  );
}

function DeliveryRow({ delivery }: { delivery: DeliverySummary }) {
  const {
    id,
    status,
    type,
    email_id,
    http_status,
    error,
    attempts,
    max_attempts,
    duration_ms,
    next_attempt_at,
    about,
    is_sending,
  } = delivery;
  return (
    <Row>
      <Td>
        <Status value={status} />
      </Td>
      <Td className="whitespace-nowrap">
        <DeliveryLink id={id} className={rowLink}>
          {type}
        </DeliveryLink>
      </Td>
      {/* Takes the width that the other columns leave, and truncates the rest. */}
      <Td isWideOnly className="relative w-full max-w-0">
        {email_id === null ? (
          <span className="text-muted">–</span>
        ) : (
          <Link
            to="/emails/$id"
            params={{ id: email_id }}
            title={about === null ? email_id : aboutText(about)}
            className="relative z-1 flex gap-2 hover:text-accent hover:underline"
          >
            <EmailName about={about} />
          </Link>
        )}
      </Td>
      <Td isNumeric isWideOnly>
        {http_status ?? (
          <span className="text-muted" title={error ?? undefined}>
            {attempts === 0 ? '–' : 'None'}
          </span>
        )}
      </Td>
      <Td isNumeric isWideOnly className="whitespace-nowrap">
        {attempts} <span className="text-muted">of {max_attempts}</span>
      </Td>
      <Td isNumeric isWideOnly className="whitespace-nowrap">
        {duration_ms === null ? <span className="text-muted">–</span> : `${number(duration_ms)} ms`}
      </Td>
      <Td isNumeric className="whitespace-nowrap">
        {is_sending ? (
          'Sending now'
        ) : status === 'pending' && attempts > 0 ? (
          <>
            <span className="hidden text-muted sm:inline">next </span>
            <Time value={next_attempt_at} />
          </>
        ) : (
          <Time value={delivery.last_attempt_at ?? delivery.created_at} />
        )}
      </Td>
    </Row>
  );
}

/** The recipient and the subject of the email of a delivery, on one line. */
export function aboutText(about: DeliveryAbout): string {
  return `${recipientText(about)}: ${about.subject === '' ? '(no subject)' : about.subject}`;
}

function recipientText({ recipient, more_recipients }: DeliveryAbout): string {
  return `${recipient ?? 'No recipient'}${more_recipients > 0 ? ` and ${number(more_recipients)} more` : ''}`;
}

function EmailName({ about }: { about: DeliverySummary['about'] }) {
  if (about === null) return <span className="text-muted">Deleted email</span>;
  return (
    <>
      <span className="max-w-full shrink-0 truncate">{recipientText(about)}</span>
      <span className="truncate text-muted">{about.subject}</span>
    </>
  );
}

function ManyPending() {
  return (
    <p className="mb-3 text-sm text-muted">
      More than 1,000 deliveries are pending. <ShowPending />
    </p>
  );
}

function ShowPending() {
  const [, setStatus] = useSearchParam('status');
  return (
    <button
      type="button"
      className="font-medium text-accent hover:underline"
      onClick={() => setStatus('pending')}
    >
      Show pending deliveries
    </button>
  );
}

function NoDeliveries({ filter }: { filter: DeliveryFilterFields }) {
  if (filter.status === 'failed') {
    return (
      <EmptyState title="No failed deliveries" action={<ShowPending />}>
        A delivery has failed only after its last attempt. Until then, it is pending and will be retried.
      </EmptyState>
    );
  }
  if (Object.keys(filter).length > 0) {
    return <EmptyState title="No matching deliveries">Try another status, event or time.</EmptyState>;
  }
  return (
    <EmptyState title="No deliveries yet">
      Send an email, or click Send test. Requests to your endpoint and its responses are listed here.
    </EmptyState>
  );
}
