import type { ReportedReply } from './classify-reply.ts';

const MAX_TEXT = 2_000;
const DEFAULT_WAIT_MS = 5 * 60_000;
const MIN_WAIT_MS = 10_000;
const MAX_WAIT_MS = 6 * 3_600_000;

const GREYLISTING = /gr[ea]y[- ]?list/;
/** The wordings of Exchange, qmail add-ons, Exim recipes, Postgrey and milters that do not contain "greylisting". */
const WAIT_REQUEST =
  /(?:try|retry|come back|resend|send)(?: your message| this message| it| delivery)?(?: again)?(?: later)?[,.:]? ?(?:in|after|within)? ?(?:at least |about |approximately )?\d|please wait|first (?:contact|attempt|time) (?:from|by|seen)|not yet (?:authorized|known|whitelisted)|too (?:early|soon)/;
/** Requests to retry later for other reasons, which do not disappear within a few minutes. */
const OTHER_CAUSE =
  /quota|mailbox (?:is )?full|over ?quota|storage|too many (?:connections|messages|recipients)|rate limit|disk|load/;

const SPELLED = /(?<![\d.])(\d{1,5}) ?(s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?)\b/;
const CLOCK = /(?<!\d)(\d{1,2}):(\d{2})(?::(\d{2}))?(?!\d)/;
const BARE_SECONDS = /(?:retry(?:[- ]?after)?|wait|delay|in|for)[ :=]{1,3}(\d{1,5})(?![\d.])/;

/**
 * Detects greylisting (RFC 6647) in a temporary rejection, and how long the server asks to wait: 5 minutes if the text names no time, and
 * always between 10 seconds and 6 hours. Null for all other replies, including every permanent rejection. Never throws.
 */
export function greylisted(reply: ReportedReply): { retryAfterMs: number } | null {
  if (reply.replyCode === null || reply.replyCode < 400 || reply.replyCode >= 500) return null;
  const text = reply.text.slice(0, MAX_TEXT).toLowerCase().replace(/\s+/g, ' ');
  const isGreylisting = GREYLISTING.test(text) || (WAIT_REQUEST.test(text) && !OTHER_CAUSE.test(text));
  if (!isGreylisting) return null;
  const requestedMs = readWait(text) ?? DEFAULT_WAIT_MS;
  return { retryAfterMs: Math.min(MAX_WAIT_MS, Math.max(MIN_WAIT_MS, requestedMs)) };
}

function readWait(text: string): number | null {
  const spelled = SPELLED.exec(text);
  if (spelled !== null) return Number(spelled[1]) * unitMs(spelled[2] as string);
  const clock = CLOCK.exec(text);
  if (clock !== null) {
    const [first, second, third] = clock.slice(1).map(Number) as [number, number, number];
    // `04:59` is minutes and seconds; `00:04:59` has hours too.
    return clock[3] === undefined
      ? (first * 60 + second) * 1_000
      : ((first * 60 + second) * 60 + third) * 1_000;
  }
  const bare = BARE_SECONDS.exec(text);
  return bare === null ? null : Number(bare[1]) * 1_000;
}

function unitMs(unit: string): number {
  if (unit.startsWith('h')) return 3_600_000;
  return unit.startsWith('m') ? 60_000 : 1_000;
}
