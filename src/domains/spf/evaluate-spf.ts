/** Evaluates an SPF policy for client addresses: DNS queries here, evaluation in a thread. */
import { AnsweringThread } from '../../concurrency/answering-thread.ts';
import { Semaphore } from '../../concurrency/semaphore.ts';
import { within } from '../../concurrency/within.ts';
import type { DnsAnswer } from '../../net/dns.ts';
import type { RecordResolver } from '../../net/zone-dns.ts';
import {
  answerKey,
  type SpfAnswer,
  type SpfNeed,
  type SpfQuestion,
  type SpfReply,
  type SpfVerdict,
} from './question.ts';
import { TIMINGS } from './timings.ts';

/** The maximum number of names and types to look up for one policy. RFC 7208, section 4.6.4 allows 111 for one address. */
export const MAX_QUERIES = 120;
/** The maximum number of addresses of one name that are read. The answers are copied to the thread in each round. */
const MAX_ADDRESSES = 20;
/** The maximum length of a policy, in characters. RFC 7208, section 3.4 recommends at most 450 octets. */
export const MAX_POLICY = 4_096;
/** The maximum number of policies at one name that are evaluated. Two are an error already. */
const MAX_POLICIES = 2;

const thread = new AnsweringThread<SpfReply>({
  name: 'spf',
  code: new URL('./thread.ts', import.meta.url),
  timings: TIMINGS,
});
/** The thread answers one question at a time. */
const slot = new Semaphore(1);

export interface SpfEvaluation {
  /** A verdict for each address. */
  verdicts: readonly SpfVerdict[];
  /** Whether the policy needs more than `MAX_QUERIES`. Those that were not made count as failed. */
  isCutOff: boolean;
}

/**
 * @param timings replaces the time limits, for tests
 * @returns null if the evaluation failed or took too long
 */
export async function evaluateSpf(
  question: Omit<SpfQuestion, 'isFirst'>,
  resolver: RecordResolver,
  { queriesMs, totalMs }: Readonly<Record<'queriesMs' | 'totalMs', number>> = TIMINGS,
): Promise<SpfEvaluation | null> {
  const endsMs = performance.now() + totalMs;
  // Time in which the thread evaluates other policies does not count.
  let leftMs = queriesMs;
  const answers: Record<string, SpfAnswer> = { ...question.answers };
  let left = MAX_QUERIES;
  // Each round but the last adds an answer. After `MAX_QUERIES`, the answers are failures, with which an evaluation ends.
  for (let round = 0; round <= MAX_QUERIES; round++) {
    const reply = await within(Math.max(0, endsMs - performance.now()), ask(round === 0), null);
    if (reply === null) return null;
    if ('verdicts' in reply) return { verdicts: reply.verdicts, isCutOff: left < 0 };
    const startedMs = performance.now();
    // The limits of the resolver do not include the time before this round.
    const current = resolver.restarted?.() ?? resolver;
    await Promise.all(
      reply.needs.map(async (need) => {
        answers[answerKey(need.type, need.name)] = left-- > 0 ? await queryInTime(current, need) : FAILED;
      }),
    );
    leftMs -= performance.now() - startedMs;
  }
  return null;

  async function ask(isFirst: boolean): Promise<SpfReply | null> {
    return slot.run(async () =>
      // The caller does not wait any more.
      performance.now() >= endsMs ? null : thread.ask(async () => [{ ...question, answers, isFirst }, []]),
    );
  }

  function queryInTime(current: RecordResolver, need: SpfNeed): Promise<SpfAnswer> {
    return leftMs <= 0 ? Promise.resolve(FAILED) : within(leftMs, query(current, need), FAILED);
  }
}

const FAILED = { outcome: 'failed', reason: 'no answer' } as const;

async function query(resolver: RecordResolver, { type, name }: SpfNeed): Promise<SpfAnswer> {
  switch (type) {
    case 'A':
      return cut(await resolver.a(name));
    case 'AAAA':
      return cut(await resolver.aaaa(name));
    case 'MX':
      return resolver.mx(name);
    case 'PTR':
      return resolver.ptr(name);
    case 'TXT': {
      const answer = await resolver.txt(name);
      if (answer.outcome !== 'found') return answer;
      const policies = policiesOf(answer.records).slice(0, MAX_POLICIES);
      // A policy that is cut off would have another meaning, so a long one is replaced by one that is not valid.
      return {
        outcome: 'found',
        records: policies.map((text) => (text.length > MAX_POLICY ? TOO_LONG : text)),
      };
    }
  }
}

function cut(answer: DnsAnswer<string>): DnsAnswer<string> {
  if (answer.outcome !== 'found') return answer;
  return { outcome: 'found', records: answer.records.slice(0, MAX_ADDRESSES) };
}

const TOO_LONG = 'v=spf1 record-too-long';

/** The SPF policies among TXT records (section 4.5). */
export function policiesOf(records: readonly string[]): string[] {
  return records.filter((text) => /^v=spf1(?: |$)/i.test(text));
}

/** The terms of a policy, without its version. */
export function termsOf(policy: string): string[] {
  return policy
    .split(' ')
    .slice(1)
    .filter((term) => term !== '');
}
