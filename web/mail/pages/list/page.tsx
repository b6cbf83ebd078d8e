import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { lazyPart } from '../../../shell/code.ts';
import { messageOf } from '../../../api/client.ts';
import type { ConversationRow } from '../../../../src/contract/mail/conversations.ts';
import { classes } from '../../../ui/classes.ts';
import { EmptyState, Failure } from '../../../ui/empty-state.tsx';
import { EmailsIcon } from '../../../ui/icons.tsx';
import { Kbd } from '../../../ui/kbd.tsx';
import { toastFailure } from '../../../ui/toast.tsx';
import { useWatched } from '../../../ui/watched.ts';
import { catchUp } from '../../reading/catch-up.ts';
import { today } from '../../reading/dates.ts';
import { nameOf, SEARCH, slugOf, useFolders } from '../../reading/folders.ts';
import { openSubject } from '../../reading/open-subject.ts';
import { useSelection } from '../../reading/selection.ts';
import { type Listing, useListing } from '../../reading/use-listing.ts';
import { useCompose } from '../../shell/compose.ts';
import { mailSettingsQuery } from '../../shell/mail-settings.ts';
import { useMailbox } from '../../shell/session.ts';
// Bundled with the list, because users usually open a conversation next, and one file compresses better than two.
import { Conversation } from '../conversation/conversation.tsx';
import { ConversationList, type ListHandle } from './conversation-list.tsx';
import { ListHead } from './list-head.tsx';
import type { RowAction, RowHandlers } from './row-props.ts';
import { RowSkeletons } from './row-skeleton.tsx';
import { useCursor } from './use-cursor.ts';
import { useListActions } from './use-list-actions.ts';
import { useHiddenHead } from './use-hidden-head.ts';
import { useListKeys } from './use-list-keys.ts';
import { actionOfSwipe, type Side } from './swipes.ts';
import { isTouch, usePane } from './use-media.ts';
import { PaneDivider, usePaneStyle } from './pane-divider.tsx';
import type { OpenRowMenu } from './row-menu.tsx';
import { beginDrag, dragged } from '../../reading/dragged.ts';
import { prefetch, usePrefetch } from './use-prefetch.ts';
import { useStable } from './use-stable.ts';

// Loaded on demand, because few actions are confirmed.
const ConfirmOrder = lazyPart(() => import('./confirm-order.tsx'));
const RowMenu = lazyPart(() => import('./row-menu.tsx'));
// Loaded on demand, because most lists have rows.
const Nothing = lazyPart(() => import('./nothing.tsx'));
// Loaded on demand, for searches.
const FoundMarks = lazyPart(() => import('../../reading/search/found-marks.tsx'));

const ELSEWHERE: readonly RowAction[] = ['archive', 'trash'];
const IN_ARCHIVE: readonly RowAction[] = ['trash'];
const NO_SWIPES = { left: 'none', right: 'none' } as const;

/**
 * A list of conversations and the open conversation: side by side if there is space, otherwise the conversation covers
 * the list.
 */
