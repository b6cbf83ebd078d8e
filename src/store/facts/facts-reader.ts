import { OffLoop } from './off-loop.ts';
import type { MessageFacts } from './message-facts.ts';
import { READINGS } from './readings.ts';

/** Reads the facts of messages. */
export class FactsReader extends OffLoop<MessageFacts> {
  constructor() {
    super('facts', READINGS.facts);
  }
}
