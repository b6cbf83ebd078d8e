import type { BounceCategory, Classification } from '../../model/bounce.ts';
import { ENHANCED_CODES } from './enhanced-codes.ts';
import { REPLY_PHRASES } from './reply-phrases.ts';

/** What a server answered, or what a report says that it did. */
export interface ServerReply {
  readonly replyCode: number | null;
  /** For example `5.1.1`. */
  readonly enhancedCode: string | null;
  /** Of the reply or the report; only the first 4000 characters count. */
  readonly text: string;
}

/**
 * Why a recipient was refused, and whether it may work later. Never throws, in bounded time.
 *
 * A specific enhanced code counts first. Generic ones (5.0.0, 5.7.1) say little, and then the text counts. A text that
 * names a cause on the sender's side or a full mailbox overrules a code that would suppress: some servers answer 5.1.1 to
 * all that they do not like. A refusal of class 4 is soft whatever else it says.
 */
export function classifyReply(reply: ServerReply): Classification {
  const said = judge(reply, normalize(reply.text));
  if (isTransient(reply)) return { ...said, type: 'soft', suppress: false };
  return isPermission(reply) ? { ...said, suppress: false } : said;
}

function judge(reply: ServerReply, text: string): Classification {
  const byCode = ENHANCED_CODES[(reply.enhancedCode ?? '').slice(2)];
  const entry = REPLY_PHRASES.find(({ phrases }) => phrases.some((phrase) => contains(text, phrase)));
  if (entry === undefined) return byCode ?? withoutCause(reply, text);
  const byText: Classification = {
    type: entry.type,
    category: entry.category,
    suppress: entry.suppress === true,
  };
  if (byCode !== undefined) {
    if (byCode.suppress && entry.overrules === true) return byText;
    const isUnknown =
      byCode.suppress && byText.type === 'hard' && (byCode.type === 'hard' || AT_RCPT.test(text));
    return isUnknown ? { ...byText, suppress: true } : byCode;
  }
  if (byText.type === 'soft') return byText;
  if (AT_MAIL.test(text)) return REFUSED_BY_POLICY;
  const isNotUser = isPermission(reply) || AFTER_DATA.test(text);
  return byText.category === 'unknown_user' && isNotUser ? REFUSED_BY_POLICY : byText;
}

/** What a server does not know at MAIL is the sender. */
const AT_MAIL = /(?:in reply to|after|following) (?:the )?mail from\b|sender was rejected/;
/** 5.2.1 is a mailbox that is switched off. "Unknown" in its place counts when the recipient is what was refused. */
const AT_RCPT = /\brcpt\b|rcpt_to|does not like recipient/;
/**
 * A server that took the recipient and says "unknown" only when it has seen the message speaks for a filter: mobile
 * operators answer so to what their subscribers block. IronPort has words of its own for that.
 */
const AFTER_DATA =
  /(?:in reply to|after|following) (?:the )?(?:sending )?(?:end of )?data\b|after i sent the message|failed on data command|- other mail system problem/;
const REFUSED_BY_POLICY: Classification = { type: 'soft', category: 'policy', suppress: false };

/** RFC 3463: 5.7.x is about permission, never about whether the address exists. */
function isPermission(reply: ServerReply): boolean {
  return reply.enhancedCode?.startsWith('5.7.') === true;
}

function isTransient(reply: ServerReply): boolean {
  if (reply.enhancedCode !== null) return reply.enhancedCode.startsWith('4');
  return reply.replyCode !== null && reply.replyCode < 500;
}

/** RFC 5321, section 4.2.3; RFC 7504. */
function withoutCause({ replyCode: code, enhancedCode }: ServerReply, text: string): Classification {
  // "Other address status": as a rule the recipient's.
  if (enhancedCode === '5.1.0') return { type: 'hard', category: 'unknown_user', suppress: false };
  if (code === 551) return { type: 'hard', category: 'unknown_user', suppress: false };
  if (code === 556) return { type: 'hard', category: 'dns', suppress: true };
  // Servers give 521 to whom they throw out as well: Postfix for a bare line feed, postscreen for a client on a list.
  if (code === 521 && enhancedCode === null) return { type: 'hard', category: 'dns', suppress: false };
  if (code === 552) return { type: 'soft', category: 'mailbox_full', suppress: false };
  const category =
    CATEGORY_OF_SUBJECT[enhancedCode?.split('.')[1] ?? ''] ?? (text.includes('reject') ? 'policy' : 'other');
  return { type: 'soft', category, suppress: false };
}

/** The subjects of RFC 3463 that mean one category. */
const CATEGORY_OF_SUBJECT: Readonly<Record<string, BounceCategory>> = {
  4: 'network',
  6: 'content',
  7: 'policy',
};

const MAX_TEXT = 4_000;

/** Addresses and hosts go: their names may read like a reason. So does what IronPort writes before any refusal of a recipient. */
function normalize(text: string): string {
  return text
    .slice(0, MAX_TEXT)
    .toLowerCase()
    .replace(/[\u2018\u2019`]/g, "'")
    .replace(/(?<![^\s<>"'(),;:[\]@])[^\s<>"'(),;:[\]@]{1,200}@[^\s<>"'(),;:[\]@]{1,255}/g, '@')
    .replace(/(?<![a-z0-9.-])[a-z0-9.-]{1,255} ?\[[0-9a-f.:]{3,45}\]/g, 'host')
    .replace('5.1.0 - unknown address error', '')
    .replace(/\s+/g, ' ');
}

const MAX_GAP = 60;

/**
 * Whether the pieces of a phrase stand in the text in order, with at most 60 characters between two of them, and the
 * first at the begin of a word: hosts are called `antispam`.
 */
function contains(text: string, phrase: string): boolean {
  const star = phrase.indexOf(' * ');
  const head = star === -1 ? phrase : phrase.slice(0, star);
  const tail = star === -1 ? '' : phrase.slice(star + 3);
  for (let at = text.indexOf(head); at !== -1; at = text.indexOf(head, at + 1)) {
    if (at > 0 && isWordCharacter(text.charCodeAt(at - 1)) && isWordCharacter(head.charCodeAt(0))) continue;
    const from = at + head.length;
    if (tail === '' || text.slice(from, from + MAX_GAP + tail.length).includes(tail)) return true;
  }
  return false;
}

/** a to z and digits. */
function isWordCharacter(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39);
}
