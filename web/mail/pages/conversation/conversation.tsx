import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { ApiProblem, messageOf } from '../../../api/client.ts';
import type {
  ConversationMessage,
  MailConversation,
  MailMessageSummary,
} from '../../../../src/contract/mail/conversations.ts';
import { number } from '../../../ui/amounts.ts';
import { Button } from '../../../ui/button.tsx';
import { EmptyState, Failure } from '../../../ui/empty-state.tsx';
import { ForwardIcon, ReplyAllIcon, ReplyIcon } from '../../../ui/icons.tsx';
import { useWatched } from '../../../ui/watched.ts';
import { InlineReply } from '../../compose/inline-reply.tsx';
import { openDrafts } from '../../compose/open-drafts.ts';
import { useAct } from '../../reading/actions.ts';
import { toggleAsSent } from '../../reading/as-sent.ts';
import { openSubject } from '../../reading/open-subject.ts';
import { senderOf } from '../../reading/people.ts';
import { useKeys } from '../../../shell/keys.ts';
import { ConversationLabels } from '../../reading/labels/conversation-labels.tsx';
import { conversationQuery } from '../../reading/queries.ts';
import type { Listing } from '../../reading/use-listing.ts';
import { useCompose } from '../../shell/compose.ts';
import { mailSettingsQuery } from '../../shell/mail-settings.ts';
import { useMailbox } from '../../shell/session.ts';
import type { ListActions } from '../list/use-list-actions.ts';
import { ConversationBar } from './conversation-bar.tsx';
import { Message } from './message.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';

interface ConversationProps {
  id: string;
  listing: Listing;
  actions: ListActions;
  /** The index of the conversation in the list; -1 if its row is not loaded. */
  at: number;
}

/** All messages of a conversation, oldest first. */
export function Conversation({ id, listing, actions, at }: ConversationProps) {
  const { mailbox } = useMailbox();
  const { data, error, refetch, hasPreviousPage, fetchPreviousPage, isFetchingPreviousPage } =
    useInfiniteQuery(conversationQuery(mailbox, id));
  const open = useWatched(openDrafts);
  const stored = data?.pages.flatMap((page) => page.messages);
  // A draft that is being written is shown only in its composer.
  const messages = stored?.filter(({ id: each }) => !open.some(({ ids }) => ids.includes(each)));
  return (
    <div className="flex h-full min-h-0 flex-col">
      <ConversationBar id={id} listing={listing} actions={actions} at={at} messages={messages ?? []} />
      {messages !== undefined && stored?.length !== 0 ? (
        <Messages
          conversation={data?.pages.at(-1)}
          messages={messages}
          isAnswering={open.some(({ place }) => place === 'inline')}
          foot={<InlineReply messages={stored ?? []} />}
          earlier={
            hasPreviousPage && (
              <Button
                className="mx-auto my-2"
                isBusy={isFetchingPreviousPage}
                onClick={() => void fetchPreviousPage()}
              >
                Show earlier messages
              </Button>
            )
          }
        />
      ) : error === null && messages === undefined ? (
        <ConversationSkeleton />
      ) : error === null || (error instanceof ApiProblem && error.status === 404) ? (
        <EmptyState
          title="Conversation not found"
          action={<Button onClick={actions.close}>Back to the list</Button>}
        >
          The conversation was deleted or belongs to another mailbox.
        </EmptyState>
      ) : (
        <Failure title="Could not load the conversation" onRetry={() => void refetch()}>
          {messageOf(error)}
        </Failure>
      )}
    </div>
  );
}

interface MessagesProps {
  conversation: MailConversation | undefined;
  messages: readonly ConversationMessage[];
  earlier: React.ReactNode;
  /** Whether a reply is being written at the foot. */
  isAnswering: boolean;
  foot: React.ReactNode;
}

/** If more closed messages than this precede the first open message, all but the first and the last collapse into one line. */
const FOLDED_FROM = 4;

