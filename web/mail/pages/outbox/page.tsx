import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { ClockIcon } from '../../../ui/compose-icons.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { PageHeader } from '../../../ui/page-header.tsx';
import { toast, toastFailure } from '../../../ui/toast.tsx';
import { useWatched } from '../../../ui/watched.ts';
import { storeCopy } from '../../compose/draft/local-copy.ts';
import { timeWords } from '../../compose/send/later.ts';
import { replay, whileNotReplaying } from '../../outbox/replay.ts';
import { listSends, type QueuedSend, removeSend } from '../../outbox/store.ts';
import { useCompose } from '../../shell/compose.ts';
import { deviceSettings, queuedOf } from '../../shell/device-settings.ts';
import { useMailbox } from '../../shell/session.ts';

/** Messages that this browser will send when there is a connection. */
export default function OutboxPage() {
  const { own: mailbox } = useMailbox();
  const queries = useQueryClient();
  const compose = useCompose();
  useWatched(deviceSettings);
  const { sends } = queuedOf(mailbox);
  const { data: all = [] } = useQuery({
    queryKey: ['outbox', mailbox, sends],
    queryFn: () => (sends === 0 ? [] : listSends(mailbox)),
    networkMode: 'always',
    gcTime: 0,
  });
  /** @returns whether the message was taken out before it was sent */
  const take = async (send: QueuedSend): Promise<boolean> => {
    let isTaken = false;
    const isFree = await whileNotReplaying(mailbox, async () => {
      isTaken = await removeSend(send);
    });
    if (!isFree) toastFailure('The message is just being sent.');
    return isTaken;
  };
  const edit = async (send: QueuedSend) => {
    if (!(await take(send))) return;
    const { composition } = send;
    const composeValue = composition.id ?? composition.composeValue ?? 'new';
    storeCopy(mailbox, { ...composition, composeValue });
    compose({ draft: composeValue });
  };
  const remove = async (send: QueuedSend) => {
    if (await take(send)) toast('Message deleted');
  };
  return (
    <div className="mx-auto w-full max-w-4xl px-4 py-5 sm:px-6">
      <PageHeader
        title="Outbox"
        description="Messages on this device that are sent when there is a connection. Signing out deletes them."
        actions={all.length > 0 && <Button onClick={() => void replay(queries, mailbox)}>Send now</Button>}
      />
      {all.length === 0 ? (
        <EmptyState icon={<ClockIcon />} title="The Outbox is empty">
          Messages that you send without a connection wait here until the connection is back.
        </EmptyState>
      ) : (
        <ul aria-label="Outbox" className="border-t border-line">
          {all.map((send) => (
            <OutboxRow
              key={send.key}
              send={send}
              onEdit={() => void edit(send)}
              onDelete={() => void remove(send)}
            />
          ))}
        </ul>
      )}
    </div>
  );
}

interface OutboxRowProps {
  send: QueuedSend;
  onEdit(): void;
  onDelete(): void;
}

function OutboxRow({ send, onEdit, onDelete }: OutboxRowProps) {
  const { composition, problem, sendAt, isTried } = send;
  const { subject, to, cc, bcc } = composition.fields;
  const name = subject === '' ? 'No subject' : subject;
  const people = [...to, ...cc, ...bcc].map((each) => each.name || each.address).join(', ');
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line py-3">
      <div className="min-w-0 flex-1 basis-64">
        <div dir="auto" className="truncate font-medium">
          {name}
        </div>
        <div dir="auto" className="truncate text-muted">
          {people}
        </div>
        {problem !== null && <p className="mt-1 text-bad">{problem}</p>}
        {isTried && (
          <p className="mt-1 text-muted">
            The connection was lost while this message was sent. It cannot be changed until the server has
            answered.
          </p>
        )}
      </div>
      <div className="flex items-center gap-2 max-sm:w-full max-sm:justify-between">
        {problem !== null && <Badge tone="bad">Not sent</Badge>}
        {problem === null && sendAt !== null && (
          <time dateTime={sendAt} className="text-muted tabular-nums">
            {timeWords(new Date(sendAt))}
          </time>
        )}
        {!isTried && (
          <div className="flex gap-1">
            <Button aria-label={`Edit “${name}”`} onClick={onEdit}>
              Edit
            </Button>
            <Button aria-label={`Delete “${name}”`} onClick={onDelete}>
              Delete
            </Button>
          </div>
        )}
      </div>
    </li>
  );
}
