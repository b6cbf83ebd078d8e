/** The rules of the built-in scorer: one table, which docs/operate/spam.md repeats. Weights are set by hand (docs/decisions/0047). */
import { spamLikeness } from './classifier.ts';
import type { ClassifiedContent } from './signs.ts';
import type { Mail } from './mail.ts';
import * as author from './rules/author.ts';
import * as body from './rules/body.ts';
import * as connection from './rules/connection.ts';
import * as files from './rules/files.ts';
import * as header from './rules/header.ts';
import { cutWords, hasInvisible, mixesScripts } from './rules/letters.ts';
import * as links from './rules/links.ts';

export interface SpamRule {
  /** The name in capitals, as in X-Spam-Status. A name never changes, because users filter by it. */
  readonly name: string;
  /** The number added to the score. At the level `medium`, a score of 6 means Junk, so a rule that is only about style weighs far less. */
  readonly weight: number;
  /** The description in the documentation. */
  readonly meaning: string;
  /** Whether the rule matches. Takes time proportional to the message, regardless of its content. */
  matches(mail: Mail): boolean;
}

const spfIs = (result: string) => (mail: Mail) => mail.authentication.spf.result === result;
const dmarcIs = (result: string) => (mail: Mail) => mail.authentication.dmarc.result === result;

function isUnauthenticated({ authentication: { spf, dkim, arc } }: Mail): boolean {
  return spf.result !== 'pass' && arc.result !== 'pass' && dkim.every(({ result }) => result !== 'pass');
}

function hasBrokenSignature({ authentication: { dkim } }: Mail): boolean {
  return dkim.length > 0 && dkim.every(({ result }) => result === 'fail' || result === 'neutral');
}

/**
 * The likeness (`classifier.ts`) from which a message is like spam, and from which it is very much like spam. docs/decisions/0136 says how they
 * were chosen.
 */
const LIKE = -0.1;
const VERY_LIKE = 0.4;
/** Below it, a message reads like wanted mail. A message of unknown words has a likeness of -0.5, about which the classifier says nothing. */
const LIKE_WANTED = -0.7;

export function isLikeSpam(likeness: number): boolean {
  return likeness >= LIKE && likeness < VERY_LIKE;
}

export function isVeryLikeSpam(likeness: number): boolean {
  return likeness >= VERY_LIKE;
}

/** Whether the trained classifier takes the message for spam, with `LIKE_SPAM` or `VERY_LIKE_SPAM`. */
export function readsLikeSpam(content: ClassifiedContent): boolean {
  return spamLikeness(content) >= LIKE;
}

/** False for a message that is too short to judge. */
export function isLikeWanted(likeness: number): boolean {
  return Number.isFinite(likeness) && likeness < LIKE_WANTED;
}

/** Whether the trained classifier takes the message for wanted mail, or the message is of this installation: its sender is an account here. */
export function readsWanted(mail: Mail): boolean {
  return mail.arrival.isOwn === true || isLikeWanted(spamLikeness(mail));
}

/** The likeness to spam. Mail of this installation is not judged by the way it reads: its sender is an account here. */
function likenessOf(mail: Mail): number {
  return mail.arrival.isOwn === true ? -Infinity : spamLikeness(mail);
}

