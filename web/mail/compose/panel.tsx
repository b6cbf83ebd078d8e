import { type KeyboardEvent, useLayoutEffect, useRef, useState } from 'react';
import { IconButton } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { ExpandIcon, MinimizeIcon, ShrinkIcon } from '../../ui/compose-icons.tsx';
import { ChevronLeftIcon, CloseIcon, ReplyIcon } from '../../ui/icons.tsx';

export interface FrameProps {
  title: string;
  /** The element that contains the composer. */
  content: HTMLElement;
  onKeyDown(event: KeyboardEvent<HTMLElement>): void;
  /** Saves the message and closes the composer. */
  onClose(): void;
}

/** `inline` is inside the conversation, `bar` a tab, and `hidden` behind another message on a phone. */
export type Size = 'inline' | 'page' | 'panel' | 'bar' | 'hidden';

interface PanelProps extends FrameProps {
  size: Size;
  isFront: boolean;
  /** The text of the tab. */
  subject: string;
  onMinimize(): void;
  onRestore(): void;
  /** Moves the reply into its conversation. Null if the conversation is not open. */
  onReturn: (() => void) | null;
}

const FULL_KEY = 'posthorn-mail-compose-full';

const SIZES: Readonly<Record<Exclude<Size, 'inline'> | 'full', string>> = {
  page: 'fixed inset-0 h-dvh w-full open:flex',
  full: 'fixed inset-x-0 top-6 bottom-6 mx-auto h-auto w-[calc(100vw-3rem)] max-w-5xl rounded-lg shadow-high backdrop:bg-veil open:flex',
  panel: 'static h-[min(42rem,calc(100dvh-4rem))] w-[38rem] min-w-0 rounded-t-lg shadow-high open:flex',
  bar: 'static h-auto w-64 min-w-24 rounded-t-lg shadow-high open:flex',
  hidden: 'hidden',
};

/** The frame of a message that is written in a panel above the page, or on a page of its own on phones. */
export function Panel(props: PanelProps) {
  const { title, content, size, isFront, subject, onKeyDown, onClose, onMinimize, onRestore, onReturn } =
    props;
  const dialog = useRef<HTMLDialogElement>(null);
  const [isFull, setIsFull] = useState(() => localStorage.getItem(FULL_KEY) === '1');
  const isPage = size === 'page';
  const isBar = size === 'bar';
  const isLarge = size === 'panel' && isFull && isFront;
  const isModal = isPage || isLarge;

  useLayoutEffect(() => {
    const { current } = dialog;
    if (current === null) return undefined;
    const focused = document.activeElement;
    if (isModal) current.showModal();
    else current.show();
    if (focused instanceof HTMLElement && current.contains(focused)) focused.focus();
    return () => current.close();
  }, [isModal]);

  return (
    <dialog
      ref={dialog}
      aria-label={title}
      onKeyDown={onKeyDown}
      onCancel={(event) => {
        if (event.target !== dialog.current) return;
        event.preventDefault();
        onClose();
      }}
      className={classes(
        'm-0 max-h-none max-w-none flex-col overflow-hidden bg-raised p-0 text-text outline-none',
        SIZES[isLarge ? 'full' : size === 'inline' ? 'hidden' : size],
      )}
    >
      <div
        className={classes(
          'flex shrink-0 items-center gap-1 border-b border-line pe-2',
          isPage ? 'h-12 ps-1' : 'h-11 ps-4',
        )}
      >
        {isPage && (
          <IconButton label="Back" onClick={onClose}>
            <ChevronLeftIcon />
          </IconButton>
        )}
        <h2 dir="auto" className="min-w-0 flex-1 truncate text-base font-semibold">
          {isBar && subject !== '' ? subject : title}
        </h2>
        {!isPage && (
          <>
            {onReturn !== null && !isBar && (
              <IconButton label="Reply in the conversation" onClick={onReturn}>
                <ReplyIcon />
              </IconButton>
            )}
            <IconButton
              label={isBar ? 'Restore' : 'Minimize'}
              aria-expanded={!isBar}
              onClick={isBar ? onRestore : onMinimize}
            >
              {isBar ? <ExpandIcon /> : <MinimizeIcon />}
            </IconButton>
            {!isBar && (
              <IconButton
                label="Full screen"
                aria-pressed={isLarge}
                onClick={() => {
                  setIsFull(!isLarge);
                  localStorage.setItem(FULL_KEY, isLarge ? '0' : '1');
                  onRestore();
                }}
              >
                {isLarge ? <ShrinkIcon /> : <ExpandIcon />}
              </IconButton>
            )}
            <IconButton label="Save and close" onClick={onClose}>
              <CloseIcon />
            </IconButton>
          </>
        )}
      </div>
      <Content of={content} isHidden={isBar} />
    </dialog>
  );
}

/** The place of the composer in a frame. The composer's element moves here when the frame is shown. */
export function Content({ of, isHidden = false }: { of: HTMLElement; isHidden?: boolean }) {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    place.current?.append(of);
  }, [of]);
  return <div ref={place} className={isHidden ? 'hidden' : 'flex min-h-0 flex-1 flex-col'} />;
}
