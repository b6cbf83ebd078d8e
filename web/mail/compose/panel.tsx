import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react';
import { messageOf } from '../../api/client.ts';
import { IconButton } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { ExpandIcon, MinimizeIcon, ShrinkIcon } from '../../ui/compose-icons.tsx';
import { Failure } from '../../ui/empty-state.tsx';
import { ChevronLeftIcon, CloseIcon } from '../../ui/icons.tsx';
import { SkeletonRows } from '../../ui/skeleton.tsx';
import { toast } from '../../ui/toast.tsx';
import { Composer, type ComposerHandle } from './composer.tsx';
import type { Composition } from './draft/composition.ts';
import { dropNames } from './draft/local-copy.ts';
import { openDraft } from './draft/open-draft.ts';

export interface PanelProps {
  mailbox: string;
  /** The address of the shared mailbox in which the composer was opened. Null: the composer was opened in the user's own mailbox. */
  sharedAddress: string | null;
  /** The `compose` value in the page's URL. */
  composeValue: string;
  onSaved(id: string): void;
  onClose(): void;
}

const NARROW = matchMedia('(width < 700px)');
const FULL_KEY = 'posthorn-mail-compose-full';

type Size = 'page' | 'full' | 'panel' | 'bar';

const PLACES: Readonly<Record<Size, string>> = {
  page: 'inset-0 h-dvh w-full',
  full: 'inset-x-0 top-6 bottom-6 mx-auto h-auto w-[calc(100vw-3rem)] max-w-5xl rounded-lg shadow-high backdrop:bg-veil',
  panel:
    'top-auto right-6 bottom-0 left-auto h-[min(42rem,calc(100dvh-4rem))] w-[38rem] max-w-[calc(100vw-3rem)] rounded-t-lg shadow-high',
  bar: 'top-auto right-6 bottom-0 left-auto h-auto w-80 rounded-t-lg shadow-high',
};

/** The composer: a panel above the current page, or a full page on phones. */
export default function Panel({ mailbox, sharedAddress, composeValue, onSaved, onClose }: PanelProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const composer = useRef<ComposerHandle>(null);
  const [isFull, setIsFull] = useState(() => localStorage.getItem(FULL_KEY) === '1');
  const [isMinimized, setIsMinimized] = useState(false);
  const isNarrow = useSyncExternalStore(
    (changed) => {
      NARROW.addEventListener('change', changed);
      return () => NARROW.removeEventListener('change', changed);
    },
    () => NARROW.matches,
  );
  const size: Size = isNarrow ? 'page' : isMinimized ? 'bar' : isFull ? 'full' : 'panel';
  const isModal = size === 'page' || size === 'full';
  // The panel uses the first `composeValue`, because the value in the URL changes with each save.
  const [name] = useState(composeValue);
  const {
    data: opened,
    error,
    refetch,
  } = useQuery({
    queryKey: ['mail-compose', mailbox, name],
    queryFn: ({ signal }) => openDraft(mailbox, name, sharedAddress, signal),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    // The query works offline, because a new message or a copy in this tab needs no connection.
    networkMode: 'always',
  });

  useLayoutEffect(() => {
    const { current } = dialog;
    if (current === null) return undefined;
    const focused = document.activeElement;
    if (isModal) current.showModal();
    else current.show();
    if (focused instanceof HTMLElement && current.contains(focused)) focused.focus();
    return () => current.close();
  }, [isModal]);

  useLayoutEffect(() => () => dropNames(mailbox), [mailbox]);

  const close = (): void => {
    const waiting = composer.current?.files() ?? null;
    if (waiting === null) {
      onClose();
      return;
    }
    setIsMinimized(true);
    toast('Files are uploading. This window closes when they are done.');
    void waiting.then(onClose);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    // Keys pressed in the composer must not trigger shortcuts of the list behind the composer.
    event.stopPropagation();
    const isWithin = event.target instanceof Element && event.target.closest('dialog') === dialog.current;
    if (event.key !== 'Escape' || !isWithin || event.nativeEvent.isComposing) return;
    if (dialog.current?.querySelector(':popover-open') !== null) return;
    event.preventDefault();
    close();
  };
  const title = titleOf(opened);
  return (
    <dialog
      ref={dialog}
      aria-label={title}
      onKeyDown={onKeyDown}
      onCancel={(event) => {
        if (event.target !== dialog.current) return;
        event.preventDefault();
        close();
      }}
      className={classes(
        'fixed z-30 m-0 max-h-none max-w-none flex-col overflow-hidden bg-raised p-0 text-text outline-none open:flex',
        PLACES[size],
      )}
    >
      <div
        className={classes(
          'flex shrink-0 items-center gap-1 border-b border-line pr-2',
          isNarrow ? 'h-12 pl-1' : 'h-11 pl-4',
        )}
      >
        {isNarrow && (
          <IconButton label="Back" onClick={close}>
            <ChevronLeftIcon />
          </IconButton>
        )}
        <h2 className="min-w-0 flex-1 truncate text-base font-semibold">{title}</h2>
        {!isNarrow && (
          <>
            <IconButton
              label={isMinimized ? 'Restore' : 'Minimize'}
              aria-expanded={!isMinimized}
              onClick={() => setIsMinimized(!isMinimized)}
            >
              {isMinimized ? <ExpandIcon /> : <MinimizeIcon />}
            </IconButton>
            {!isMinimized && (
              <IconButton
                label="Full screen"
                aria-pressed={isFull}
                onClick={() => {
                  setIsFull(!isFull);
                  localStorage.setItem(FULL_KEY, isFull ? '0' : '1');
                }}
              >
                {isFull ? <ShrinkIcon /> : <ExpandIcon />}
              </IconButton>
            )}
            <IconButton label="Save and close" onClick={close}>
              <CloseIcon />
            </IconButton>
          </>
        )}
      </div>
      <div className={size === 'bar' ? 'hidden' : 'flex min-h-0 flex-1 flex-col'}>
        {opened === undefined ? (
          error === null ? (
            <div className="p-4">
              <SkeletonRows count={3} />
            </div>
          ) : (
            <Failure title="Could not open the draft" onRetry={() => void refetch()}>
              {messageOf(error)} It may have been sent or saved elsewhere: check Drafts.
            </Failure>
          )
        ) : (
          <Composer ref={composer} mailbox={mailbox} opened={opened} onSaved={onSaved} onDone={onClose} />
        )}
      </div>
    </dialog>
  );
}

function titleOf(opened: Composition | undefined): string {
  if (opened?.fields.mode === 'reply') return 'Reply';
  return opened?.fields.mode === 'forward' ? 'Forward' : 'Compose';
}
