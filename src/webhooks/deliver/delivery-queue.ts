/**
 * The deliveries that a `DeliverySender` makes: of events to webhooks, or of incoming mail to routes. In keys of endpoints, `webhookId` is
 * the id of the webhook or of the route.
 */
import type { PostResult } from '../../net/http-exchange.ts';
import type { AttemptKey, ClaimTimings, DeliveryDemand, WebhookKey } from './claim-deliveries.ts';
import type { Sendable } from './endpoint.ts';
import type { DueScan } from './find-due.ts';

/** A claimed attempt at a delivery. */
export interface ClaimedAttempt extends AttemptKey {
  maxAttempts: number;
  /** At most one delivery of an email is in flight to an endpoint. Null: any number. */
  emailId: string | null;
}

/** The end of an attempt, and what follows from it. */
export interface AttemptEnd {
  status: 'delivered' | 'failed' | 'pending';
  /** The time until the next attempt; null if no attempt follows. */
  delayMs: number | null;
  /** Whether a request was made. Without a request, the attempt says nothing about the receiver. */
  wasRequested: boolean;
  httpStatus: number | null;
  error: string | null;
  durationMs: number | null;
  /** The stored part of the response body. */
  responseBody: string | null;
  responseTruncated: boolean;
}

export type Settled<Claimed extends ClaimedAttempt> = Claimed & AttemptEnd;

/** The result of loading claimed deliveries. */
export interface Load<Claimed extends ClaimedAttempt, Item> {
  loaded: Item[];
  /** Deliveries whose endpoints were disabled or deleted. */
  withdrawn: Claimed[];
  /** Deliveries for which no request can be made, each with the reason. */
  unsendable: { delivery: Claimed; error: string }[];
}

export interface DeliveryItem<Claimed extends ClaimedAttempt> extends Sendable {
  delivery: Claimed;
}

export interface DeliveryQueue<Claimed extends ClaimedAttempt, Item extends DeliveryItem<Claimed>> {
  /** Finds the endpoints with due deliveries after the endpoint `after`. */
  findDue(after: string | null): Promise<DueScan>;
  /** Claims due deliveries under a lease. The attempt is counted when the delivery is claimed. */
  claim(leaseId: string, demands: readonly DeliveryDemand[], timings: ClaimTimings): Promise<Claimed[]>;
  /** Makes deliveries due again as if they had not been claimed. */
  release(attempts: readonly AttemptKey[]): Promise<void>;
  load(claimed: readonly Claimed[]): Promise<Load<Claimed, Item>>;
  /** Makes the request. `unsent`: the reason why no request was made; the attempt failed, but not because of the receiver. */
  post(item: Item): Promise<PostResult | { unsent: string }>;
  /** Writes the ends of attempts, and logs the endpoints that this disables. */
  settle(batch: readonly Settled<Claimed>[]): Promise<void>;
  /** Ends the deliveries of disabled and deleted endpoints. */
  failUndeliverable(endpoints: readonly WebhookKey[]): Promise<void>;
  /** Begins to observe an attempt. @returns a function to call at its end */
  observe(item: Item): (settled: Settled<Claimed>) => void;
  /** Observes the end of an attempt without a request. */
  observeEnd(settled: Settled<Claimed>): void;
}
