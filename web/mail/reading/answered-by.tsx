import type { MailAnswer } from '../../../src/contract/mail/conversations.ts';
import { ReplyIcon } from '../../ui/icons.tsx';
import { local } from '../../ui/times.ts';
import { shortDate } from './dates.ts';
import { shortName, shownAddress, shownName } from './people.ts';

/** Names the member who answered a message of a shared mailbox, and the time: "Answered by Ann Berg (ann@acme.example), 14:05". */
export function answeredBy(answer: MailAnswer): string {
  const { name, address, at } = answer;
  const who = name === null ? shownAddress(address) : `${shownName(answer)} (${shownAddress(address)})`;
  return `Answered by ${who}, ${shortDate(at)}`;
}

/** The short form for a row: an arrow with the first name and the time. */
export function AnsweredBy({ answer }: { answer: MailAnswer }) {
  return (
    <span
      title={`${answeredBy(answer)} – ${local.exact(answer.at)}`}
      className="flex min-w-0 items-center gap-1 text-xs text-muted"
    >
      <ReplyIcon className="size-3.5 shrink-0" />
      <span className="sr-only">{answeredBy(answer)}</span>
      <span aria-hidden="true" className="flex min-w-0 gap-1">
        <bdi className="max-w-28 truncate">{shortName(answer)}</bdi>
        {shortDate(answer.at)}
      </span>
    </span>
  );
}
