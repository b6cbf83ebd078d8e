/** What a call is made of. */

export interface CallOptions {
  /** Aborts the call, its waits included; it then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

export interface SendOptions extends CallOptions {
  /**
   * At most 200 printable characters; the same key is the same request for 24 hours. Without one each call makes its own and
   * keeps it over its retries. Give one to be safe over restarts of your program too, such as `order-1234-shipped`.
   */
  idempotencyKey?: string | undefined;
}

/** An operation and its arguments. */
export interface ApiRequest {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** With `{id}`, or another name in braces. */
  path: string;
  /** What stands in its place. */
  id?: string;
  query?: object | undefined;
  body?: unknown;
  takesIdempotencyKey?: true;
  /** A POST that may act twice: that is the same as once. */
  isRepeatable?: true;
}

/** @throws PosthornError, the reason of the signal, or a TypeError for what cannot be sent */
export type Call = <Answer>(request: ApiRequest, options?: SendOptions) => Promise<Answer>;
