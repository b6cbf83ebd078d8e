/** The rules of the built-in scorer: one table, which docs/operate/spam.md repeats. Weights are set by hand (docs/decisions/0047). */
import type { Mail } from './mail.ts';
import * as author from './rules/author.ts';
import * as body from './rules/body.ts';
import * as connection from './rules/connection.ts';
import * as files from './rules/files.ts';
import * as header from './rules/header.ts';
import { cutWords, hasInvisible, mixesScripts } from './rules/letters.ts';
import * as links from './rules/links.ts';

export interface SpamRule {
  /** In capitals, as in X-Spam-Status. Never changes, because users filter by it. */
  readonly name: string;
  /** Added to the score. At the level `medium` 6 means Junk; no rule about style alone comes close. */
  readonly weight: number;
  /** The description in the documentation. */
  readonly meaning: string;
  /** Takes time proportional to the message, whatever it contains. */
  matches(mail: Mail): boolean;
}

const spfIs = (result: string) => (mail: Mail) => mail.authentication.spf.result === result;
const dmarcIs = (result: string) => (mail: Mail) => mail.authentication.dmarc.result === result;

function isNobodys({ authentication: { spf, dkim, arc } }: Mail): boolean {
  return spf.result !== 'pass' && arc.result !== 'pass' && dkim.every(({ result }) => result !== 'pass');
}

function hasBrokenSignature({ authentication: { dkim } }: Mail): boolean {
  return dkim.length > 0 && dkim.every(({ result }) => result === 'fail' || result === 'neutral');
}

