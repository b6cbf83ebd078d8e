import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Metrics, MetricsSeries } from '../../../../src/contract/dashboard/metrics.ts';
import { Card } from '../../../ui/card.tsx';
import { Chart, type ChartProps, type ChartSeries } from '../../../ui/chart.tsx';
import type { ChartColor } from '../../../ui/chart-colors.ts';
import { Segmented } from '../../../ui/segmented.tsx';
import { useSearchParam } from '../../../ui/search-params.ts';
import { EmailsLink, isRetained } from '../emails/emails-link.tsx';
import { type Counted, searchFor } from '../emails/query-text.ts';
import { countedIn, type MetricsFilter, UNNAMED } from './filter.ts';
import {
  bounceRate,
  type CountedOutcome,
  complaintRate,
  COUNTS,
  hardBounceRate,
  machineRate,
  openRate,
  stepRange,
  valuesOf,
} from './numbers.ts';
import { durationText, nameOf, shareText, shortCount, stepText, tickText } from './words.ts';
import { number } from '../../../ui/amounts.ts';

const COLORS: readonly ChartColor[] = [
  'chart-1',
  'chart-2',
  'chart-3',
  'chart-4',
  'chart-5',
  'chart-6',
  'chart-7',
  'chart-8',
];
const LARGE = 'text-2xl font-semibold tabular-nums';
const PERCENTILES = [
  { value: 'p50', label: 'p50' },
  { value: 'p90', label: 'p90' },
  { value: 'p99', label: 'p99' },
] as const;
const OPENERS = [
  { value: 'people', label: 'People' },
  { value: 'machines', label: 'Machines' },
] as const;
/** Limits for the bounce rate (docs/operate/deliverability.md). */
const BOUNCE_LIMITS = [
  { value: 0.02, name: '2%: list is outdated', tone: 'warn' },
  { value: 0.05, name: '5%: may be blocked', tone: 'bad' },
] as const;
const COMPLAINT_LIMITS = [
  { value: 0.001, name: '0.1%: recommended limit', tone: 'warn' },
  { value: 0.003, name: '0.3%: sent to spam', tone: 'bad' },
] as const;

type Counts = MetricsSeries['total'];

interface Line {
  name: string;
  color: ChartColor;
  of: MetricsSeries;
  value(counts: Counts): number | null;
  /** What happened to the recipients that the line counts. Absent for times. */
  outcome?: CountedOutcome;
}

type Shape = Pick<ChartProps, 'kind' | 'format' | 'formatTick' | 'limits' | 'isLogarithmic'>;

/** All charts of a time range. The charts show the totals, or compare the parts. */
export function Charts({ metrics, filter }: { metrics: Metrics; filter: MetricsFilter }) {
  const { all } = metrics;
  const [percentile, setPercentile] = useSearchParam('percentile');
  const [opener, setOpener] = useSearchParam('opened-by');
  const shown = PERCENTILES.find(({ value }) => value === percentile)?.value ?? 'p90';
  const isByMachines = opener === 'machines';
  const openers = isByMachines ? 'opened-by-machines' : 'opened-by-people';
  const isCompared = metrics.by !== 'all';
  const isOpened = all.total.opened_by_people + all.total.opened_by_machines > 0;
  const compared = (value: Line['value'], outcome?: CountedOutcome): Line[] =>
    metrics.parts.map((part, at) => ({
      name: nameOf(part, metrics.by),
      color: part.is_rest ? 'edge' : (COLORS[at] ?? 'edge'),
      of: part,
      value,
      ...(outcome && { outcome }),
    }));
  const line = (name: string, color: ChartColor, value: Line['value'], outcome?: CountedOutcome): Line => ({
    name,
    color,
    of: all,
    value,
    ...(outcome && { outcome }),
  });
  const count = (name: string, color: ChartColor, outcome: CountedOutcome) =>
    line(name, color, COUNTS[outcome], outcome);
  const whole: Counted = { since: metrics.steps[0] ?? '', ...countedIn(filter, 'all', all) };
  const { retained_since: retainedSince } = metrics;
  const drawing = { metrics, filter };
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4 lg:grid-cols-2">
      <Card title="Volume" className="lg:col-span-2">
        <p className="mb-3 flex flex-wrap items-baseline gap-x-2">
          {/* By provider, an email counts for its first recipient only, so the number of emails would be misleading. */}
          {filter.provider === undefined && (
            <EmailsLink
              value={all.total.emails}
              counts={whole}
              retainedSince={retainedSince}
              className={LARGE}
            >
              {number(all.total.emails)}
            </EmailsLink>
          )}
          <span className="text-muted">
            {filter.provider === undefined && (all.total.emails === 1 ? 'email to ' : 'emails to ')}
            <EmailsLink
              value={all.total.recipients}
              counts={{ ...whole, outcome: 'any' }}
              retainedSince={retainedSince}
              {...(filter.provider !== undefined && { className: `${LARGE} text-text` })}
            >
              {number(all.total.recipients)}
            </EmailsLink>{' '}
            {all.total.recipients === 1 ? 'recipient' : 'recipients'}
            {metrics.by === 'tag' && '. An email counts once for each of its tags.'}
          </span>
        </p>
        <Drawing
          {...drawing}
          opens="any"
          label="Volume"
          shape={VOLUME}
          total={number}
          lines={
            isCompared
              ? compared(({ recipients }) => recipients, 'any')
              : [
                  count('delivered', 'chart-1', 'delivered'),
                  count('in transit or scheduled', 'edge', 'pending'),
                  count('failed', 'warn', 'failed'),
                  count('bounced', 'bad', 'bounced'),
                ]
          }
        />
      </Card>
      <Card title="Bounced">
        <Lead>As a share of all recipients.</Lead>
        <Drawing
          {...drawing}
          opens="bounced"
          label="Bounced"
          shape={BOUNCES}
          lines={
            isCompared
              ? compared(bounceRate, 'bounced')
              : [
                  line('all', 'chart-1', bounceRate, 'bounced'),
                  line('hard bounces', 'chart-4', hardBounceRate, 'hard'),
                ]
          }
        />
      </Card>
      <Card title="Complained">
        <Lead>As a share of delivered emails.</Lead>
        <Drawing
          {...drawing}
          opens="complained"
          label="Complained"
          shape={COMPLAINTS}
          lines={
            isCompared
              ? compared(complaintRate, 'complained')
              : [line('reported as spam', 'chart-1', complaintRate, 'complained')]
          }
        />
      </Card>
      <Card
        title="Time to delivery"
        aside={
          isCompared && (
            <Segmented
              label="Percentile"
              value={shown}
              options={PERCENTILES}
              onChange={(value) => setPercentile(value === 'p90' ? '' : value)}
            />
          )
        }
      >
        <Lead>
          {isCompared ? PERCENTILE_WORDS[shown] : 'Time until 50%, 90% and 99% of emails were delivered.'}
        </Lead>
        <Drawing
          {...drawing}
          opens="delivered"
          label="Time to delivery"
          shape={LATENCY}
          total={durationText}
          lines={
            isCompared
              ? compared((counts) => counts[shown])
              : [
                  line('p50', 'chart-3', ({ p50 }) => p50),
                  line('p90', 'chart-1', ({ p90 }) => p90),
                  line('p99', 'chart-4', ({ p99 }) => p99),
                ]
          }
        />
      </Card>
      <Card
        title="Opened"
        aside={
          isCompared && (
            <Segmented
              label="Opened by"
              value={isByMachines ? 'machines' : 'people'}
              options={OPENERS}
              onChange={(value) => setOpener(value === 'people' ? '' : value)}
            />
          )
        }
      >
        <Lead>
          {isOpened
            ? 'As a share of delivered emails, with and without tracking. “Machines” are mail proxies and scanners, not people.'
            : 'No opens were recorded. Opens of emails that were sent without tracking are not known.'}
        </Lead>
        <Drawing
          {...drawing}
          opens={isCompared ? openers : 'opened-by-people'}
          label="Opened"
          shape={RATES}
          lines={
            isCompared
              ? compared(isByMachines ? machineRate : openRate, openers)
              : [
                  line('by people', 'chart-1', openRate, 'opened-by-people'),
                  line('only by machines', 'chart-2', machineRate, 'opened-by-machines'),
                ]
          }
        />
      </Card>
    </div>
  );
}

