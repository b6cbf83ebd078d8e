import { Suspense, useId, useState } from 'react';
import type { MailMessage } from '../../../../src/contract/mail/messages.ts';
import type { MailMessageSummary, MailPerson } from '../../../../src/contract/mail/conversations.ts';
import { lazyPart } from '../../../shell/code.ts';
import { classes } from '../../../ui/classes.ts';
import { ChevronDownIcon } from '../../../ui/icons.tsx';
import { shownName } from '../../reading/people.ts';
import { useMailbox } from '../../shell/session.ts';

// Loaded on demand, because few messages are inspected.
const MessageDetails = lazyPart(() => import('./message-details.tsx'));

/** How many names are shown while the details are closed. */
const NAMED = 3;

interface RecipientsProps {
  summary: MailMessageSummary;
  message: MailMessage | undefined;
}

/** A line such as "to me, Ben", which opens all details of the sender and recipients. */
export function Recipients({ summary, message }: RecipientsProps) {
  const { address } = useMailbox();
  const id = useId();
  const [isOpen, setIsOpen] = useState(false);
  const everybody = [...summary.to, ...summary.cc, ...summary.bcc];
  const names = everybody.slice(0, NAMED).map((person) => (isMe(person, address) ? 'me' : shownName(person)));
  const more = everybody.length - names.length;
  return (
    <>
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setIsOpen(!isOpen)}
        className="relative z-1 -ml-1 inline-flex max-w-full items-center gap-1 rounded-sm px-1 text-sm text-muted hover:text-text"
      >
        <span className="truncate">
          to {names.length === 0 ? 'undisclosed recipients' : names.join(', ')}
          {more > 0 && ` and ${more} more`}
        </span>
        <ChevronDownIcon className={classes('size-3.5', isOpen && 'rotate-180')} />
        <span className="sr-only">Details</span>
      </button>
      {isOpen && (
        <Suspense>
          <MessageDetails id={id} summary={summary} message={message} />
        </Suspense>
      )}
    </>
  );
}

function isMe({ address }: MailPerson, own: string): boolean {
  return address.toLowerCase() === own.toLowerCase();
}
