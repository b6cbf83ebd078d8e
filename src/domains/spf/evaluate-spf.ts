/** Evaluates an SPF policy for client addresses: DNS queries here, evaluation in a thread. */
import { AnsweringThread } from '../../concurrency/answering-thread.ts';
import { Semaphore } from '../../concurrency/semaphore.ts';
import { within } from '../../concurrency/within.ts';
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

/** The maximum number of DNS queries for one policy. RFC 7208, section 4.6.4 allows 111 for one address. */
const MAX_QUERIES = 120;
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

/** @returns a verdict for each address; null if the evaluation failed */
export async function evaluateSpf(
  question: Omit<SpfQuestion, 'isFirst'>,
  resolver: RecordResolver,
): Promise<readonly SpfVerdict[] | null> {
  // Time in which the thread evaluates other policies does not count.
  let leftMs: number = TIMINGS.queriesMs;
  const answers: Record<string, SpfAnswer> = { ...question.answers };
  let left = MAX_QUERIES;
  // Each round but the last adds an answer. After `MAX_QUERIES`, the answers are failures, with which an evaluation ends.
  for (let round = 0; round <= MAX_QUERIES; round++) {
    const reply = await slot.run(() =>
      thread.ask(async () => [{ ...question, answers, isFirst: round === 0 }, []]),
    );
    if (reply === null) return null;
    if ('verdicts' in reply) return reply.verdicts;
    const startedMs = performance.now();
    await Promise.all(
      reply.needs.map(async (need) => {
        answers[answerKey(need.type, need.name)] = left-- > 0 ? await queryInTime(need) : FAILED;
      }),
    );
    leftMs -= performance.now() - startedMs;
  }
  return null;

  function queryInTime(need: SpfNeed): Promise<SpfAnswer> {
    return within(Math.max(0, leftMs), query(resolver, need), FAILED);
  }
}

const FAILED = { outcome: 'failed', reason: 'no answer' } as const;

async function query(resolver: RecordResolver, { type, name }: SpfNeed): Promise<SpfAnswer> {
  switch (type) {
    case 'A':
      return resolver.a(name);
    case 'AAAA':
      return resolver.aaaa(name);
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
