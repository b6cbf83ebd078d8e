/** Draws a chart on a canvas. Loaded on demand by `chart.tsx`. */
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { ChartColor } from './chart-colors.ts';
import type { ChartProps, ChartSeries } from './chart.tsx';

/** A line with this many steps or more is drawn without points. */
const DENSE = 40;
const LABEL_WIDTH = 84;
const BARS = uPlot.paths.bars?.({ size: [0.72, 48] });

export type Drawn = Pick<ChartProps, 'series' | 'ticks' | 'kind'> &
  Required<Pick<ChartProps, 'formatTick' | 'limits' | 'isLogarithmic'>>;

export function drawChart(
  element: HTMLElement,
  { series, ticks, kind, formatTick, limits, isLogarithmic }: Drawn,
): uPlot {
  const color = (token: ChartColor | 'faint' | 'line' | 'page') => colorOf(element, token);
  const length = ticks.length;
  const shown = kind === 'bars' ? stacked(series) : isLogarithmic ? series.map(toPowers) : series;
  const options: uPlot.Options = {
    width: element.clientWidth,
    height: element.clientHeight,
    legend: { show: false },
    padding: [12, 8, 0, 0],
    cursor: { y: false, points: { show: kind === 'lines' }, drag: { x: false, y: false } },
    scales: {
      x: { time: false, range: [-0.5, length - 0.5] },
      y: isLogarithmic
        ? { range: (_, min, max) => durationsAround(min, max) }
        : { range: (_, __, max) => [0, endOf(Math.max(max ?? 0, ...limits.map(({ value }) => value)))] },
    },
    axes: [
      {
        stroke: color('faint'),
        font: fontOf(element),
        size: 28,
        grid: { show: false },
        ticks: { show: false },
        splits: (self) => labeled(ticks, self.width),
        values: (_, splits) => splits.map((each) => ticks[each] ?? ''),
      },
      {
        stroke: color('faint'),
        font: fontOf(element),
        size: 60,
        gap: 8,
        space: 36,
        grid: { stroke: color('line'), width: 1 },
        ticks: { show: false },
        ...(isLogarithmic && {
          splits: (_, __, min, max) => POWERS.filter((each) => each >= min && each <= max),
        }),
        values: (_, splits) => splits.map((each) => formatTick(isLogarithmic ? 10 ** each : each)),
      },
    ],
    series: [
      {},
      ...shown.map(({ color: token }) => ({
        stroke: color(token),
        ...(kind === 'bars'
          ? {
              fill: color(token),
              width: 0,
              points: { show: false },
              ...(BARS && { paths: BARS }),
            }
          : { width: 2, points: { show: length < DENSE, size: 5, fill: color(token), filter: aloneIn } }),
      })),
    ],
    hooks: { draw: [(self) => drawLimits(self, limits, color)] },
  };
  const data = [ticks.map((_, step) => step), ...shown.map(({ values }) => values)] as uPlot.AlignedData;
  return new uPlot(options, data, element);
}

/** The current value of a color token, because a canvas cannot use CSS variables. */
function colorOf(element: HTMLElement, token: string): string {
  element.style.color = `var(--color-${token})`;
  const { color } = getComputedStyle(element);
  element.style.color = '';
  return color;
}

function fontOf(element: HTMLElement): string {
  return `12px ${getComputedStyle(element).fontFamily}`;
}

/**
 * Converts stacked bars to overlapping bars, the total first, so that each bar remains visible above the next, shorter
 * bar.
 */
function stacked(series: readonly ChartSeries[]): readonly ChartSeries[] {
  const sums: number[] = [];
  return series
    .map(({ values, ...rest }) => ({
      ...rest,
      values: values.map((value, at) => (sums[at] = (sums[at] ?? 0) + (value ?? 0))),
    }))
    .toReversed();
}

function endOf(max: number): number {
  return max === 0 ? 1 : max * 1.08;
}

/**
 * The steps to label: as many as fit into the width. Of several steps on one day, only the first step is labeled. A
 * day whose start is not shown has no label.
 */
function labeled(ticks: readonly string[], width: number): number[] {
  const begins = [...ticks.keys()].filter((at) => ticks[at] !== ticks[at - 1]);
  const [first = 0, second = 0, third = 0] = begins;
  const firsts = second - first < third - second ? begins.slice(1) : begins;
  const nth = Math.max(1, Math.ceil(firsts.length / Math.max(1, Math.floor(width / LABEL_WIDTH))));
  return firsts.filter((_, at) => (firsts.length - 1 - at) % nth === Math.floor(nth / 2) % nth);
}

/** The labels for a logarithmic axis with durations, in ms. */
const DURATIONS = [
  10,
  100,
  1_000,
  10_000,
  60_000,
  600_000,
  3_600_000,
  6 * 3_600_000,
  86_400_000,
  4 * 86_400_000,
  40 * 86_400_000,
];

const POWERS = DURATIONS.map(Math.log10);

function toPowers({ values, ...rest }: ChartSeries): ChartSeries {
  return { ...rest, values: values.map((value) => (value === null ? null : Math.log10(Math.max(1, value)))) };
}

/**
 * The labels around the values of a chart: the last one below the smallest value, and the first one above the largest. `min` and `max` are
 * null if the chart is empty.
 */
function durationsAround(min: number | null, max: number | null): [number, number] {
  const first = POWERS.findLast((each) => each <= (min ?? 3)) ?? 0;
  const last = POWERS.find((each) => each >= (max ?? 3) && each > first) ?? first + 1;
  return [first, last];
}

/** The steps whose value lies between two gaps. No line leads to such a value, so it is drawn as a point. */
function aloneIn(self: uPlot, at: number, isShown: boolean): number[] | null {
  if (isShown) return null;
  const values = self.data[at] ?? [];
  return [...values.keys()].filter(
    (step) => values[step] != null && values[step - 1] == null && values[step + 1] == null,
  );
}

function drawLimits(
  { ctx, bbox, valToPos }: uPlot,
  limits: NonNullable<ChartProps['limits']>,
  color: (token: 'warn' | 'bad' | 'page') => string,
): void {
  ctx.save();
  // The names of limits that are close to each other are stacked, the lowest limit at the bottom.
  let free = Number.POSITIVE_INFINITY;
  for (const { value, name, tone } of limits.toSorted((a, b) => a.value - b.value)) {
    const y = Math.round(valToPos(value, 'y', true));
    if (y < bbox.top || y > bbox.top + bbox.height) continue;
    const bottom = Math.min(y, free);
    free = bottom - 15 * devicePixelRatio;
    ctx.strokeStyle = color(tone);
    ctx.lineWidth = devicePixelRatio;
    ctx.setLineDash([4 * devicePixelRatio, 4 * devicePixelRatio]);
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
    // The background hides lines behind the text.
    ctx.setLineDash([]);
    ctx.textBaseline = 'bottom';
    ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
    ctx.textAlign = 'right';
    const right = bbox.left + bbox.width - 4 * devicePixelRatio;
    const width = ctx.measureText(name).width;
    ctx.fillStyle = color('page');
    ctx.fillRect(
      right - width - 3 * devicePixelRatio,
      free,
      width + 6 * devicePixelRatio,
      14 * devicePixelRatio,
    );
    ctx.fillStyle = color(tone);
    ctx.fillText(name, right, bottom - 2 * devicePixelRatio);
  }
  ctx.restore();
}
