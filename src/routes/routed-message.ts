import type { Authentication } from '../receiving/authenticate/authentication.ts';
import type { SpamVerdict } from '../receiving/spam/verdict.ts';

/** A message as a route passes it to its receiver. */
export interface RoutedMessage {
  /** `rm_…`: the same in every attempt. */
  id: string;
  /** `rt_…` */
  routeId: string;
  receivedAt: Date;
  /** The return path without angle brackets. Empty for delivery reports. */
  reversePath: string;
  /** The recipients of the envelope that the route matched, with their tags. */
  recipients: readonly string[];
  /** The client's IP address; empty if unknown. */
  clientAddress: string;
  /** The client's name from EHLO or HELO. */
  helo: string;
  authentication: Omit<Authentication, 'header'>;
  spam: SpamVerdict;
  /** The stored message, which begins with our trace fields, with the field `LOOP_FIELD` in front. */
  raw: Buffer;
}
