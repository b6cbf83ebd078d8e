import { OffLoop } from './off-loop.ts';
import type { Letter } from './read-letter.ts';
import { READINGS } from './readings.ts';

/** Reads what messages say. */
export class LetterReader extends OffLoop<Letter> {
  constructor() {
    super('letter', READINGS.letter);
  }
}
