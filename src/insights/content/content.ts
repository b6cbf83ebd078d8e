/** The input and the report of a content check. */
import type { ExplainedField } from './explain-header.ts';

export interface InspectedContent {
  /** The whole message in the form in which it is sent. Null if the message can no longer be composed. */
  raw: Uint8Array | null;
  subject: string;
  /** The HTML from the sender. Null if the sender gave no HTML. */
  html: string | null;
  text: string | null;
  isBulk: boolean;
}

/** `pass`: nothing to do. `note`: worth knowing. `warning`: some recipients see the email degraded. `problem`: the email is broken. */
export type CheckResult = 'pass' | 'note' | 'warning' | 'problem';

export interface Check {
  /** The stable name of the check, such as `gmail-clipping`. */
  name: string;
  result: CheckResult;
  /** The result in one sentence. */
  title: string;
  /** The consequence and the remedy, or null. */
  advice: string | null;
  /** The occurrences of the problem, one per line, at most 20. */
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
  /** The visible text of the first link with this URL. */
  text: string;
  /** The problem with the URL, as a sentence. Null if the URL has no problem. */
  problem: string | null;
  /** Whether the URL is the placeholder that is replaced with each recipient's own unsubscribe link. */
  isUnsubscribe: boolean;
}

export interface ContentReport {
  /** The text part in the form in which it is sent. The text is generated from the HTML if the sender gave no text. */
  text: string;
  isTextMade: boolean;
  fields: ExplainedField[];
  signatures: Signature[];
  /** The links of the message, in order. Each URL is listed once; at most 500 are listed. */
  links: Link[];
  checks: Check[];
  /** Null if there is no message to check. */
  spam: SpamReport | null;
}
