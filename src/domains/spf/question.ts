/** The questions to the thread that evaluates SPF, and its answers. */
import type { DnsAnswer, MxRecord } from '../../net/dns.ts';

/** The types of the records that an SPF policy can refer to. */
export type SpfRecordType = 'A' | 'AAAA' | 'MX' | 'PTR' | 'TXT';
export type SpfAnswer = DnsAnswer<string | MxRecord>;

export interface SpfQuestion {
  /** The domain whose policy is evaluated. */
  domain: string;
  /** The policy without its version. */
  terms: readonly string[];
  /** The client addresses. */
  addresses: readonly string[];
  /** The host name of the client. */
  hostname: string;
  /** The DNS answers so far, by `answerKey`. */
  answers: Readonly<Record<string, SpfAnswer>>;
  /** Whether the question is asked for the first time, so that the syntax of the policy is not known to be valid. */
  isFirst: boolean;
}

export interface SpfVerdict {
  address: string;
  result: 'pass' | 'fail' | 'softfail' | 'neutral' | 'permerror' | 'temperror';
  /** For `permerror` and `temperror`: the evaluator's reason, with untrusted text. */
  reason: string;
  /** The term that caused a result other than `pass`. Null if no term applied. */
  term: string | null;
  /** Whether the term is not valid by itself, so that the policy is rejected without being evaluated. */
  isSyntaxError: boolean;
}

export interface SpfNeed {
  type: SpfRecordType;
  name: string;
}

/** Either the DNS answers that the evaluation needs, or a verdict for each address. */
export type SpfReply = { needs: readonly SpfNeed[] } | { verdicts: readonly SpfVerdict[] };

export function answerKey(type: string, name: string): string {
  return `${type} ${name.toLowerCase().replace(/\.$/, '')}`;
}
