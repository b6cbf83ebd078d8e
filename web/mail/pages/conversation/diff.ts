import type { MailMessage } from '../../../../src/contract/mail/messages.ts';

/** The head of a change in a unified or combined diff. */
const CHANGE = /^@@{1,8} -\d+(?:,\d+)? (?:-\d+(?:,\d+)? ){0,8}\+\d+(?:,\d+)? @@/m;

/** Whether a text contains a patch, which is readable only in a fixed-width font. */
export function hasDiff({ text }: Pick<MailMessage, 'text'>): boolean {
  return text.some(({ runs }) => CHANGE.test(runs.map((run) => run.text).join('')));
}