// biome-ignore format: a table
export const RULES: readonly SpamRule[] = [
  // The sender
  { name: 'AUTHOR_REFUTED', weight: 3, meaning: 'DMARC fails, whatever policy the domain publishes', matches: dmarcIs('fail') },
  { name: 'AUTHOR_UNCLEAR', weight: 3.5, meaning: 'no author, or authors of several domains', matches: dmarcIs('permerror') },
  { name: 'SPF_FAIL', weight: 2.5, meaning: 'SPF fails: the domain of MAIL FROM does not allow this server', matches: spfIs('fail') },
  { name: 'SPF_SOFTFAIL', weight: 1, meaning: 'SPF softfail: the domain of MAIL FROM probably does not allow this server', matches: spfIs('softfail') },
  { name: 'NOBODY_VOUCHES', weight: 1, meaning: 'neither SPF nor a DKIM signature identifies the sender', matches: isUnauthenticated },
  { name: 'SIGNATURE_BROKEN', weight: 0.5, meaning: 'signed, but no DKIM signature is valid', matches: hasBrokenSignature },

  // The connection. Clients on this machine and in private networks are exempt
  { name: 'NO_REVERSE_NAME', weight: 1.5, meaning: "the client's IP address has no reverse DNS name", matches: connection.hasNoReverseName },
  { name: 'REVERSE_NAME_ELSEWHERE', weight: 1, meaning: "the client's reverse DNS name does not resolve to its IP address", matches: connection.reversePointsElsewhere },
  { name: 'REVERSE_NAME_DYNAMIC', weight: 1.5, meaning: "the client's reverse DNS name looks like a home connection", matches: connection.reverseIsDynamic },
  { name: 'HELO_ADDRESS', weight: 1, meaning: 'EHLO with an IP address', matches: connection.heloIsAddress },
  { name: 'HELO_ONE_LABEL', weight: 1, meaning: 'EHLO with a name without a dot', matches: connection.heloIsOneLabel },
  { name: 'HELO_OURS', weight: 4, meaning: 'EHLO with the name of this server', matches: connection.heloIsOurs },

  // The header
  { name: 'NO_DATE', weight: 1, meaning: 'no Date', matches: header.isMissing('date') },
  { name: 'NO_MESSAGE_ID', weight: 0.8, meaning: 'no Message-ID', matches: header.isMissing('message-id') },
  { name: 'NO_RECIPIENTS', weight: 0.8, meaning: 'neither To nor Cc', matches: header.isMissing('to', 'cc') },
  { name: 'NO_SUBJECT', weight: 0.5, meaning: 'no Subject', matches: header.isMissing('subject') },
  { name: 'DATE_AHEAD', weight: 1.5, meaning: 'a Date more than two days in the future', matches: header.dateIsAhead },
  { name: 'DATE_UNREADABLE', weight: 1, meaning: 'an invalid Date', matches: header.dateIsUnreadable },
  { name: 'MESSAGE_ID_ODD', weight: 0.8, meaning: 'an invalid Message-ID', matches: header.messageIdIsOdd },
  { name: 'FIELD_TWICE', weight: 1.5, meaning: 'a header field appears twice that must appear once', matches: header.repeatsField },
  { name: 'BULK_FOR_EVER', weight: 1, meaning: 'bulk mail without List-Unsubscribe', matches: header.isBulkWithoutUnsubscribe },
  { name: 'NAME_IS_OTHER_ADDRESS', weight: 3, meaning: 'the From name is an address of another domain', matches: author.nameIsOtherAddress },
  { name: 'NAME_IS_OTHER_COMPANY', weight: 3, meaning: 'the From name is a company that spam often imitates, at a domain of someone else', matches: author.nameIsOtherCompany },
  { name: 'NAME_HIDES', weight: 2, meaning: 'invisible characters in the From name', matches: ({ from }) => hasInvisible(from.name) },
  { name: 'NAME_MIXED', weight: 2, meaning: 'letters of two scripts in one word of the From name', matches: ({ from }) => mixesScripts(from.name) },
  { name: 'REPLY_ELSEWHERE', weight: 1.5, meaning: 'replies go to a free mailbox at another domain', matches: author.repliesGoElsewhere },
  { name: 'SUBJECT_SHOUTS', weight: 1.2, meaning: 'a Subject all in capitals', matches: header.subjectShouts },
  { name: 'SUBJECT_MARKS', weight: 0.8, meaning: '`!!!`, `???` or `$$$` in the Subject', matches: ({ subject }) => /[!?]{3}|\${2}/.test(subject) },
  { name: 'SUBJECT_GAPPY', weight: 2, meaning: 'a word with gaps in the Subject: `F R E E E`', matches: header.subjectIsGappy },
  { name: 'SUBJECT_HIDES', weight: 2, meaning: 'invisible characters in the Subject', matches: ({ subject }) => cutWords(subject) > 0 },
  { name: 'SUBJECT_MIXED', weight: 2, meaning: 'letters of two scripts in one word of the Subject', matches: ({ subject }) => mixesScripts(subject) },
  { name: 'REPLY_TO_NOTHING', weight: 0.5, meaning: '`Re:` without In-Reply-To and References', matches: header.isReplyToNothing },

  // The text
  { name: 'GTUBE', weight: 1000, meaning: 'the test text for spam filters (GTUBE)', matches: body.isGtube },
  { name: 'ADVANCE_FEE', weight: 4, meaning: 'three or more phrases of advance-fee fraud', matches: body.requestsAdvance },
  { name: 'CREDENTIALS', weight: 2.5, meaning: 'three or more phrases that press for a password', matches: body.pressesForCredentials },
  { name: 'GOODS', weight: 1.5, meaning: 'a phrase of unsolicited offers', matches: body.offersGoods },
  { name: 'GOODS_MANY', weight: 3.5, meaning: 'two or more phrases of unsolicited offers', matches: body.offersManyGoods },
  { name: 'EXTORTION', weight: 5, meaning: 'a threat and a Bitcoin wallet', matches: body.extorts },
  { name: 'LIKE_SPAM', weight: 2.5, meaning: 'reads more like spam than like wanted mail, by the trained classifier', matches: (mail) => isLikeSpam(likenessOf(mail)) },
  { name: 'VERY_LIKE_SPAM', weight: 6, meaning: 'reads very much like spam, by the trained classifier', matches: (mail) => isVeryLikeSpam(likenessOf(mail)) },
  { name: 'TEXT_HIDES', weight: 2, meaning: 'three or more words split by invisible characters', matches: ({ text }) => cutWords(text) >= 3 },
  { name: 'TEXT_MIXED', weight: 2, meaning: 'letters of two scripts in one word of the text', matches: ({ text }) => mixesScripts(text) },
  { name: 'TEXT_NEEDLESS_BASE64', weight: 1, meaning: 'plain ASCII text encoded in base64', matches: ({ hasNeedlessBase64 }) => hasNeedlessBase64 },
  { name: 'HTML_ALONE', weight: 0.3, meaning: 'HTML without a plain-text version', matches: ({ html, plain }) => html !== null && plain === null },
  { name: 'HTML_HIDES', weight: 2, meaning: 'more than 300 hidden letters in HTML', matches: ({ html }) => (html?.hiddenLetters ?? 0) > 300 },
  { name: 'HTML_FORM', weight: 1.5, meaning: 'a form in HTML', matches: ({ html }) => html?.hasForm === true },
  { name: 'HTML_SCRIPT', weight: 1.5, meaning: 'a script in HTML', matches: ({ html }) => html?.hasScript === true },
  { name: 'IMAGE_ALONE', weight: 1.5, meaning: 'an image with almost no text', matches: body.isImageAlone },
  { name: 'LINK_ALONE', weight: 1.2, meaning: 'a link with almost no text', matches: body.isLinkAlone },

  // Links
  { name: 'URL_ADDRESS', weight: 3, meaning: 'a link to an IP address', matches: links.pointsToAddress },
  { name: 'URL_LOOK_ALIKE', weight: 3.5, meaning: 'a link to a name with letters of two scripts', matches: links.looksAlike },
  { name: 'URL_DOMAIN_WITHIN', weight: 2.5, meaning: 'a link to a name that begins like another site', matches: links.hasDomainWithin },
  { name: 'URL_USER', weight: 2.5, meaning: 'a link with a user name in front of the host', matches: links.hasUserInfo },
  { name: 'URL_PORT', weight: 1, meaning: 'a link to an unusual port', matches: links.hasOddPort },
  { name: 'URL_OTHER_SITE', weight: 1.5, meaning: 'a link to a site other than the one in its text', matches: links.showsOtherSite },
  { name: 'URL_SHORTENED', weight: 0.8, meaning: 'a link through a URL shortener', matches: links.isShortened },
  { name: 'URL_CHEAP', weight: 1, meaning: 'a link to a top-level domain that is common in spam', matches: links.isCheapName },
  { name: 'URL_SCHEME', weight: 2.5, meaning: 'a link with `javascript:`, `data:` or the like', matches: ({ oddSchemes }) => oddSchemes > 0 },

  // Attachments
  { name: 'FILE_PROGRAM', weight: 6, meaning: 'an attached program or script', matches: files.hasProgram },
  { name: 'FILE_PROGRAM_PACKED', weight: 6, meaning: 'a program or script in a zip archive', matches: files.hasProgramInArchive },
  { name: 'FILE_TWO_ENDS', weight: 4, meaning: 'an attachment name such as `invoice.pdf.exe`', matches: files.hasTwoEnds },
  { name: 'FILE_NAME_HIDES', weight: 4, meaning: 'an attachment name whose extension is reversed or out of sight', matches: files.hidesEnd },
  { name: 'FILE_MACROS', weight: 2, meaning: 'an attached document with macros', matches: files.hasMacros },
  { name: 'FILE_LOCKED', weight: 1.5, meaning: 'an attached archive with a password', matches: files.hasLockedArchive },
  { name: 'FILE_HTML', weight: 1, meaning: 'an attached HTML page or SVG', matches: files.hasHtmlFile },
];
