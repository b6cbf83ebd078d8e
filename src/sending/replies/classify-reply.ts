import type { BounceCategory, Classification } from '../../model/bounce.ts';
import { ENHANCED_CODES } from './enhanced-codes.ts';
import { type ReplyFinding, findingsIn } from './findings.ts';

const MAX_TEXT = 4_000;

const ADDRESS = /(?<![^\s<>"'(),;:[\]@])[^\s<>"'(),;:[\]@]{1,200}@[^\s<>"'(),;:[\]@]{1,255}/g;

const IP_ADDRESS =
  /(?<![\w.-])(?:[\w.-]{1,255} ?\[)?(?:\d{1,3}(?:\.\d{1,3}){3}|(?:[0-9a-f]{1,4}:){3,7}[0-9a-f]{1,4}|[0-9a-f:]{2,30}::[0-9a-f:]{0,30})\]?/gi;

/** The reply code in the first line, or in a continuation line that begins like a sentence. */
const CODE_OF_CLAUSE = /: ?[45]\d\d(?=[- ])|(?<![\w.-])[45]\d\d-(?=[A-Z])/g;

const CODE =
  /(?<![\w.-])[45]\d\d[- ](?:#?[45]\.\d{1,3}\.\d{1,3}\b)?|(?<![\w.-])[45]\.\d{1,3}\.\d{1,3}(?![\w.])/g;

const HOST = /(?<![\w.-])(?:[a-z0-9_-]{1,63}\.){1,10}[a-z]{2,24}(?![\w-])\.?/gi;

/** The reply of a server, or the reply that a bounce report quotes. */
export interface ReportedReply {
  readonly replyCode: number | null;
  /** An enhanced code, such as `5.1.1`. */
  readonly enhancedCode: string | null;
  /** The text of the reply or the report. Only the first 4,000 characters are used. */
  readonly text: string;
}

/**
 * Classifies why a recipient was rejected, and whether a retry may work. Never throws and takes bounded time.
 *
 * The order of evidence, which docs/bounces.md explains too:
 *
 * 1. A code of class 4 is soft, whatever else the reply says, and a code 5.7.x never suppresses.
 * 2. A specific enhanced code, such as 5.1.1 or 5.2.2. A text overrules a code for an unknown recipient if the text names another
 *    cause (a list, the content, the sender, a full mailbox) and does not confirm the code, because some servers reply 5.1.1 to
 *    everything that they reject. General words such as "policy", "rejected" or "blocked" do not overrule such a code.
 * 3. The text. Statements about the sender and a full mailbox come first, then an unknown recipient, then the other
 *    causes, and last the words that say almost nothing: see `ORDER`.
 * 4. The reply code.
 *
 * Mail to a dead address costs reputation with every message, and suppressing a live address costs its owner the mail. So a sentence about
 * the recipient is believed regardless of the context, and a hint at another cause prevents suppression if a code is the only evidence.
 */
export function classifyReply(reply: ReportedReply): Classification {
  return explainReply(reply).said;
}

/** The result of `classifyReply`, and the vocabulary words that caused the result. */
export function explainReply(reply: ReportedReply): { said: Classification; because: ReadonlySet<string> } {
  const because = new Set<string>();
  const said = judge(reply, because);
  if (isTransient(reply)) return { said: { ...said, type: 'soft', suppress: false }, because };
  return { said: isPermission(reply) ? { ...said, suppress: false } : said, because };
}

const UNKNOWN_USER: Classification = { type: 'hard', category: 'unknown_user', suppress: true };
/** "Address rejected", which is weaker evidence than "does not exist". */
const UNKNOWN_ADDRESS: Classification = { ...UNKNOWN_USER, suppress: false };
const SWITCHED_OFF: Classification = { type: 'soft', category: 'unknown_user', suppress: true };
const NO_DOMAIN: Classification = { type: 'hard', category: 'dns', suppress: true };
const soft = (category: BounceCategory): Classification => ({ type: 'soft', category, suppress: false });
const POLICY = soft('policy');

interface Weight {
  readonly finding: ReplyFinding;
  readonly verdict: Classification;
  /** Whether the finding overrules an enhanced code for an unknown recipient. */
  readonly overrules?: true;
}

/** The findings in order of precedence. The first finding in the text determines the verdict. */
const ORDER: readonly Weight[] = [
  // A local delivery program failed. The users in the program's message are users of the system that runs the program.
  { finding: 'program', verdict: soft('other'), overrules: true },
  { finding: 'suppressed', verdict: soft('suppressed'), overrules: true },
  { finding: 'sender', verdict: POLICY, overrules: true },
  { finding: 'full', verdict: soft('mailbox_full'), overrules: true },
  { finding: 'quota', verdict: soft('mailbox_full'), overrules: true },
  // DNS failed, which does not show whether the domain exists.
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
  // Without a reply code, the text is from a report, in which "not found" may refer to anything.
  const counts = (finding: ReplyFinding): boolean => finding !== 'absent' || reply.replyCode !== null;
  const weight = ORDER.find(({ finding }) => found.has(finding) && counts(finding)) ?? null;
  for (const word of (weight !== null && found.get(weight.finding)) || []) because.add(word);
  const command = commandOf(raw);
  if (weight?.verdict.type === 'hard' && command === 'mail') return POLICY;
  const byCode = ENHANCED_CODES[(reply.enhancedCode ?? '').slice(2)];
  if (byCode === undefined) return byText(reply, weight, command);
  if (!byCode.suppress) return byCode;
  // 521 concerns the host or the client (RFC 7504), so an enhanced code about the mailbox is not believed.
  if (reply.replyCode === 521 && byCode.category === 'unknown_user') return soft('reputation');
  if (weight?.overrules === true) return weight.verdict;
  const isUnknown = weight?.verdict.type === 'hard' && (byCode.type === 'hard' || command === 'rcpt');
  return isUnknown ? { ...weight.verdict, suppress: true } : byCode;
}

/** The classification by text, for replies whose enhanced code is missing or unspecific. */
function byText(reply: ReportedReply, weight: Weight | null, command: Command | null): Classification {
  if (weight === null) return byReplyCode(reply) ?? soft('other');
  const { finding, verdict } = weight;
  // 5.1.0, "other address status", usually refers to the recipient's address.
  if (finding === 'denied')
    return reply.enhancedCode === '5.1.0' ? UNKNOWN_ADDRESS : (bySubject(reply) ?? verdict);
  if (verdict.type === 'soft') return verdict;
  if (isAboutCommand(reply) && command !== 'rcpt') return POLICY;
  // After DATA the reply may refer to another domain.
  if (verdict.category === 'dns') return { ...verdict, suppress: verdict.suppress && command !== 'data' };
  if (isPermission(reply) || command === 'data') return POLICY;
  // 551 names the user's new address.
  return reply.replyCode === 551 ? { ...verdict, suppress: false } : verdict;
}

type Command = 'mail' | 'rcpt' | 'data';

/** Texts that quote the reply to MAIL, in which "unknown" refers to the sender. */
const AT_MAIL = /(?:in reply to|after|following) (?:the )?mail from\b|sender was rejected/i;
/**
 * Texts that quote the reply to the message. If a server accepted the recipient and says "unknown" only after the message, it reports the
 * decision of a filter: mobile operators reply this way to mail that their subscribers block. IronPort has a wording of its own.
 */
const AFTER_DATA =
  /(?:in reply to|after|following) (?:the )?(?:sending )?(?:end of )?data\b|after i sent the message|failed on data command|- other mail system problem/i;
/** Texts that quote the reply to RCPT. 5.2.1 means a disabled mailbox. Only in reply to RCPT does the text "unknown" override this code. */
const AT_RCPT = /\brcpt\b|rcpt_to|does not like recipient/i;
/** KDDI's reply if the subscriber's filter rejects the mail. If the reply contains an address, the subscriber does not exist. */
const KDDI = /\b550 ?:(?: :)? user unknown/i;

/** The command that the server replied to, if the text names the command. */
function commandOf(text: string): Command | null {
  if (AT_MAIL.test(text)) return 'mail';
  if (AFTER_DATA.test(text)) return 'data';
  return AT_RCPT.test(text) ? 'rcpt' : null;
}

/** 5.7.x means a lack of permission, never that the address does not exist (RFC 3463). */
function isPermission(reply: ReportedReply): boolean {
  return reply.enhancedCode?.startsWith('5.7.') === true;
}

/** x0z is about the command, such as a HELO without a valid name (RFC 5321, section 4.2.1). */
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
  // 551 alone means that the user has moved ("please try <forward-path>", RFC 5321, section 3.4). If the text names a cause, the text is
  // used instead.
  if (code === 551 && !isPermission(reply) && (!/\p{L}{3}/u.test(text) || TRY_ANOTHER.test(text)))
    return UNKNOWN_ADDRESS;
  if (code === 556) return NO_DOMAIN;
  // Servers also reply 521 to clients that they disconnect: Postfix after a bare line feed, postscreen to a listed client.
  if (code === 521 && enhancedCode === null) return { ...NO_DOMAIN, suppress: false };
  if (code === 552) return soft('mailbox_full');
  return bySubject({ enhancedCode });
}

function bySubject({ enhancedCode }: Pick<ReportedReply, 'enhancedCode'>): Classification | null {
  const category = CATEGORY_OF_SUBJECT[enhancedCode?.split('.')[1] ?? ''];
  return category === undefined ? null : soft(category);
}

/** The subjects of RFC 3463 that correspond to one category. */
const CATEGORY_OF_SUBJECT: Readonly<Record<string, BounceCategory>> = {
  4: 'network',
  6: 'content',
  7: 'policy',
};

/**
 * Normalizes a reply to lower case, with `|` between clauses. Names that could look like a reason are replaced by signs: `@` for an
 * address, `#` for an IP address, `~` for a host. URLs and codes are removed. Only the first 4,000 characters are used.
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

/** A text such as `RESOLVER.ADR.RecipNotFound` is not a host name. */
function hostOrWords(name: string): string {
  const last = name.replace(/\.$/, '').split('.').at(-1) ?? '';
  return /^(?:[a-z]+|[A-Z]+)$/.test(last) ? '~' : name.replaceAll('.', ' ');
}
