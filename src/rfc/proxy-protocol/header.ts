/** The result of reading a PROXY header from the first octets of a connection. */
export type ReadHeader =
  /**
   * `source` is the IP address of the client. Null if the proxy connects on its own behalf (LOCAL, as for health checks) or the address
   * family is unknown; the caller must then use the address of the connection (PROXY protocol, section 2). `octets` is the length of the
   * header.
   */
  | { source: string | null; octets: number }
  /** More octets are needed. */
  | 'incomplete'
  /** The octets do not begin a header. */
  | 'none'
  /** The octets begin a header that is invalid. */
  | 'malformed';
