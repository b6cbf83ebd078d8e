/** What is asked about the content of an email, and what is found. */
import type { ExplainedField } from './explain-header.ts';

export interface InspectedContent {
  /** The whole message as it goes out; null: it cannot be composed any more. */
  raw: Uint8Array | null;
  subject: string;
  /** As given; null: none was. */
  html: string | null;
  text: string | null;
  isBulk: boolean;
}

/** `pass`: nothing to do. `note`: worth knowing. `warning`: some recipients see it worse. `problem`: it does not work. */
export type CheckResult = 'pass' | 'note' | 'warning' | 'problem';

export interface Check {
  /** Such as `gmail-clipping`: never changes. */
  name: string;
  result: CheckResult;
  /** A sentence for people: what was found. */
  title: string;
  /** What follows from it, and what helps; null: nothing more to say. */
  advice: string | null;
  /** What it was found at, at most 20 lines. */
  items: string[];
}

export interface Signature {
  domain: string;
  selector: string;
  algorithm: string;
  /** Of the domain in From: what DMARC asks for. */
  isAligned: boolean;
}

export interface SpamReport {
  score: number;
  reasons: { rule: string; weight: number; meaning: string }[];
}

export interface Link {
  url: string;
  /** What the reader sees of it, where it stands first. */
  text: string;
  /** What is wrong with its form; null: nothing. */
  problem: string | null;
}

export interface ContentReport {
  /** The text part as it goes out: where none was given it is made from the HTML. */
  text: string;
  isTextMade: boolean;
  fields: ExplainedField[];
  signatures: Signature[];
  /** Each address once, in the order of the message; at most 500. */
  links: Link[];
  checks: Check[];
  /** null: there is no message to look at. */
  spam: SpamReport | null;
}
