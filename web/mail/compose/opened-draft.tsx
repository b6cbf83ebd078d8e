import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { messageOf } from '../../api/client.ts';
import { Failure } from '../../ui/empty-state.tsx';
import { SkeletonRows } from '../../ui/skeleton.tsx';
import { toast } from '../../ui/toast.tsx';
import { useWatched } from '../../ui/watched.ts';
import { Composer, type ComposerHandle } from './composer.tsx';
import type { Composition } from './draft/composition.ts';
import { dropNames } from './draft/local-copy.ts';
import { openDraft } from './draft/open-draft.ts';
import { InlineFrame } from './inline-frame.tsx';
import {
  bringToFront,
  changeDraft,
  inlineSlot,
  type OpenDraft,
  openDrafts,
  requested,
} from './open-drafts.ts';
import { Panel, type Size } from './panel.tsx';

export interface DeskProps {
  mailbox: string;
  /** The address of the shared mailbox in which the composer was opened. Null: the composer was opened in the user's own mailbox. */
  sharedAddress: string | null;
  drafts: readonly OpenDraft[];
  /** Changes the name of a message in the page's URL. @param to null closes the message */
  onName(draft: OpenDraft, to: string | null): void;
  onMove(draft: OpenDraft, place: OpenDraft['place']): void;
}

interface OpenedDraftProps extends Omit<DeskProps, 'drafts'> {
  draft: OpenDraft;
  size: Size;
  /** Whether this is the panel that was used last. */
  isFront: boolean;
}

/**
 * A message that is being written, in a panel or inside its conversation. The composer is rendered into an element that moves from one to
 * the other, so that a move loses neither the undo history nor an upload.
 */
export function OpenedDraft({
  draft,
  size,
  isFront,
  mailbox,
  sharedAddress,
  onName,
  onMove,
}: OpenedDraftProps) {
  const { key } = draft;
  const [content] = useState(() => {
    const element = document.createElement('div');
    element.className = 'flex min-h-0 flex-1 flex-col';
    return element;
  });
  const composer = useRef<ComposerHandle>(null);
  const [subject, setSubject] = useState('');
  const slot = useWatched(inlineSlot);
  // The composer uses the name with which it was opened, because the name in the URL changes with each save.
  const name = draft.begun;
  const {
    data: opened,
    error,
    refetch,
  } = useQuery({
    queryKey: ['mail-compose', mailbox, name, key],
    queryFn: ({ signal }) => openDraft(mailbox, name, sharedAddress, signal),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    // The query works offline, because a new message or a copy in this tab needs no connection.
    networkMode: 'always',
  });
  useEffect(() => {
    if (opened === undefined) return;
    const { id, fields } = opened;
    changeDraft(key, {
      ...(fields.mode === 'reply' && { reply: fields.inReplyTo }),
      ...(id !== null && { ids: [id] }),
    });
  }, [opened, key]);
  useLayoutEffect(() => () => dropNames(mailbox, name), [mailbox, name]);

  const request = useWatched(requested);
  const isRequested = request !== null && [...draft.names, ...draft.ids].includes(request.name);
  // Every request has its effect, also if the composer was requested before.
  const newRequest = isRequested ? request : null;
  useEffect(() => {
    if (newRequest === null) return;
    bringToFront(key);
    composer.current?.focus();
  }, [newRequest, key]);
  // The focus stays in the text when the composer moves.
  const isInline = size === 'inline';
  const wasInline = useRef(isInline);
  useEffect(() => {
    if (wasInline.current !== isInline) composer.current?.focus();
    wasInline.current = isInline;
  }, [isInline]);

  /** The draft with its newest names, which may be newer than those of the last render. */
  const now = () => openDrafts.get().find((each) => each.key === key) ?? draft;
  const end = (): void => {
    changeDraft(key, { isUploading: false });
    onName(now(), null);
  };
  const close = (): void => {
    const waiting = composer.current?.files() ?? null;
    if (waiting === null) {
      end();
      return;
    }
    changeDraft(key, { isMinimized: true });
    toast('Files are uploading. This window closes when they are done.');
    void waiting.then(() => end());
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    // Keys pressed in the composer must not trigger shortcuts of the list behind the composer.
    event.stopPropagation();
    const { target, currentTarget, nativeEvent } = event;
    // A dialog of the composer handles Escape itself.
    const isWithin = target instanceof Node && currentTarget.contains(target);
    if (event.key !== 'Escape' || !isWithin || nativeEvent.isComposing) return;
    if (currentTarget.querySelector(':popover-open, dialog:modal') !== null) return;
    event.preventDefault();
    close();
  };
  const frame = { title: titleOf(opened), content, onKeyDown, onClose: close };
  const canReturn =
    slot !== null && [draft.reply, ...draft.ids].some((id) => id !== null && slot.messages.has(id));
  return (
    <>
      {createPortal(
        <div role="presentation" className="flex min-h-0 flex-1 flex-col" onKeyDown={onKeyDown}>
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
            <Composer
              ref={composer}
              mailbox={mailbox}
              opened={opened}
              isInline={isInline}
              takesFocus={isInline ? isRequested : isFront}
              onUploading={(isUploading) => changeDraft(key, { isUploading: isUploading && size !== 'page' })}
              onSaved={(id) => {
                const { names, ids } = now();
                changeDraft(key, { names: [...names, id], ids: [...ids, id] });
                onName(now(), id);
              }}
              onSubject={setSubject}
              onDone={end}
            />
          )}
        </div>,
        content,
      )}
      {isInline ? (
        slot !== null &&
        createPortal(
          <InlineFrame {...frame} isRequested={isRequested} onPopOut={() => onMove(now(), 'panel')} />,
          slot.element,
        )
      ) : (
        <Panel
          {...frame}
          size={size}
          isFront={isFront}
          onMinimize={() => changeDraft(key, { isMinimized: true })}
          onRestore={() => {
            bringToFront(key);
            composer.current?.focus();
          }}
          onReturn={canReturn ? () => onMove(now(), 'inline') : null}
          subject={subject}
        />
      )}
    </>
  );
}

function titleOf(opened: Composition | undefined): string {
  if (opened?.fields.mode === 'reply') return 'Reply';
  return opened?.fields.mode === 'forward' ? 'Forward' : 'Compose';
}
