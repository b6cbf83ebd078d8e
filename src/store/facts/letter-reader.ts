import { WorkerReader } from './worker-reader.ts';
import type { Letter } from './read-letter.ts';
import { READINGS } from './readings.ts';

/** Reads the text of messages. */
export class LetterReader extends WorkerReader<Letter> {
  constructor() {
    super('letter', READINGS.letter);
  }
}
