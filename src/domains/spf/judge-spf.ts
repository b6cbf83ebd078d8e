/** Judges the SPF record of a return path as receivers do (RFC 7208): for each address of the host that sends. */
import { isDialable } from '../../net/address-guard.ts';
import type { RecordResolver } from '../../net/zone-dns.ts';
import { quoted, type Verdict, wrong } from '../verdict.ts';
import { evaluateSpf, MAX_POLICY, MAX_QUERIES, policiesOf, termsOf } from './evaluate-spf.ts';
import { answerKey, type SpfQuestion, type SpfVerdict } from './question.ts';

/** The addresses of the host for which the record is evaluated. A host with more addresses is judged by the first ones. */
const MAX_ADDRESSES = 8;
/** Stands for the unknown address of the client. No host has it: it is reserved for documentation. */
const ASSUMED_ADDRESS = '192.0.2.1';
/** Stands for the address of the host if a smart host or Amazon SES is the client. */
const OTHER_ADDRESS = '192.0.2.2';

export interface SpfExpectation {
  /** The return path's domain. */
  name: string;
  /** The host in the mechanism. */
  hostname: string;
  /** The mechanism of the record shown. */
  mechanism: string;
}

/** Whether DNS failed, so that the record could not be judged, or the judgement. */
export type SpfJudgement = Verdict | { failed: string };

/** Checks what can be seen without evaluating the record: that there is one SPF record, and that it does not allow everyone. */
export function readPolicy(records: readonly string[], name: string): Verdict {
  const policies = policiesOf(records);
  const [policy] = policies;
  if (policy === undefined) return wrong(`No TXT record at ${name} begins with v=spf1; add the one shown.`);
  if (policies.length > 1)
    return wrong(`There are ${policies.length} SPF records at ${name}; merge them into one.`);
  if (policy.length > MAX_POLICY)
    return wrong(
      `The SPF record at ${name} is longer than ${MAX_POLICY} characters, and receivers ignore long records; shorten it.`,
    );
  return { error: null };
}

/**
 * Evaluates the record.
 * @param records must contain exactly one policy (`readPolicy`)
 * @param sendsDirectly whether mail is sent from the addresses of the host. If a smart host or Amazon SES sends it, their addresses are not
 * known. Then the whole record must be valid, including the records that it refers to, and have the mechanism
 */
export async function judgeSpf(
  records: readonly string[],
  expected: SpfExpectation,
  resolver: RecordResolver,
  sendsDirectly: boolean,
): Promise<SpfJudgement> {
  const { name, hostname, mechanism } = expected;
  const terms = termsOf(policiesOf(records)[0] ?? '');
  // The record shown: the first term passes for all addresses of the host.
  if (terms.length === 2 && isMechanism(terms[0], mechanism) && /^[-~?]all$/i.test(terms[1] ?? ''))
    return { error: null };
  const host = sendsDirectly ? await lookUpHost(hostname, resolver) : assumedHost(hostname, OTHER_ADDRESS);
  const hostFailed =
    host.failure === null ? null : { failed: `the DNS query for ${hostname} failed (${host.failure})` };
  const isKnown = host.addresses.length > 0;
  if (!isKnown && hostFailed !== null) return hostFailed;
  const evaluation = await evaluateSpf(
    {
      domain: name,
      hostname,
      terms,
      addresses: isKnown ? host.addresses : [ASSUMED_ADDRESS],
      answers: isKnown || !sendsDirectly ? host.answers : assumedHost(hostname, ASSUMED_ADDRESS).answers,
    },
    resolver,
  );
  if (evaluation === null) return { failed: 'the evaluation did not finish' };
  const { verdicts, isCutOff } = evaluation;
  const isError = ({ result }: SpfVerdict) => result === 'permerror';
  const failure =
    verdicts.find(isError) ?? verdicts.find(({ result }) => result !== 'pass' && result !== 'temperror');
  if (failure !== undefined && (isKnown || isError(failure)))
    return explain(failure, expected, sendsDirectly);
  const open = terms.find((term) => /^\+?all$/i.test(term));
  if (open !== undefined)
    return wrong(
      `The SPF record at ${name} ends with +all, which lets anyone send in your name; use ~all.`,
      open,
    );
  const doubt = verdicts.find(({ result }) => result === 'temperror');
  if (doubt !== undefined)
    return {
      failed: isCutOff
        ? `it needs more than ${MAX_QUERIES} DNS queries; shorten it`
        : `DNS did not answer for ${quoted(doubt.term ?? 'the record')}, which it contains`,
    };
  // The record may not allow the addresses that are still unknown.
  if (hostFailed !== null) return hostFailed;
  const isThere = hasMechanism(terms, mechanism);
  if (isKnown) return { error: null, ...(!isThere && { advice: [differs(expected)] }) };
  if (!isThere)
    return wrong(
      `The SPF record at ${name} does not have ${mechanism}; add it in front of "all".`,
      terms.find((term) => isMechanism(term.replace(/^[-~?]/, ''), mechanism)),
    );
  return sendsDirectly ? { error: null, advice: [withoutAddress(expected)] } : { error: null };
}

