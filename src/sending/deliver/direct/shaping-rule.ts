/** How a site may be used. The limits hold for each worker process. */
export interface ShapingRule {
  maxConnections: number;
  maxMessagesPerConnection: number;
  /** May be a fraction; null: no limit. */
  maxMessagesPerSecond: number | null;
  /** Of the rule in the table; null: the default. */
  name: string | null;
}
