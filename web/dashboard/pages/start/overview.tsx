import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { dataOf, messageOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import type { EmailOutcome, EmailQueueState } from '../../../../src/contract/dashboard/email-log.ts';
import type { Overview as Facts } from '../../../../src/contract/dashboard/overview.ts';
import { type Bar, Bars } from '../../../ui/bars.tsx';
import { Card } from '../../../ui/card.tsx';
import { classes } from '../../../ui/classes.ts';
import { Failure } from '../../../ui/empty-state.tsx';
import { Segmented } from '../../../ui/segmented.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { Time } from '../../../ui/time.tsx';
import { useSearchParam } from '../../../ui/search-params.ts';
import { useProject } from '../../shell/session.ts';
import { Needs } from './needs.tsx';
import { number, percentage } from '../../../ui/amounts.ts';
import { EmailsLink, isRetained } from '../emails/emails-link.tsx';
import { searchFor } from '../emails/query-text.ts';
import { Updated } from '../metrics/updated.tsx';
import { RATES, type ShownRate, type RateTone, TONE_TEXTS } from './rates.ts';
import { utc } from '../../../ui/times.ts';

const RANGES = [
  { value: '24h', label: '24 hours' },
  { value: '7d', label: '7 days' },
  { value: '30d', label: '30 days' },
] as const;
type Range = (typeof RANGES)[number]['value'];
/** The refresh interval. In large projects a worker counts the newest hour every minute (docs/overview.md). */
const REFRESH_MS = 30_000;
const HOUR_MS = 3_600_000;

/** @param props.children shown below the problems */
export function Overview({ children }: { children: ReactNode }) {
  const project = useProject();
  const [requestedRange, setRange] = useSearchParam('range');
  const range: Range = RANGES.find(({ value }) => value === requestedRange)?.value ?? '7d';
  const { data, error, refetch } = useQuery({
    queryKey: ['overview', project.id, range],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/projects/{project}/overview', {
          params: { path: { project: project.id }, query: { range } },
          signal,
        }),
      ),
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  });
  if (data === undefined)
    return error === null ? (
      <Waiting />
    ) : (
      <Failure title="Could not load the overview" onRetry={() => void refetch()}>
        {messageOf(error)}
      </Failure>
    );
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <Needs needs={data.needs} />
      {children}
      <Volume
        facts={data}
        picker={
          <Segmented
            label="Time"
            value={range}
            options={RANGES}
            onChange={(value) => setRange(value === '7d' ? '' : value)}
          />
        }
      />
      <div className="grid gap-4 sm:grid-cols-2 xl:grid-cols-4">
        {RATES.map((rate) => (
          <RateCard key={rate.name} rate={rate} facts={data} />
        ))}
        <Queue queue={data.queue} />
      </div>
    </div>
  );
}

