/** The registries of instruments. Each process has its own registries; the process that serves `/metrics` merges them. */
import { collectDefaultMetrics, Registry } from 'prom-client';

/** Metrics of one process. Every series gets the label `process`. */
export const registry = new Registry();

/** Metrics of the whole instance or of its database, which only one process reports. */
export const instanceRegistry = new Registry();

/**
 * Default metrics of prom-client that are left out: gauges that are named like counters, metrics that use private interfaces of Node, and
 * metrics with too many series.
 */
const DROPPED_METRICS = [
  'nodejs_active_handles',
  'nodejs_active_handles_total',
  'nodejs_active_requests',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
  'nodejs_heap_space_size_total_bytes',
  'nodejs_heap_space_size_used_bytes',
  'nodejs_heap_space_size_available_bytes',
];

/** The interval at which the event-loop delay is sampled. The library's default of 10 ms costs an idle process 1 % of a core. */
const EVENT_LOOP_PRECISION_MS = 50;

/**
 * Starts measuring this process: processor time, memory, event loop, garbage collection.
 * @param name the value of the label `process`, from a small set. A process that replaces a crashed process has the same name
 */
export function measureProcess(name: string): void {
  registry.setDefaultLabels({ process: name });
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: EVENT_LOOP_PRECISION_MS });
  for (const name of DROPPED_METRICS) registry.removeSingleMetric(name);
}
