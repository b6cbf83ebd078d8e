/** What is tracked of an email, as it stood when the email was accepted; kept as JSON. */
export interface Tracking {
  /** A pixel in the HTML reports opens. */
  opens: boolean;
  /** Links of the HTML lead through here. */
  clicks: boolean;
  /** Each recipient gets a `List-Unsubscribe` of its own (RFC 8058). */
  unsubscribe: boolean;
  /** What the links begin with, without a trailing slash. */
  base_url: string;
}