function Volume({ facts, picker }: { facts: Facts; picker: ReactNode }) {
  const { total, range, steps, counted_at, outcomes_at } = facts;
  const openStep = useOpenStep(facts);
  const onTheWay = total.recipients - total.delivered - total.bounced - total.failed;
  const sums: { name: string; value: number; dot: string; outcome: EmailOutcome }[] = [
    { name: 'delivered', value: total.delivered, dot: 'bg-accent', outcome: 'delivered' },
    { name: 'in transit or scheduled', value: onTheWay, dot: 'bg-edge', outcome: 'pending' },
    {
      name: 'bounced or failed',
      value: total.bounced + total.failed,
      dot: 'bg-bad',
      outcome: 'undelivered',
    },
  ];
  const linked = linkingIn(facts);
  return (
    <Card title="Volume" aside={picker}>
      <p className="flex flex-wrap items-baseline gap-x-2">
        {linked(total.emails, undefined, 'text-2xl font-semibold tabular-nums')}
        <span className="text-muted">
          {total.emails === 1 ? 'email' : 'emails'} to {linked(total.recipients, 'any')}{' '}
          {total.recipients === 1 ? 'recipient' : 'recipients'}
        </span>
        <span className="text-xs text-pretty text-faint sm:ml-auto">
          <Updated counted_at={counted_at} outcomes_at={outcomes_at} />
        </span>
      </p>
      <Bars
        className="mt-4 h-32"
        label={`Recipients in the last ${RANGES.find(({ value }) => value === range)?.label}: ${sums.map(({ name, value }) => `${number(value)} ${name}`).join(', ')}`}
        bars={steps.map((step, at) => ({ ...barOf(step, range), ...openStep(at) }))}
      />
      <div className="mt-1 flex justify-between text-xs text-faint" aria-hidden="true">
        <span>{nameOf(steps[0]?.from, range)}</span>
        <span>{nameOf(steps.at(-1)?.from, range)} (UTC)</span>
      </div>
      <ul className="mt-3 flex flex-wrap gap-x-5 gap-y-1 text-sm">
        {sums.map(({ name, value, dot, outcome }) => (
          <li key={name} className="flex items-center gap-1.5">
            <span aria-hidden="true" className={classes('size-2 rounded-full', dot)} />
            {linked(value, outcome, 'font-medium tabular-nums')}
            <span className="text-muted">{name}</span>
          </li>
        ))}
      </ul>
      <p className="mt-3 text-sm">
        <Link to="/metrics" search={{ range }} className="font-medium text-accent hover:underline">
          View all metrics
        </Link>
      </p>
    </Card>
  );
}

/** Makes a number of the whole range a link. @returns takes the number, and the outcome of the recipients if it counts recipients */
function linkingIn({ steps, retained_since }: Facts) {
  return (value: number, outcome?: EmailOutcome, className?: string) => (
    <EmailsLink
      value={value}
      counts={{ since: steps[0]?.from ?? '', ...(outcome && { outcome }) }}
      retainedSince={retained_since}
      {...(className !== undefined && { className })}
    >
      {number(value)}
    </EmailsLink>
  );
}

/** Opens the emails of a bar. */
function useOpenStep({ steps, range, retained_since }: Facts): (at: number) => { onOpen?: () => void } {
  const navigate = useNavigate();
  return (at) => {
    const { from = '', emails = 0 } = steps[at] ?? {};
    const until = new Date(Date.parse(from) + (range === '24h' ? HOUR_MS : 24 * HOUR_MS)).toISOString();
    const counted = { since: from, until, outcome: 'any' } as const;
    if (emails === 0 || !isRetained(counted, retained_since)) return {};
    return { onOpen: () => void navigate({ to: '/emails', search: { q: searchFor(counted) } }) };
  };
}

function nameOf(from: string | undefined, range: Range): string {
  if (from === undefined) return '';
  return range === '24h' ? utc.time(from) : utc.weekday(from);
}

function barOf(step: Facts['steps'][number], range: Range): Bar {
  const lost = step.bounced + step.failed;
  const onTheWay = step.recipients - step.delivered - lost;
  return {
    label: `${nameOf(step.from, range)}: ${number(step.delivered)} delivered, ${number(onTheWay)} in transit or scheduled, ${number(lost)} bounced or failed`,
    parts: [
      { value: step.delivered, tone: 'info' },
      { value: onTheWay, tone: 'quiet' },
      { value: lost, tone: 'bad' },
    ],
  };
}

const TONES = { good: 'bg-good', warn: 'bg-warn', bad: 'bg-bad' } as const;

function RateCard({ rate, facts }: { rate: ShownRate; facts: Facts }) {
  const { part, whole } = rate.of(facts.total);
  const value = whole === 0 ? 0 : part / whole;
  const tone = rate.tone(part, whole);
  const linked = linkingIn(facts);
  return (
    <Card title={rate.name}>
      <p className={classes('text-2xl font-semibold tabular-nums', whole > 0 && TONE_TEXTS[tone])}>
        {whole === 0 ? '–' : percentage(value)}
      </p>
      <Meter rate={rate} value={value} tone={tone} />
      <p className="mt-2 text-sm text-pretty text-muted">
        {linked(part, rate.outcomes.part)} of {linked(whole, rate.outcomes.whole)} {rate.whole}.{' '}
        {rate.words(part, whole)}
      </p>
    </Card>
  );
}

