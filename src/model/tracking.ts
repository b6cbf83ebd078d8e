/** The tracking settings of an email at the time of acceptance. Stored as JSON. */
export interface Tracking {
  /** Whether the HTML contains an image that reports opens. */
  opens: boolean;
  /** Whether links in the HTML are redirected through this service. */
  clicks: boolean;
  /** Whether each recipient gets their own `List-Unsubscribe` (RFC 8058). */
  unsubscribe: boolean;
  /** The base URL of the links, without a trailing slash. */
  base_url: string;
}
