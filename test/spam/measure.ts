/**
 * Prints how the filter judges sample mail at the level `medium`: `deploy/node test/spam/measure.ts [WRITER…]`, by default that of all writers
 * with whose mail models are tested. The mail of a writer is judged by a model that was trained without it. So another model is measured than
 * the one that is delivered, which has learned from all of them (docs/decisions/0136).
 */
import type { ClassifierModel } from '../../src/receiving/spam/classifier.ts';
import { spamLikeness } from '../../src/receiving/spam/classifier.ts';
import {
  domainFeaturesOf,
  featuresOf,
  LEAST_SHARED,
  MOST_COMMON,
  type Overlap,
} from '../../src/receiving/spam/features.ts';
import {
  LEAST_OF_DOMAIN,
  type LessonsInCommon,
  type OfProject,
  reasonsOf,
} from '../../src/receiving/spam/learned.ts';
import { isLikeSpam, isLikeWanted, isVeryLikeSpam, RULES } from '../../src/receiving/spam/rules.ts';
import { checkSenders } from '../../src/receiving/spam/senders.ts';
import { readSample } from '../../src/receiving/spam/score.ts';
import { tokensOf } from '../../src/receiving/spam/tokens.ts';
import { type SpamReason, USUAL_JUNK_SCORE, verdictOf } from '../../src/receiving/spam/verdict.ts';
import { readCorpus, type SampleMessage, TESTED, type Writer, WRITERS } from './corpus.ts';
import { readSamples, type Sample, train } from './train.ts';

export interface Share {
  junk: number;
  all: number;
}

/** The mailbox wrote to the sender before. */
const KNOWN: SpamReason = { rule: 'SENDER_KNOWN', weight: -3 };
/** How many wanted messages the mailbox has filed, starred or answered before it marks a campaign. */
const WANTED_LESSONS = 30;
/** The maximum number of messages of a campaign that are marked. Two others of the campaign are then judged. */
const MARKED = 10;

/** A message with what a model that did not learn from its writer finds in it. */
export interface Found {
  message: SampleMessage;
  reasons: readonly SpamReason[];
  tokens: readonly number[];
  features: readonly number[];
  domains: readonly number[];
  readsWanted: boolean;
}

/** @param trained all samples of `WRITERS`; those of the writer are left out */
export function find(
  writer: Writer,
  trained: readonly Sample[] = readSamples(WRITERS),
): { spam: Found[]; ham: Found[] } {
  const model = train(trained.filter((sample) => sample.writer !== writer));
  const found = (kind: 'spam' | 'ham') => readCorpus(writer, kind).map((message) => findWith(model, message));
  return { spam: found('spam'), ham: found('ham') };
}

function findWith(model: ClassifierModel, message: SampleMessage): Found {
  const { mail } = message;
  const likeness = spamLikeness(mail, model);
  const rules = RULES.filter(({ name, matches }) => {
    if (name === 'LIKE_SPAM') return isLikeSpam(likeness);
    return name === 'VERY_LIKE_SPAM' ? isVeryLikeSpam(likeness) : matches(mail);
  });
  const features = featuresOf(mail, model);
  const named = readSample(message.raw);
  const senders = checkSenders(named, mail.authentication);
  return {
    message,
    reasons: rules.map(({ name, weight }) => ({ rule: name, weight })),
    tokens: tokensOf(mail),
    features,
    domains: domainFeaturesOf(named, senders),
    readsWanted: isLikeWanted(likeness),
  };
}

/**
 * How many messages go to Junk before the mailbox has learned anything.
 * @param isKnown whether the mailbox knows the senders of answers to its mail
 */
export function atFirst(messages: readonly Found[], isKnown = false): Share {
  return share(messages.map((each) => isJunk(each, [], isKnown)));
}

/** How many wanted messages go to Junk if the mailbox marked all campaigns, knows no sender, and has no wanted lesson. */
export function afterMarkingAll(spam: readonly Found[], ham: readonly Found[]): Share {
  const junk = spam.filter(({ message }) => message.campaign !== null);
  return share(ham.map((each) => isJunk(each, learnedFrom(each, junk, []))));
}

/**
 * How many wanted messages go to Junk, such as receipts, posts and mail of colleagues, if the mailbox marked two other messages of the same
 * domain, knows no sender, and has no wanted lesson.
 */
export function afterMarkingDomains([other]: readonly Found[], ham: readonly Found[]): Share {
  const judge = (each: Found) => {
    const marked = other === undefined ? [] : [{ ...other, domains: each.domains }];
    return isJunk(each, learnedFrom(each, [...marked, ...marked], []));
  };
  return share(ham.map(judge));
}

