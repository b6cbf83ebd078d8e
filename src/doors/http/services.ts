/** The parts of the core that the HTTP doors use. Identifiers are uuids, and bodies have the types of `contract/`. */
import type { RejectedRequest } from '../../accounts/api-log/rejected-requests.ts';
import type { AuthenticatedKey } from '../../accounts/keys/api-keys.ts';
import type { SendBatch, SendEmail } from '../../contract/emails.ts';
import type { AcceptedBatch } from '../../sending/accept/accept-batch.ts';
import type { StoreMessage } from '../../sending/accept/accept-email.ts';
import type { Sender } from '../../sending/accept/sender.ts';
import type { ExaminedBatch, ExaminedEmail } from '../../sending/accept/examine-email.ts';
import type { HitResult, TrackingHit } from '../../sending/track/record-hits.ts';
import type { TrackedRecipient, TrackingLinks } from '../../sending/track/tracking-links.ts';
import type { MaybePromise } from '../../model/maybe-promise.ts';
import type { MailAccess } from '../../rfc/mail-setup/mail-access.ts';
import type { ModuleParts } from './operation-modules.ts';

/** The authenticated caller, a union by `kind`. Each caller acts for one project. Only the guard checks the caller's permissions. */
export type Caller = AuthenticatedKey;

export interface HttpServices {
  /** Returns null if the key is unknown, revoked or expired, or not allowed from the client's address. */
  authenticate(token: string, address: string): MaybePromise<Caller | null>;
  /** Adds a rejected request to the API log in the background. Never throws. */
  logRejected(request: RejectedRequest): void;
  /**
   * Resolves once the email is stored. `replayed` means that the email had already been stored under this idempotency key. `traceParent` is
   * the W3C traceparent of a traced request. `examined` contains the results of examining the email while its body was read.
   * `storeMessage` stores a message that is sent as it is.
   * @throws AppError validation-failed, domain-not-verified, idempotency-key-reused, quota-exceeded, plan-limit-exceeded, unavailable
   */
  acceptEmail(
    sender: Sender,
    send: SendEmail,
    idempotencyKey: string | null,
    traceParent: string | null,
    examined: ExaminedEmail | null,
    storeMessage?: StoreMessage | null,
  ): Promise<{ emailId: string; replayed: boolean }>;
  /**
   * Accepts either all emails or none. @throws AppError with the codes of `acceptEmail`; an error in one email names the email under
   * `emails`
   */
  acceptBatch(
    sender: Sender,
    batch: SendBatch,
    idempotencyKey: string | null,
    traceParent: string | null,
    examined: ExaminedBatch | null,
  ): Promise<AcceptedBatch>;
  /** Verifies the links of tracked messages and finds the recipient of a link. */
  readonly trackingLinks: Pick<TrackingLinks, 'verifyPixel' | 'verifyClick' | 'verifyUnsubscribe'>;
  /** Resolves after the commit. `lost` means that the database is down or overloaded, so the hit was not recorded. */
  recordHit(hit: TrackingHit): Promise<HitResult | 'lost'>;
  /** Resolves after the commit, with true if the recipient exists. `lost` means that the database is down or overloaded. */
  unsubscribe(recipient: TrackedRecipient): Promise<boolean | 'lost'>;
  /** Receives an SES notification (see `SesFeedback`). Null if SES feedback is not accepted. */
  readonly receiveSesNotification: ((body: Buffer) => Promise<void>) | null;
  /** The dependencies of the operations that modules declare. */
  readonly parts: ModuleParts;
  /** Whether this installation receives mail for the domain. See `ServedDomains`. */
  servesDomain(domain: string): MaybePromise<boolean>;
  /** The connection settings for mail apps. */
  readonly mailAccess: MailAccess;
  /** Resolves with the reason why the process is not ready. See `Readiness.whyNot`. */
  whyNotReady(): Promise<string | null>;
}
