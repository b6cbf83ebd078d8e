/** What went wrong with a call. */
import type { Problem } from './generated.ts';

/** The documented types; a newer service may answer with others. */
export type ProblemType = Problem['type'] | (string & {});

interface PosthornErrorOptions {
  status: number | null;
  problem: Problem | null;
  /** Used when there is no problem. */
  title: string;
  requestId?: string | null;
  retryAfterSeconds?: number | null;
  cause?: unknown;
}

/**
 * A call that failed: the API refused it, or no answer came. A call that its own signal aborted rejects with the
 * signal's reason instead.
 */
export class PosthornError extends Error {
  override readonly name = 'PosthornError';
  /** The HTTP status; null when no answer came (a network error or a time-out, see `cause`). */
  readonly status: number | null;
  /** The kind of error, such as `/errors/validation-failed`: branch on it. Null when the answer is not the API's. */
  readonly type: ProblemType | null;
  readonly title: string;
  /** What is wrong with this request, for people. */
  readonly detail: string | null;
  /** The names of fields of the request, and what is wrong with each; empty when the error is not about fields. */
  readonly errors: Readonly<Record<string, string>>;
  /** The request id, with which the operator of the service finds the request. */
  readonly instance: string | null;
  /** How many seconds to wait before trying again, when the service says so. */
  readonly retryAfterSeconds: number | null;
  /** The whole body of the error. */
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

/** Null: something other than the API wrote this, such as a proxy on the way. */
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

/** Undefined: not JSON. */
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
  const said = [problem.detail ?? problem.title, ...fields].join(' ');
  return `${said} (${status} ${problem.type}, request ${problem.instance})`;
}