// biome-ignore format: a table
export const RULES: readonly SpamRule[] = [
  // Whose mail it is
  { name: 'AUTHOR_PROVEN', weight: -0.5, meaning: 'DMARC passes', matches: dmarcIs('pass') },
  { name: 'AUTHOR_REFUTED', weight: 3, meaning: 'DMARC fails, whatever the domain asks for', matches: dmarcIs('fail') },
  { name: 'AUTHOR_UNCLEAR', weight: 3.5, meaning: 'no author, or authors of several domains', matches: dmarcIs('permerror') },
  { name: 'SPF_FAIL', weight: 2.5, meaning: 'the domain of MAIL FROM does not send from there', matches: spfIs('fail') },
  { name: 'SPF_SOFTFAIL', weight: 1, meaning: 'the same, said less firmly', matches: spfIs('softfail') },
  { name: 'NOBODY_VOUCHES', weight: 1, meaning: 'neither SPF nor a signature says who sent it', matches: isNobodys },
  { name: 'SIGNATURE_BROKEN', weight: 0.5, meaning: 'it is signed, and no signature holds', matches: hasBrokenSignature },

  // Where it comes from. Clients on this machine and in networks of one's own are left out
  { name: 'NO_REVERSE_NAME', weight: 1.5, meaning: 'the address of the client has no name', matches: connection.hasNoReverseName },
  { name: 'REVERSE_NAME_ELSEWHERE', weight: 1, meaning: 'its name does not lead back to it', matches: connection.reverseLeadsElsewhere },
  { name: 'REVERSE_NAME_DYNAMIC', weight: 1.5, meaning: 'its name is that of a line at home', matches: connection.reverseIsDynamic },
  { name: 'HELO_ADDRESS', weight: 1, meaning: 'EHLO says an address', matches: connection.heloIsAddress },
  { name: 'HELO_ONE_LABEL', weight: 1, meaning: 'EHLO says a name without a dot', matches: connection.heloIsOneLabel },
  { name: 'HELO_OURS', weight: 4, meaning: 'EHLO says the name of this server', matches: connection.heloIsOurs },

  // The header
  { name: 'NO_DATE', weight: 1, meaning: 'no Date', matches: header.lacks('date') },
  { name: 'NO_MESSAGE_ID', weight: 0.8, meaning: 'no Message-ID', matches: header.lacks('message-id') },
  { name: 'NO_RECIPIENTS', weight: 0.8, meaning: 'neither To nor Cc', matches: header.lacks('to', 'cc') },
  { name: 'NO_SUBJECT', weight: 0.5, meaning: 'no Subject', matches: header.lacks('subject') },
  { name: 'DATE_AHEAD', weight: 1.5, meaning: 'a Date more than two days ahead', matches: header.dateIsAhead },
  { name: 'DATE_UNREADABLE', weight: 1, meaning: 'a Date that is none', matches: header.dateIsUnreadable },
  { name: 'MESSAGE_ID_ODD', weight: 0.8, meaning: 'a Message-ID that is none', matches: header.messageIdIsOdd },
  { name: 'FIELD_TWICE', weight: 1.5, meaning: 'a field that must be there once is there twice', matches: header.repeatsField },
  { name: 'BULK_FOR_EVER', weight: 1, meaning: 'bulk mail without List-Unsubscribe', matches: header.isBulkWithoutUnsubscribe },
  { name: 'NAME_IS_OTHER_ADDRESS', weight: 3, meaning: 'the name in From is an address of another domain', matches: author.nameIsOtherAddress },
  { name: 'NAME_HIDES', weight: 2, meaning: 'characters that show nothing in the name in From', matches: ({ from }) => hasInvisible(from.name) },
  { name: 'NAME_MIXED', weight: 2, meaning: 'letters of two scripts in a word of the name in From', matches: ({ from }) => mixesScripts(from.name) },
  { name: 'REPLY_ELSEWHERE', weight: 1.5, meaning: 'answers go to a free mailbox of another domain', matches: author.repliesGoElsewhere },
  { name: 'SUBJECT_SHOUTS', weight: 1.2, meaning: 'a Subject all in capitals', matches: header.subjectShouts },
  { name: 'SUBJECT_MARKS', weight: 0.8, meaning: '`!!!`, `???` or `$$$` in the Subject', matches: ({ subject }) => /[!?]{3}|\${2}/.test(subject) },
  { name: 'SUBJECT_GAPPY', weight: 2, meaning: 'a word with gaps in the Subject: `F R E E E`', matches: header.subjectIsGappy },
  { name: 'SUBJECT_HIDES', weight: 2, meaning: 'characters that show nothing in the Subject', matches: ({ subject }) => cutWords(subject) > 0 },
  { name: 'SUBJECT_MIXED', weight: 2, meaning: 'letters of two scripts in a word of the Subject', matches: ({ subject }) => mixesScripts(subject) },
  { name: 'REPLY_TO_NOTHING', weight: 0.5, meaning: '`Re:` without In-Reply-To and References', matches: header.isReplyToNothing },

  // The text
  { name: 'GTUBE', weight: 1000, meaning: 'the test text for filters', matches: body.isGtube },
  { name: 'ADVANCE_FEE', weight: 4, meaning: 'three or more phrases of letters about a fortune', matches: body.asksForAdvance },
  { name: 'CREDENTIALS', weight: 2.5, meaning: 'three or more phrases of letters that press for a password', matches: body.pressesForCredentials },
  { name: 'GOODS', weight: 1.5, meaning: 'a phrase of offers that nobody asked for', matches: body.offersGoods },
  { name: 'GOODS_MANY', weight: 3.5, meaning: 'two or more of them', matches: body.offersManyGoods },
  { name: 'EXTORTION', weight: 5, meaning: 'a threat and a Bitcoin wallet', matches: body.extorts },
  { name: 'TEXT_HIDES', weight: 2, meaning: 'three or more words cut by characters that show nothing', matches: ({ text }) => cutWords(text) >= 3 },
  { name: 'TEXT_MIXED', weight: 2, meaning: 'letters of two scripts in a word of the text', matches: ({ text }) => mixesScripts(text) },
  { name: 'TEXT_NEEDLESS_BASE64', weight: 1, meaning: 'plain ASCII in base64', matches: ({ hasNeedlessBase64 }) => hasNeedlessBase64 },
  { name: 'HTML_ALONE', weight: 0.3, meaning: 'HTML without a plain text', matches: ({ html, plain }) => html !== null && plain === null },
  { name: 'HTML_HIDES', weight: 2, meaning: 'more than 300 letters of HTML that nobody sees', matches: ({ html }) => (html?.hiddenLetters ?? 0) > 300 },
  { name: 'HTML_FORM', weight: 1.5, meaning: 'a form', matches: ({ html }) => html?.hasForm === true },
  { name: 'HTML_SCRIPT', weight: 1.5, meaning: 'a script', matches: ({ html }) => html?.hasScript === true },
  { name: 'IMAGE_ALONE', weight: 1.5, meaning: 'an image and hardly a word', matches: body.isImageAlone },
  { name: 'LINK_ALONE', weight: 1.2, meaning: 'a link and hardly a word', matches: body.isLinkAlone },

  // Where links lead
  { name: 'URL_ADDRESS', weight: 3, meaning: 'to an IP address', matches: links.leadsToAddress },
  { name: 'URL_LOOK_ALIKE', weight: 3.5, meaning: 'to a name with letters of two scripts', matches: links.looksAlike },
  { name: 'URL_DOMAIN_WITHIN', weight: 2.5, meaning: 'to a name that begins like another site', matches: links.hasDomainWithin },
  { name: 'URL_USER', weight: 2.5, meaning: 'a user name in front of the host', matches: links.hasUserInfo },
  { name: 'URL_PORT', weight: 1, meaning: 'to an unusual port', matches: links.hasOddPort },
  { name: 'URL_OTHER_SITE', weight: 1.5, meaning: 'elsewhere than its text says', matches: links.showsOtherSite },
  { name: 'URL_SHORTENED', weight: 0.8, meaning: 'through a shortener', matches: links.isShortened },
  { name: 'URL_CHEAP', weight: 1, meaning: 'below a top-level domain that spam prefers', matches: links.isCheapName },
  { name: 'URL_SCHEME', weight: 2.5, meaning: '`javascript:`, `data:` and the like', matches: ({ oddSchemes }) => oddSchemes > 0 },

  // What is attached
  { name: 'FILE_PROGRAM', weight: 6, meaning: 'a program or a script', matches: files.hasProgram },
  { name: 'FILE_PROGRAM_PACKED', weight: 6, meaning: 'one in a zip archive', matches: files.hasProgramInArchive },
  { name: 'FILE_TWO_ENDS', weight: 4, meaning: 'a name such as `invoice.pdf.exe`', matches: files.hasTwoEnds },
  { name: 'FILE_NAME_HIDES', weight: 4, meaning: 'a name whose end is turned around or out of sight', matches: files.hidesEnd },
  { name: 'FILE_MACROS', weight: 2, meaning: 'a document with macros', matches: files.hasMacros },
  { name: 'FILE_LOCKED', weight: 1.5, meaning: 'an archive with a password', matches: files.hasLockedArchive },
  { name: 'FILE_HTML', weight: 1, meaning: 'a page of HTML, or SVG', matches: files.hasHtmlFile },
];
