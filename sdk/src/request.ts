/** Requests and options for API calls. */

export interface CallOptions {
  /** Aborts the call, including its waits; the call then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

export interface SendOptions extends CallOptions {
  /**
   * At most 200 printable characters. Requests with the same key within 24 hours are accepted only once. By default, each call generates a
   * key and uses the key for all its retries. Set your own key, such as `order-1234-shipped`, to also prevent duplicates after your
   * program restarts.
   */
  idempotencyKey?: string | undefined;
}

/** An operation and its arguments. */
export interface ApiRequest {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** The path, with `{id}` or another name in braces, and possibly `{part}`. */
  path: string;
  /** The id that replaces the name in braces. */
  id?: string;
  /** The id that replaces `{part}`. */
  part?: string;
  query?: object | undefined;
  body?: unknown;
  takesIdempotencyKey?: true;
  /** Marks a POST that may be repeated, because repeating it changes nothing. */
  isRepeatable?: true;
}

/** @throws PosthornError, the signal's reason, or a TypeError for a request that cannot be sent */
export type Call = <Answer>(request: ApiRequest, options?: SendOptions) => Promise<Answer>;
