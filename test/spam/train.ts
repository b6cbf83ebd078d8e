/**
 * Trains the classifier with the sample mail of the writers a, b and d, and writes its weights: `deploy/node test/spam/train.ts`. With
 * `--validate`, it writes nothing and prints how models that were trained without the mail of a, or of b, judge that mail.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ClassifierModel, likenessIn, packModel, signsOf } from '../../src/receiving/spam/classifier.ts';
import { readCorpus, type SampleMessage, type Writer } from './corpus.ts';

interface Sample {
  isSpam: boolean;
  writer: Writer;
  /** Variants of one message have the same. */
  source: string;
  message: SampleMessage;
  signs: readonly number[];
}

/** The writers whose mail trains the classifier. */
export const TRAINED: readonly Writer[] = ['a', 'b', 'd'];
/** The number of sources in which a sign must occur to get a weight. */
const LEAST_SOURCES = 2;
/** Added to the counts of messages with a sign. Chosen by cross-validation, like the two constants below. */
const SMOOTHING = 0.1;
/** How strongly large weights are avoided. */
const DECAY = 0.0001;
const STEPS = 300;
const RATE = 2;
const MOMENTUM = 0.9;

export function readSamples(writers: readonly Writer[]): Sample[] {
  return writers.flatMap((writer) =>
    (['spam', 'ham'] as const).flatMap((kind) =>
      readCorpus(writer, kind).map((message, at) => ({
        isSpam: kind === 'spam',
        writer,
        source: `${writer} ${kind} ${message.campaign ?? at}`,
        message,
        signs: signsOf(message.mail),
      })),
    ),
  );
}

/** The counts of messages with a sign. */
interface SignCounts {
  sources: Set<string>;
  spam: number;
  ham: number;
}

/**
 * Logistic regression on signs that are scaled by their log-count ratio (Wang and Manning, ACL 2012). Deterministic: always the same number
 * of steps over all samples.
 */
export function train(samples: readonly Sample[]): ClassifierModel {
  const columns = ratiosOf(samples);
  const columnOf = new Map(columns.map(({ sign }, at) => [sign, at]));
  const ratios = Float64Array.from(columns, ({ ratio }) => ratio);
  const rows = samples.map(({ signs, isSpam }) => ({
    columns: signs.flatMap((sign) => columnOf.get(sign) ?? []),
    scale: 1 / Math.sqrt(signs.length),
    target: isSpam ? 1 : 0,
  }));
  const factors = new Float64Array(columns.length);
  const speeds = new Float64Array(columns.length);
  let bias = 0;
  let biasSpeed = 0;
  for (let step = 0; step < STEPS; step++) {
    const gradient = new Float64Array(columns.length);
    let biasGradient = 0;
    for (const row of rows) {
      const sum = row.columns.reduce((total, at) => total + valueAt(factors, at) * valueAt(ratios, at), 0);
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
  const exact = factors.map((factor, at) => factor * valueAt(ratios, at));
  const scale = exact.reduce((most, weight) => Math.max(most, Math.abs(weight)), 0) / 127;
  return {
    bias,
    scale,
    weights: new Map(columns.map(({ sign }, at) => [sign, Math.round(valueAt(exact, at) / scale)])),
  };
}

/** The signs that get a weight, with the logarithm of how much more frequent each is in spam than in wanted mail. */
function ratiosOf(samples: readonly Sample[]): { sign: number; ratio: number }[] {
  const counts = new Map<number, SignCounts>();
  for (const { signs, source, isSpam } of samples)
    for (const sign of signs) {
      const count = counts.get(sign) ?? { sources: new Set<string>(), spam: 0, ham: 0 };
      counts.set(sign, count);
      count.sources.add(source);
      count[isSpam ? 'spam' : 'ham']++;
    }
  const spam = samples.filter(({ isSpam }) => isSpam).length;
  const share = (count: number, total: number) => (count + SMOOTHING) / (total + 2 * SMOOTHING);
  return [...counts]
    .filter(([, { sources }]) => sources.size >= LEAST_SOURCES)
    .map(([sign, count]) => ({
      sign,
      ratio: Math.log(share(count.spam, spam) / share(count.ham, samples.length - spam)),
    }));
}

function valueAt(values: Float64Array, at: number): number {
  return values[at] ?? 0;
}

/** Prints, for several thresholds, how many messages of a and of b are above them. Wanted mail from known senders does not count. */
function validate(samples: readonly Sample[]): void {
  const judged = (['a', 'b'] as const).flatMap((writer) => {
    const model = train(samples.filter((sample) => sample.writer !== writer));
    return samples
      .filter((sample) => sample.writer === writer && (sample.isSpam || !sample.message.isReply))
      .map(({ isSpam, signs }) => ({ isSpam, likeness: likenessIn(model, signs) }));
  });
  const share = (threshold: number, isSpam: boolean) => {
    const all = judged.filter((each) => each.isSpam === isSpam);
    return `${all.filter(({ likeness }) => likeness >= threshold).length} of ${all.length}`;
  };
  for (const threshold of [0, 0.25, 0.5, 0.75, 1, 1.25])
    process.stdout.write(
      `likeness ${threshold.toFixed(2)}: spam ${share(threshold, true)}, wanted mail ${share(threshold, false)}\n`,
    );
}

if (import.meta.main) {
  const samples = readSamples(TRAINED);
  if (process.argv[2] === '--validate') validate(samples);
  else {
    const file = join(import.meta.dirname, '../../src/receiving/spam/classifier-weights.json');
    writeFileSync(file, `${JSON.stringify(packModel(train(samples)), null, 2)}\n`);
  }
}
