/**
 * An implementation of the OpenTelemetry API. Loaded with `--import` into a service under test, in place of an operator's SDK, it writes
 * each ended span as a line of JSON to the file POSTHORN_TEST_SPANS.
 */
import { randomBytes } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import {
  type Attributes,
  type Context,
  context,
  type Link,
  propagation,
  type Span,
  type SpanContext,
  type SpanOptions,
  SpanKind,
  type SpanStatus,
  SpanStatusCode,
  type TextMapPropagator,
  trace,
  TraceFlags,
  type TracerProvider,
} from '@opentelemetry/api';

export interface RecordedSpan {
  name: string;
  kind: 'SERVER' | 'CLIENT' | 'INTERNAL' | 'PRODUCER' | 'CONSUMER';
  traceId: string;
  spanId: string;
  parentSpanId: string | null;
  links: { traceId: string; spanId: string }[];
  attributes: Attributes;
  status: 'UNSET' | 'OK' | 'ERROR';
  durationMs: number;
}

const FILE = process.env['POSTHORN_TEST_SPANS'] ?? '/dev/null';
/** The prefix of trace ids that are not sampled. */
const UNSAMPLED = '0'.repeat(31);

class RecordingSpan implements Span {
  readonly #startedMs = performance.now();
  readonly #context: SpanContext;
  readonly #about: Pick<RecordedSpan, 'name' | 'kind' | 'parentSpanId' | 'links'>;
  readonly #attributes: Attributes = {};
  #status: RecordedSpan['status'] = 'UNSET';

  constructor(name: string, { kind = SpanKind.INTERNAL, links = [] }: SpanOptions, parent?: SpanContext) {
    const isSampled = parent === undefined || !parent.traceId.startsWith(UNSAMPLED);
    this.#context = {
      traceId: parent?.traceId ?? randomBytes(16).toString('hex'),
      spanId: randomBytes(8).toString('hex'),
      traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
    };
    this.#about = {
      name,
      kind: SpanKind[kind] as RecordedSpan['kind'],
      parentSpanId: parent?.spanId ?? null,
      links: links.map(({ context: { traceId, spanId } }) => ({ traceId, spanId })),
    };
  }

  spanContext = (): SpanContext => this.#context;
  isRecording = (): boolean => (this.#context.traceFlags & TraceFlags.SAMPLED) !== 0;

  setAttributes(attributes: Attributes): this {
    Object.assign(this.#attributes, attributes);
    return this;
  }

  setAttribute(name: string, value: Attributes[string]): this {
    return this.setAttributes({ [name]: value });
  }

  setStatus({ code }: SpanStatus): this {
    this.#status = SpanStatusCode[code] as RecordedSpan['status'];
    return this;
  }

  end(): void {
    if (!this.isRecording()) return;
    const { traceId, spanId } = this.#context;
    const span: RecordedSpan = {
      ...this.#about,
      traceId,
      spanId,
      attributes: this.#attributes,
      status: this.#status,
      durationMs: performance.now() - this.#startedMs,
    };
    appendFileSync(FILE, `${JSON.stringify(span)}\n`);
  }

  addEvent = (): this => this;
  addLink = (_link: Link): this => this;
  addLinks = (_links: Link[]): this => this;
  updateName = (): this => this;
  recordException(): void {}
}

const provider: TracerProvider = {
  getTracer: () => ({
    startSpan(name: string, options: SpanOptions = {}, parent: Context = context.active()) {
      return new RecordingSpan(
        name,
        options,
        options.root === true ? undefined : trace.getSpanContext(parent),
      );
    },
    startActiveSpan() {
      throw new Error('no span of the service is active');
    },
  }),
};

/** A propagator for W3C Trace Context, with only the functions that the tests need. */
const propagator: TextMapPropagator = {
  inject() {},
  extract(active, carrier, getter) {
    const header = String(getter.get(carrier, 'traceparent'));
    const [, traceId = '', spanId = '', flags = ''] =
      /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(header) ?? [];
    if (traceId === '') return active;
    const traceFlags = Number.parseInt(flags, 16);
    return trace.setSpanContext(active, { traceId, spanId, traceFlags, isRemote: true });
  },
  fields: () => ['traceparent'],
};

trace.setGlobalTracerProvider(provider);
propagation.setGlobalPropagator(propagator);
