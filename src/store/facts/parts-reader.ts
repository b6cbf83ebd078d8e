import type { SectionPart } from '../../rfc/imap/sections.ts';
import { WorkerReader, type WorkerReaderOptions } from './worker-reader.ts';
import { READINGS } from './readings.ts';

/** Reads where the parts of messages lie, as the kept BODYSTRUCTURE has them. */
export class PartsReader extends WorkerReader<SectionPart> {
  constructor(options?: Pick<WorkerReaderOptions, 'timings'>) {
    super('parts', READINGS.parts, options);
  }
}
