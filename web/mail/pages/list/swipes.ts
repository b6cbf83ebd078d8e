/** The actions that swiping a row can have. */
import type { ReactNode } from 'react';
import type { ConversationRow } from '../../../../src/contract/mail/conversations.ts';
import type { MailSettings } from '../../../../src/contract/mail/settings.ts';
import { ArchiveIcon, JunkIcon, ReadIcon, StarIcon, StopIcon, TrashIcon } from '../../../ui/icons.tsx';
import type { RowAction } from './row-props.ts';

export type Side = 'left' | 'right';
export type Swipe = MailSettings['swipe_left'];
/** The action set for each side; undefined until the settings are loaded. */
export type Swipes = Readonly<Record<Side, Swipe | undefined>>;

export const SWIPE_ICONS: Readonly<Record<Swipe, (props: { className?: string }) => ReactNode>> = {
  archive: ArchiveIcon,
  trash: TrashIcon,
  junk: JunkIcon,
  seen: ReadIcon,
  star: StarIcon,
  none: StopIcon,
};

/** The class names of the area behind a row. What removes mail from the list for other reasons than archiving has a color of its own. */
export const SWIPE_COLORS: Readonly<Partial<Record<Swipe, string>>> = {
  trash: 'bg-bad-soft text-bad',
  junk: 'bg-warn-soft text-warn',
};

/** The action of a swipe on a row. If the row already has the mark that the swipe adds, the swipe removes the mark. */
export function actionOfSwipe(
  swipe: Exclude<Swipe, 'none'>,
  { unread, starred }: ConversationRow,
): RowAction {
  if (swipe === 'seen' && unread === 0) return 'unseen';
  return swipe === 'star' && starred > 0 ? 'unstar' : swipe;
}
