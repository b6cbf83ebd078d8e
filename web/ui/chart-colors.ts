/** Colors for chart series. The class names are complete, so that Tailwind finds them. */
export const CHART_DOTS = {
  'chart-1': 'bg-chart-1',
  'chart-2': 'bg-chart-2',
  'chart-3': 'bg-chart-3',
  'chart-4': 'bg-chart-4',
  'chart-5': 'bg-chart-5',
  'chart-6': 'bg-chart-6',
  'chart-7': 'bg-chart-7',
  'chart-8': 'bg-chart-8',
  edge: 'bg-edge',
  warn: 'bg-warn',
  bad: 'bg-bad',
} as const;

export type ChartColor = keyof typeof CHART_DOTS;
