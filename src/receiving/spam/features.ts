/** Finds variants of a message: spammers send one message in many wordings, to many mailboxes. */
import { organizationAt } from '../../domains/domain-name.ts';
import { type ClassifierModel, isRare } from './classifier.ts';
import { isSharedDomain } from './rules/mail-providers.ts';
import type { CheckedSenders } from './senders.ts';
import { type ClassifiedContent, hashOf, signsOfWording } from './signs.ts';

/** The number of signs sampled from each text of a message: the plain one, and that of its HTML if it differs. */
const MAX_FEATURES_OF_TEXT = 64;
/** The number of signs sampled from a message. */
export const MAX_FEATURES = 2 * MAX_FEATURES_OF_TEXT;
/** A message with fewer signs says too little to be a variant, and resembles others by chance. */
const LEAST_FEATURES = 12;
/** The number of signs that a lesson must have in common with a message to be similar to it. */
export const LEAST_SHARED = 2;
/** Signs that more lessons have do not make a message similar. An example is the name of the mailbox's owner. No more of them are counted. */
export const MOST_COMMON = 10;
/** The share of signs that all lessons together have in common with a variant. */
const VARIANT = 0.5;
/** The share of signs that the most similar lesson must have in common with a variant. Many lessons together contain much common language. */
export const LEAST_BEST = 0.4;

/**
 * A sample of the signs of the wording of a message that are rare in other mail: those with the smallest hashes, so that two messages with many
 * common signs have many common samples (On the resemblance and containment of documents, 1997).
 */
export function featuresOf(content: ClassifiedContent, model?: ClassifierModel): number[] {
  const samples = signsOfWording(content).map((signs) =>
    signs
      .filter((sign) => isRare(sign, model))
      .sort((a, b) => a - b)
      .slice(0, MAX_FEATURES_OF_TEXT),
  );
  return [...new Set(samples.flat())];
}

/**
 * The domain of a proven author, as a feature of the message: a negative number, as those of texts are not. The texts of a campaign may have
 * nothing in common but the domain. Domains with many users who are not one sender do not count. Neither do the authors of mailing lists, and
 * those of mail of this installation, where each tenant answers for itself.
 */
export function domainFeaturesOf(
  { list, isOwn = false }: { list: string; isOwn?: boolean | undefined },
  { proven }: Pick<CheckedSenders, 'proven'>,
): number[] {
  if (list !== '' || isOwn) return [];
  return proven
    .map(organizationAt)
    .filter((domain) => !isSharedDomain(domain))
    .map((domain) => -1 - hashOf(domain));
}

/** What the lessons of one kind have in common with a message. Lessons with a single feature in common count only as `touched`. */
export interface Overlap {
  /** The number of features that the lesson with the most of them has in common with the message. */
  best: number;
  /** The same without features that more than `MOST_COMMON` lessons have. */
  telling: number;
  /** The number of features of the message that these lessons have. */
  covered: number;
  /** The number of features that any lesson has. */
  touched: number;
}

/**
 * How much a message resembles messages of one kind, if it does not resemble those of the other kind as much. Variants are nearly the same
 * text. Similar messages say the same in other words; some wanted mail is similar to spam too.
 * @param total the number of features of the message
 */
export function resemblance(
  total: number,
  { best, telling, covered }: Overlap,
  other: Pick<Overlap, 'touched'>,
): 'variant' | 'similar' | null {
  if (other.touched >= covered) return null;
  const isVariant =
    total >= LEAST_FEATURES &&
    covered >= VARIANT * Math.max(LEAST_FEATURES, total) &&
    other.touched < covered / 2 &&
    best >= LEAST_BEST * total;
  if (isVariant) return 'variant';
  return telling >= LEAST_SHARED ? 'similar' : null;
}
