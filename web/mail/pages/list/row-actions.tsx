/** The buttons of a row, and the icons for its state. */
import type { ReactNode } from 'react';
import { IconButton } from '../../../ui/button.tsx';
import { classes } from '../../../ui/classes.ts';
import {
  ArchiveIcon,
  EmailsIcon,
  MoreIcon,
  ReadIcon,
  StarIcon,
  StarredIcon,
  TrashIcon,
} from '../../../ui/icons.tsx';
import type { RowProps } from './row-props.ts';

/** An icon with a name for screen readers. */
export function Mark({ icon, name }: { icon: ReactNode; name: string }) {
  return (
    <span title={name}>
      {icon}
      <span className="sr-only">{name}</span>
    </span>
  );
}

export function Star({ row, isReadOnly, on, className }: RowProps & { className?: string }) {
  const isStarred = row.starred > 0;
  if (isReadOnly)
    return (
      <span className={classes('grid size-8 place-items-center text-warn sm:size-7', className)}>
        {isStarred && <Mark icon={<StarredIcon />} name="Starred" />}
      </span>
    );
  return (
    <IconButton
      label={isStarred ? 'Remove star' : 'Star'}
      tabIndex={-1}
      className={classes('z-1 size-8 sm:size-7', isStarred && 'text-warn', className)}
      onClick={() => on.act(row, isStarred ? 'unstar' : 'star')}
    >
      {isStarred ? <StarredIcon /> : <StarIcon />}
    </IconButton>
  );
}

/** Actions shown on hover, for the mouse only. Touch screens have swipes, and the keyboard has shortcuts. */
export function HoverActions({ row, actions, isReadOnly, on, className }: RowProps & { className: string }) {
  const isUnread = row.unread > 0;
  if (isReadOnly) return null;
  return (
    <span
      className={classes(
        'absolute right-2 z-1 hidden rounded-md bg-hover pl-2 shadow-low [@media(hover:hover)]:group-hover:flex',
        className,
      )}
    >
      {actions.includes('archive') && (
        <IconButton label="Archive" tabIndex={-1} onClick={() => on.act(row, 'archive')}>
          <ArchiveIcon />
        </IconButton>
      )}
      {actions.includes('trash') && (
        <IconButton label="Move to Trash" tabIndex={-1} onClick={() => on.act(row, 'trash')}>
          <TrashIcon />
        </IconButton>
      )}
      <IconButton
        label={isUnread ? 'Mark as read' : 'Mark as unread'}
        tabIndex={-1}
        onClick={() => on.act(row, isUnread ? 'seen' : 'unseen')}
      >
        {isUnread ? <ReadIcon /> : <EmailsIcon />}
      </IconButton>
      <IconButton
        label="More actions"
        tabIndex={-1}
        onClick={({ currentTarget }) => {
          const { left, bottom } = currentTarget.getBoundingClientRect();
          on.menu(row, { x: left, y: bottom });
        }}
      >
        <MoreIcon />
      </IconButton>
    </span>
  );
}
