import type { Blobs } from '../../blobs/blobs.ts';
import type { NewMessage } from '../../store/append.ts';
import type { FactsReader } from '../../store/facts/facts-reader.ts';
import type { MessageFacts } from '../../store/facts/message-facts.ts';
import { withoutForgedResults } from '../authenticate/forged-results.ts';
import type { RoutedMailbox } from '../route/find-mailboxes.ts';
import type { RoutedRecipient } from '../route/router.ts';
import { spamStatus, type SpamVerdict } from '../spam/verdict.ts';
import { type Trace, traceFields, withTrace } from './trace-fields.ts';

interface CopiesOptions {
  raw: Buffer;
  trace: Omit<Trace, 'spamStatus'>;
  blobs: Pick<Blobs, 'prepare'>;
  facts: Pick<FactsReader, 'read'>;
}

/** The stored content and facts that mailboxes of one project share. */
export type Copy = Pick<NewMessage, 'blob' | 'facts'>;

/** A message with our trace fields in front. If mailboxes of one project get identical copies, these mailboxes share the stored bytes. */
export class Copies {
  readonly #options: CopiesOptions;
  readonly #message: Buffer;
  readonly #created = new Map<string, Copy>();
  #facts: MessageFacts | null = null;

  constructor(options: CopiesOptions) {
    this.#options = options;
    this.#message = withoutForgedResults(options.raw, options.trace.hostname);
  }

  get receivedAt(): Date {
    return this.#options.trace.receivedAt;
  }

  async of({
    mailbox,
    verdict,
    isReport,
  }: Pick<RoutedRecipient, 'isReport'> & {
    mailbox: Pick<RoutedMailbox, 'projectId' | 'spamLevel'>;
    verdict: SpamVerdict;
  }): Promise<Copy> {
    const { projectId, spamLevel } = mailbox;
    const status = spamStatus(verdict, isReport ? 'off' : spamLevel);
    const key = `${projectId} ${status}`;
    const created = this.#created.get(key);
    if (created !== undefined) return created;
    const { trace, blobs, facts } = this.#options;
    const bytes = withTrace(traceFields({ ...trace, spamStatus: status }), this.#message);
    // Facts do not depend on our trace fields, so they are the same for all copies.
    this.#facts ??= await facts.read(bytes);
    const copy = { blob: await blobs.prepare(projectId, bytes), facts: this.#facts };
    this.#created.set(key, copy);
    return copy;
  }
}
