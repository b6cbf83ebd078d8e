/** The project-independent result of the built-in scorer. */
import { fieldValue } from '../../rfc/mime/index.ts';
import { featuresOf } from './features.ts';
import { type Mail, readContent, type SpamContent } from './mail.ts';
import { readsWanted, RULES } from './rules.ts';
import type { NamedSenders } from './senders.ts';
import { tokensOf } from './tokens.ts';
import type { SpamReason } from './verdict.ts';

/** The findings of the examining thread, which has no access to the database. */
export interface SpamFindings extends NamedSenders {
  readonly reasons: readonly SpamReason[];
  /** For what was learned (`learned.ts`). */
  readonly tokens: readonly number[];
  readonly features: readonly number[];
  /** Whether the message reads like wanted mail, so that learned words do not decide alone. */
  readonly readsWanted: boolean;
}

export function findSpamSigns(mail: Mail): SpamFindings {
  const reasons = RULES.filter((rule) => rule.matches(mail)).map(({ name, weight }) => ({
    rule: name,
    weight,
  }));
  return { reasons, readsWanted: readsWanted(mail), ...sampleOf(mail) };
}

/** The parts of a message that are learned. The received and the stored message have the same, because trace fields are ignored. */
export function readSample(raw: Buffer): Sample {
  return sampleOf(readContent(raw));
}

export type Sample = Omit<SpamFindings, 'reasons' | 'readsWanted'>;

export function sampleOf(content: SpamContent): Sample {
  return {
    tokens: tokensOf(content),
    features: featuresOf(content),
    author: content.from.address,
    list: listOf(content),
  };
}

/** The identifier in List-Id (RFC 2919, section 3). */
function listOf({ fields }: SpamContent): string {
  const value = fieldValue(fields, 'list-id') ?? '';
  return /<([a-z0-9._-]{3,253})>\s*$/i.exec(value.slice(-1_000))?.[1]?.toLowerCase() ?? '';
}
