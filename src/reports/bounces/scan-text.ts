import { findAddresses, sameAddress } from './addresses.ts';

/** A recipient that is named in the text of a report. */
export interface TextRecipient {
  address: string;
  /** The text from the line that names the recipient to the line that names the next recipient. */
  segment: string;
}

const MAX_LINES = 2_000;
const MAX_RECIPIENTS = 200;
const MAX_SEGMENT = 4_000;

/** Matches lines that name addresses which are not recipients. */
const NOT_A_RECIPIENT =
  /contact|assistance|questions?\b|please (?:send|forward|e-?mail|mail)|for (?:further|more)|mail from|^\W*(?:from|sender|reply-to|return-path|x-[a-z-]+|message-id|cc|bcc|subject|date|received|by)\s*:|sent by|hello |dear |https?:/i;

/** Matches a line that is about one address: only decoration or a label precedes it. */
const OPENS_WITH =
  /^[\s>*\-"'<(=•|.:\d]*(?:(?:to|rcpt to|rcpt|recipient|recipients|failed recipient|final-recipient|original-recipient|address|user|email|e-mail|mailbox|delivered to|sent to|addressed to)\s*(?:address)?\s*[:=]?\s*(?:rfc822\s*;)?\s*)?[\s<"'(]*$/i;

/** Matches the text before an address that the server expanded to other addresses. */
const ALIAS = /(?:expanded|generated) from:? ?<?$/i;

const SPEAKS_OF =
  /(?:\bto|recipient|recipients|user|userid|address|mailbox|account|for|deliver\w*|reach|rcpt)\b[^@]{0,60}$/i;

/**
 * The recipients that the text of a report names. Lines that begin with an address take precedence over lines that mention an address.
 * Never throws and takes bounded time.
 * @param not addresses that are not recipients: the addresses in the header of the report
 */
export function scanText(text: string, not: readonly string[]): TextRecipient[] {
  const lines = text.split('\n', MAX_LINES);
  const opening: Mention[] = [];
  const speaking: Mention[] = [];
  for (const [line, content] of lines.entries()) {
    if (!content.includes('@') || NOT_A_RECIPIENT.test(content.slice(0, 500))) continue;
    for (const address of findAddresses(content.slice(0, 500), 5)) {
      if (not.some((own) => sameAddress(own, address))) continue;
      // Long runs of blanks would make the expressions backtrack.
      const before = content.slice(0, content.indexOf(address)).slice(-120).replace(/\s+/g, ' ');
      if (ALIAS.test(`${(lines[line - 1] ?? '').slice(-40)}${before}`.replace(/\s+/g, ' '))) continue;
      if (OPENS_WITH.test(before)) opening.push({ address, line });
      else if (SPEAKS_OF.test(before)) speaking.push({ address, line });
    }
  }
  return segments(lines, opening.length > 0 ? opening : speaking);
}

interface Mention {
  address: string;
  line: number;
}

function segments(lines: readonly string[], mentions: readonly Mention[]): TextRecipient[] {
  const first: Mention[] = [];
  for (const mention of mentions) {
    if (first.length === MAX_RECIPIENTS) break;
    if (!first.some(({ address }) => sameAddress(address, mention.address))) first.push(mention);
  }
  return first.map(({ address, line }) => {
    const others = mentions.filter(
      (mention) => mention.line > line && !sameAddress(mention.address, address),
    );
    const end = others[0]?.line ?? lines.length;
    return { address, segment: lines.slice(line, end).join('\n').slice(0, MAX_SEGMENT) };
  });
}
