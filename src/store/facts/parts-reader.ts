import type { SectionPart } from '../../rfc/imap/sections.ts';
import { WorkerReader, type WorkerReaderOptions } from './worker-reader.ts';
import { READINGS } from './readings.ts';

/** Reads the positions of message parts. The parts are the same as in the stored BODYSTRUCTURE. */
export class PartsReader extends WorkerReader<SectionPart> {
  constructor(options?: Pick<WorkerReaderOptions, 'timings'>) {
    super('parts', READINGS.parts, options);
  }
}
