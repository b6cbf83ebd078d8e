import { WorkerReader } from './worker-reader.ts';
import type { MessageFacts } from './message-facts.ts';
import { READINGS } from './readings.ts';

/** Reads the facts of messages. */
export class FactsReader extends WorkerReader<MessageFacts> {
  constructor() {
    super('facts', READINGS.facts);
  }
}
