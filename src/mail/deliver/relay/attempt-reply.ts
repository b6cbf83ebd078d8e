import { enhancedCode, printable, replyText, type SmtpReply } from '../../../rfc/smtp/reply.ts';
import type { AttemptReply, Outcome } from '../provider.ts';

/** The bound of `AttemptReply.text`. */
const MAX_TEXT = 1_000;

/** Who answered, and over what. */
export interface Peer {
  readonly remoteMta: string;
  readonly tls: boolean;
}

export function fromReply(reply: SmtpReply, peer: Peer): AttemptReply {
  return {
    replyCode: reply.code,
    enhancedCode: enhancedCode(reply),
    text: replyText(reply, MAX_TEXT),
    remoteMta: peer.remoteMta,
    tls: peer.tls,
  };
}

/** What this side has to say where the far side said nothing. */
export function ownWords(text: string, peer: Peer, enhanced: string | null = null): AttemptReply {
  return {
    replyCode: null,
    enhancedCode: enhanced,
    text: printable(text, MAX_TEXT),
    remoteMta: peer.remoteMta,
    tls: peer.tls,
  };
}

/** What a refusal means for the recipients concerned (RFC 5321, section 4.2.1): 5yz is for good. */
export function refusal(reply: SmtpReply, peer: Peer): Outcome {
  // RFC 3207, section 4 and RFC 4954, section 6: the host wants TLS or a login first. That is the operator's to mend.
  if (reply.code === 530) return { outcome: 'transient', reply: fromReply(reply, peer), scope: 'host' };
  return reply.code >= 500
    ? { outcome: 'permanent', reply: fromReply(reply, peer) }
    : transient(fromReply(reply, peer));
}

export function transient(reply: AttemptReply): Outcome {
  return { outcome: 'transient', reply, scope: 'message' };
}
