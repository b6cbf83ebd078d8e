/** Entries of menus that pin, snooze, label and mute a conversation. */
import type { ComponentType } from 'react';
import type { ConversationRow } from '../../../src/contract/mail/conversations.ts';
import { LabelIcon, MuteIcon, PinIcon, SnoozeIcon } from '../../ui/triage-icons.tsx';
import type { Order } from './actions.ts';

/** An action in the menu of a row. */
export interface RowMenuItem {
  id: string;
  text(row: ConversationRow): string;
  icon: ComponentType;
  shows(row: ConversationRow): boolean;
  run(context: {
    row: ConversationRow;
    act(order: Order): void;
    open(dialog: 'move' | 'label' | 'snooze'): void;
  }): void;
}

/** Whether a conversation is still snoozed. */
export const isAsleep = ({ snoozed_until: until }: Pick<ConversationRow, 'snoozed_until'>) =>
  until != null && Date.parse(until) > Date.now();
const always = () => true;
/** The conversation of a row, in the folder of the row. */
const inFolder = ({ id, folder }: ConversationRow) => ({
  conversations: [id],
  ...(folder !== null && { from: folder }),
});

export const TRIAGE_ITEMS: readonly RowMenuItem[] = [
  {
    id: 'snooze',
    text: (row) => (isAsleep(row) ? 'Change snooze (b)' : 'Snooze (b)'),
    icon: SnoozeIcon,
    shows: always,
    run: ({ open }) => open('snooze'),
  },
  {
    id: 'unsnooze',
    text: () => 'Unsnooze',
    icon: SnoozeIcon,
    shows: isAsleep,
    run: ({ row, act }) => act({ action: 'unsnooze', ...inFolder(row) }),
  },
  {
    id: 'label',
    text: () => 'Label (l)',
    icon: LabelIcon,
    shows: always,
    run: ({ open }) => open('label'),
  },
  {
    id: 'pin',
    text: ({ pinned }) => (pinned ? 'Unpin (P)' : 'Pin (P)'),
    icon: PinIcon,
    shows: always,
    run: ({ row, act }) => act({ action: row.pinned ? 'unpin' : 'pin', ...inFolder(row) }),
  },
  {
    id: 'mute',
    text: ({ muted }) => (muted ? 'Unmute (m)' : 'Mute (m)'),
    icon: MuteIcon,
    shows: always,
    run: ({ row, act }) => act({ action: row.muted ? 'unmute' : 'mute', conversations: [row.id] }),
  },
];
