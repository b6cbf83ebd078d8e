import type { ReactNode } from 'react';
import type { Metrics, MetricsSeries } from '../../../../src/contract/dashboard/metrics.ts';
import { Card } from '../../../ui/card.tsx';
import { Chart, type ChartProps, type ChartSeries } from '../../../ui/chart.tsx';
import type { ChartColor } from '../../../ui/chart-colors.ts';
import { Segmented } from '../../../ui/segmented.tsx';
import { useSearchParam } from '../../../ui/search-params.ts';
import {
  bouncedOf,
  bounceRate,
  complaintRate,
  hardBounceRate,
  machineRate,
  onTheWay,
  openRate,
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
}

type Shape = Pick<ChartProps, 'kind' | 'format' | 'formatTick' | 'limits' | 'isLogarithmic'>;

/** All charts of a time range. The charts show the totals, or compare the parts. */
export function Charts({ metrics }: { metrics: Metrics }) {
  const { all } = metrics;
  const [percentile, setPercentile] = useSearchParam('percentile');
  const [opener, setOpener] = useSearchParam('opened-by');
  const shown = PERCENTILES.find(({ value }) => value === percentile)?.value ?? 'p90';
  const isByMachines = opener === 'machines';
  const isCompared = metrics.by !== 'all';
  const compared = (value: Line['value']): Line[] =>
    metrics.parts.map((part, at) => ({
      name: nameOf(part, metrics.by),
      color: part.is_rest ? 'edge' : (COLORS[at] ?? 'edge'),
      of: part,
      value,
    }));
  const line = (name: string, color: ChartColor, value: Line['value']): Line => ({
    name,
    color,
    of: all,
    value,
  });
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4 lg:grid-cols-2">
      <Card title="Volume" className="lg:col-span-2">
        <p className="mb-3 flex flex-wrap items-baseline gap-x-2">
          <span className="text-2xl font-semibold tabular-nums">{number(all.total.emails)}</span>
          <span className="text-muted">
            {all.total.emails === 1 ? 'email' : 'emails'} to {number(all.total.recipients)}{' '}
            {all.total.recipients === 1 ? 'recipient' : 'recipients'}
            {metrics.by === 'tag' && '. An email counts once for each of its tags.'}
          </span>
        </p>
        <Drawing
          metrics={metrics}
          label="Volume"
          shape={VOLUME}
          total={number}
          lines={
            isCompared
              ? compared(({ recipients }) => recipients)
              : [
                  line('delivered', 'chart-1', ({ delivered }) => delivered),
                  line('in transit or scheduled', 'edge', onTheWay),
                  line('failed', 'warn', ({ failed }) => failed),
                  line('bounced', 'bad', bouncedOf),
                ]
          }
        />
      </Card>
      <Card title="Bounced">
        <Lead>As a share of all recipients.</Lead>
        <Drawing
          metrics={metrics}
          label="Bounced"
          shape={BOUNCES}
          lines={
            isCompared
              ? compared(bounceRate)
              : [line('all', 'chart-1', bounceRate), line('hard bounces', 'chart-4', hardBounceRate)]
          }
        />
      </Card>
      <Card title="Complained">
        <Lead>As a share of delivered emails.</Lead>
        <Drawing
          metrics={metrics}
          label="Complained"
          shape={COMPLAINTS}
          lines={isCompared ? compared(complaintRate) : [line('reported as spam', 'chart-1', complaintRate)]}
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
          metrics={metrics}
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
        <Lead>As a share of delivered emails. “Machines” are mail proxies and scanners, not people.</Lead>
        <Drawing
          metrics={metrics}
          label="Opened"
          shape={RATES}
          lines={
            isCompared
              ? compared(isByMachines ? machineRate : openRate)
              : [line('by people', 'chart-1', openRate), line('only by machines', 'chart-2', machineRate)]
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
  label: string;
  shape: Shape;
  lines: readonly Line[];
  total?: (value: number) => string;
}

function Drawing({ metrics: { steps, step_hours }, label, shape, lines, total = shareText }: DrawingProps) {
  const series = lines.map(({ name, color, of, value }): ChartSeries => {
    const sum = value(of.total);
    return { name, color, values: valuesOf(of, value), total: sum === null ? '–' : total(sum) };
  });
  return (
    <Chart
      {...shape}
      label={`${label} over time (UTC)`}
      steps={steps.map((begin) => stepText(begin, step_hours))}
      ticks={steps.map((begin) => tickText(begin, step_hours))}
      series={series}
    />
  );
}
