/** Values of routes (docs/routes.md). */

/** The formats in which a route sends messages. */
export const ROUTE_FORMATS = ['json', 'raw', 'postmark', 'action-mailbox'] as const;
export type RouteFormat = (typeof ROUTE_FORMATS)[number];

/** `stored`: the route had no URL when the message was received, so nothing is sent. */
export const ROUTE_MESSAGE_STATUSES = ['pending', 'delivered', 'failed', 'stored'] as const;
export type RouteMessageStatus = (typeof ROUTE_MESSAGE_STATUSES)[number];

/** Messages are deleted this many days after their last attempt, or after they were received if no attempt was made. */
export const ROUTE_KEEP_DAYS = 30;

/** The header field that routes add to each message: the id of the route. A message that has it when it is received is in a loop. */
export const LOOP_FIELD = 'X-Posthorn-Loop';
