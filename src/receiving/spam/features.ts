/** Finds variants of a message: spammers send one message in many wordings, to many mailboxes. */
import { type ClassifierModel, rareSignsOf } from './classifier.ts';
import { organization } from './rules/author.ts';
import { MAIL_PROVIDERS } from './rules/mail-providers.ts';
import type { CheckedSenders } from './senders.ts';
import { type ClassifiedContent, hashOf } from './signs.ts';

/** The number of signs sampled from a message. */
const MAX_FEATURES = 64;
/** A message with fewer signs says too little to be a variant, and resembles others by chance. */
const LEAST_FEATURES = 12;
/** The number of signs that a lesson must have in common with a message to be similar to it. */
const LEAST_SHARED = 2;
/** Signs that more than this share of the lessons have do not make a message similar. An example is the name of the mailbox's owner. */
const COMMON = 0.25;
const LEAST_COMMON = 10;
/** The share of signs that all lessons together have in common with a variant. */
const VARIANT = 0.3;
/** The share of signs that the most similar lesson must have in common with a variant. Many lessons together contain much common language. */
const LEAST_BEST = 0.15;

/**
 * A sample of the signs of a message that are rare in other mail: those with the smallest hashes, so that two messages with many common signs
 * have many common samples (On the resemblance and containment of documents, 1997).
 */
export function featuresOf(content: ClassifiedContent, model?: ClassifierModel): number[] {
  return rareSignsOf(content, model)
    .sort((a, b) => a - b)
    .slice(0, MAX_FEATURES);
}

/**
 * The domain of a proven author, as a feature of the message: a negative number, as those of texts are not. The texts of a campaign may have
 * nothing in common but the domain. Domains where anyone can have an address do not count, and neither do mailing lists.
 */
export function domainFeaturesOf({ proven }: Pick<CheckedSenders, 'proven'>): number[] {
  return proven
    .filter((sender) => sender.includes('@'))
    .map((sender) => organization(sender.slice(sender.lastIndexOf('@') + 1)))
    .filter((domain) => !MAIL_PROVIDERS.has(domain))
    .map((domain) => -1 - hashOf(domain));
}

/** The features of the text. */
export function ofText(features: readonly number[]): number[] {
  return features.filter((feature) => feature >= 0);
}

/**
 * Whether junk lessons are from the domain of the author, and no wanted lessons.
 * @param junk for each message moved into Junk, the features that it shares with the message
 * @param ham the same for wanted messages
 */
export function isDomainMarked(
  junk: readonly (readonly number[])[],
  ham: readonly (readonly number[])[],
): boolean {
  const isOfDomain = (features: readonly number[]) => features.some((feature) => feature < 0);
  return junk.some(isOfDomain) && !ham.some(isOfDomain);
}

/**
 * How much a message resembles messages of one kind, if it does not resemble those of the other kind as much. Variants are nearly the same
 * text. Similar messages say the same in other words; some wanted mail is similar to spam too.
 * @param total the number of features of the message
 * @param junk for each message moved into Junk, the features that it shares with the message
 * @param ham the same for wanted messages
 * @param lessons the number of messages moved into Junk, including those that share nothing with the message
 */
export function resemblance(
  total: number,
  junk: readonly (readonly number[])[],
  ham: readonly (readonly number[])[],
  lessons: number,
): 'variant' | 'similar' | null {
  const size = Math.max(LEAST_FEATURES, total);
  const near = junk.filter((features) => features.length >= LEAST_SHARED);
  const covered = new Set(near.flat()).size / size;
  const coveredByHam = new Set(ham.flat()).size / size;
  if (coveredByHam >= covered) return null;
  const isVariant =
    total >= LEAST_FEATURES &&
    covered >= VARIANT &&
    coveredByHam < covered / 2 &&
    near.some((features) => features.length >= LEAST_BEST * total);
  if (isVariant) return 'variant';
  const counts = Map.groupBy(near.flat(), (feature) => feature);
  const most = Math.max(LEAST_COMMON, COMMON * lessons);
  const isSimilar = near.some(
    (features) => features.filter((each) => (counts.get(each)?.length ?? 0) <= most).length >= LEAST_SHARED,
  );
  return isSimilar ? 'similar' : null;
}
