import { useQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { lazyPart } from '../../../shell/code.ts';
import { messageOf } from '../../../api/client.ts';
import type { MailMessage } from '../../../../src/contract/mail/messages.ts';
import type {
  ConversationMessage,
  MailAnswer,
  MailMessageSummary,
} from '../../../../src/contract/mail/conversations.ts';
import { Badge } from '../../../ui/badge.tsx';
import { buttonClass, IconButton } from '../../../ui/button.tsx';
import { classes } from '../../../ui/classes.ts';
import { Failure } from '../../../ui/empty-state.tsx';
import {
  ClipIcon,
  PenIcon,
  ReplyIcon,
  StarIcon,
  StarredIcon,
  UserIcon,
  WarningIcon,
} from '../../../ui/icons.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { isDark } from '../../../ui/theme.ts';
import { local } from '../../../ui/times.ts';
import { useWatched } from '../../../ui/watched.ts';
import { useAct } from '../../reading/actions.ts';
import { AnsweredBy, answeredBy } from '../../reading/answered-by.tsx';
import { asSent, toggleAsSent } from '../../reading/as-sent.ts';
import { shortDate } from '../../reading/dates.ts';
import { PersonButton } from '../../people/person-button.tsx';
import { senderOf, shownAddress, shownName } from '../../reading/people.ts';
import { messageQuery, waitingQuery } from '../../reading/queries.ts';
import { useCompose } from '../../shell/compose.ts';
import { useMailbox } from '../../shell/session.ts';
import { Body, type BodyProps } from './body.tsx';
import { hasDiff } from './diff.ts';
import { MessageMenu, type MessageMenuProps } from './message-menu.tsx';
import { Recipients } from './recipients.tsx';
import { useFolders } from '../../reading/folders.ts';
import { mailSettingsQuery } from '../../shell/mail-settings.ts';

// These are loaded on demand, because few messages need them.
const Attachments = lazyPart(() => import('./files/attachments.tsx'));
const InvitationCard = lazyPart(() => import('./invitation-card.tsx'));
const Unsubscribe = lazyPart(() => import('./unsubscribe.tsx'));

interface MessageProps {
  summary: ConversationMessage;
  isOpen: boolean;
  /** Whether this is the only message in the pane. */
  isOnly: boolean;
  onToggle(): void;
}

export function Message({ summary, isOpen, isOnly, onToggle }: MessageProps) {
  const { mailbox } = useMailbox();
  const {
    data: message,
    error,
    refetch,
  } = useQuery({
    ...messageQuery(mailbox, summary.id),
    enabled: isOpen,
  });
  // Attack: a link with query parameters must not load remote images, so this choice is never read from the URL.
  const [isRemote, setIsRemote] = useState(false);
  const isWanted = useShowsRemote(message);
  const showsRemote = isRemote || isWanted;
  const isDarkNow = useWatched(isDark);
  const isAsSent = useWatched(asSent).has(senderOf(summary));
  const [isFixedWidth, setIsFixedWidth] = useState<boolean | null>(null);
  const isFixed = isFixedWidth ?? (message !== undefined && hasDiff(message));
  return (
    <article
      aria-label={`Message from ${nameOf(summary)}`}
      className={classes('rounded-lg border border-line bg-page', !isOpen && 'hover:bg-hover')}
    >
      <Head
        summary={summary}
        message={message}
        isOpen={isOpen}
        onToggle={onToggle}
        view={{
          showsRemote,
          isFixedWidth: message?.has_html === false ? isFixed : undefined,
          onFixedWidth: setIsFixedWidth,
          isAsSent: isDarkNow && message?.html_dark === true ? isAsSent : undefined,
          onAsSent: () => toggleAsSent(senderOf(summary)),
        }}
      />
      {isOpen &&
        (message !== undefined ? (
          <Content
            message={message}
            answer={summary.answered_by}
            isOnly={isOnly}
            isAsSent={isAsSent}
            isFixedWidth={isFixed}
            showsRemote={showsRemote}
            onShowRemote={() => setIsRemote(true)}
          />
        ) : error === null ? (
          <div role="status" aria-label="Loading the message" className="grid gap-3 px-4 pb-5">
            <Skeleton className="h-3.5 w-full" />
            <Skeleton className="h-3.5 w-11/12" />
            <Skeleton className="h-3.5 w-3/5" />
          </div>
        ) : (
          <Failure title="Could not load the message" onRetry={() => void refetch()}>
            {messageOf(error)}
          </Failure>
        ))}
    </article>
  );
}

function nameOf({ from }: MailMessageSummary): string {
  return from[0] === undefined ? 'unknown sender' : shownName(from[0]);
}

interface HeadProps {
  summary: ConversationMessage;
  message: MailMessage | undefined;
  isOpen: boolean;
  /** The display of the message, for its menu. */
  view: Omit<MessageMenuProps, 'summary'>;
  onToggle(): void;
}

/** The head of a message. Senders choose names freely, so an open message always shows the address next to the name. */
function Head({ summary, message, isOpen, view, onToggle }: HeadProps) {
  const { from, received_at, preview, seen } = summary;
  const [author] = from;
  return (
    <header className={classes('relative px-4', isOpen ? 'pt-3 pb-2' : 'py-2.5')}>
      <div className={classes('flex gap-2', isOpen ? 'items-start' : 'items-center')}>
        {/* A heading, so that users of screen readers can move from message to message. */}
        <h2 className="min-w-0 flex-1 text-base font-normal">
          <button
            type="button"
            data-message-head
            aria-expanded={isOpen}
            onClick={onToggle}
            className="w-full rounded-sm text-start after:absolute after:inset-0 after:rounded-lg"
          >
            <span
              className={classes(
                'flex min-w-0 gap-x-2',
                isOpen ? 'flex-wrap items-baseline' : 'items-baseline',
              )}
            >
              <span className={classes('min-w-0 truncate', seen ? 'font-medium' : 'font-semibold')}>
                <bdi>{nameOf(summary)}</bdi>
              </span>
              {isOpen && author !== undefined && (
                <span className="text-sm wrap-anywhere text-muted">
                  <bdi>&lt;{shownAddress(author.address)}&gt;</bdi>
                </span>
              )}
              {!isOpen && (
                <span dir="auto" className="min-w-0 flex-1 truncate text-muted">
                  {preview}
                </span>
              )}
            </span>
          </button>
        </h2>
        <span className="z-1 -my-1 flex shrink-0 items-center gap-1">
          {summary.draft && <Badge>Draft</Badge>}
          {!isOpen && summary.answered_by != null && <AnsweredBy answer={summary.answered_by} />}
          {summary.files > 0 && (
            <span title="Has attachments" className="text-muted">
              <ClipIcon className="size-3.5" />
              <span className="sr-only">Has attachments</span>
            </span>
          )}
          <time dateTime={received_at} title={local.exact(received_at)} className="px-1 text-xs text-muted">
            {shortDate(received_at)}
          </time>
          {isOpen && <HeadButtons summary={summary} view={view} />}
        </span>
      </div>
      {isOpen && <Recipients summary={summary} message={message} />}
    </header>
  );
}

function HeadButtons({ summary, view }: Pick<HeadProps, 'summary' | 'view'>) {
  const act = useAct();
  const compose = useCompose();
  const { access } = useMailbox();
  const { id, starred, draft, from } = summary;
  return (
    <>
      {from[0] !== undefined && (
        <PersonButton person={from[0]} className={buttonClass('quiet', 'w-8 px-0 max-sm:hidden')}>
          <UserIcon />
        </PersonButton>
      )}
      {access !== 'read' && (
        <IconButton
          label={starred ? 'Remove star' : 'Star'}
          className={classes('max-sm:hidden', starred && 'text-warn')}
          onClick={() => act({ action: starred ? 'unstar' : 'star', messages: [id], isQuiet: true })}
        >
          {starred ? <StarredIcon /> : <StarIcon />}
        </IconButton>
      )}
      {draft ? (
        access === 'owner' && (
          <IconButton label="Edit draft" onClick={() => compose({ draft: id })}>
            <PenIcon />
          </IconButton>
        )
      ) : (
        <IconButton label="Reply (r)" onClick={() => compose({ reply: id, mode: 'reply' })}>
          <ReplyIcon />
        </IconButton>
      )}
      <MessageMenu summary={summary} {...view} />
    </>
  );
}

function Content({ answer, ...body }: BodyProps & { answer: MailAnswer | null }) {
  const { message } = body;
  const { mailbox, access } = useMailbox();
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3 px-4 pb-4">
      <div className="grid grid-cols-[minmax(0,1fr)] gap-2">
        <Queued message={message} />
        {message.sent_by !== null && (
          <p className="text-sm wrap-anywhere text-muted">Sent by {message.sent_by}</p>
        )}
        {answer != null && (
          <p className="text-sm wrap-anywhere text-muted" title={local.exact(answer.at)}>
            {answeredBy(answer)}
          </p>
        )}
        <Warnings message={message} />
        {access === 'owner' && message.unsubscribe !== null && (
          <Suspense fallback={<Skeleton className="h-5 w-64" />}>
            <Unsubscribe id={message.id} from={message.unsubscribe} />
          </Suspense>
        )}
        {access === 'owner' && message.invitation !== null && (
          <Suspense fallback={<Skeleton className="h-28 w-full" />}>
            <InvitationCard mailbox={mailbox} message={message.id} />
          </Suspense>
        )}
      </div>
      <Body {...body} />
      {message.attachments.length > 0 && (
        <Suspense fallback={<Skeleton className="h-12 w-full" />}>
          <Attachments message={message} />
        </Suspense>
      )}
    </div>
  );
}

