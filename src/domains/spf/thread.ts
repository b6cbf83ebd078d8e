/**
 * The worker thread that evaluates SPF policies (RFC 7208) with mailauth in its strict mode. Received mail is checked in the lax mode. mailauth takes 30 MB and 300 ms to load, and
 * policies are untrusted. The thread makes no queries: it names the DNS answers that it needs, and is asked again when they are there.
 */
import { parentPort } from 'node:worker_threads';
import { spf } from 'mailauth/lib/spf/index.js';
import {
  answerKey,
  type SpfNeed,
  type SpfQuestion,
  type SpfRecordType,
  type SpfReply,
  type SpfVerdict,
} from './question.ts';

type Evaluation = Pick<SpfVerdict, 'result' | 'reason'>;

async function reply(question: SpfQuestion): Promise<SpfReply> {
  const { terms, addresses } = question;
  const needs = new Map<string, SpfNeed>();
  const evaluated = (policy: readonly string[], address: string) =>
    evaluate(question, policy, address, needs);
  const fault = question.isFirst ? await syntaxFault() : null;
  if (fault !== null) return { verdicts: addresses.map((address) => ({ address, ...fault })) };
  const results = await Promise.all(
    addresses.map(async (address) => ({ address, ...(await evaluated(terms, address)) })),
  );
  if (needs.size > 0) return { needs: [...needs.values()] };
  const verdicts: SpfVerdict[] = [];
  for (const result of results) {
    const term = result.result === 'pass' ? null : await decidingTerm(result.address);
    verdicts.push({ ...result, term, isSyntaxError: false });
  }
  return { verdicts };

  /** The first term that makes the policy invalid. A policy that begins with +all matches at once, so only its syntax counts. */
  async function syntaxFault(): Promise<Omit<SpfVerdict, 'address'> | null> {
    const parsed = (count: number) => evaluated(['+all', ...terms.slice(0, count)], addresses[0] ?? '');
    const at = await firstWhere(terms.length, async (count) => (await parsed(count)).result !== 'pass');
    if (at === null) return null;
    return { ...(await parsed(at)), term: terms[at - 1] ?? null, isSyntaxError: true };
  }

  /** The first term by which the policy does not pass the address. A redirect applies after all mechanisms (section 6.1). */
  async function decidingTerm(address: string): Promise<string | null> {
    const mechanisms = terms.filter((term) => !isModifier(term));
    const at = await firstWhere(mechanisms.length, async (count) => {
      const { result } = await evaluated([...mechanisms.slice(0, count), '+all'], address);
      return result !== 'pass';
    });
    if (at !== null) return mechanisms[at - 1] ?? null;
    return terms.find((term) => /^redirect=/i.test(term)) ?? null;
  }
}

/** The smallest count from 1 to `most` for which the condition holds; null if there is none. It must hold for all larger counts too. */
async function firstWhere(most: number, holds: (count: number) => Promise<boolean>): Promise<number | null> {
  if (most === 0 || !(await holds(most))) return null;
  let [low, high] = [1, most];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (await holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function isModifier(term: string): boolean {
  return /^[^:/]*=/.test(term);
}

/** @param needs receives the DNS answers that were missing. If there are any, the result means nothing */
async function evaluate(
  { domain, hostname, answers }: SpfQuestion,
  terms: readonly string[],
  address: string,
  needs: Map<string, SpfNeed>,
): Promise<Evaluation> {
  const sender = `bounce@${domain}`;
  const { status } = await spf({
    sender,
    ip: address,
    helo: hostname,
    mta: hostname,
    strict: true,
    resolver: async (name: string, type: string) => {
      const key = answerKey(type, name);
      if (key === answerKey('TXT', domain)) return [[['v=spf1', ...terms].join(' ')]];
      const answer = answers[key];
      if (answer === undefined) {
        needs.set(key, { type: type as SpfRecordType, name });
        throw codedError('ETIMEOUT', name);
      }
      if (answer.outcome === 'none') throw codedError(answer.nameExists ? 'ENODATA' : 'ENOTFOUND', name);
      if (answer.outcome === 'failed') throw codedError('ETIMEOUT', answer.reason);
      const records = answer.records as string[];
      return type === 'TXT' ? records.map((record) => [record]) : records;
    },
  });
  // The comment is the only part of the result that contains the reason.
  const [, reason = ''] = /during lookup of \S+?: (.*)$/s.exec(status.comment ?? '') ?? [];
  return { result: status.result as SpfVerdict['result'], reason };
}

function codedError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

parentPort?.on('message', async (question: SpfQuestion) => {
  parentPort?.postMessage(await reply(question), []);
});
