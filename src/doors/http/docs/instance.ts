/** The facts about this installation that the pages show. */
export interface Instance {
  /** The URL of the API, without a trailing slash. */
  address: string;
  /** The URL of the web client, for mailbox owners. */
  webClient: string;
  /** The domain that every project can send from. */
  hostedDomain: string;
  /** The SMTP endpoint at which applications submit mail. Null if submission is not offered, or uses a random port. */
  submission: { host: string; port: number; security: 'tls' | 'starttls' | 'none' } | null;
}