/**
 * Explains why a sent message is still queued: it was accepted while this installation had the other kind of provider (sandbox or real). No
 * other page shows the mailbox owner this reason.
 */
function Queued({ message: { id, authentication, draft } }: { message: MailMessage }) {
  const { mailbox } = useMailbox();
  // A received message was authenticated on arrival and never waits, so no request is made.
  const { data } = useQuery({
    ...waitingQuery(mailbox, id),
    enabled: authentication.verdict === 'unknown' && !draft,
  });
  if (data === undefined || data.other_provider === null) return null;
  return (
    <p
      role="note"
      className="flex items-start gap-2 rounded-md bg-warn-soft px-3 py-2 text-sm wrap-anywhere text-warn"
    >
      <WarningIcon className="mt-0.5" />
      <span>
        <span className="font-medium">
          Queued for {data.recipients} {data.recipients === 1 ? 'recipient' : 'recipients'}.
        </span>{' '}
        {data.other_provider === 'sandbox'
          ? 'The message was accepted while this server was a sandbox, so it will not be sent for now. The server’s operators can release or withdraw it.'
          : 'The message was accepted for real delivery, but this server is now a sandbox. The message waits and uses no retries.'}
      </span>
    </p>
  );
}

/** Warnings that the reader should see before trusting the message. */
export function Warnings({ message: { warnings } }: { message: MailMessage }) {
  return warnings.map(({ kind, text }) => (
    <p
      key={`${kind} ${text}`}
      role="note"
      className="flex items-start gap-2 rounded-md bg-warn-soft px-3 py-2 text-sm wrap-anywhere text-warn"
    >
      <WarningIcon className="mt-0.5" />
      {text}
    </p>
  ));
}

/**
 * Whether remote images are shown without asking: from trusted senders, or from all senders if the user has set this. In
 * Junk remote images are never shown without asking.
 */
function useShowsRemote(message: MailMessage | undefined): boolean {
  const { own } = useMailbox();
  const folders = useFolders();
  const { data: settings } = useQuery(mailSettingsQuery(own));
  const junk = folders?.find(({ role }) => role === 'junk');
  // Until the folders are loaded, the message may be in Junk.
  if (message === undefined || junk === undefined || message.folders.includes(junk.id)) return false;
  return message.remote.allowed || settings?.remote_content === 'always';
}
