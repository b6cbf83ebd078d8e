/**
 * Rates that decide a sender's reputation, with the limits that providers have published
 * (docs/operate/deliverability.md).
 */
import type { Overview } from '../../../../src/contract/dashboard/overview.ts';

export type RateTone = 'good' | 'warn' | 'bad';

export const TONE_TEXTS = { good: 'text-good', warn: 'text-warn', bad: 'text-bad' } as const;

export interface ShownRate {
  name: string;
  /** The plural name of the recipients or emails that the rate is a share of. */
  whole: string;
  of(total: Overview['total']): { part: number; whole: number };
  /** The rate at which the meter is full. */
  end: number;
  marks: readonly number[];
  tone(value: number, whole: number): RateTone;
  words(tone: RateTone, whole: number): string;
}

/** If there are fewer emails than this, a single email changes the rate too much. */
const FEW = 100;

function toneOf(warn: number, bad: number) {
  return (value: number, whole: number): RateTone => {
    if (value < warn) return 'good';
    return value < bad || whole < FEW ? 'warn' : 'bad';
  };
}

function wordsOf(words: Readonly<Record<RateTone, string>>) {
  return (tone: RateTone, whole: number): string =>
    whole === 0 ? '' : tone !== 'good' && whole < FEW ? 'Too few emails for a reliable rate.' : words[tone];
}

const lost = toneOf(0.05, 0.1);

export const RATES: readonly ShownRate[] = [
  {
    name: 'Delivered',
    // The rate leaves out emails in transit, because they may still be delivered.
    whole: 'recipients whose outcome is known',
    of: ({ delivered, bounced, failed }) => ({ part: delivered, whole: delivered + bounced + failed }),
    end: 1,
    marks: [0.9, 0.95],
    tone: (value, whole) => lost(1 - value, whole),
    words: wordsOf({
      good: 'Over 95%: nearly everything arrives.',
      warn: 'Below 95%: check the bounced and failed emails.',
      bad: 'Below 90%: many emails are not arriving. Check the bounced and failed emails.',
    }),
  },
  {
    name: 'Bounced',
    whole: 'recipients',
    of: ({ bounced, recipients }) => ({ part: bounced, whole: recipients }),
    end: 0.1,
    marks: [0.02, 0.05],
    tone: toneOf(0.02, 0.05),
    words: wordsOf({
      good: 'Below 2%: your list is in good shape.',
      warn: 'Over 2%: your list has outdated or wrong addresses.',
      bad: 'Over 5%: providers start to reject all your mail. Pause sending and clean your list.',
    }),
  },
  {
    name: 'Complained',
    whole: 'delivered',
    of: ({ complained, delivered }) => ({ part: complained, whole: delivered }),
    end: 0.005,
    marks: [0.001, 0.003],
    tone: toneOf(0.001, 0.003),
    words: wordsOf({
      good: 'Below 0.1%, as Gmail recommends.',
      warn: 'Over 0.1%: more than Gmail recommends. Gmail and Yahoo require less than 0.3%.',
      bad: 'Over 0.3%: Gmail and Yahoo deliver your mail to spam.',
    }),
  },
];
