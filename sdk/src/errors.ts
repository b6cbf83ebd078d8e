/** Errors from API calls. */
import type { Problem } from './generated.ts';

/** The documented problem types. A newer service may return other types. */
export type ProblemType = Problem['type'] | (string & {});

interface PosthornErrorOptions {
  status: number | null;
  problem: Problem | null;
  /** The title of the error, for a response without a problem document. */
  title: string;
  requestId?: string | null;
  retryAfterSeconds?: number | null;
  cause?: unknown;
}

/** A failed call: the API rejected the call, or there was no response. An aborted call rejects with the signal's reason instead. */
export class PosthornError extends Error {
  override readonly name = 'PosthornError';
  /** The HTTP status. Null if there was no response because of a network error or a time-out (see `cause`). */
  readonly status: number | null;
  /** The type of the error for programs, such as `/errors/validation-failed`. Null if the response is not from the API. */
  readonly type: ProblemType | null;
  readonly title: string;
  /** A readable explanation of what is wrong with this request. */
  readonly detail: string | null;
  /** Error messages by the name of the request field. Empty if the error does not concern fields. */
  readonly errors: Readonly<Record<string, string>>;
  /** The id of the request. Quote this id to the operator of the service. */
  readonly instance: string | null;
  /** The seconds to wait before a retry. Null if the service did not send `Retry-After`. */
  readonly retryAfterSeconds: number | null;
  /** The whole problem document. Null if the response is not from the API. */
  readonly problem: Problem | null;

  constructor({ status, problem, title, requestId, retryAfterSeconds, cause }: PosthornErrorOptions) {
    super(messageOf(status, problem, title), cause === undefined ? {} : { cause });
    this.status = status;
    this.type = problem?.type ?? null;
    this.title = problem?.title ?? title;
    this.detail = problem?.detail ?? null;
    this.errors = problem?.errors ?? {};
    this.instance = problem?.instance ?? requestId ?? null;
    this.retryAfterSeconds = retryAfterSeconds ?? null;
    this.problem = problem;
  }
}

/** Parses a problem document. Null for a response that is not from the API, for example from a proxy. */
export function problemOf(text: string): Problem | null {
  const body = jsonOf(text) as Partial<Problem> | null | undefined;
  const isProblem =
    typeof body === 'object' &&
    body !== null &&
    typeof body.type === 'string' &&
    typeof body.title === 'string' &&
    ['object', 'undefined'].includes(typeof body.errors);
  return isProblem ? (body as Problem) : null;
}

/** Parses JSON. Undefined if the text is not JSON. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function messageOf(status: number | null, problem: Problem | null, title: string): string {
  if (problem === null) return title;
  const fields = Object.entries(problem.errors ?? {}).map(([name, message]) => `${name}: ${message}`);
  const text = [problem.detail ?? problem.title, ...fields].join(' ');
  return `${text} (${status} ${problem.type}, request ${problem.instance})`;
}
