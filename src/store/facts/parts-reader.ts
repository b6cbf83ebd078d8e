import type { Part } from '../../rfc/imap/sections.ts';
import { OffLoop } from './off-loop.ts';
import { READINGS } from './readings.ts';

/** Reads where the parts of messages lie, as the kept BODYSTRUCTURE has them. */
export class PartsReader extends OffLoop<Part> {
  constructor() {
    super('parts', READINGS.parts);
  }
}
