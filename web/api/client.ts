/**
 * The base of both applications' API clients. Sends requests with the session's token, turns error responses into
 * errors, and notifies the shell of problems that the shell must handle, such as the end of a session.
 */
import type { Client } from 'openapi-fetch';

/** The response header that identifies the release of the server's pages. If its value changes, another release is running. */
const PAGES_HEADER = 'posthorn-pages';

/** An error response from the service: a problem document (RFC 9457). */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';
  readonly status: number;
  /** `not-found`, `validation-failed`, … */
  readonly slug: string;
  /** Error messages, by the name of the field. */
  readonly errors: Readonly<Record<string, string>>;

  constructor(status: number, { type, title, detail, errors }: ProblemBody) {
    super(detail ?? title ?? `The service responded with status ${status}.`);
    this.status = status;
    this.slug = type?.split('/').at(-1) ?? '';
    this.errors = errors ?? {};
  }

  get hasFields(): boolean {
    return Object.keys(this.errors).length > 0;
  }
}

interface ProblemBody {
  type?: string;
  title?: string;
  detail?: string;
  errors?: Readonly<Record<string, string>>;
}

/** The service did not respond. */
export class ServiceAway extends Error {
  override readonly name = 'ServiceAway';

  /** @param isRead whether the call changes nothing. The result of a change is unknown, because its response may be what was lost. */
  constructor(isRead = true, cause?: unknown) {
    super(
      `There was no response from the server.${isRead ? '' : ' Check whether the change was made before you try again.'}`,
      { cause },
    );
  }
}

/** How long a call, or loading code, may take before the page doubts whether the server works. */
export const SLOW_MS = 2_500;
/** If a timer is this late, the page did not run: the computer slept, or the browser had stopped a page in the background. */
const STOPPED_MS = 2_000;

/** A failure between the browser and the device that stores the passkey. */
export class PasskeyFailure extends Error {
  override readonly name = 'PasskeyFailure';
}

/** The ids in a path, by name: `{ mailbox: 'mbx_…' }`. */
export type PathValues = Readonly<Record<string, string>>;

export interface Handlers {
  /** Called when the session has ended. @param path the ids in the path of the call that was rejected */
  onSignedOut(path: PathValues): void;
  /** Called if an organization requires a stronger sign-in than the one of this session. */
  onWeakSignIn?(): void;
  /** Asks the user to confirm their identity. @returns whether the user did */
  confirm(path: PathValues): Promise<boolean>;
  /** Called when the service responds. */
  onHeard(): void;
  /** Called when a call has had no response. */
  onUnheard(): void;
  /** Called with whether any read now takes longer than usual. */
  onSlow(isSlow: boolean): void;
  /** Called when a call suggests that the service cannot work at the moment. */
  onDoubt(): void;
  /** Called when the server has a different release of the pages. */
  onOtherPages(): void;
}

let handlers: Handlers | null = null;
let pages: string | null = null;

