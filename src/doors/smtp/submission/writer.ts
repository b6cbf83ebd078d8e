import type { SmtpArrival, PolicyReply } from '../policy.ts';

/** Somebody who has signed in, and what becomes of what they write. Nothing of it rejects. */
export interface Writer extends Disposable {
  /** As metrics name it. */
  readonly kind: 'mailbox' | 'api_key';
  /** Why there is no message from that sender now; null: go on. */
  refuseSender(reversePath: string): Promise<PolicyReply | null>;
  /** Why there is none to that address. */
  refuseRecipient(forwardPath: string): Promise<PolicyReply | null>;
  /** Resolves after the commit. */
  receive(arrival: SmtpArrival<string>, data: Buffer): Promise<Received>;
}

export interface Received {
  outcome: 'accepted' | 'replayed' | 'refused' | 'put_off' | 'try_again';
  reply: PolicyReply;
}