export default function ListPage() {
  const { mailbox, address, own, access } = useMailbox();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const compose = useCompose();
  const { conversation: openId } = useParams({ strict: false });
  const pane = usePane();
  const paneStyle = usePaneStyle(pane);
  const head = useHiddenHead();
  const split = useRef<HTMLDivElement>(null);
  const [menu, setMenu] = useState<(OpenRowMenu & { key: number }) | null>(null);
  const listing = useListing();
  const { rows, folder, key, q, view, search } = listing;
  const isWhole = view.filter === undefined && view.sort !== 'sender' && view.sort !== 'size';
  const selection = useSelection(key, rows, isWhole);
  const handle = useRef<ListHandle>(null);
  const openAt = openId === undefined ? -1 : rows.indexOf(openId);
  const cursor = useCursor(key, rows, openAt);
  const actions = useListActions({ listing, selection, openId, cursor, handle });
  const refresh = () => {
    if (folder === undefined || listing.error !== null) listing.retry();
    else rows.refetchAll();
    void catchUp(queries, mailbox).catch(() => undefined);
  };
  useListKeys({
    rows,
    selection,
    actions,
    cursor,
    openId,
    refresh,
    role: folder?.role,
    answer(mode) {
      const [reply] = rows.at(cursor.now())?.message_ids ?? [];
      // An open conversation handles replies itself, and a draft cannot be replied to.
      if (reply === undefined || openId !== undefined || folder?.role === 'drafts') return false;
      return compose({ reply, mode });
    },
    goTo(to) {
      cursor.goTo(to);
      handle.current?.show(to, true);
    },
  });
  useTitle(listing);
  usePrefetch(rows, openAt === -1 ? cursor.index : openAt);
  // When a conversation is closed, its row gets the focus.
  const wasOpen = useRef<string>(undefined);
  useEffect(() => {
    const before = wasOpen.current;
    wasOpen.current = openId;
    if (openId !== undefined || before === undefined) return;
    const at = rows.indexOf(before);
    handle.current?.show(at === -1 ? cursor.index : at, true);
  });

  const slug = folder === undefined ? SEARCH : slugOf(folder);
  const on = useStable<RowHandlers>({
    choose(at, isRange) {
      if (!actions.isReadOnly) selection.toggle(at, isRange);
    },
    focus: (at) => cursor.followFocus(at),
    press: (row) => prefetch(queries, mailbox, row),
    open(row, at) {
      // While rows are selected on a touch screen, a tap selects further rows.
      if (selection.count > 0 && isTouch()) {
        selection.toggle(at, false);
        return;
      }
      const [draft] = row.message_ids;
      // A draft opens in the composer, which writes in the user's own mailbox.
      if (access === 'owner' && folder?.role === 'drafts' && row.messages === 1 && draft !== undefined)
        compose({ draft });
      else
        void navigate({
          to: '/$address/$folder/$conversation',
          params: { address, folder: slug, conversation: row.id },
          search,
        });
    },
    menu: (row, point) => setMenu({ row, point, isSelection: selection.has(row.id), key: Date.now() }),
    drag(row, transfer) {
      const isSelection = selection.has(row.id);
      beginDrag(transfer, isSelection ? selection.count : 1, {
        address,
        from: folder?.id,
        onDrop: (to) => actions.moveTo(to, isSelection ? undefined : [row.id]),
      });
    },
    drop: () => dragged.set(null),
    act: (row, action) => actions.run(action, [row.id]),
  });
  const query = Object.keys(search).length === 0 ? '' : `?${new URLSearchParams(search)}`;
  const propsOf = (row: ConversationRow) => ({
    address,
    query,
    on,
    folder: slug,
    today: today(),
    isReadOnly: actions.isReadOnly,
    actions: folder?.role === 'archive' ? IN_ARCHIVE : ELSEWHERE,
    isOpen: row.id === openId,
    isChosen: selection.has(row.id),
    showsTo: folder?.role === 'sent' || folder?.role === 'drafts',
  });
  const { swipe_left: left, swipe_right: right } = useQuery(mailSettingsQuery(own)).data ?? {};
  const swipes = useMemo(
    () => (actions.isReadOnly ? NO_SWIPES : { left, right }),
    [actions.isReadOnly, left, right],
  );
  const { swipe } = useStable({
    // Until the setting is loaded, a swipe does nothing, because the default might move the message to the wrong folder.
    async swipe(row: ConversationRow, side: Side) {
      try {
        const kept = await queries.ensureQueryData(mailSettingsQuery(own));
        const meant = side === 'left' ? kept.swipe_left : kept.swipe_right;
        if (meant !== 'none') actions.run(actionOfSwipe(meant, row), [row.id]);
      } catch (error) {
        toastFailure(messageOf(error));
      }
    },
  });
  const isHidden = openId !== undefined && pane === 'none';
  return (
    <div
      ref={split}
      className={classes('relative h-full min-h-0', pane !== 'none' && 'grid')}
      style={paneStyle}
    >
      <section
        aria-label="List"
        inert={isHidden}
        className={classes(
          '@container flex h-full min-h-0 min-w-0 flex-col overflow-clip',
          isHidden && 'invisible',
        )}
      >
        {/* On phones, the head gives its space to the rows. It is shown while it has the focus. */}
        <div
          className={classes(
            'transition-[margin] duration-150 focus-within:mt-0',
            head.isHidden && selection.count === 0 && 'max-sm:not-focus-within:-mt-12',
          )}
        >
          <ListHead listing={listing} selection={selection} actions={actions} onRefresh={refresh} />
        </div>
        <Content listing={listing}>
          <ConversationList
            key={key}
            listing={listing}
            handle={handle}
            propsOf={propsOf}
            swipes={swipes}
            cursor={cursor.index}
            onRefresh={refresh}
            onScroll={head.onScroll}
            onSwipe={swipe}
          />
        </Content>
      </section>
      {pane !== 'none' && <PaneDivider pane={pane} split={split} />}
      {openId === undefined ? (
        pane !== 'none' && rows.count > 0 && <NothingOpen />
      ) : (
        <section
          aria-label="Conversation"
          className={classes('min-h-0 min-w-0 bg-page', pane === 'none' ? 'absolute inset-0' : 'h-full')}
        >
          <Conversation key={openId} id={openId} listing={listing} actions={actions} at={openAt} />
        </section>
      )}
      {menu !== null && (
        <Suspense fallback={null}>
          <RowMenu
            {...menu}
            href={`/mail/${encodeURIComponent(address)}/${slug}/${menu.row.id}${query}`}
            role={folder?.role}
            actions={actions}
          />
        </Suspense>
      )}
      {q !== '' && (
        <Suspense fallback={null}>
          <FoundMarks q={q} />
        </Suspense>
      )}
      {actions.pendingOrder !== null && (
        <Suspense fallback={null}>
          <ConfirmOrder order={actions.pendingOrder} count={selection.count} onAnswer={actions.confirm} />
        </Suspense>
      )}
    </div>
  );
}

