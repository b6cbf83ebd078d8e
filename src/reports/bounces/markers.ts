import { findWords, words } from '../../sending/replies/find-words.ts';

/**
 * The words by which a message is recognized as a report, in lower case. For each word, the tests have a sample that is recognized only
 * with this word.
 */
export const MARKERS = {
  delivery: words(
    `deliver*, reach, sent, send, transferring, zugestellt, zustellung, remis, livraison, entreg*, recapit*, consegn*, bezorg*, levere*, dostarcz*, доставл*,
    отправлено, 配信, 送信, 送达, 배달`,
  ),
  failure: words(
    `not, *n't, unable, fail*, error*, problem*, trouble, delay*, warning, echec, échec, nicht, mancat*, falha, fehler*, impossibile, no se pudo, não, niet,
    inte, ikke, nie, не, できま, 未, 되지`,
  ),
  /** Each of these words alone marks a failure. */
  undelivered: words(
    'undeliver*, nondeliver*, non-deliver*, unzustellbar, non remis, bounced, returned mail, returned to, being returned, fatal errors, onbestelbaar, niedostarcz*, недоставлен*, nedoručiteln*, 退信',
  ),
  /** Words for subjects. A subject is short, so weaker words are sufficient. */
  subject: words('delivery, fail*, returned, rejected, bounce*, blocked, error*, エラー'),
  /** Words for the display name and the local part of the From field. */
  system: words(
    'mailer-daemon, mailer daemon, mail daemon, mdaemon, postmaster, microsoftexchange*, mail delivery, delivery system, delivery subsystem, mail system, admin*',
  ),
  autoReply: words(
    `out of office, out of the office, out-of-office, ooo, autoreply, auto-reply, auto reply, auto:, automatic reply, automatic response, automated reply,
    automated response, automatische antwort, vacation, on holiday, on leave, am away, away from, away until, abwesen*, afwezig*, absence du bureau, fuera de la oficina, ausência, fuori sede, réponse automatique, autosvar, автоответ, 自動*, 不在, 自动*, 자동*`,
  ),
  challenge: words(
    `please confirm, confirm your, requires verification, verification request, verification required, verify your message, release your message, your confirmation,
    spamarrest, boxbe, challenge-response, you are human, a real person`,
  ),
};

const REACH = 60;

/** Whether a text says that a message was not delivered, or was delayed. */
export function mentionsFailure(text: string): boolean {
  if (findWords(text, MARKERS.undelivered).length > 0) return true;
  const failures = findWords(text, MARKERS.failure);
  return findWords(text, MARKERS.delivery).some(({ start, end }) =>
    failures.some((failure) => failure.start - end <= REACH && start - failure.end <= REACH),
  );
}

/** Whether a subject looks like the subject of a report. */
export function isFailureSubject(subject: string): boolean {
  return mentionsFailure(subject) || hasOf(subject, MARKERS.subject);
}

/** Whether a text contains one of these words. */
export function hasOf(text: string, list: readonly string[]): boolean {
  return findWords(text, list).length > 0;
}

const ORIGINAL =
  /\b(?:original|returned|unsent|undelivered|undeliverable|rejected|failed) (?:e-?mail|message|headers?|contents?)\b|\b(?:copy|text|part|lines) of (?:the|your|this|it)\b/;
const FOLLOWS =
  /\b(?:message|mail|headers?|contents?|lines of the message)(?: \w+)? follows?\b|\bbelow this line\b/;
/**
 * A line with one of these words belongs to the report itself: "Message log follows", for example, does not announce the original message.
 */
const INFORMATIVE = /\b(?:log|transcript|error|server|report|session|could|cannot|not)\b/;

/** Whether the original message or its header follows this line. */
export function announcesOriginal(line: string): boolean {
  if (line.length >= 200) return false;
  const lower = line.toLowerCase();
  if (INFORMATIVE.test(lower)) return false;
  return FOLLOWS.test(lower) || (ORIGINAL.test(lower) && /^[\s>|*]*[-=_*]{3}|:\s*$|\bcopy of\b/.test(lower));
}
