/**
 * Separates a reply from the message that it quotes, in plain text. Mail programs mark the quote in one of three ways: `>` before each line,
 * a line such as "On Monday Ann wrote:", or a header like that of the original message. A quote of which none is found stays in the reply.
 */

const QUOTED = /^ {0,3}>/;
const FORWARDED =
  /^\s*(?:-{2,}|_{2,}|\*{2,})?\s*(?:begin forwarded message|(?:original )?forwarded message|forwarded by|weitergeleitete nachricht|anfang der weitergeleiteten|message transf[ée]r[ée]|mensaje reenviado|messaggio inoltrato|doorgestuurd bericht)/i;
/** The line above a copy of the original message without marks, as Outlook writes it. */
const ORIGINAL =
  /^\s*-{2,}\s*(?:original(?: message| appointment)?|urspr(?:ü|ue)ngliche nachricht|message d'origine|message original|mensaje original|messaggio originale|oorspronkelijk bericht|mensagem original|originalmeddelande|ursprungligt meddelande|oprindelig meddelelse|opprinnelig melding|alkuperäinen viesti|wiadomość oryginalna|původní zpráva|исходное сообщение|原始邮件|元のメッセージ)\s*-{2,}\s*$/i;
/** The labels of a copied header, each at the start of a line; some programs print them in bold. */
const FROM = /^\s*\*?(?:from|von|de|da|van|från|fra|lähettäjä|od|от|发件人|寄件者|差出人)\s*\*?\s*[:：]/i;
const OTHER_FIELD =
  /^\s*\*?(?:sent|date|to|cc|subject|reply-to|gesendet|datum|an|betreff|envoyé|date|à|objet|enviado|enviada|fecha|para|asunto|assunto|data|inviato|a|oggetto|verzonden|aan|onderwerp|skickat|till|ämne|sendt|til|emne|lähetetty|vastaanottaja|aihe|wysłano|do|temat|odesláno|komu|předmět|отправлено|дата|кому|тема|发送时间|收件人|主题|日期|寄件日期|送信日時|宛先|件名)\s*\*?\s*[:：]/i;
/** The first word of "On Monday Ann wrote:". */
const OPENING =
  /^\s*(?:on|am|le|el|il|op|den|em|på|w dniu|dnia|dne|ma|в|at|in data|il giorno|a|在|於|vào)(?:\s|(?<=[在於]))/i;
const WROTE =
  /(?:wrote|writes|schrieb|schrieb mir|geschrieben|a écrit|escribió|ha scritto|scrisse|schreef|skrev|escreveu|napisał(?:\(a\)|a)?|napsal(?:\(a\)|a)?|kirjoitti|írta|написал(?:\(а\)|а)?|пишет|写道|寫道|のメッセージ|yazdı|đã viết).{0,200}[:：]\s*$/iu;
const ENDS_WITH_COLON = /[:：]\s*$/;
const DATED = /\d{1,2}[:.]\d{2}|\b\d{4}\b|[^\s@]@[^\s@]/;
/** An attribution has at most this many lines and characters. */
const MAX_ATTRIBUTION_LINES = 4;
const MAX_ATTRIBUTION = 400;

/**
 * The text without the message that it quotes, without blank lines at its ends. A forwarded message stays, and so do quotes between
 * answers, because the answers refer to them. If everything is quoted, the whole text. Never throws; takes time proportional to the length.
 * @param text with LF as line end
 */
export function replyText(text: string): string {
  const whole = text.split('\n');
  // Attack: lines of spaces, on which the expressions would take quadratic time.
  const lines = whole.map((line) =>
    (line.length > MAX_ATTRIBUTION ? `${line.slice(0, 20)}…` : line).replaceAll(/\s{5,}/g, '    '),
  );
  const own = lines.slice(0, copiedMessageAt(lines) ?? lines.length);
  if (own.some((line) => FORWARDED.test(line))) return trimmed(text);
  const quote = removableQuote(own);
  const kept = [...whole.slice(0, quote.start), ...whole.slice(quote.end, own.length)];
  return trimmed(kept.join('\n')) || trimmed(text);
}

/** The first line of an unmarked copy of the original message. Null if there is none, or nothing above it. */
function copiedMessageAt(lines: readonly string[]): number | null {
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] as string;
    if (QUOTED.test(line)) continue;
    const isCopy = ORIGINAL.test(line) || isCopiedHeader(lines, at) || isAttributionAlone(lines, at);
    if (!isCopy) continue;
    const isRule = (each: string | undefined): boolean => /^\s*_{5,}\s*$/.test(each ?? '');
    let start = at;
    if (isAttributionAlone(lines, at)) start = attributionStart(lines, at + 1) ?? at;
    while (start > 0 && (isBlank(lines[start - 1]) || isRule(lines[start - 1]))) start--;
    return start === 0 ? null : start;
  }
  return null;
}

