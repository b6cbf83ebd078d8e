/** What the pages tell of the installation that shows them. */
export interface Instance {
  /** Where clients find the API, without a trailing slash. */
  address: string;
  /** Where owners of mailboxes read and write. */
  webClient: string;
  /** The domain that every project may send from. */
  hostedDomain: string;
  /** Where applications hand in mail. Null: nowhere, or at a port that nobody has chosen. */
  submission: { host: string; port: number; security: 'tls' | 'starttls' | 'none' } | null;
}