/** A meter that shows how close a rate is to its limits. The text beside the meter gives the same information. */
function Meter({
  rate: { start, end, marks },
  value,
  tone,
}: {
  rate: ShownRate;
  value: number;
  tone: RateTone;
}) {
  const at = (rate: number) => `${Math.min(1, Math.max(0, (rate - start) / (end - start))) * 100}%`;
  return (
    <div aria-hidden="true" className="relative mt-2 h-6">
      <div className="h-1.5 rounded-full bg-quiet-soft">
        <div className={classes('h-full rounded-full', TONES[tone])} style={{ width: at(value) }} />
      </div>
      {marks.map((mark) => (
        <div key={mark} className="absolute -top-0.5 h-2.5 w-px bg-edge" style={{ left: at(mark) }}>
          <span className="absolute top-2.5 -translate-x-1/2 text-xs text-faint">{percentage(mark)}</span>
        </div>
      ))}
      <span className="absolute top-2 left-0 text-xs text-faint">{percentage(start)}</span>
      <span className="absolute top-2 right-0 text-xs text-faint">{percentage(end)}</span>
    </div>
  );
}

const QUEUE_WORDS = {
  untried: 'for the first attempt',
  'in-flight': 'in flight',
  deferred: 'deferred by a server',
  unavailable: 'whose destination is unavailable',
} as const;

function Queue({ queue }: { queue: Facts['queue'] }) {
  const { counts, is_longer, has_mailbox_mail, oldest } = queue;
  const waiting = counts.find(({ state }) => state === 'waiting')?.recipients ?? 0;
  const linked = (state: EmailQueueState, value: number, className?: string) => (
    <EmailsLink
      value={value}
      counts={{ queue: state }}
      retainedSince={null}
      {...(className !== undefined && { className })}
    >
      {number(value)}
      {is_longer && '+'}
    </EmailsLink>
  );
  return (
    <Card title="Queue">
      <p className="text-2xl font-semibold tabular-nums">{linked('waiting', waiting)}</p>
      <p className="mt-2 text-sm text-pretty text-muted">
        {waiting === 0
          ? 'No email is queued.'
          : `${waiting === 1 ? 'recipient is' : 'recipients are'} waiting for the next attempt.`}{' '}
        {has_mailbox_mail && 'Mail of mailboxes is waiting. '}
        {oldest !== null && (
          <>
            The{' '}
            <Link
              to="/emails/$id"
              params={{ id: oldest.id }}
              className="font-medium text-accent hover:underline"
            >
              oldest email
            </Link>{' '}
            was accepted <Time value={oldest.created_at} />.
          </>
        )}
      </p>
      <ul className="mt-2 grid gap-0.5 text-sm">
        {counts.map(({ state, recipients }) =>
          state === 'waiting' || recipients === 0 ? null : (
            <li key={state}>
              {linked(state, recipients, 'font-medium tabular-nums')}{' '}
              <span className="text-muted">{QUEUE_WORDS[state]}</span>
            </li>
          ),
        )}
      </ul>
    </Card>
  );
}

function Waiting() {
  return (
    <div role="status" aria-label="Loading" className="grid gap-4">
      <Skeleton className="h-5.5 w-40" />
      <Skeleton className="h-72" />
      <div className="grid gap-4 sm:grid-cols-2 xl:grid-cols-4">
        {Array.from({ length: RATES.length + 1 }, (_, at) => (
          <Skeleton key={at} className="h-40" />
        ))}
      </div>
    </div>
  );
}
