import type { MailMessageSummary } from '../../../../src/contract/mail/conversations.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import {
  ArchiveIcon,
  ChevronDownIcon,
  ChevronLeftIcon,
  EmailsIcon,
  FolderIcon,
  InboxIcon,
  JunkIcon,
  MoreIcon,
  StarIcon,
  StarredIcon,
  TrashIcon,
} from '../../../ui/icons.tsx';
import { Menu } from '../../../ui/menu.tsx';
import { TriageMenuItems } from '../../reading/triage-menu.tsx';
import type { Listing } from '../../reading/use-listing.ts';
import type { ListActions } from '../list/use-list-actions.ts';
import { usePane } from '../list/use-media.ts';

interface ConversationBarProps {
  id: string;
  listing: Listing;
  actions: ListActions;
  at: number;
  messages: readonly MailMessageSummary[];
}

/** Actions on the whole conversation. */
export function ConversationBar({ id, listing, actions, at, messages }: ConversationBarProps) {
  const role = listing.folder?.role;
  const pane = usePane();
  const ids = [id];
  const row = listing.rows.at(at);
  const isStarred = messages.some(({ starred }) => starred);
  const isForEver = role === 'trash' || role === 'junk';
  return (
    <div
      role="toolbar"
      aria-label="This conversation"
      className="@container flex h-12 shrink-0 items-center border-b border-line px-2 sm:h-11 sm:px-4"
    >
      {pane === 'none' && (
        <IconButton label="Back to the list (u)" onClick={actions.close}>
          <ChevronLeftIcon />
        </IconButton>
      )}
      {actions.isReadOnly ? (
        <span className="px-1 text-sm text-muted">Read only</span>
      ) : (
        <>
          {role !== 'archive' && (
            <Labelled label="Archive (e)" text="Archive" onClick={() => actions.run('archive', ids)}>
              <ArchiveIcon />
            </Labelled>
          )}
          <Labelled
            label={isForEver ? 'Delete permanently (#)' : 'Move to Trash (#)'}
            text={isForEver ? 'Delete' : 'Trash'}
            onClick={() => actions.run('trash', ids)}
          >
            <TrashIcon />
          </Labelled>
          {role === 'junk' ? (
            <Labelled label="Not junk (!)" text="Not junk" onClick={() => actions.run('not-junk', ids)}>
              <InboxIcon />
            </Labelled>
          ) : (
            <Labelled label="Report as junk (!)" text="Junk" onClick={() => actions.run('junk', ids)}>
              <JunkIcon />
            </Labelled>
          )}
          <span className="mx-1.5 h-5 w-px bg-line" />
          <Labelled label="Move to folder (v)" text="Move" onClick={() => actions.move(ids)}>
            <FolderIcon />
          </Labelled>
          <span className="mx-1.5 h-5 w-px bg-line max-[400px]:hidden" />
          <IconButton label="Mark as unread (Shift U)" onClick={() => actions.run('unseen', ids)}>
            <EmailsIcon />
          </IconButton>
          <IconButton
            label={isStarred ? 'Remove star (s)' : 'Star (s)'}
            className={isStarred ? 'text-warn' : ''}
            onClick={() => actions.run(isStarred ? 'unstar' : 'star', ids)}
          >
            {isStarred ? <StarredIcon /> : <StarIcon />}
          </IconButton>
          {row !== undefined && (
            <Menu
              align="start"
              trigger={
                <IconButton label="More actions for this conversation">
                  <MoreIcon />
                </IconButton>
              }
            >
              <TriageMenuItems row={row} ids={ids} actions={actions} />
            </Menu>
          )}
        </>
      )}
      {at !== -1 && (
        <span className="ms-auto flex max-[400px]:hidden">
          <IconButton label="Newer conversation (k)" disabled={at === 0} onClick={() => actions.step(-1)}>
            <ChevronDownIcon className="rotate-180" />
          </IconButton>
          <IconButton
            label="Older conversation (j)"
            disabled={at >= listing.rows.count - 1}
            onClick={() => actions.step(1)}
          >
            <ChevronDownIcon />
          </IconButton>
        </span>
      )}
    </div>
  );
}

interface LabelledProps {
  /** The name of the action with its shortcut, also shown as a tooltip. */
  label: string;
  /** Shown beside the icon if the bar is wide. */
  text: string;
  onClick(): void;
  children: React.ReactNode;
}

function Labelled({ label, text, onClick, children }: LabelledProps) {
  return (
    <Button
      kind="quiet"
      aria-label={label}
      title={label}
      icon={children}
      className="w-9 px-0 max-sm:h-9 sm:w-8 @2xl:w-auto @2xl:px-2.5"
      onClick={onClick}
    >
      <span className="hidden @2xl:inline">{text}</span>
    </Button>
  );
}
