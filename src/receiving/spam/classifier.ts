/**
 * The trained classifier: how much a message reads like spam, in any language, before its mailbox has learned anything. `test/spam/train.ts`
 * computes the weights from the sample mail in `test/spam`.
 */
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import modelFile from './classifier-weights.json' with { type: 'json' };
import { type ClassifiedContent, versionsOf } from './signs.ts';

/** A sign of the sample mail. */
export interface KnownSign {
  /** How much it suggests spam, from -`HIGHEST_WEIGHT` to `HIGHEST_WEIGHT`. */
  readonly weight: number;
  /** Whether it is in at least two campaigns or single messages of the sample mail. */
  readonly isCommon: boolean;
}

/** The known signs, by their hashes. */
export interface ClassifierModel {
  readonly bias: number;
  readonly signs: ReadonlyMap<number, KnownSign>;
}

export const HIGHEST_WEIGHT = 7;
/** A message with fewer signs says too little to be classified. */
const LEAST_SIGNS = 25;

/** By how much less a forwarded message counts: its recipient may be asked whether it is real. */
const FORWARDED_CREDIT = 0.1;

const SHIPPED = unpackModel(modelFile);

/**
 * How much the message reads like spam: positive if spam is more likely than wanted mail. Of its versions, the one that is more like spam
 * counts. -Infinity if the message says too little for a result.
 */
export function spamLikeness(content: ClassifiedContent, model: ClassifierModel = SHIPPED): number {
  return Math.max(
    ...versionsOf(content).map(({ signs, withForwarded }) => {
      const likeness = likenessIn(model, signs);
      return withForwarded === null
        ? likeness
        : Math.max(likeness, likenessIn(model, withForwarded) - FORWARDED_CREDIT);
    }),
  );
}

/** Whether the sample mail does not have the sign, or only once. Common signs occur in all kinds of mail. */
export function isRare(sign: number, model: ClassifierModel = SHIPPED): boolean {
  return model.signs.get(sign)?.isCommon !== true;
}

/** The likeness of a message with these signs (`spamLikeness`). */
function likenessIn({ bias, signs }: ClassifierModel, given: readonly number[]): number {
  if (given.length < LEAST_SIGNS) return -Infinity;
  const sum = given.reduce((total, sign) => total + (signs.get(sign)?.weight ?? 0), 0);
  return bias + sum / HIGHEST_WEIGHT / Math.sqrt(given.length);
}

/**
 * A model as it is stored: in `signs`, compressed with Brotli and in base64, first the number of signs and the distances between their hashes in ascending
 * order, in groups of seven bits from the lowest, then a byte for each sign with its weight and, in the lowest bit, whether it is common.
 */
export interface PackedModel {
  bias: number;
  signs: string;
}

export function packModel({ bias, signs }: ClassifierModel): PackedModel {
  const entries = [...signs].sort(([a], [b]) => a - b);
  const bytes: number[] = [];
  const add = (given: number) => {
    let value = given;
    for (; value >= 0x80; value >>>= 7) bytes.push((value & 0x7f) | 0x80);
    bytes.push(value);
  };
  add(entries.length);
  let before = 0;
  for (const [hash] of entries) {
    add(hash - before);
    before = hash;
  }
  for (const [, { weight, isCommon }] of entries) add((weight + HIGHEST_WEIGHT) * 2 + (isCommon ? 1 : 0));
  return { bias, signs: brotliCompressSync(Buffer.from(bytes)).toString('base64') };
}

export function unpackModel({ bias, signs }: PackedModel): ClassifierModel {
  const bytes = brotliDecompressSync(Buffer.from(signs, 'base64')).values();
  const next = () => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes.next().value ?? 0;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const count = next();
  let hash = 0;
  const hashes = Array.from({ length: count }, () => (hash += next()));
  const known = hashes.map((each): [number, KnownSign] => {
    const stored = next();
    return [each, { weight: (stored >>> 1) - HIGHEST_WEIGHT, isCommon: stored % 2 === 1 }];
  });
  return { bias, signs: new Map(known) };
}
