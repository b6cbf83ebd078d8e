import type { BounceCategory, Classification } from '../../model/bounce.ts';
import { ENHANCED_CODES } from './enhanced-codes.ts';
import { type ReplyFinding, findingsIn } from './findings.ts';

const MAX_TEXT = 4_000;

/** An email address in a text. */
const ADDRESS = /(?<![^\s<>"'(),;:[\]@])[^\s<>"'(),;:[\]@]{1,200}@[^\s<>"'(),;:[\]@]{1,255}/g;

const IP_ADDRESS =
  /(?<![\w.-])(?:[\w.-]{1,255} ?\[)?(?:\d{1,3}(?:\.\d{1,3}){3}|(?:[0-9a-f]{1,4}:){3,7}[0-9a-f]{1,4}|[0-9a-f:]{2,30}::[0-9a-f:]{0,30})\]?/gi;

/** The code of a reply's first line, or of a continuation line that begins like a sentence. */
const CODE_OF_CLAUSE = /: ?[45]\d\d(?=[- ])|(?<![\w.-])[45]\d\d-(?=[A-Z])/g;

const CODE =
  /(?<![\w.-])[45]\d\d[- ](?:#?[45]\.\d{1,3}\.\d{1,3}\b)?|(?<![\w.-])[45]\.\d{1,3}\.\d{1,3}(?![\w.])/g;

const HOST = /(?<![\w.-])(?:[a-z0-9_-]{1,63}\.){1,10}[a-z]{2,24}(?![\w-])\.?/gi;

/** The reply of a server, or the reply according to a report. */
export interface ReportedReply {
  readonly replyCode: number | null;
  /** For example `5.1.1`. */
  readonly enhancedCode: string | null;
  /** The text of the reply or the report. Only the first 4,000 characters count. */
  readonly text: string;
}

/**
 * Classifies why a recipient was rejected, and whether a retry may work. Never throws, and takes bounded time.
 *
 * The order of evidence, which docs/bounces.md explains too:
 *
 * 1. Class 4 is soft whatever else the reply says, and 5.7.x never suppresses.
 * 2. A specific enhanced code, such as 5.1.1 or 5.2.2. A code for an unknown recipient yields to a text that names another
 *    cause (a list, the content, the sender, a full mailbox) and does not confirm the code: some servers answer 5.1.1 to
 *    everything that they reject. Such a code does not yield to general words such as "policy", "rejected" or "blocked".
 * 3. The text. Statements about the sender and a full mailbox count first, then an unknown recipient, then the other
 *    causes, and last words that say next to nothing: see `ORDER`.
 * 4. The reply code.
 *
 * Mail to a dead address costs reputation with every message; suppressing a live address costs its owner the mail. So a
 * sentence about the recipient is believed regardless of the context, and a hint at another cause prevents suppression
 * when a code is the only evidence.
 */
export function classifyReply(reply: ReportedReply): Classification {
  return explainReply(reply).said;
}

/** The result of `classifyReply`, and the words of the vocabulary that led to it. */
export function explainReply(reply: ReportedReply): { said: Classification; because: ReadonlySet<string> } {
  const because = new Set<string>();
  const said = judge(reply, because);
  if (isTransient(reply)) return { said: { ...said, type: 'soft', suppress: false }, because };
  return { said: isPermission(reply) ? { ...said, suppress: false } : said, because };
}

const UNKNOWN_USER: Classification = { type: 'hard', category: 'unknown_user', suppress: true };
/** The address was rejected, which is weaker evidence than "does not exist". */
const UNKNOWN_ADDRESS: Classification = { ...UNKNOWN_USER, suppress: false };
const SWITCHED_OFF: Classification = { type: 'soft', category: 'unknown_user', suppress: true };
const NO_DOMAIN: Classification = { type: 'hard', category: 'dns', suppress: true };
const soft = (category: BounceCategory): Classification => ({ type: 'soft', category, suppress: false });
const POLICY = soft('policy');

interface Weight {
  readonly finding: ReplyFinding;
  readonly verdict: Classification;
  /** Overrules an enhanced code for an unknown recipient. */
  readonly overrules?: true;
}

/** The first finding that the text contains counts. */
const ORDER: readonly Weight[] = [
  // A local delivery program failed. The users in its message are users of its own system.
  { finding: 'program', verdict: soft('other'), overrules: true },
  { finding: 'suppressed', verdict: soft('suppressed'), overrules: true },
  { finding: 'sender', verdict: POLICY, overrules: true },
  { finding: 'full', verdict: soft('mailbox_full'), overrules: true },
  { finding: 'quota', verdict: soft('mailbox_full'), overrules: true },
  // DNS failed, which says nothing about the domain.
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
  // Without a reply code the text is from a report, in which "not found" may be about anything.
  const counts = (finding: ReplyFinding): boolean => finding !== 'absent' || reply.replyCode !== null;
  const weight = ORDER.find(({ finding }) => found.has(finding) && counts(finding)) ?? null;
  for (const word of (weight !== null && found.get(weight.finding)) || []) because.add(word);
  const command = commandOf(raw);
  if (weight?.verdict.type === 'hard' && command === 'mail') return POLICY;
  const byCode = ENHANCED_CODES[(reply.enhancedCode ?? '').slice(2)];
  if (byCode === undefined) return byText(reply, weight, command);
  if (!byCode.suppress) return byCode;
  // 521 is about the host or the client (RFC 7504), so an enhanced code about the mailbox is not believed.
  if (reply.replyCode === 521 && byCode.category === 'unknown_user') return soft('reputation');
  if (weight?.overrules === true) return weight.verdict;
  const isUnknown = weight?.verdict.type === 'hard' && (byCode.type === 'hard' || command === 'rcpt');
  return isUnknown ? { ...weight.verdict, suppress: true } : byCode;
}

/** Used when the enhanced code is missing or says little. */
function byText(reply: ReportedReply, weight: Weight | null, command: Command | null): Classification {
  if (weight === null) return byReplyCode(reply) ?? soft('other');
  const { finding, verdict } = weight;
  // "Other address status": usually the recipient's address.
  if (finding === 'denied')
    return reply.enhancedCode === '5.1.0' ? UNKNOWN_ADDRESS : (bySubject(reply) ?? verdict);
  if (verdict.type === 'soft') return verdict;
  if (isAboutCommand(reply) && command !== 'rcpt') return POLICY;
  // After DATA the reply may be about another domain; 551 names the user's new address.
  if (verdict.category === 'dns') return { ...verdict, suppress: verdict.suppress && command !== 'data' };
  if (isPermission(reply) || command === 'data') return POLICY;
  return reply.replyCode === 551 ? { ...verdict, suppress: false } : verdict;
}

type Command = 'mail' | 'rcpt' | 'data';

/** "Unknown" in the reply to MAIL is about the sender. */
const AT_MAIL = /(?:in reply to|after|following) (?:the )?mail from\b|sender was rejected/i;
/**
 * A server that accepted the recipient and says "unknown" only after the message reports the decision of a filter: mobile
 * operators answer this way to mail that their subscribers block. IronPort has its own wording.
 */
const AFTER_DATA =
  /(?:in reply to|after|following) (?:the )?(?:sending )?(?:end of )?data\b|after i sent the message|failed on data command|- other mail system problem/i;
/** 5.2.1 means a disabled mailbox. A text "unknown" overrides that only if it was the reply to RCPT. */
const AT_RCPT = /\brcpt\b|rcpt_to|does not like recipient/i;
/** KDDI's reply when the subscriber's filter rejects the mail. With an address in it, the subscriber does not exist. */
const KDDI = /\b550 ?:(?: :)? user unknown/i;

/** The command that the server replied to, if the text names it. */
function commandOf(text: string): Command | null {
  if (AT_MAIL.test(text)) return 'mail';
  if (AFTER_DATA.test(text)) return 'data';
  return AT_RCPT.test(text) ? 'rcpt' : null;
}

/** RFC 3463: 5.7.x is about permission, never about whether the address exists. */
function isPermission(reply: ReportedReply): boolean {
  return reply.enhancedCode?.startsWith('5.7.') === true;
}

/** RFC 5321, section 4.2.1: x0z is about the command, such as a HELO without a valid name. */
function isAboutCommand({ replyCode }: ReportedReply): boolean {
  return replyCode !== null && replyCode >= 500 && replyCode <= 504;
}

function isTransient(reply: ReportedReply): boolean {
  if (reply.enhancedCode !== null) return reply.enhancedCode.startsWith('4');
  return reply.replyCode !== null && reply.replyCode < 500;
}

const TRY_ANOTHER = /\btry:? <?[^\s<>@]{1,64}@/i;

/** The classification by codes alone (RFC 5321, section 4.2.3; RFC 7504). */
function byReplyCode(reply: ReportedReply): Classification | null {
  const { replyCode: code, enhancedCode, text } = reply;
  if (enhancedCode === '5.1.0') return UNKNOWN_ADDRESS;
  // Usually the text says the same, and then the text counts. RFC 5321, section 3.4: "please try <forward-path>".
  if (code === 551 && !isPermission(reply) && (!/\p{L}{3}/u.test(text) || TRY_ANOTHER.test(text)))
    return UNKNOWN_ADDRESS;
  if (code === 556) return NO_DOMAIN;
  // Servers also answer 521 to clients that they disconnect: Postfix for a bare line feed, postscreen for a listed client.
  if (code === 521 && enhancedCode === null) return { ...NO_DOMAIN, suppress: false };
  if (code === 552) return soft('mailbox_full');
  return bySubject({ enhancedCode });
}

function bySubject({ enhancedCode }: Pick<ReportedReply, 'enhancedCode'>): Classification | null {
  const category = CATEGORY_OF_SUBJECT[enhancedCode?.split('.')[1] ?? ''];
  return category === undefined ? null : soft(category);
}

/** Subjects of RFC 3463 that stand for one category. */
const CATEGORY_OF_SUBJECT: Readonly<Record<string, BounceCategory>> = {
  4: 'network',
  6: 'content',
  7: 'policy',
};

/**
 * Normalises a reply: lower case, `|` between clauses, and signs in place of names, which could look like a reason: `@`
 * for an address, `#` for an IP address, `~` for a host. URLs and codes are removed. Uses the first 4,000 characters.
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

/** `RESOLVER.ADR.RecipNotFound` is not a host name. */
function hostOrWords(name: string): string {
  const last = name.replace(/\.$/, '').split('.').at(-1) ?? '';
  return /^(?:[a-z]+|[A-Z]+)$/.test(last) ? '~' : name.replaceAll('.', ' ');
}
