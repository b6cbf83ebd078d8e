/** The part of a chart that is drawn on a canvas. Loaded on demand by `chart.tsx`. */
import { type PointerEvent, useEffect, useRef } from 'react';
import type uPlot from 'uplot';
import type { ChartProps } from './chart.tsx';
import { drawChart } from './draw-chart.ts';

const NONE: NonNullable<ChartProps['limits']> = [];

export interface PlotProps
  extends Pick<
    ChartProps,
    'series' | 'ticks' | 'kind' | 'format' | 'formatTick' | 'limits' | 'isLogarithmic'
  > {
  /** The selected step; null if no step is selected. */
  at: number | null;
  onAt(at: number | null): void;
}

export default function Plot({
  series,
  ticks,
  kind,
  format,
  formatTick = format,
  limits = NONE,
  isLogarithmic = false,
  at,
  onAt,
}: PlotProps) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  // Redraws when the data changes, and when the system switches between light and dark.
  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const begin = () => {
      plot.current?.destroy();
      plot.current = drawChart(element, { series, ticks, kind, formatTick, limits, isLogarithmic });
    };
    begin();
    const dark = matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', begin);
    const sizes = new ResizeObserver(() => {
      plot.current?.setSize({ width: element.clientWidth, height: element.clientHeight });
    });
    sizes.observe(element);
    return () => {
      dark.removeEventListener('change', begin);
      sizes.disconnect();
      plot.current?.destroy();
      plot.current = null;
    };
  }, [series, ticks, kind, formatTick, limits, isLogarithmic]);

  useEffect(() => {
    const self = plot.current;
    if (self === null || (self.cursor.idx ?? null) === at) return;
    const left = at === null ? -10 : self.valToPos(at, 'x');
    self.setCursor({ left, top: at === null ? -10 : 0 }, false);
  }, [at]);

  const onPointerMove = ({ clientX }: PointerEvent) => {
    const self = plot.current;
    if (self === null) return;
    const left = clientX - self.over.getBoundingClientRect().left;
    onAt(left < 0 || left > self.over.clientWidth ? null : self.posToIdx(left));
  };
  return (
    <div
      ref={box}
      className="absolute inset-0"
      onPointerMove={onPointerMove}
      onPointerDown={onPointerMove}
      onPointerLeave={() => onAt(null)}
    />
  );
}
