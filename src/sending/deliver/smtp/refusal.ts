import type { SmtpReply } from '../../../rfc/smtp/reply.ts';
import type { Outcome, SmtpStep } from '../provider.ts';
import { attemptReply, type Peer, saidIn } from './attempt-reply.ts';
import type { Transcript } from './transcript.ts';

/** `smart-host`: it takes mail for everybody, and is the operator's choice. `destination`: it takes mail for its own users. */
export type HostRole = 'smart-host' | 'destination';

/** What a reply of 400 and above means for the recipients concerned (RFC 5321, section 4.2.1): 5yz is for good. */
export function refusal(
  reply: SmtpReply,
  at: { role: HostRole; step: SmtpStep; peer: Peer; transcript: Transcript },
): Outcome {
  const answer = attemptReply(saidIn(reply), at.peer, at.transcript);
  // RFC 3207, section 4 and RFC 4954, section 6: the host wants TLS or a login first. That is the operator's to mend;
  // a destination has no login for anybody, but the TLS that failed this time may work the next.
  if (reply.code === 530 && (at.role === 'smart-host' || !at.peer.tls)) {
    return { outcome: 'transient', reply: answer, scope: 'host' };
  }
  if (reply.code >= 500) return { outcome: 'permanent', reply: answer, step: at.step };
  // At MAIL the server knows the sender, and may mean that one alone: only who hangs up wants nobody. Were it taken
  // for a word on all, one project's bad domain would hold up the mail of the others.
  return {
    outcome: 'transient',
    reply: answer,
    scope: reply.code === 421 ? scopeAt(at.role, at.step) : 'message',
  };
}

/** Whom a failure that is none for good concerns: a destination that stops at MAIL has seen nothing of the message. */
export function scopeAt(role: HostRole, step: SmtpStep): 'message' | 'host' {
  return role === 'destination' && step === 'mail' ? 'host' : 'message';
}
