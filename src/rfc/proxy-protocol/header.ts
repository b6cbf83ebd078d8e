/** What the first octets of a connection are, as a PROXY header. */
export type ReadHeader =
  /**
   * `source` is the client's IP address; null where the header names none that can be used: the proxy connects for itself (LOCAL, as health
   * checks do), or the family is unknown. Then the address of the connection holds (section 2). `octets` is the length of the header.
   */
  | { source: string | null; octets: number }
  /** More octets are needed. */
  | 'incomplete'
  /** The octets do not begin a header. */
  | 'none'
  /** They begin one, and break its rules. */
  | 'malformed';
