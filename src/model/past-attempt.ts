/** An attempt at a webhook delivery that has ended, as it is stored in `past_attempts`. The names are short because of the many rows. */
export interface PastAttempt {
  /** PostgreSQL's text of the time in JSON, in the time zone of the session that wrote it. */
  at: string;
  /** The HTTP status; null if there was no response. */
  status: number | null;
  error: string | null;
  ms: number | null;
  /** The beginning of the response body. */
  body: string | null;
  /** Whether `body` is shorter than the response body was. */
  cut: boolean;
}
