import { type ReactNode, useRef } from 'react';
import { number } from '../../ui/amounts.ts';
import { Button, buttonClass, IconButton } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { AttachIcon, ClockIcon, LinkIcon } from '../../ui/compose-icons.tsx';
import { ChevronDownIcon, MoreIcon, TrashIcon } from '../../ui/icons.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../ui/menu.tsx';
import type { SaveState } from './draft/draft-saver.ts';
import { local } from '../../ui/times.ts';

export interface ComposeFooterProps {
  isBusy: boolean;
  onSend(): void;
  onLater(): void;
  onFiles(files: File[]): void;
  /** Called with files to send as a link instead of attachments, even if the files are small. */
  onLinked(files: File[]): void;
  /** How many files and file links the message has. */
  fileCount: number;
  isPlain: boolean;
  onPlain(): void;
  /** Whether the message has the signature. Null if the mailbox has no signature. */
  withSignature: boolean | null;
  onSignature(): void;
  onDiscard(): void;
  /** More entries of the menu. */
  menuItems: ReactNode;
  saveState: SaveState;
  /** The reason why sending waits, such as "Uploading files…". */
  note: ReactNode;
}

/** The actions on the message: send, attach, discard and so on. */
export function ComposeFooter(props: ComposeFooterProps) {
  const {
    isBusy,
    onSend,
    onLater,
    onFiles,
    onLinked,
    fileCount,
    isPlain,
    onPlain,
    withSignature,
    onSignature,
    onDiscard,
    menuItems,
    saveState,
    note,
  } = props;
  const picker = useRef<HTMLInputElement>(null);
  const areLinked = useRef(false);
  const choose = (asLink: boolean): void => {
    areLinked.current = asLink;
    picker.current?.click();
  };
  return (
    <div className="flex shrink-0 items-center gap-2 border-t border-line px-4 py-2.5">
      <div className="flex">
        <Button
          kind="primary"
          isBusy={isBusy}
          onClick={onSend}
          title={navigator.platform.startsWith('Mac') ? '⌘ Enter' : 'Ctrl Enter'}
          className="rounded-r-none px-4"
        >
          Send
        </Button>
        <Menu
          align="start"
          side="top"
          trigger={
            <button
              type="button"
              aria-label="More send options"
              title="More send options"
              disabled={isBusy}
              className={buttonClass('primary', 'rounded-l-none border-l border-on-fill/30 px-1.5')}
            >
              <ChevronDownIcon />
            </button>
          }
        >
          <MenuItem icon={<ClockIcon />} onClick={onLater}>
            Send later…
          </MenuItem>
        </Menu>
      </div>
      <div className="flex">
        <Button icon={<AttachIcon />} className="rounded-r-none" onClick={() => choose(false)}>
          {/* On narrow phones only the icon and the number are shown, to make space for the draft's save status. */}
          <span className={fileCount > 0 ? 'max-sm:sr-only' : 'max-[375px]:sr-only'}>Attach</span>
          {fileCount > 0 && (
            // The list of files says the number to screen readers.
            <span aria-hidden className="min-w-5 rounded-full bg-quiet-soft px-1.5 text-xs tabular-nums">
              {number(fileCount)}
            </span>
          )}
        </Button>
        <Menu
          align="start"
          side="top"
          trigger={
            <button
              type="button"
              aria-label="More attachment options"
              title="More attachment options"
              className={buttonClass('secondary', 'rounded-l-none border-l-0 px-1.5')}
            >
              <ChevronDownIcon />
            </button>
          }
        >
          <MenuItem icon={<AttachIcon />} onClick={() => choose(false)}>
            Attach file
          </MenuItem>
          <MenuItem icon={<LinkIcon />} onClick={() => choose(true)}>
            Send file as link
          </MenuItem>
        </Menu>
      </div>
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        onChange={({ target }) => {
          const chosen = [...(target.files ?? [])];
          if (areLinked.current) onLinked(chosen);
          else onFiles(chosen);
          areLinked.current = false;
          // Clearing the value lets the user choose the same file again.
          target.value = '';
        }}
      />
      <p
        role={saveState.kind === 'failed' ? 'alert' : undefined}
        className={classes(
          'min-w-0 flex-1 truncate text-right text-sm',
          saveState.kind === 'failed' && note === null ? 'text-bad' : 'text-muted',
        )}
        title={saveStateWords(saveState)}
      >
        {note ?? saveStateWords(saveState)}
      </p>
      <Menu
        side="top"
        trigger={
          <IconButton label="More">
            <MoreIcon />
          </IconButton>
        }
      >
        <MenuItem isCurrent={isPlain} onClick={onPlain}>
          Plain text
        </MenuItem>
        {withSignature !== null && (
          <MenuItem isCurrent={withSignature} onClick={onSignature}>
            Signature
          </MenuItem>
        )}
        <MenuSeparator />
        {menuItems}
        <MenuSeparator />
        <MenuItem isDanger icon={<TrashIcon />} onClick={onDiscard}>
          Discard draft
        </MenuItem>
      </Menu>
    </div>
  );
}

/** The save status as text, such as "Saved 12:04". */
function saveStateWords(saveState: SaveState): string {
  switch (saveState.kind) {
    case 'untouched':
      return '';
    case 'changed':
    case 'saving':
      return 'Saving…';
    case 'saved':
      return `Saved ${local.time(saveState.at)}`;
    case 'failed':
      return `Not saved: ${saveState.message}`;
  }
}
