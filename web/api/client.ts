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

/** The service did not respond at all. */
export class ServiceAway extends Error {
  override readonly name = 'ServiceAway';

  constructor(cause?: unknown) {
    super('The server does not respond. Check your connection. Retrying.', { cause });
  }
}

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
  onAway(isAway: boolean): void;
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
  { prefix, csrfToken }: ApiOptions,
  method: Method,
  path: string,
  { params = {}, body, signal }: CallOptions,
) {
  const values = params.path ?? {};
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
  const given = Object.entries(params.query ?? {}).filter(([, value]) => value !== undefined);
  const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
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
  const response = await send(request, values);
  // Some operations succeed with an empty body.
  const text = await response.text();
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
async function send(request: () => Request, values: PathValues): Promise<Response> {
  try {
    return await attempt(request(), values);
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.slug !== 'confirmation-required') throw error;
    if ((await handlers?.confirm(values)) !== true) throw error;
    return attempt(request(), values);
  }
}

async function attempt(request: Request, values: PathValues): Promise<Response> {
  const response = await fetch(request).catch((error: unknown) => {
    if (request.signal.aborted) throw error;
    handlers?.onAway(true);
    throw new ServiceAway(error);
  });
  if (isProxyAlone(response)) {
    handlers?.onAway(true);
    throw new ServiceAway(response.status);
  }
  handlers?.onAway(false);
  notePages(response.headers.get(PAGES_HEADER));
  if (response.ok) return response;
  const problem = new ApiProblem(response.status, await problemIn(response));
  if (problem.slug === 'not-signed-in') handlers?.onSignedOut(values);
  if (problem.slug === 'stronger-sign-in-required') handlers?.onWeakSignIn?.();
  throw problem;
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

async function problemIn(response: Response): Promise<ProblemBody> {
  try {
    return (await response.json()) as ProblemBody;
  } catch {
    return {};
  }
}
