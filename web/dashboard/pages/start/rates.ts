/**
 * Rates that decide a sender's reputation, with the limits that providers have published
 * (docs/operate/deliverability.md).
 */
import type { EmailOutcome } from '../../../../src/contract/dashboard/email-log.ts';
import type { Overview } from '../../../../src/contract/dashboard/overview.ts';

export type RateTone = 'good' | 'warn' | 'bad';

export const TONE_TEXTS = { good: 'text-good', warn: 'text-warn', bad: 'text-bad' } as const;

export interface ShownRate {
  name: string;
  /** The plural name of the recipients or emails that the rate is a share of. */
  whole: string;
  of(total: Overview['total']): { part: number; whole: number };
  /** What happened to the recipients of the part, and of the whole. */
  outcomes: { part: EmailOutcome; whole: EmailOutcome };
  /** The rates at which the meter begins and is full. */
  start: number;
  end: number;
  marks: readonly number[];
  tone(part: number, whole: number): RateTone;
  words(part: number, whole: number): string;
}

/** With fewer emails than this, a single email changes the rate too much. */
const FEW = 100;
/** The same for complaints (src/model/reputation.ts). */
const FEW_DELIVERED = 1_000;
const FEW_COMPLAINTS = 3;

type Words = Readonly<Record<RateTone, string>>;

/** How to judge a rate, of which a part is bad. */
function judging(
  words: Words,
  { warn, bad }: { warn: number; bad: number },
  mayTrust: (part: number, whole: number) => boolean,
): Pick<ShownRate, 'tone' | 'words'> {
  const tone = (part: number, whole: number): RateTone => {
    if (whole === 0 || part / whole < warn) return 'good';
    return part / whole < bad || !mayTrust(part, whole) ? 'warn' : 'bad';
  };
  return {
    tone,
    words(part, whole) {
      if (whole === 0) return '';
      const found = tone(part, whole);
      return found !== 'good' && !mayTrust(part, whole)
        ? 'Too few emails for a reliable rate.'
        : words[found];
    },
  };
}

const lost = judging(
  {
    good: 'Over 95%: nearly everything arrives.',
    warn: 'Below 95%: check the bounced and failed emails.',
    bad: 'Below 90%: many emails are not arriving. Check the bounced and failed emails.',
  },
  { warn: 0.05, bad: 0.1 },
  (_part, whole) => whole >= FEW,
);

export const RATES: readonly ShownRate[] = [
  {
    name: 'Delivered',
    // The rate leaves out emails in transit, because they may still be delivered.
    whole: 'recipients whose outcome is known',
    of: ({ delivered, bounced, failed }) => ({ part: delivered, whole: delivered + bounced + failed }),
    outcomes: { part: 'delivered', whole: 'final' },
    start: 0.8,
    end: 1,
    marks: [0.9, 0.95],
    tone: (part, whole) => lost.tone(whole - part, whole),
    words: (part, whole) => lost.words(whole - part, whole),
  },
  {
    name: 'Bounced',
    whole: 'recipients',
    of: ({ bounced, recipients }) => ({ part: bounced, whole: recipients }),
    outcomes: { part: 'bounced', whole: 'any' },
    start: 0,
    end: 0.1,
    marks: [0.02, 0.05],
    ...judging(
      {
        good: 'Below 2%: your list is in good shape.',
        warn: 'Over 2%: your list has outdated or wrong addresses.',
        bad: 'Over 5%: providers start to reject all your mail. Pause sending and clean your list.',
      },
      { warn: 0.02, bad: 0.05 },
      (_part, whole) => whole >= FEW,
    ),
  },
  {
    name: 'Complained',
    whole: 'delivered',
    of: ({ complained, delivered }) => ({ part: complained, whole: delivered }),
    outcomes: { part: 'complained', whole: 'delivered' },
    start: 0,
    end: 0.005,
    marks: [0.001, 0.003],
    ...judging(
      {
        good: 'Below 0.1%, as Gmail recommends.',
        warn: 'Over 0.1%: more than Gmail recommends. Gmail and Yahoo require less than 0.3%.',
        bad: 'Over 0.3%: Gmail and Yahoo deliver your mail to spam.',
      },
      { warn: 0.001, bad: 0.003 },
      (part, whole) => whole >= FEW_DELIVERED || (whole >= FEW && part >= FEW_COMPLAINTS),
    ),
  },
];
