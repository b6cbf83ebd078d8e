/** Creates instruments: the counters, gauges and histograms that measure the service. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { instanceRegistry, registry } from './registry.ts';

/** The possible values of each label. Null if a function limits the values. */
type LabelValues<L extends string> = Readonly<Record<L, readonly string[] | null>>;

/** The label values of each instrument with labels, by its name. */
export const labelValuesOf = new Map<string, LabelValues<string>>();

/** A counter of this process. */
export function counter<const L extends string = never>(
  name: string,
  help: string,
  values?: LabelValues<L>,
): Counter<L> {
  const made = new Counter(settings(registry, name, help, values));
  for (const labels of combinations(values ?? {})) made.inc(labels, 0);
  return made;
}

/** A histogram of this process. @param buckets upper bounds, in the base unit of the name */
export function histogram<const L extends string = never>(
  name: string,
  help: string,
  buckets: readonly number[],
  values?: LabelValues<L>,
): Histogram<L> {
  return new Histogram({ ...settings(registry, name, help, values), buckets: [...buckets] });
}

/** A gauge of this process. @param collect sets the gauge at each scrape */
export function gauge<const L extends string = never>(
  name: string,
  help: string,
  values?: LabelValues<L>,
  collect?: (gauge: Gauge<L>) => void,
): Gauge<L> {
  const made: Gauge<L> = new Gauge({
    ...settings(registry, name, help, values),
    ...(collect !== undefined && { collect: () => collect(made) }),
  });
  return made;
}

/** A metric of the whole instance or of its database, which only one process reports. While its value is not known, it has no series. */
export interface Figure<L extends string> {
  set(labels: Record<L, string>, value: number): void;
  withdraw(): void;
}

export function instanceGauge<const L extends string = never>(
  name: string,
  help: string,
  values?: LabelValues<L>,
): Figure<L> {
  const made = new Gauge(settings(instanceRegistry, name, help, values));
  return withdrawn(made, values, (labels, value) => made.set(labels, value));
}

/** A counter whose total is counted by another program, such as PostgreSQL. `set` replaces the total. */
export function instanceCounter<const L extends string = never>(
  name: string,
  help: string,
  values?: LabelValues<L>,
): Figure<L> {
  const made = new Counter(settings(instanceRegistry, name, help, values));
  return withdrawn(made, values, (labels, value) => {
    made.remove(labels);
    made.inc(labels, value);
  });
}

function withdrawn<L extends string>(
  made: { reset(): void; remove(): void },
  values: LabelValues<L> | undefined,
  set: Figure<L>['set'],
): Figure<L> {
  const withdraw = (): void => {
    made.reset();
    // `reset` would leave a metric without labels at 0, so remove the metric instead.
    if (values === undefined) made.remove();
  };
  withdraw();
  return { set, withdraw };
}

function settings<L extends string>(
  to: Registry,
  name: string,
  help: string,
  values: LabelValues<L> | undefined,
) {
  if (values !== undefined) labelValuesOf.set(name, values);
  return { name, help, labelNames: Object.keys(values ?? {}) as L[], registers: [to] };
}

/**
 * All combinations of the label values; none if the values of a label are not known in advance. Series for these combinations start at 0
 * immediately. If a series appeared with its first event, at 1, `increase` in PromQL would not count that event.
 */
function combinations<L extends string>(values: LabelValues<L> | Record<string, never>): Record<L, string>[] {
  const labels = Object.entries(values) as [L, readonly string[] | null][];
  if (labels.length === 0) return [];
  return labels.reduce<Record<L, string>[]>(
    (made, [label, each]) => (each ?? []).flatMap((value) => made.map((one) => ({ ...one, [label]: value }))),
    [{} as Record<L, string>],
  );
}
