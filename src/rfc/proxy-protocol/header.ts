/** The result of reading a PROXY header from the first octets of a connection. */
export type ReadHeader =
  /**
   * `source` is the client's IP address. It is null if the header has no usable address: the proxy connects on its own behalf (LOCAL, as
   * for health checks), or the family is unknown. Then use the address of the connection (section 2). `octets` is the length of the header.
   */
  | { source: string | null; octets: number }
  /** More octets are needed. */
  | 'incomplete'
  /** The octets do not begin a header. */
  | 'none'
  /** The octets begin a header that is invalid. */
  | 'malformed';
