/**
 * Spans, for operators who load an OpenTelemetry SDK into the service (`docs/operate/tracing.md`). Without one they cost next to
 * nothing: a span is described only when it is recorded. Spans hold no secret, no address and no words of a far side.
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
/** A part of the ten seconds that a stop may take. */
const FLUSH_PATIENCE_MS = 1_000;

const tracer = trace.getTracer(NAME);

/** Work that the service does for a client. @param headers which may name the trace that it is a part of */
export function startServerSpan(name: string, headers: Record<string, unknown>): Span {
  const parent = propagation.extract(context.active(), headers);
  return tracer.startSpan(name, { kind: SpanKind.SERVER }, parent);
}

/** A request that the service makes. @param traceParent of what caused it, if that was traced */
export function startClientSpan(name: string, traceParent: string | null): Span {
  const cause = traceParent === null ? null : spanContextOf(traceParent);
  const links = cause === null ? [] : [{ context: cause }];
  return tracer.startSpan(name, { kind: SpanKind.CLIENT, links, root: true });
}

export interface SpanDescription {
  attributes: Attributes;
  /** What kind of error it was; null: none. */
  errorType: string | null;
}

/** @param describe called only where the span is recorded */
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

/** An SDK that gathers spans hands them on, before the process exits: it has a second. Never rejects. */
export async function flushSpans(): Promise<void> {
  const provider = trace.getTracerProvider();
  const sdk = ('getDelegate' in provider ? (provider as ProxyTracerProvider).getDelegate() : provider) as {
    forceFlush?: () => Promise<void>;
  };
  await within(FLUSH_PATIENCE_MS, sdk.forceFlush?.().catch(() => {}) ?? Promise.resolve(), undefined);
}