function Messages({ conversation, messages, earlier, isAnswering, foot }: MessagesProps) {
  const { own } = useMailbox();
  const compose = useCompose();
  const heading = useRef<HTMLHeadingElement>(null);
  const list = useRef<HTMLOListElement>(null);
  const last = messages.at(-1);
  /** The last message that is not a draft. */
  const lastSaid = messages.findLast(({ draft }) => !draft);
  /** The messages that the user has opened or closed. Other messages are open if they are unread or the last message. */
  const [byHand, setByHand] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [wasUnread] = useState(() => new Set(messages.filter(({ seen }) => !seen).map(({ id }) => id)));
  const isOpen = ({ id, seen }: MailMessageSummary) =>
    byHand.get(id) ?? (id === last?.id || !seen || wasUnread.has(id));
  const [isUnfolded, setIsUnfolded] = useState(false);
  const firstOpen = messages.findIndex(isOpen);
  const isReversed = useQuery(mailSettingsQuery(own)).data?.newest_first === true;
  const isFolded = !isUnfolded && !isReversed && firstOpen > FOLDED_FROM;
  const shown = isReversed
    ? messages.toReversed()
    : isFolded
      ? [...messages.slice(0, 1), ...messages.slice(firstOpen - 1)]
      : messages;
  useRead(messages, isOpen);

  // The message to which the page scrolls: the first unread message, or the last message if all are read. There is no need to scroll to the
  // first message of the conversation.
  const [begin] = useState(() => {
    const unread = messages.findIndex(({ seen }) => !seen);
    const index = unread === -1 ? messages.length - 1 : unread;
    return index === 0 ? undefined : messages[index]?.id;
  });
  useEffect(() => {
    heading.current?.focus({ preventScroll: true });
    if (begin !== undefined)
      list.current?.querySelector(`[data-message="${begin}"]`)?.scrollIntoView({ block: 'start' });
  }, [begin]);

  const subject = conversation?.subject || 'No subject';
  useEffect(() => {
    openSubject.set(subject);
    return () => openSubject.set(null);
  }, [subject]);

  const all = (open: boolean) => () => {
    setIsUnfolded(open);
    setByHand(new Map(messages.map((message) => [message.id, open])));
  };
  /** The message that has the focus, or else the last one. */
  const current = () => {
    const focused = document.activeElement?.closest<HTMLElement>('[data-message]')?.dataset['message'];
    return messages.find(({ id, draft }) => id === focused && !draft) ?? lastSaid;
  };
  const answer =
    (mode: 'reply' | 'reply-all' | 'forward', inPanel = false) =>
    () => {
      const reply = current()?.id;
      if (reply !== undefined) compose({ reply, mode, inPanel });
    };
  const step = (by: number) => () => {
    const heads = [...(list.current?.querySelectorAll<HTMLElement>('[data-message-head]') ?? [])];
    const from = heads.findIndex(
      (head) => head.closest('[data-message]')?.contains(document.activeElement) === true,
    );
    const next = heads[Math.max(0, Math.min(heads.length - 1, from + by))];
    next?.focus();
    next?.scrollIntoView({ block: 'nearest' });
  };
  useKeys({
    r: answer('reply'),
    a: answer('reply-all'),
    f: answer('forward'),
    R: answer('reply', true),
    A: answer('reply-all', true),
    F: answer('forward', true),
    n: step(1),
    p: step(-1),
    ';': all(true),
    ':': all(false),
    D() {
      const message = current();
      if (message !== undefined) toggleAsSent(senderOf(message));
    },
  });
  return (
    <div
      data-conversation
      className="flex min-h-0 flex-1 flex-col overflow-y-auto overscroll-contain px-4 pb-6 has-[[data-inline]]:scroll-pb-36 sm:px-6"
    >
      <h1 ref={heading} dir="auto" tabIndex={-1} className="overflow-clip py-4 text-xl wrap-anywhere">
        {subject}
      </h1>
      <ConversationLabels messages={messages} />
      {earlier}
      <ol ref={list} aria-label="Messages" className="flex flex-col gap-2">
        {shown.map((message, index) => (
          <li key={message.id} data-message={message.id}>
            <Message
              summary={message}
              isOpen={isOpen(message)}
              isOnly={shown.length === 1}
              onToggle={() => setByHand(new Map(byHand).set(message.id, !isOpen(message)))}
            />
            {isFolded && index === 0 && (
              <Button kind="quiet" className="mt-2 w-full" onClick={() => setIsUnfolded(true)}>
                {number(firstOpen - 2)} more messages
              </Button>
            )}
          </li>
        ))}
      </ol>
      {lastSaid !== undefined && !isAnswering && (
        <div className="mt-4 flex flex-wrap gap-2">
          <Button icon={<ReplyIcon />} onClick={answer('reply')}>
            Reply
          </Button>
          {lastSaid.to.length + lastSaid.cc.length > 1 && (
            <Button icon={<ReplyAllIcon />} onClick={answer('reply-all')}>
              Reply all
            </Button>
          )}
          <Button icon={<ForwardIcon />} onClick={answer('forward')}>
            Forward
          </Button>
        </div>
      )}
      {foot}
    </div>
  );
}

/** Marks open messages as read while the window is visible, only once, so that the user can mark a message as unread again. */
function useRead(
  messages: readonly MailMessageSummary[],
  isOpen: (message: MailMessageSummary) => boolean,
): void {
  const act = useAct();
  const read = useRef(new Set(messages.filter(({ seen }) => seen).map(({ id }) => id)));
  const unread = messages.filter((message) => !message.seen && isOpen(message));
  const key = unread.map(({ id }) => id).join();
  useEffect(() => {
    const take = (): void => {
      const ids = key.split(',').filter((id) => id !== '' && !read.current.has(id));
      if (ids.length === 0 || document.visibilityState !== 'visible') return;
      for (const id of ids) read.current.add(id);
      act({ action: 'seen', messages: ids, isQuiet: true });
    };
    document.addEventListener('visibilitychange', take);
    take();
    return () => document.removeEventListener('visibilitychange', take);
  }, [key, act]);
}

function ConversationSkeleton() {
  return (
    <div role="status" aria-label="Loading the conversation" className="grid gap-4 px-4 pt-5 sm:px-6">
      <Skeleton className="h-6 w-3/5" />
      <Skeleton className="mt-4 h-4 w-1/3" />
      <Skeleton className="h-3.5 w-1/2" />
      <Skeleton className="mt-4 h-3.5 w-full" />
      <Skeleton className="h-3.5 w-11/12" />
      <Skeleton className="h-3.5 w-4/5" />
    </div>
  );
}
