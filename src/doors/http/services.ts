/** What the HTTP doors ask of the core. Identifiers are uuids; bodies have the shapes of `contract/`. */
import type { AuthenticatedKey } from '../../accounts/keys/api-keys.ts';
import type { SendBatch, SendEmail } from '../../contract/emails.ts';
import type { AcceptedBatch } from '../../sending/accept/accept-batch.ts';
import type { Sender } from '../../sending/accept/sender.ts';
import type { ExaminedBatch, ExaminedEmail } from '../../sending/accept/examine-email.ts';
import type { HitResult, TrackingHit } from '../../sending/track/record-hits.ts';
import type { TrackedRecipient, TrackingLinks } from '../../sending/track/tracking-links.ts';
import type { MaybePromise } from '../../model/maybe-promise.ts';
import type { MailAccess } from '../../rfc/mail-setup/mail-access.ts';
import type { RoomParts } from './rooms.ts';

/** Who asks: a union by `kind`. Each kind acts for one project; only the guard knows what a kind may do. */
export type Caller = AuthenticatedKey;

export interface HttpServices {
  /** Null: unknown, revoked or expired, or not to be used from the address of the client. */
  authenticate(token: string, address: string): MaybePromise<Caller | null>;
  /**
   * Returns once the email is stored. `replayed`: it already was, under this idempotency key.
   * `traceParent` is the W3C traceparent of the request, if it is traced. `examined` is what is known of the email already.
   * @throws AppError validation-failed, domain-not-verified, idempotency-key-reused, quota-exceeded, plan-limit-exceeded,
   * unavailable
   */
  acceptEmail(
    sender: Sender,
    send: SendEmail,
    idempotencyKey: string | null,
    traceParent: string | null,
    examined: ExaminedEmail | null,
  ): Promise<{ emailId: string; replayed: boolean }>;
  /** The same for many emails: all of them or none. @throws AppError as `acceptEmail`; an error of one email names it, as `emails` */
  acceptBatch(
    sender: Sender,
    batch: SendBatch,
    idempotencyKey: string | null,
    traceParent: string | null,
    examined: ExaminedBatch | null,
  ): Promise<AcceptedBatch>;
  /** Tells which recipient a link of a tracked message belongs to. */
  readonly trackingLinks: Pick<TrackingLinks, 'verifyPixel' | 'verifyClick' | 'verifyUnsubscribe'>;
  /** Resolves after the commit. `lost`: the database is away or overloaded. */
  recordHit(hit: TrackingHit): Promise<HitResult | 'lost'>;
  /** Resolves after the commit: whether there is such a recipient. `lost`: as with a hit. */
  unsubscribe(recipient: TrackedRecipient): Promise<boolean | 'lost'>;
  /** See `SesFeedback`. Null where none is believed. */
  readonly receiveSesNotification: ((body: Buffer) => Promise<void>) | null;
  /** What the operations that rooms declare are run with. */
  readonly parts: RoomParts;
  /** Whether mail of the domain comes here. See `ServedDomains`. */
  servesDomain(domain: string): MaybePromise<boolean>;
  /** What mail apps are told. */
  readonly mailAccess: MailAccess;
  /** See `Readiness`. */
  whyNotReady(): Promise<string | null>;
}