interface Host {
  /** The public addresses. Empty if they are not known. */
  addresses: readonly string[];
  /** The DNS answers for the host. */
  answers: SpfQuestion['answers'];
  /** The reason why addresses may be missing. */
  failure: string | null;
}

/**
 * Looks up the addresses of the host. The evaluation uses the same answers, because DNS may return the addresses of a host in part. Other
 * servers do not see private addresses, which a resolver returns in a network with names of its own (split-horizon DNS, Docker).
 */
async function lookUpHost(hostname: string, resolver: RecordResolver): Promise<Host> {
  const [a, aaaa] = await Promise.all([resolver.a(hostname), resolver.aaaa(hostname)]);
  const all = [a, aaaa].flatMap((answer) => (answer.outcome === 'found' ? answer.records : []));
  const failed = [a, aaaa].find((answer) => answer.outcome === 'failed');
  return {
    addresses: all.filter((address) => isDialable(address, { allowLoopback: false })).slice(0, MAX_ADDRESSES),
    answers: { [answerKey('A', hostname)]: a, [answerKey('AAAA', hostname)]: aaaa },
    failure: failed?.reason ?? null,
  };
}

/** A host whose addresses are not known, with the address that DNS returns for its name during the evaluation. */
function assumedHost(hostname: string, address: string): Host {
  return {
    addresses: [],
    answers: { [answerKey('A', hostname)]: { outcome: 'found', records: [address] } },
    failure: null,
  };
}

function explain(
  { address, result, reason, term, isSyntaxError }: SpfVerdict,
  { name, hostname, mechanism }: SpfExpectation,
  sendsDirectly: boolean,
): Verdict {
  const at = term ?? '';
  if (isSyntaxError)
    return wrong(
      `Receivers reject the SPF record at ${name}, because ${quoted(at)} is not valid (${words(reason)}); correct it, or use the record shown.`,
      at,
    );
  if (result === 'permerror') {
    const why = reason.startsWith('Too many DNS requests')
      ? `it needs more than 10 DNS look-ups up to ${quoted(at)}. ${sendsDirectly ? `Move ${mechanism} to the front` : 'Remove terms that are not needed'}`
      : `of ${quoted(at)} (${words(reason)}). Correct or remove it`;
    return wrong(`Receivers reject the SPF record at ${name}, because ${why}.`, at);
  }
  const who = `${address}, an address of ${hostname}`;
  return term === null
    ? wrong(`The SPF record at ${name} does not allow ${who}: no term applies to it. Add ${mechanism}.`)
    : wrong(
        `The SPF record at ${name} does not allow ${who}: ${quoted(at)} applies to it. Add ${mechanism} in front of ${quoted(at)}.`,
        at,
      );
}

const MAX_REASON = 200;

/** The evaluator's reason in words that a domain owner knows. */
function words(reason: string): string {
  const [, other = '', of = ''] = /^(no|multiple) SPF records found for (.*)$/s.exec(reason) ?? [];
  const text =
    other === 'no'
      ? `there is no SPF record at ${of}`
      : other === 'multiple'
        ? `there are several SPF records at ${of}`
        : reason.startsWith('Too many void DNS results')
          ? 'more than 2 look-ups found nothing'
          : /record-too-long/.test(reason)
            ? 'the record there is too long'
            : reason.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
  return text.slice(0, MAX_REASON).toWellFormed();
}

function differs({ hostname, mechanism }: SpfExpectation): string {
  return `The record allows ${hostname}, but not by ${mechanism}. If a record that it refers to changes, your mail can fail SPF. Add ${mechanism} in front of "all" to rule that out.`;
}

function withoutAddress({ hostname, mechanism }: SpfExpectation): string {
  return `${hostname} has no public address in DNS, so only the syntax of the record and ${mechanism} were checked. Ask the operator to publish the address of the server.`;
}

/** Whether the mechanism is in the record, before `all`. */
function hasMechanism(terms: readonly string[], mechanism: string): boolean {
  const all = terms.findIndex((term) => /^[-+~?]?all$/i.test(term));
  const before = all === -1 ? terms : terms.slice(0, all);
  return before.some((term) => isMechanism(term, mechanism));
}

function isMechanism(term: string | undefined, mechanism: string): boolean {
  return term?.replace(/^\+/, '').toLowerCase() === mechanism.toLowerCase();
}
