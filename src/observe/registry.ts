/** Where instruments are registered. Each process has its own; the process that serves `/metrics` puts them together. */
import { collectDefaultMetrics, Registry } from 'prom-client';

/** What one process counts. Every series gets the label `process`. */
export const registry = new Registry();

/** What is true of the instance, or of its database, and told by one process alone. */
export const instanceRegistry = new Registry();

/** Gauges that are named like counters, figures from Node's private interfaces, and those with too many series for their use. */
const UNWANTED = [
  'nodejs_active_handles',
  'nodejs_active_handles_total',
  'nodejs_active_requests',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
  'nodejs_heap_space_size_total_bytes',
  'nodejs_heap_space_size_used_bytes',
  'nodejs_heap_space_size_available_bytes',
];

/** Time between two checks of the event loop: at the library's 10 ms they cost an idle process 1 % of a core. */
const EVENT_LOOP_PRECISION_MS = 50;

/**
 * Begins to measure this process itself: processor time, memory, event loop, garbage collection.
 * @param name value of the label `process`: one of a few, and the same for the process that takes over when this one dies
 */
export function measureProcess(name: string): void {
  registry.setDefaultLabels({ process: name });
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: EVENT_LOOP_PRECISION_MS });
  for (const unwanted of UNWANTED) registry.removeSingleMetric(unwanted);
}
