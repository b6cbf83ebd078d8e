import type { SmtpArrival, PolicyReply } from '../policy.ts';

/** A signed-in mailbox or application that submits mail. The promises of its methods never reject. */
export interface Writer extends Disposable {
  /** The label of the writer in metrics. */
  readonly kind: 'mailbox' | 'api_key';
  /** @returns the reply that rejects the sender; null if the sender is accepted */
  checkSender(reversePath: string): Promise<PolicyReply | null>;
  /** @returns the reply that rejects the recipient; null if the recipient is accepted */
  refuseRecipient(forwardPath: string): Promise<PolicyReply | null>;
  /** Resolves once the message is committed or rejected. */
  receive(arrival: SmtpArrival<string>, data: Buffer): Promise<SubmissionResult>;
}

export interface SubmissionResult {
  outcome: 'accepted' | 'replayed' | 'refused' | 'put_off' | 'try_again';
  reply: PolicyReply;
}
