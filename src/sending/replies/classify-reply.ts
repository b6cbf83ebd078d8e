import type { BounceCategory, Classification } from '../../model/bounce.ts';
import { ENHANCED_CODES } from './enhanced-codes.ts';
import { type ReplyFinding, findingsIn } from './findings.ts';

const MAX_TEXT = 4_000;

/** A path that ends with one is none. */
const ADDRESS = /(?<![^\s<>"'(),;:[\]@])[^\s<>"'(),;:[\]@]{1,200}@[^\s<>"'(),;:[\]@]{1,255}/g;

const IP_ADDRESS =
  /(?<![\w.-])(?:[\w.-]{1,255} ?\[)?(?:\d{1,3}(?:\.\d{1,3}){3}|(?:[0-9a-f]{1,4}:){3,7}[0-9a-f]{1,4}|[0-9a-f:]{2,30}::[0-9a-f:]{0,30})\]?/gi;

/** The first line of a reply, or one that begins like a sentence. */
const CODE_OF_CLAUSE = /: ?[45]\d\d(?=[- ])|(?<![\w.-])[45]\d\d-(?=[A-Z])/g;

const CODE =
  /(?<![\w.-])[45]\d\d[- ](?:#?[45]\.\d{1,3}\.\d{1,3}\b)?|(?<![\w.-])[45]\.\d{1,3}\.\d{1,3}(?![\w.])/g;

const HOST = /(?<![\w.-])(?:[a-z0-9_-]{1,63}\.){1,10}[a-z]{2,24}(?![\w-])\.?/gi;

/** What a server answered, or what a report says that it did. */
export interface ReportedReply {
  readonly replyCode: number | null;
  /** For example `5.1.1`. */
  readonly enhancedCode: string | null;
  /** The words of the reply or the report; only the first 4000 characters count. */
  readonly text: string;
}

/**
 * Why a recipient was refused, and whether it may work later. Never throws, in bounded time.
 *
 * The order of evidence, which docs/bounces.md tells too:
 *
 * 1. Class 4 is soft whatever else the reply says, and 5.7.x never suppresses.
 * 2. A specific enhanced code, such as 5.1.1 or 5.2.2. One that says that there is no such recipient yields to a text that
 *    tells another cause (a list, the content, the sender, a full mailbox) and does not say the same: some servers answer
 *    5.1.1 to all that they do not like. It yields to no general word, such as "policy", "rejected" or "blocked".
 * 3. The text. What it says of the sender and of a full mailbox counts first, then that there is no such recipient, then
 *    the other causes, and last the words that say next to nothing: see `ORDER`.
 * 4. The reply code.
 *
 * A dead address that is mailed again costs reputation with every message; a live one that is suppressed costs its owner
 * the mail. So a sentence about the recipient is believed whatever stands around it, and a hint at another cause stops
 * the suppression where only a code speaks.
 */
export function classifyReply(reply: ReportedReply): Classification {
  return explainReply(reply).said;
}

/** What `classifyReply` says, and the words of the vocabulary on which it rests. */
export function explainReply(reply: ReportedReply): { said: Classification; because: ReadonlySet<string> } {
  const because = new Set<string>();
  const said = judge(reply, because);
  if (isTransient(reply)) return { said: { ...said, type: 'soft', suppress: false }, because };
  return { said: isPermission(reply) ? { ...said, suppress: false } : said, because };
}

const UNKNOWN_USER: Classification = { type: 'hard', category: 'unknown_user', suppress: true };
/** Refused as an address, which is less than that there is none. */
const UNKNOWN_ADDRESS: Classification = { ...UNKNOWN_USER, suppress: false };
const SWITCHED_OFF: Classification = { type: 'soft', category: 'unknown_user', suppress: true };
const NO_DOMAIN: Classification = { type: 'hard', category: 'dns', suppress: true };
const soft = (category: BounceCategory): Classification => ({ type: 'soft', category, suppress: false });
const POLICY = soft('policy');

interface Weight {
  readonly finding: ReplyFinding;
  readonly verdict: Classification;
  /** Counts more than a code that says that there is no such recipient. */
  readonly overrules?: true;
}

/** The first that the text holds counts. */
const ORDER: readonly Weight[] = [
  // A program that delivers locally failed; what it says of users is about its own.
  { finding: 'program', verdict: soft('other'), overrules: true },
  { finding: 'suppressed', verdict: soft('suppressed'), overrules: true },
  { finding: 'sender', verdict: POLICY, overrules: true },
  { finding: 'full', verdict: soft('mailbox_full'), overrules: true },
  { finding: 'quota', verdict: soft('mailbox_full'), overrules: true },
  // DNS did not answer, which says nothing about the domain.
  { finding: 'lookup', verdict: soft('network'), overrules: true },
  { finding: 'gone', verdict: UNKNOWN_USER, overrules: true },
  { finding: 'offForNow', verdict: soft('unknown_user'), overrules: true },
  { finding: 'off', verdict: SWITCHED_OFF },
  { finding: 'unknownUser', verdict: UNKNOWN_USER },
  { finding: 'auth', verdict: soft('auth'), overrules: true },
  { finding: 'noDomain', verdict: NO_DOMAIN },
  { finding: 'size', verdict: soft('message_too_large'), overrules: true },
  { finding: 'listed', verdict: soft('reputation'), overrules: true },
  { finding: 'content', verdict: soft('content'), overrules: true },
  { finding: 'relay', verdict: POLICY, overrules: true },
  { finding: 'wish', verdict: POLICY, overrules: true },
  { finding: 'noMail', verdict: NO_DOMAIN },
  { finding: 'moved', verdict: UNKNOWN_ADDRESS },
  { finding: 'userNot', verdict: UNKNOWN_ADDRESS },
  { finding: 'domainNot', verdict: { ...NO_DOMAIN, suppress: false } },
  { finding: 'expired', verdict: soft('expired') },
  { finding: 'network', verdict: soft('network') },
  { finding: 'policy', verdict: POLICY },
  { finding: 'blocked', verdict: soft('reputation') },
  { finding: 'userUnavailable', verdict: UNKNOWN_USER },
  { finding: 'absent', verdict: UNKNOWN_ADDRESS },
  { finding: 'denied', verdict: POLICY },
];

function judge(reply: ReportedReply, because: Set<string>): Classification {
  const raw = reply.text.slice(0, 4_000).replace(/\s+/g, ' ');
  if (KDDI.test(raw)) return POLICY;
  const found = findingsIn(normalizeReply(raw));
  // Without the code of a reply it is a report in words, where "not found" may be said of anything.
  const counts = (finding: ReplyFinding): boolean => finding !== 'absent' || reply.replyCode !== null;
  const weight = ORDER.find(({ finding }) => found.has(finding) && counts(finding)) ?? null;
  for (const word of (weight !== null && found.get(weight.finding)) || []) because.add(word);
  const command = commandOf(raw);
  if (weight?.verdict.type === 'hard' && command === 'mail') return POLICY;
  const byCode = ENHANCED_CODES[(reply.enhancedCode ?? '').slice(2)];
  if (byCode === undefined) return byText(reply, weight, command);
  if (!byCode.suppress) return byCode;
  // 521 is about the host or the client (RFC 7504), so a code of the mailbox beside it is not to be believed.
  if (reply.replyCode === 521 && byCode.category === 'unknown_user') return soft('reputation');
  if (weight?.overrules === true) return weight.verdict;
  const isUnknown = weight?.verdict.type === 'hard' && (byCode.type === 'hard' || command === 'rcpt');
  return isUnknown ? { ...weight.verdict, suppress: true } : byCode;
}

/** Where the enhanced code says little or lacks. */
function byText(reply: ReportedReply, weight: Weight | null, command: Command | null): Classification {
  if (weight === null) return byReplyCode(reply) ?? soft('other');
  const { finding, verdict } = weight;
  // "Other address status": as a rule the recipient's.
  if (finding === 'denied')
    return reply.enhancedCode === '5.1.0' ? UNKNOWN_ADDRESS : (bySubject(reply) ?? verdict);
  if (verdict.type === 'soft') return verdict;
  if (isAboutCommand(reply) && command !== 'rcpt') return POLICY;
  // After the message it may be another domain; 551 knows where the user is.
  if (verdict.category === 'dns') return { ...verdict, suppress: verdict.suppress && command !== 'data' };
  if (isPermission(reply) || command === 'data') return POLICY;
  return reply.replyCode === 551 ? { ...verdict, suppress: false } : verdict;
}

type Command = 'mail' | 'rcpt' | 'data';

/** What a server does not know at MAIL is the sender. */
const AT_MAIL = /(?:in reply to|after|following) (?:the )?mail from\b|sender was rejected/i;
/**
 * A server that took the recipient and says "unknown" only when it has seen the message speaks for a filter: mobile
 * operators answer so to what their subscribers block. IronPort has words of its own for that.
 */
const AFTER_DATA =
  /(?:in reply to|after|following) (?:the )?(?:sending )?(?:end of )?data\b|after i sent the message|failed on data command|- other mail system problem/i;
/** 5.2.1 is a mailbox that is switched off. "Unknown" in its place counts when the recipient is what was refused. */
const AT_RCPT = /\brcpt\b|rcpt_to|does not like recipient/i;
/** KDDI, when the subscriber's filter refuses: with the address in it, there is no such subscriber. */
const KDDI = /\b550 ?:(?: :)? user unknown/i;

/** The command that a server answered so, where the text tells. */
function commandOf(text: string): Command | null {
  if (AT_MAIL.test(text)) return 'mail';
  if (AFTER_DATA.test(text)) return 'data';
  return AT_RCPT.test(text) ? 'rcpt' : null;
}

/** RFC 3463: 5.7.x is about permission, never about whether the address exists. */
function isPermission(reply: ReportedReply): boolean {
  return reply.enhancedCode?.startsWith('5.7.') === true;
}

/** RFC 5321, section 4.2.1: x0z is about the command, as a HELO without a valid name. */
function isAboutCommand({ replyCode }: ReportedReply): boolean {
  return replyCode !== null && replyCode >= 500 && replyCode <= 504;
}

function isTransient(reply: ReportedReply): boolean {
  if (reply.enhancedCode !== null) return reply.enhancedCode.startsWith('4');
  return reply.replyCode !== null && reply.replyCode < 500;
}

const TRY_ANOTHER = /\btry:? <?[^\s<>@]{1,64}@/i;

/** What the codes alone tell (RFC 5321, section 4.2.3; RFC 7504). */
function byReplyCode(reply: ReportedReply): Classification | null {
  const { replyCode: code, enhancedCode, text } = reply;
  if (enhancedCode === '5.1.0') return UNKNOWN_ADDRESS;
  // Usually the text says it too; then the text counts. RFC 5321, section 3.4: "please try <forward-path>".
  if (code === 551 && !isPermission(reply) && (!/\p{L}{3}/u.test(text) || TRY_ANOTHER.test(text)))
    return UNKNOWN_ADDRESS;
  if (code === 556) return NO_DOMAIN;
  // Servers give 521 to whom they throw out as well: Postfix for a bare line feed, postscreen for a client on a list.
  if (code === 521 && enhancedCode === null) return { ...NO_DOMAIN, suppress: false };
  if (code === 552) return soft('mailbox_full');
  return bySubject({ enhancedCode });
}

function bySubject({ enhancedCode }: Pick<ReportedReply, 'enhancedCode'>): Classification | null {
  const category = CATEGORY_OF_SUBJECT[enhancedCode?.split('.')[1] ?? ''];
  return category === undefined ? null : soft(category);
}

/** The subjects of RFC 3463 that mean one category. */
const CATEGORY_OF_SUBJECT: Readonly<Record<string, BounceCategory>> = {
  4: 'network',
  6: 'content',
  7: 'policy',
};

/**
 * A reply in lower case, with `|` between clauses, and with signs in place of names, which may read like a reason: `@`
 * for an address, `#` for an IP address, `~` for a host. Addresses on the web and codes go. Of the first 4000 characters.
 */
function normalizeReply(text: string): string {
  return text
    .slice(0, MAX_TEXT)
    .replace(/[@#~|]{2,}|[#~|]/g, ' ')
    .replace(/[\u2018\u2019`]/g, "'")
    .replace(/\bhttps?:\/\/[^\s<>"]{1,2000}/gi, ' ')
    .replace(ADDRESS, (address) => (address.includes('/') ? ' ' : '@'))
    .replace(IP_ADDRESS, '#')
    .replace(CODE_OF_CLAUSE, ' | ')
    .replace(CODE, ' ')
    .replace(HOST, hostOrWords)
    .replace(/(\p{Ll}{2})(?=\p{Lu}\p{Ll})/gu, '$1 ')
    .toLowerCase()
    .replace(/\b(said|says|responded|response|was|answered|error|reply|reason|follows)\s?:/g, '$1 | ')
    .replace(/[;!?。]|\(in reply to|\s[*•]\s|\.(?=\s|$)|\s-+\s/g, ' | ')
    .replace(/[\s_]+/g, ' ');
}

/** `RESOLVER.ADR.RecipNotFound` is no host. */
function hostOrWords(name: string): string {
  const last = name.replace(/\.$/, '').split('.').at(-1) ?? '';
  return /^(?:[a-z]+|[A-Z]+)$/.test(last) ? '~' : name.replaceAll('.', ' ');
}
