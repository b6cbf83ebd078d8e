/** Subjects of answers and of what is handed on: with their mark once, in whatever language it is there already. */

const ANSWER =
  /^\s*(?:re|aw|antw|sv|vs|r|ref|odp|ynt|atb|bls|回复|答复|返信)(?:\s*\[\d{1,4}\]|\s*\(\d{1,4}\))?\s*[:：]/iu;
const FORWARD = /^\s*(?:fwd?|wg|tr|rv|enc|doorst|pd|ilt|továbbítás|转发|轉寄)\s*[:：]/iu;
const MAX_SUBJECT = 990;

export function answerSubject(subject: string): string {
  return marked(subject, ANSWER, 'Re: ');
}

export function forwardSubject(subject: string): string {
  return marked(subject, FORWARD, 'Fwd: ');
}

function marked(subject: string, mark: RegExp, ours: string): string {
  const line = subject
    .toWellFormed()
    .replace(/\p{Cc}+/gu, ' ')
    .trim();
  const whole = mark.test(line) ? line : `${ours}${line}`;
  return [...whole].slice(0, MAX_SUBJECT).join('').trim();
}
