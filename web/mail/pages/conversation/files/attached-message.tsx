import { queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { dataOf, messageOf } from '../../../../api/client.ts';
import { api } from '../../../../api/mail.ts';
import type { MailPerson } from '../../../../../src/contract/mail/conversations.ts';
import type { MailMessage } from '../../../../../src/contract/mail/messages.ts';
import { buttonClass } from '../../../../ui/button.tsx';
import { Dialog } from '../../../../ui/dialog.tsx';
import { Failure } from '../../../../ui/empty-state.tsx';
import { DownloadIcon, WarningIcon } from '../../../../ui/icons.tsx';
import { Skeleton } from '../../../../ui/skeleton.tsx';
import { local } from '../../../../ui/times.ts';
import { shownAddress, shownName } from '../../../reading/people.ts';
import { useMailbox } from '../../../shell/session.ts';
import { hasDiff } from '../diff.ts';
import { Body } from '../body.tsx';
import { Warnings } from '../message.tsx';
import { messageUrl } from '../message-url.ts';
import Attachments from './attachments.tsx';

interface AttachedMessageProps {
  /** The id of the message in the mailbox. */
  message: string;
  file: MailMessage['attachments'][number];
  onClose(): void;
}

const MAX_LISTED = 50;

function attachedQuery(mailbox: string, id: string, part: string) {
  return queryOptions({
    queryKey: ['message', mailbox, id, part],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/mailboxes/{mailbox}/messages/{id}', {
          params: { path: { mailbox, id }, query: { part } },
          signal,
        }),
      ),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** A message that is attached to a message. Remote images are shown only if the user asks for them here, for this message. */
export default function AttachedMessage({ message, file, onClose }: AttachedMessageProps) {
  const { mailbox } = useMailbox();
  const { data, error, refetch } = useQuery(attachedQuery(mailbox, message, file.part));
  const [showsRemote, setShowsRemote] = useState(false);
  return (
    <Dialog
      isOpen
      width="wide"
      onClose={onClose}
      title={data?.subject || file.name}
      actions={
        <a
          href={messageUrl(mailbox, message, `parts/${file.part}`)}
          download
          className={buttonClass('secondary')}
        >
          <DownloadIcon />
          Download .eml
        </a>
      }
    >
      {data !== undefined ? (
        <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
          <p
            role="note"
            className="flex items-start gap-2 rounded-md bg-warn-soft px-3 py-2 text-sm text-warn"
          >
            <WarningIcon className="mt-0.5" />
            {data.authentication.text}
          </p>
          <Head message={data} />
          <Warnings message={data} />
          <Body
            message={data}
            isOnly={false}
            isAsSent={false}
            isFixedWidth={hasDiff(data)}
            showsRemote={showsRemote}
            onShowRemote={() => setShowsRemote(true)}
          />
          <Attachments message={data} />
        </div>
      ) : error === null ? (
        <div role="status" aria-label="Loading the message" className="grid gap-3">
          <Skeleton className="h-3.5 w-3/5" />
          <Skeleton className="h-40 w-full" />
        </div>
      ) : (
        <Failure title="Could not load the message" onRetry={() => void refetch()}>
          {messageOf(error)}
        </Failure>
      )}
    </Dialog>
  );
}

function Head({ message: { from, reply_to, to, cc, date } }: { message: MailMessage }) {
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-1 text-sm [&_dt]:text-muted">
      <People name="From" people={from} />
      <People name="Reply-To" people={reply_to} />
      <People name="To" people={to} />
      <People name="Cc" people={cc} />
      {date !== null && (
        <>
          <dt>Date</dt>
          <dd>{local.dateTime(date)}</dd>
        </>
      )}
    </dl>
  );
}

/** People with their addresses, because names can be forged. */
function People({ name, people }: { name: string; people: readonly MailPerson[] }) {
  if (people.length === 0) return null;
  return (
    <>
      <dt>{name}</dt>
      <dd className="wrap-anywhere">
        {people.slice(0, MAX_LISTED).map((person, at) => (
          <span key={at} className="block">
            <bdi>{shownName(person)}</bdi>{' '}
            {shownName(person) !== shownAddress(person.address) && (
              <bdi className="text-muted">&lt;{shownAddress(person.address)}&gt;</bdi>
            )}
          </span>
        ))}
      </dd>
    </>
  );
}