/** Whether a header such as "From: … Sent: … Subject: …" begins here. One label alone may be part of the reply. */
function isCopiedHeader(lines: readonly string[], at: number): boolean {
  if (!FROM.test(lines[at] ?? '')) return false;
  let fields = 0;
  for (let next = at + 1; next < Math.min(lines.length, at + 8); next++) {
    if (OTHER_FIELD.test(lines[next] as string)) fields++;
    else if (isBlank(lines[next]) && fields > 0) break;
  }
  return fields >= 2;
}

/** Whether "On Monday Ann wrote:" ends here, and the original message follows without marks. */
function isAttributionAlone(lines: readonly string[], at: number): boolean {
  if (!WROTE.test(lines[at] ?? '')) return false;
  const next = lines.slice(at + 1, at + 10).find((line) => !isBlank(line));
  return next !== undefined && !QUOTED.test(next) && attributionStart(lines, at + 1) !== null;
}

/**
 * The only quote, wherever it is, with the line that introduces it. Of several quotes the one at the end: the others are between answers.
 * An empty range if no quote is to be removed.
 */
function removableQuote(lines: readonly string[]): Quote {
  const quotes = quotesIn(lines);
  const last = quotes.at(-1);
  if (last === undefined || (quotes.length > 1 && !lines.slice(last.end).every(isBlank)))
    return { start: lines.length, end: lines.length };
  return { start: attributionStart(lines, last.start) ?? last.start, end: last.end };
}

interface Quote {
  start: number;
  end: number;
}

/** The ranges of lines that begin with `>`. Blank lines do not end a range. */
function quotesIn(lines: readonly string[]): Quote[] {
  const quotes: Quote[] = [];
  let open: Quote | null = null;
  lines.forEach((line, at) => {
    if (QUOTED.test(line)) {
      if (open === null) quotes.push((open = { start: at, end: at + 1 }));
      else open.end = at + 1;
    } else if (!isBlank(line)) {
      open = null;
    }
  });
  return quotes;
}

/**
 * The first line of "On Monday Ann wrote:", which may have been wrapped.
 * @param quote the first line of the quote below it
 * @returns null if the lines above the quote are part of the reply
 */
function attributionStart(lines: readonly string[], quote: number): number | null {
  let end = quote;
  while (end > 0 && isBlank(lines[end - 1])) end--;
  if (end === 0 || !ENDS_WITH_COLON.test(lines[end - 1] as string)) return null;
  for (let start = end - 1; start >= Math.max(0, end - MAX_ATTRIBUTION_LINES); start--) {
    const line = lines[start] as string;
    if (isBlank(line) || QUOTED.test(line)) break;
    const all = lines.slice(start, end).join(' ');
    if (all.length > MAX_ATTRIBUTION) break;
    if (OPENING.test(line) && (WROTE.test(all) || DATED.test(all)) && /\d|@/.test(all)) return start;
  }
  const last = lines[end - 1] as string;
  return last.length < MAX_ATTRIBUTION && (WROTE.test(last) || DATED.test(last)) ? end - 1 : null;
}

function isBlank(line: string | undefined): boolean {
  return line === undefined || line.trim() === '';
}

/** The text without blank lines at its start and without white space at its end. */
function trimmed(text: string): string {
  // Attack: millions of blank lines, for which an expression that repeats a line would need too much stack.
  const first = text.search(/\S/);
  return first === -1 ? '' : text.slice(text.lastIndexOf('\n', first) + 1).trimEnd();
}
