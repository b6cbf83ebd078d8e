import fc from 'fast-check';

const FIRST_SURROGATE = 0xd800;
const SURROGATES = 0x800;
const CODE_POINTS = 0x110000 - SURROGATES;

const anyCharacter = fc.integer({ min: 0, max: CODE_POINTS - 1 }).map(
  (at) => String.fromCodePoint(at < FIRST_SURROGATE ? at : at + SURROGATES),
  (text) => {
    const [character, more] = typeof text === 'string' ? text : [];
    const codePoint = character?.codePointAt(0);
    if (codePoint === undefined || more !== undefined) throw new Error('not one character');
    return codePoint < FIRST_SURROGATE ? codePoint : codePoint - SURROGATES;
  },
);

/** Generates the same strings as fast-check's `unit: 'binary'`, which builds a table of all characters and takes a second. */
export function anyText(constraints: { minLength?: number; maxLength?: number } = {}): fc.Arbitrary<string> {
  return fc.string({ ...constraints, unit: anyCharacter });
}
