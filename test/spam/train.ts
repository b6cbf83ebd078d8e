/**
 * Trains the classifier with all sample mail, and writes its weights: `deploy/node test/spam/train.ts`. With `--validate`, it writes nothing
 * and prints how models that were trained without the mail of one writer judge the mail of that writer.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type ClassifierModel,
  HIGHEST_WEIGHT,
  type KnownSign,
  packModel,
  spamLikeness,
} from '../../src/receiving/spam/classifier.ts';
import { versionsOf } from '../../src/receiving/spam/signs.ts';
import { readCorpus, type SampleMessage, TESTED, type Writer, WRITERS } from './corpus.ts';

export interface Sample {
  isSpam: boolean;
  writer: Writer;
  /** Variants of one message have the same. */
  source: string;
  message: SampleMessage;
  signs: readonly number[];
}

/** Added to the counts of messages with a sign. Chosen by cross-validation between writers, like the constants below (docs/decisions/0136). */
const SMOOTHING = 0.1;
/** How strongly large weights are avoided. */
const DECAY = 0.0001;
const STEPS = 300;
const RATE = 2;
const MOMENTUM = 0.9;
/** The share of the weights that are not cut off. Otherwise, a few words that one writer likes would decide. */
const UNCUT = 0.9;
/** The least weight with which a sign of a single source is stored. Weaker ones are many, and change hardly any result. */
const LEAST_WEIGHT = 2;

export function readSamples(writers: readonly Writer[]): Sample[] {
  return writers.flatMap((writer) =>
    (['spam', 'ham'] as const).flatMap((kind) =>
      readCorpus(writer, kind).map((message, at) => ({
        isSpam: kind === 'spam',
        writer,
        source: `${writer} ${kind} ${message.campaign ?? at}`,
        message,
        // The HTML version of sample mail has the same text.
        signs: versionsOf(message.mail)[0]?.signs ?? [],
      })),
    ),
  );
}

/** A sign of the samples. */
interface Column {
  sign: number;
  isCommon: boolean;
  /** The logarithm of how much more frequent it is in spam than in wanted mail. */
  ratio: number;
}

/**
 * Logistic regression on signs that are scaled by their log-count ratio (Wang and Manning, ACL 2012). Deterministic: always the same number
 * of steps over all samples.
 */
export function train(samples: readonly Sample[]): ClassifierModel {
  const columns = columnsOf(samples);
  const columnOf = new Map(columns.map(({ sign }, at) => [sign, at]));
  const ratios = Float64Array.from(columns, ({ ratio }) => ratio);
  const rows = samples.map(({ signs, isSpam }) => ({
    columns: Int32Array.from(signs, (sign) => columnOf.get(sign) ?? 0),
    scale: 1 / Math.sqrt(signs.length),
    target: isSpam ? 1 : 0,
  }));
  const factors = new Float64Array(columns.length);
  const speeds = new Float64Array(columns.length);
  const gradient = new Float64Array(columns.length);
  let bias = 0;
  let biasSpeed = 0;
  for (let step = 0; step < STEPS; step++) {
    gradient.fill(0);
    let biasGradient = 0;
    for (const row of rows) {
      let sum = 0;
      for (const at of row.columns) sum += valueAt(factors, at) * valueAt(ratios, at);
      const error = (1 / (1 + Math.exp(-bias - sum * row.scale)) - row.target) / rows.length;
      for (const at of row.columns)
        gradient[at] = valueAt(gradient, at) + error * row.scale * valueAt(ratios, at);
      biasGradient += error;
    }
    biasSpeed = MOMENTUM * biasSpeed - RATE * biasGradient;
    bias += biasSpeed;
    for (let at = 0; at < factors.length; at++) {
      const speed =
        MOMENTUM * valueAt(speeds, at) - RATE * (valueAt(gradient, at) + DECAY * valueAt(factors, at));
      speeds[at] = speed;
      factors[at] = valueAt(factors, at) + speed;
    }
  }
  return rounded(
    columns,
    factors.map((factor, at) => factor * valueAt(ratios, at)),
    bias,
  );
}

/** Cuts off the highest weights, so that a message needs many signs of spam, and rounds all of them. */
function rounded(columns: readonly Column[], exact: Float64Array, bias: number): ClassifierModel {
  const sizes = exact.map(Math.abs).filter((size) => size > 0);
  const most = valueAt(sizes.sort(), Math.floor((sizes.length - 1) * UNCUT));
  const known = columns.map(({ sign, isCommon }, at): [number, KnownSign] => {
    const weight = Math.round(Math.max(-1, Math.min(1, valueAt(exact, at) / most)) * HIGHEST_WEIGHT);
    return [sign, { weight: isCommon || Math.abs(weight) >= LEAST_WEIGHT ? weight : 0, isCommon }];
  });
  return {
    bias: Math.round((bias / most) * 1_000) / 1_000,
    signs: new Map(known.filter(([, { weight, isCommon }]) => isCommon || weight !== 0)),
  };
}

function columnsOf(samples: readonly Sample[]): Column[] {
  const counts = new Map<number, { sources: Set<string>; spam: number; ham: number }>();
  for (const { signs, source, isSpam } of samples)
    for (const sign of signs) {
      const count = counts.get(sign) ?? { sources: new Set<string>(), spam: 0, ham: 0 };
      counts.set(sign, count);
      count.sources.add(source);
      count[isSpam ? 'spam' : 'ham']++;
    }
  const spam = samples.filter(({ isSpam }) => isSpam).length;
  const share = (count: number, total: number) => (count + SMOOTHING) / (total + 2 * SMOOTHING);
  return [...counts].map(([sign, count]) => ({
    sign,
    isCommon: count.sources.size > 1,
    ratio: Math.log(share(count.spam, spam) / share(count.ham, samples.length - spam)),
  }));
}

function valueAt(values: Float64Array, at: number): number {
  return values[at] ?? 0;
}

/** Prints, for several thresholds, how many messages of each writer are above them. No sender is known. */
function validate(samples: readonly Sample[]): void {
  const judged = TESTED.flatMap((writer) => {
    const model = train(samples.filter((sample) => sample.writer !== writer));
    return samples
      .filter((sample) => sample.writer === writer)
      .map(({ isSpam, message }) => ({ isSpam, writer, likeness: spamLikeness(message.mail, model) }));
  });
  const count = (threshold: number, isSpam: boolean, writer: Writer) =>
    judged.filter((each) => each.isSpam === isSpam && each.writer === writer && each.likeness >= threshold)
      .length;
  for (const threshold of [0, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]) {
    const shares = TESTED.map(
      (writer) => `${writer} ${count(threshold, true, writer)} and ${count(threshold, false, writer)}`,
    );
    process.stdout.write(`spam and wanted mail with a likeness of ${threshold}: ${shares.join(', ')}\n`);
  }
  const highest = judged
    .filter(({ isSpam }) => !isSpam)
    .map(({ likeness }) => likeness)
    .sort((a, b) => b - a);
  process.stdout.write(
    `the highest of wanted mail: ${highest
      .slice(0, 6)
      .map((each) => each.toFixed(2))
      .join(', ')}\n`,
  );
}

if (import.meta.main) {
  const samples = readSamples(WRITERS);
  if (process.argv[2] === '--validate') validate(samples);
  else {
    const file = join(import.meta.dirname, '../../src/receiving/spam/classifier-weights.json');
    writeFileSync(file, `${JSON.stringify(packModel(train(samples)), null, 2)}\n`);
  }
}
