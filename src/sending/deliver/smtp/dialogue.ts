import type { Socket } from 'node:net';
import type { SmtpReply } from '../../../rfc/smtp/reply.ts';
import type { Transcript } from './transcript.ts';
import { Wire, type WireListener } from './wire.ts';

/** `lost` is the reason why there is no reply. */
export type DialogueResult = { readonly reply: SmtpReply } | { readonly lost: string };

/** Sends one command and waits for one reply. Used while a session is set up. */
export class SmtpDialogue implements WireListener {
  readonly wire: Wire;
  readonly #timeoutMs: number;
  readonly #transcript: Transcript;
  #secrets: readonly string[] = [];
  #answer: DialogueResult | null = null;
  #answered: ((answer: DialogueResult) => void) | null = null;

  constructor(socket: Socket, timings: { setUpMs: number; sweepMs: number }, transcript: Transcript) {
    this.#timeoutMs = timings.setUpMs;
    this.#transcript = transcript;
    this.wire = new Wire(socket, timings.sweepMs, this);
    this.wire.expectWithin(this.#timeoutMs);
  }

  /** Replaces the secrets with `***` in later replies and transcript lines, even if the host repeats a secret. */
  hide(secrets: readonly string[]): void {
    this.#secrets = secrets.filter((secret) => secret !== '');
  }

  /** @param command the command with its CRLF; null: wait for the greeting */
  ask(command: string | null): Promise<DialogueResult> {
    if (command !== null) {
      // If a reply that arrived before its command were accepted, it would shift all following replies.
      if (this.unsolicited !== null && 'reply' in this.unsolicited)
        this.#end('the host sent an unexpected reply');
      else {
        this.#transcript.client([this.#redact(command)]);
        this.wire.write(command);
      }
    }
    this.wire.expectWithin(this.#timeoutMs);
    return new Promise((resolve) => {
      this.#answered = resolve;
      this.#deliver();
    });
  }

  /** A reply without a command, or the loss of the connection after the last reply. Null: neither happened. */
  get unsolicited(): DialogueResult | null {
    return this.#answer;
  }

  onReplies(replies: readonly SmtpReply[]): void {
    for (const { code, lines } of replies) {
      const reply = { code, lines: lines.map((line) => this.#redact(line)) };
      this.#transcript.server(reply);
      if (this.#answer === null) this.#answer = { reply };
      this.#deliver();
    }
  }

  onLost(why: string): void {
    this.#end(why);
  }

  onLate(): void {
    this.#end('the host took too long to answer');
  }

  #redact(line: string): string {
    return this.#secrets.reduce((text, secret) => text.replaceAll(secret, '***'), line);
  }

  #end(lost: string): void {
    this.wire.destroy();
    this.#transcript.note(lost);
    this.#answer = { lost };
    this.#deliver();
  }

  #deliver(): void {
    if (this.#answered === null || this.#answer === null) return;
    const answered = this.#answered;
    this.#answered = null;
    answered(this.#answer);
    if ('reply' in this.#answer) this.#answer = null;
  }
}
