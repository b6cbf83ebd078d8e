import type { SmtpReply } from '../../../rfc/smtp/reply.ts';
import type { Outcome, SmtpStep } from '../provider.ts';
import { attemptReply, type Peer, saidIn } from './attempt-reply.ts';
import type { Transcript } from './transcript.ts';

/** `smart-host`: the operator chose it, and it takes mail for everybody. `destination`: it takes mail for its own users. */
export type HostRole = 'smart-host' | 'destination';

/** What a reply of 400 and above means for the recipient (RFC 5321, section 4.2.1): 5yz is for good. */
export function refusal(
  reply: SmtpReply,
  at: { role: HostRole; step: SmtpStep; peer: Peer; transcript: Transcript },
): Outcome {
  const answer = attemptReply(saidIn(reply), at.peer, at.transcript);
  // RFC 3207, section 4 and RFC 4954, section 6: the host wants TLS or a login first. At a smart host the operator can
  // mend that. A destination has no login for us, but TLS that failed this time may work the next time.
  if (reply.code === 530 && (at.role === 'smart-host' || !at.peer.tls)) {
    return { outcome: 'transient', reply: answer, scope: 'host' };
  }
  if (reply.code >= 500) return { outcome: 'permanent', reply: answer, step: at.step };
  // At MAIL the server knows the sender, and may refuse that one alone; a server that hangs up wants no mail at all. If every
  // refusal at MAIL counted for all mail, one project's bad domain would delay the mail of the others.
  return {
    outcome: 'transient',
    reply: answer,
    scope: reply.code === 421 ? scopeAt(at.role, at.step) : 'message',
  };
}

/** What a temporary failure concerns: a destination that stops at MAIL has seen nothing of the message. */
export function scopeAt(role: HostRole, step: SmtpStep): 'message' | 'host' {
  return role === 'destination' && step === 'mail' ? 'host' : 'message';
}
