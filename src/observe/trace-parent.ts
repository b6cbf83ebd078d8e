/** The W3C `traceparent` (Trace Context, section 3.2), stored in the database to continue a trace in another process. */
import { isSpanContextValid, type SpanContext, TraceFlags } from '@opentelemetry/api';

const VERSION = '00';
const PATTERN = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** @returns null if spans are not recorded, or if the trace of this span is not sampled */
export function traceParentOf(span: SpanContext): string | null {
  if (!isSpanContextValid(span) || (span.traceFlags & TraceFlags.SAMPLED) === 0) return null;
  return `${VERSION}-${span.traceId}-${span.spanId}-${span.traceFlags.toString(16).padStart(2, '0')}`;
}

/** @returns null for any text that `traceParentOf` does not write */
export function spanContextOf(traceParent: string): SpanContext | null {
  const [, traceId = '', spanId = '', flags = ''] = PATTERN.exec(traceParent) ?? [];
  const context = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  return isSpanContextValid(context) ? context : null;
}