/**
 * For each campaign, how many of its last two messages go to Junk after a mailbox marked the others, and of the wanted messages that the
 * mailbox has not seen.
 */
export function afterMarking(
  spam: readonly Found[],
  ham: readonly Found[],
): { variants: Share; unlearned: Share; wanted: Share } {
  const campaigns = [...Map.groupBy(spam, ({ message }) => message.campaign)].flatMap(([name, messages]) =>
    name === null || messages.length < 4 ? [] : [messages],
  );
  // Every fifth, so that all kinds of wanted mail are learned.
  const isLesson = (at: number) => at % Math.floor(ham.length / WANTED_LESSONS) === 0;
  const wantedLessons = ham.filter((_, at) => isLesson(at));
  const others = ham.filter((_, at) => !isLesson(at));
  const results = campaigns.map((messages) => {
    const junk = messages.slice(0, -2).slice(0, MARKED);
    const judge = (each: Found) => isJunk(each, learnedFrom(each, junk, wantedLessons));
    const variants = messages.slice(-2);
    return {
      variants: variants.map(judge),
      unlearned: variants.map((each) => isJunk(each, [])),
      wanted: others.map(judge),
    };
  });
  return {
    variants: share(results.flatMap(({ variants }) => variants)),
    unlearned: share(results.flatMap(({ unlearned }) => unlearned)),
    wanted: share(results.flatMap(({ wanted }) => wanted)),
  };
}

const NO_PROJECT: OfProject = { junk: 0, ham: 0, tokens: null, others: null };

/** What `Learned` reads from the database. */
function learnedFrom(message: Found, junk: readonly Found[], ham: readonly Found[]): SpamReason[] {
  const { tokens, features } = message;
  const count = (lessons: readonly Found[], token: number) =>
    lessons.filter((lesson) => lesson.tokens.includes(token)).length;
  const isOfDomain = ({ domains }: Found) => domains.some((each) => message.domains.includes(each));
  const own: LessonsInCommon = {
    junk: junk.length,
    ham: ham.length,
    tokens: tokens.map((token) => [count(junk, token), count(ham, token)]),
    overlaps: [
      { kind: 'junk', ...overlapOf(message, junk) },
      { kind: 'ham', ...overlapOf(message, ham) },
    ],
    isDomainMarked: junk.filter(isOfDomain).length >= LEAST_OF_DOMAIN && !ham.some(isOfDomain),
  };
  return reasonsOf(own, NO_PROJECT, { total: features.length, readsWanted: message.readsWanted });
}

function overlapOf({ features }: Found, lessons: readonly Found[]): Overlap {
  const given = new Set(features);
  const shared = lessons.map((lesson) => lesson.features.filter((each) => given.has(each)));
  const counts = Map.groupBy(shared.flat(), (feature) => feature);
  const isTelling = (feature: number) => (counts.get(feature)?.length ?? 0) <= MOST_COMMON;
  return {
    best: Math.max(0, ...shared.map(({ length }) => length)),
    telling: Math.max(0, ...shared.map((of) => of.filter(isTelling).length)),
    covered: new Set(shared.filter(({ length }) => length >= LEAST_SHARED).flat()).size,
    touched: new Set(shared.flat()).size,
  };
}

function isJunk({ reasons, message }: Found, learned: readonly SpamReason[], isKnown = false): boolean {
  const all = [...reasons, ...learned, ...(isKnown && message.isReply ? [KNOWN] : [])];
  return verdictOf(all, 'medium').score >= USUAL_JUNK_SCORE;
}

function share(results: readonly boolean[]): Share {
  return { junk: results.filter(Boolean).length, all: results.length };
}

if (import.meta.main) {
  const writers = process.argv.length > 2 ? (process.argv.slice(2) as Writer[]) : TESTED;
  const trained = readSamples(WRITERS);
  for (const writer of writers) {
    const { spam, ham } = find(writer, trained);
    const { variants, unlearned, wanted } = afterMarking(spam, ham);
    process.stdout.write(`${writer}:\n`);
    for (const [name, { junk, all }] of Object.entries({
      spam: atFirst(spam),
      'wanted mail, if no sender is known': atFirst(ham),
      'wanted mail, if the senders of answers are known': atFirst(ham, true),
      'the last two of each campaign, before it was marked': unlearned,
      'the last two of each campaign, after up to ten others were marked': variants,
      'wanted mail, after each campaign was marked': wanted,
      'wanted mail, after all campaigns were marked, if no wanted mail is known': afterMarkingAll(spam, ham),
      'wanted mail, after two others of its domain were marked, if no wanted mail is known':
        afterMarkingDomains(spam, ham),
    }))
      process.stdout.write(`${String(junk).padStart(4)} of ${all} in Junk: ${name}\n`);
  }
}