function Content({ listing, children }: { listing: Listing; children: React.ReactNode }) {
  const { rows, error, isPending, isUnknown } = listing;
  if (isUnknown)
    return (
      <EmptyState title="Folder not found">It was renamed or deleted. The menu lists all folders.</EmptyState>
    );
  if (error !== null && rows.count === 0)
    return (
      <Failure title="Could not load the conversations" onRetry={listing.retry}>
        {messageOf(error)}
      </Failure>
    );
  if (isPending) return <RowSkeletons />;
  if (rows.count === 0)
    return (
      <Suspense fallback={null}>
        <Nothing listing={listing} />
      </Suspense>
    );
  return children;
}

function NothingOpen() {
  return (
    <section aria-label="Conversation" className="grid place-content-center">
      <EmptyState icon={<EmailsIcon />} title="No conversation selected">
        Select a conversation, or use <Kbd>j</Kbd> and <Kbd>k</Kbd> to move through the list. Press{' '}
        <Kbd>?</Kbd> for all shortcuts.
      </EmptyState>
    </section>
  );
}

/** Shows the number of unread messages and the open conversation in the tab's title. */
function useTitle({ folder, q }: Listing): void {
  const { address } = useMailbox();
  const unread = useFolders()?.find(({ role }) => role === 'inbox')?.unread ?? 0;
  const place = folder === undefined ? (q === '' ? 'Search' : `Search: ${q}`) : nameOf(folder);
  const name = useWatched(openSubject) ?? place;
  useEffect(() => {
    document.title = `${unread > 0 ? `(${unread}) ` : ''}${name} – ${address}`;
  }, [unread, name, address]);
}