/** Sets how the shell handles the responses to all calls. */
export function setHandlers(given: Handlers): void {
  handlers = given;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

interface CallOptions {
  params?: { path?: PathValues; query?: Readonly<Record<string, unknown>> };
  body?: unknown;
  signal?: AbortSignal;
}

interface ApiOptions {
  /** The common beginning of all paths. */
  prefix: string;
  /** How long to wait for a response to a read. Must be longer than the time limits of the service, whose errors say more. */
  readTimeoutMs: number;
  /** The session's token, for requests that change something. */
  csrfToken(path: PathValues): string;
}

/**
 * Creates a client with the types of openapi-fetch, but without its runtime, because every page would load that runtime, which has more
 * features than pages need.
 */
export function createApi<Paths extends object>(
  options: ApiOptions,
): Pick<Client<Paths, 'application/json'>, Method> {
  const calling =
    (method: Method) =>
    (path: string, given: CallOptions = {}) =>
      call(options, method, path, given);
  return {
    GET: calling('GET'),
    POST: calling('POST'),
    PUT: calling('PUT'),
    PATCH: calling('PATCH'),
    DELETE: calling('DELETE'),
  } as Pick<Client<Paths, 'application/json'>, Method>;
}

async function call(
  { prefix, readTimeoutMs, csrfToken }: ApiOptions,
  method: Method,
  path: string,
  { params = {}, body, signal }: CallOptions,
) {
  const values = params.path ?? {};
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
  const given = Object.entries(params.query ?? {}).filter(([, value]) => value !== undefined);
  const query = new URLSearchParams(
    given.map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
  const request = () =>
    new Request(`${prefix}${filled}${query && `?${query}`}`, {
      method,
      headers: {
        ...(method !== 'GET' && { 'x-csrf-token': csrfToken(values) }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(signal !== undefined && { signal }),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const { response, text } = await send(request, values, readTimeoutMs);
  // Some operations succeed with an empty body.
  return { data: text === '' ? undefined : (JSON.parse(text) as unknown), response };
}

/** The data in a response. @throws ApiProblem, ServiceAway */
export async function dataOf<Data>(answer: Promise<{ data?: Data }>): Promise<Data> {
  // For an error response, `send` has already thrown. For a response without a body, the data and its type are undefined.
  return (await answer).data as Data;
}

/** The message to show for an error. */
export function messageOf(error: unknown): string {
  if (error instanceof ApiProblem || error instanceof ServiceAway || error instanceof PasskeyFailure)
    return error.message;
  return 'Something went wrong. Reload the page.';
}

/** The field errors in a response; empty for other errors. */
export function fieldErrors(error: unknown): Readonly<Record<string, string>> {
  return error instanceof ApiProblem ? error.errors : {};
}

/** @throws ApiProblem, ServiceAway */
async function send(request: () => Request, values: PathValues, readTimeoutMs: number): Promise<Received> {
  try {
    return await attempt(request(), values, readTimeoutMs);
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.slug !== 'confirmation-required') throw error;
    if ((await handlers?.confirm(values)) !== true) throw error;
    return attempt(request(), values, readTimeoutMs);
  }
}

interface Received {
  response: Response;
  text: string;
}

async function attempt(request: Request, values: PathValues, readTimeoutMs: number): Promise<Received> {
  const { response, text } = await receive(request, readTimeoutMs);
  notePages(response.headers.get(PAGES_HEADER));
  if (response.ok) return { response, text };
  const problem = new ApiProblem(response.status, problemIn(text));
  // The service also responds so if it has too many requests of one kind.
  if (problem.status === 503) handlers?.onDoubt();
  if (problem.slug === 'not-signed-in') handlers?.onSignedOut(values);
  if (problem.slug === 'stronger-sign-in-required') handlers?.onWeakSignIn?.();
  throw problem;
}

/** When the last response of the service began, as `performance.now()`. */
let heardAt = Number.NEGATIVE_INFINITY;
/** The reads that take longer than usual, if no call has had a response since they began. */
const slowReads = new Set<Request>();

function hear(): void {
  heardAt = performance.now();
  handlers?.onHeard();
  if (slowReads.size === 0) return;
  slowReads.clear();
  handlers?.onSlow(false);
}

/** Runs `act` after the time, without the time in which the page did not run. @returns a function that cancels it */
function after(ms: number, act: () => void): () => void {
  let timer: ReturnType<typeof setTimeout>;
  const begin = (): void => {
    const dueAt = performance.now() + ms;
    timer = setTimeout(() => (performance.now() - dueAt < STOPPED_MS ? act() : begin()), ms);
  };
  begin();
  return () => clearTimeout(timer);
}

/**
 * Sends a request and receives the whole response. Only reads have a time limit: verifying a domain or testing a webhook waits for other
 * servers, and a change that is aborted may still have been made.
 * @throws ServiceAway
 */
async function receive(request: Request, readTimeoutMs: number): Promise<Received> {
  const isRead = request.method === 'GET';
  const sentAt = performance.now();
  const late = new AbortController();
  const timers = [
    after(SLOW_MS, () => {
      if (!isRead) return handlers?.onDoubt();
      // If other calls have had responses since, this read is slow, not the server.
      if (heardAt >= sentAt) return;
      slowReads.add(request);
      handlers?.onSlow(true);
    }),
    after(readTimeoutMs, () => isRead && late.abort()),
  ];
  const end = (): void => {
    for (const cancel of timers) cancel();
    if (slowReads.delete(request)) handlers?.onSlow(slowReads.size > 0);
  };
  try {
    const response = await fetch(request, { signal: AbortSignal.any([request.signal, late.signal]) });
    if (isProxyAlone(response)) throw new TypeError(`a proxy responded with status ${response.status}`);
    // The offline copy of the web client also responds while the server is away.
    if (response.headers.has(PAGES_HEADER)) hear();
    // A large response over a slow network may take longer.
    end();
    return { response, text: await response.text() };
  } catch (error) {
    if (request.signal.aborted) throw error;
    handlers?.onUnheard();
    throw new ServiceAway(isRead, error);
  } finally {
    end();
  }
}

/** Whether the response comes from a proxy because the service behind the proxy is down. */
function isProxyAlone({ status, headers }: Response): boolean {
  return status >= 502 && status <= 504 && !headers.has(PAGES_HEADER);
}

function notePages(received: string | null): void {
  if (received === null) return;
  pages ??= received;
  if (pages !== received) handlers?.onOtherPages();
}

function problemIn(text: string): ProblemBody {
  try {
    return JSON.parse(text) as ProblemBody;
  } catch {
    return {};
  }
}
