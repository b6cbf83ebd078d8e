import type { SmtpArrival, PolicyReply } from '../policy.ts';

/** A signed-in mailbox or application that submits mail. Its methods never reject. */
export interface Writer extends Disposable {
  /** The label in metrics. */
  readonly kind: 'mailbox' | 'api_key';
  /** @returns why the sender is rejected; null if it is accepted */
  checkSender(reversePath: string): Promise<PolicyReply | null>;
  /** @returns why the recipient is rejected; null if it is accepted */
  refuseRecipient(forwardPath: string): Promise<PolicyReply | null>;
  /** Resolves once the message is committed or rejected. */
  receive(arrival: SmtpArrival<string>, data: Buffer): Promise<Received>;
}

export interface Received {
  outcome: 'accepted' | 'replayed' | 'refused' | 'put_off' | 'try_again';
  reply: PolicyReply;
}
