import { enhancedCode, printable, replyText, type SmtpReply } from '../../../rfc/smtp/reply.ts';
import type { AttemptReply, ProviderDialogueLine } from '../provider.ts';
import type { Transcript } from './transcript.ts';

/** The maximum length of `AttemptReply.text`. */
const MAX_TEXT = 1_000;

/** The server that replied, and whether the connection used TLS. */
export interface Peer {
  readonly remoteMta: string | null;
  readonly tls: boolean;
}

/** The parts of a reply that do not depend on the server. */
export type ReplyFields = Pick<AttemptReply, 'replyCode' | 'enhancedCode' | 'text'>;

export function replyFieldsOf(reply: SmtpReply): ReplyFields {
  return { replyCode: reply.code, enhancedCode: enhancedCode(reply), text: replyText(reply, MAX_TEXT) };
}

/** A text that Posthorn writes itself, used if the remote server gave no reply. */
export function localReply(text: string, enhanced: string | null = null): ReplyFields {
  return { replyCode: null, enhancedCode: enhanced, text: printable(text, MAX_TEXT) };
}

/** The reply to an attempt. Formats the dialogue only when its getter is read, because most dialogues are never read. */
export class SmtpAttemptReply implements AttemptReply {
  readonly replyCode: number | null;
  readonly enhancedCode: string | null;
  readonly text: string;
  readonly remoteMta: string | null;
  readonly tls: boolean;
  readonly #transcript: Transcript;

  constructor({ replyCode, enhancedCode: enhanced, text }: ReplyFields, peer: Peer, transcript: Transcript) {
    this.replyCode = replyCode;
    this.enhancedCode = enhanced;
    this.text = text;
    this.remoteMta = peer.remoteMta;
    this.tls = peer.tls;
    this.#transcript = transcript;
  }

  get dialogue(): readonly ProviderDialogueLine[] | null {
    return this.#transcript.lines();
  }
}
