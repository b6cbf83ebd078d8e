import type { OutboundMessage, Outcome } from '../provider.ts';
import { Transcript } from './transcript.ts';

/** A message on its way. */
export interface Job {
  readonly message: OutboundMessage;
  /** Of all its connections. */
  readonly transcript: Transcript;
  /** It was on a connection before, which ended without the content being handed over. */
  retried: boolean;
  /** When its transaction began; null while it waits for a connection. */
  begunAtMs: number | null;
  /** Called once. */
  settle(outcome: Outcome): void;
}

export function newJob(message: OutboundMessage, settle: Job['settle']): Job {
  return { message, transcript: new Transcript(), retried: false, begunAtMs: null, settle };
}
