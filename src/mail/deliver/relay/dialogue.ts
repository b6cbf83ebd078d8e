import type { Socket } from 'node:net';
import type { SmtpReply } from '../../../rfc/smtp/reply.ts';
import { Wire, type WireListener } from './wire.ts';

/** `lost` says why there is no reply. */
export type Answer = { readonly reply: SmtpReply } | { readonly lost: string };

/** One question, one answer: how a session is set up, before messages flow. */
export class Dialogue implements WireListener {
  readonly wire: Wire;
  readonly #timeoutMs: number;
  #answer: Answer | null = null;
  #answered: ((answer: Answer) => void) | null = null;

  constructor(socket: Socket, timings: { setUpMs: number; sweepMs: number }) {
    this.#timeoutMs = timings.setUpMs;
    this.wire = new Wire(socket, timings.sweepMs, this);
    this.wire.expectWithin(this.#timeoutMs);
  }

  /** @param command with its CRLF; null waits for the greeting */
  ask(command: string | null): Promise<Answer> {
    if (command !== null) {
      // An answer that was there before its question would be taken for every following one.
      if (this.hasSurplus) this.#end('the host answered more than it was asked');
      else this.wire.write(command);
    }
    this.wire.expectWithin(this.#timeoutMs);
    return new Promise((resolve) => {
      this.#answered = resolve;
      this.#deliver();
    });
  }

  /** Whether a reply is here that nothing was asked for. */
  get hasSurplus(): boolean {
    return this.#answer !== null && 'reply' in this.#answer;
  }

  onReplies(replies: readonly SmtpReply[]): void {
    for (const reply of replies) {
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

  #end(lost: string): void {
    this.wire.destroy();
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
