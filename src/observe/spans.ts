/**
 * Tracing spans, for operators who load an OpenTelemetry SDK into the service (`docs/operate/tracing.md`). Without an SDK, spans are not
 * recorded and cost almost nothing, because `describe` is not called. Spans contain no secrets, no addresses and no text from other
 * servers.
 */
import {
  type Attributes,
  context,
  propagation,
  ProxyTracerProvider,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { within } from '../concurrency/within.ts';
import { spanContextOf } from './trace-parent.ts';

export type { Span } from '@opentelemetry/api';

const NAME = 'posthorn';
/** The time limit for exporting buffered spans at shutdown. The whole shutdown may take ten seconds. */
const FLUSH_PATIENCE_MS = 1_000;

const tracer = trace.getTracer(NAME);

/** Starts a span for a client's request. @param headers the headers of the request, which may name a parent trace */
export function startServerSpan(name: string, headers: Record<string, unknown>): Span {
  const parent = propagation.extract(context.active(), headers);
  return tracer.startSpan(name, { kind: SpanKind.SERVER }, parent);
}

/** Starts a span for a request that the service makes. @param traceParent the trace that caused the request, if any */
export function startClientSpan(name: string, traceParent: string | null): Span {
  const cause = traceParent === null ? null : spanContextOf(traceParent);
  const links = cause === null ? [] : [{ context: cause }];
  return tracer.startSpan(name, { kind: SpanKind.CLIENT, links, root: true });
}

export interface SpanDescription {
  attributes: Attributes;
  /** The type of the error. Null if the work succeeded. */
  errorType: string | null;
}

/** @param describe called only if the span is recorded */
export function endSpan(span: Span, describe: () => SpanDescription): void {
  if (span.isRecording()) {
    const { attributes, errorType } = describe();
    span.setAttributes(attributes);
    if (errorType !== null) {
      span.setAttribute('error.type', errorType);
      span.setStatus({ code: SpanStatusCode.ERROR });
    }
  }
  span.end();
}

/** Whether spans are recorded. */
export function isTracing(): boolean {
  const provider = trace.getTracerProvider();
  return !(provider instanceof ProxyTracerProvider) || provider.getDelegateTracer(NAME) !== undefined;
}

/** Lets the SDK export its buffered spans before the process exits, for at most a second. Never rejects. */
export async function flushSpans(): Promise<void> {
  const provider = trace.getTracerProvider();
  const sdk = ('getDelegate' in provider ? (provider as ProxyTracerProvider).getDelegate() : provider) as {
    forceFlush?: () => Promise<void>;
  };
  await within(FLUSH_PATIENCE_MS, sdk.forceFlush?.().catch(() => {}) ?? Promise.resolve(), undefined);
}
