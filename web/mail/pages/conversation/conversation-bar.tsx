import type { MailMessageSummary } from '../../../../src/contract/mail/conversations.ts';
import { IconButton } from '../../../ui/button.tsx';
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
  const ids = [id];
  const row = listing.rows.at(at);
  const isStarred = messages.some(({ starred }) => starred);
  const isForEver = role === 'trash' || role === 'junk';
  return (
    <div
      role="toolbar"
      aria-label="This conversation"
      className="flex h-12 shrink-0 items-center border-b border-line px-2 sm:h-11 sm:px-4"
    >
      <IconButton label="Back to the list (u)" className="min-[1100px]:hidden" onClick={actions.close}>
        <ChevronLeftIcon />
      </IconButton>
      {actions.isReadOnly ? (
        <span className="px-1 text-sm text-muted">Read only</span>
      ) : (
        <>
          {role !== 'archive' && (
            <IconButton label="Archive (e)" onClick={() => actions.run('archive', ids)}>
              <ArchiveIcon />
            </IconButton>
          )}
          {role === 'junk' ? (
            <IconButton label="Not junk (!)" onClick={() => actions.run('not-junk', ids)}>
              <InboxIcon />
            </IconButton>
          ) : (
            <IconButton label="Report as junk (!)" onClick={() => actions.run('junk', ids)}>
              <JunkIcon />
            </IconButton>
          )}
          <IconButton
            label={isForEver ? 'Delete permanently (#)' : 'Move to Trash (#)'}
            onClick={() => actions.run('trash', ids)}
          >
            <TrashIcon />
          </IconButton>
          <IconButton label="Move to folder (v)" onClick={() => actions.move(ids)}>
            <FolderIcon />
          </IconButton>
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
        <span className="ml-auto flex max-[400px]:hidden">
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
