import { useEffect, useRef } from 'react';
import type { ConversationRow } from '../../../../src/contract/mail/conversations.ts';
import { ExternalIcon, ForwardIcon, ReplyIcon } from '../../../ui/icons.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../../ui/menu.tsx';
import type { FolderRole } from '../../reading/folders.ts';
import { useCompose } from '../../shell/compose.ts';
import type { ListActions } from './use-list-actions.ts';
import { rowMenuItems } from './row-menu-items.ts';

export interface OpenRowMenu {
  row: ConversationRow;
  /** The point of the window at which the menu opens. */
  point: { x: number; y: number };
  /** Whether the actions apply to all selected conversations, because the row is one of them. */
  isSelection: boolean;
}

interface RowMenuProps extends OpenRowMenu {
  href: string;
  role: FolderRole | null | undefined;
  actions: ListActions;
}

/** The menu of a row, opened with the right mouse button, with the menu key, or with the button of the row. */
export default function RowMenu({ row, point, isSelection, href, role, actions }: RowMenuProps) {
  const compose = useCompose();
  const opener = useRef<HTMLButtonElement>(null);
  useEffect(() => opener.current?.click(), []);
  const ids = isSelection ? undefined : [row.id];
  const [reply] = row.message_ids;
  const canReply = !isSelection && reply !== undefined && role !== 'drafts';
  return (
    <Menu
      align="start"
      trigger={
        <button
          ref={opener}
          type="button"
          tabIndex={-1}
          aria-label={`Actions on ${row.subject || 'a conversation without a subject'}`}
          className="pointer-events-none fixed size-0"
          style={{ left: point.x, top: point.y }}
        />
      }
    >
      {!isSelection && (
        <MenuItem icon={<ExternalIcon />} render={<a href={href} target="_blank" rel="noopener" />}>
          Open in new tab
        </MenuItem>
      )}
      {canReply && (
        <>
          <MenuItem icon={<ReplyIcon />} onClick={() => compose({ reply, mode: 'reply' })}>
            Reply
          </MenuItem>
          <MenuItem icon={<ForwardIcon />} onClick={() => compose({ reply, mode: 'forward' })}>
            Forward
          </MenuItem>
          <MenuSeparator />
        </>
      )}
      {rowMenuItems(role)
        .filter((item) => item.shows(row))
        .map(({ id, text, icon: Icon, run }) => (
          <MenuItem
            key={id}
            icon={<Icon />}
            onClick={() =>
              run({
                row,
                act: ({ action }) => actions.run(action, ids),
                open: (dialog) => (dialog === 'move' ? actions.move(ids) : actions.ask(dialog, ids)),
              })
            }
          >
            {text(row)}
          </MenuItem>
        ))}
    </Menu>
  );
}
