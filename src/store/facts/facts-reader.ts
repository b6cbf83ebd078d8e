import { WorkerReader, type WorkerReaderOptions } from './worker-reader.ts';
import type { MessageFacts } from './message-facts.ts';
import { READINGS } from './readings.ts';

export class FactsReader extends WorkerReader<MessageFacts> {
  constructor(options?: Pick<WorkerReaderOptions, 'timings'>) {
    super('facts', READINGS.facts, options);
  }
}