const PERCENTILE_WORDS = {
  p50: 'Time until 50% of emails were delivered.',
  p90: 'Time until 90% of emails were delivered.',
  p99: 'Time until 99% of emails were delivered.',
} as const;

const VOLUME: Shape = { kind: 'bars', format: number, formatTick: shortCount };
const RATES: Shape = { kind: 'lines', format: shareText };
const BOUNCES: Shape = { ...RATES, limits: BOUNCE_LIMITS };
const COMPLAINTS: Shape = { ...RATES, limits: COMPLAINT_LIMITS };
const LATENCY: Shape = { kind: 'lines', format: durationText, isLogarithmic: true };

function Lead({ children }: { children: ReactNode }) {
  return <p className="mb-3 text-sm text-pretty text-muted">{children}</p>;
}

interface DrawingProps {
  metrics: Metrics;
  filter: MetricsFilter;
  /** The recipients whose emails a time step opens. */
  opens: CountedOutcome;
  label: string;
  shape: Shape;
  lines: readonly Line[];
  total?: (value: number) => string;
}

function Drawing({ metrics, filter, opens, label, shape, lines, total = shareText }: DrawingProps) {
  const { all, by, retained_since: retainedSince, steps, step_hours } = metrics;
  const navigate = useNavigate();
  const series = lines.map(({ name, color, of, value, outcome }): ChartSeries => {
    const sum = value(of.total);
    const text = sum === null ? '–' : total(sum);
    const counted = of === all ? countedIn(filter, 'all', of) : countedIn(filter, by, of);
    return {
      name,
      color,
      values: valuesOf(of, value),
      total: outcome ? (
        <EmailsLink
          value={COUNTS[outcome](of.total)}
          counts={counted && { since: steps[0] ?? '', ...counted, outcome }}
          retainedSince={retainedSince}
          reason={UNNAMED}
        >
          {text}
        </EmailsLink>
      ) : (
        text
      ),
    };
  });
  const counts = valuesOf(all, COUNTS[opens]);
  return (
    <Chart
      {...shape}
      label={`${label} over time (UTC)`}
      steps={steps.map((begin) => stepText(begin, step_hours))}
      ticks={steps.map((begin) => tickText(begin, step_hours))}
      series={series}
      opens={(step) => {
        const counted = { ...countedIn(filter, 'all', all), ...stepRange(metrics, step), outcome: opens };
        if (counts[step] === 0 || !isRetained(counted, retainedSince)) return null;
        return () => void navigate({ to: '/emails', search: { q: searchFor(counted) } });
      }}
    />
  );
}
