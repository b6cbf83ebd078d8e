/** The input and the report of a content check. */
import type { ExplainedField } from './explain-header.ts';

export interface InspectedContent {
  /** The whole message as it is sent; null: it can no longer be composed. */
  raw: Uint8Array | null;
  subject: string;
  /** The HTML that the sender gave; null if none was given. */
  html: string | null;
  text: string | null;
  isBulk: boolean;
}

/** `pass`: nothing to do. `note`: good to know. `warning`: degraded for some recipients. `problem`: broken. */
export type CheckResult = 'pass' | 'note' | 'warning' | 'problem';

export interface Check {
  /** Stable, such as `gmail-clipping`. */
  name: string;
  result: CheckResult;
  /** The result in one sentence. */
  title: string;
  /** The consequence and the remedy; null: none. */
  advice: string | null;
  /** Where the problem was found, at most 20 lines. */
  items: string[];
}

export interface Signature {
  domain: string;
  selector: string;
  algorithm: string;
  /** Whether the signing domain matches the domain in From, as DMARC requires. */
  isAligned: boolean;
}

export interface SpamReport {
  score: number;
  reasons: { rule: string; weight: number; meaning: string }[];
}

export interface Link {
  url: string;
  /** The visible text of its first occurrence. */
  text: string;
  /** The problem of the URL, as a sentence; null if it has none. */
  problem: string | null;
}

export interface ContentReport {
  /** The text part as it is sent: generated from the HTML if none was given. */
  text: string;
  isTextMade: boolean;
  fields: ExplainedField[];
  signatures: Signature[];
  /** Each URL once, in the order of the message; at most 500. */
  links: Link[];
  checks: Check[];
  /** null: there is no message to check. */
  spam: SpamReport | null;
}
