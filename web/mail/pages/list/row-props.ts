/** The properties of a row of the list, and the handlers of its events. */
import type { ConversationRow } from '../../../../src/contract/mail/conversations.ts';

export type RowAction = 'archive' | 'trash' | 'junk' | 'seen' | 'unseen' | 'star' | 'unstar';

/** The handlers of row events. All rows share the same handlers, at every render. */
export interface RowHandlers {
  choose(index: number, isRange: boolean): void;
  /** Called when the row receives the keyboard focus. */
  focus(index: number): void;
  /** Called when the pointer is pressed on the row's link, so that a click is likely. */
  press(row: ConversationRow): void;
  open(row: ConversationRow, index: number): void;
  /** Opens the menu of a row at a point of the window. */
  menu(row: ConversationRow, point: { x: number; y: number }): void;
  /** Called when the user begins to drag a row. */
  drag(row: ConversationRow, transfer: DataTransfer): void;
  drop(): void;
  act(row: ConversationRow, action: RowAction): void;
}

/**
 * The properties of a row. Each property keeps its identity while its value is the same, so that a row renders again only
 * if it looks different.
 */
export interface RowProps {
  row: ConversationRow;
  index: number;
  isLine: boolean;
  isCompact: boolean;
  /** The address of the mailbox itself. */
  address: string;
  /** The folder in the URL of the row's link. */
  folder: string;
  /** The parameters of the list's URL: `?filter=unread`, or empty. */
  query: string;
  isOpen: boolean;
  isChosen: boolean;
  /** Whether Tab moves the focus to this row. */
  isCursor: boolean;
  /** Whether to show recipients instead of senders, as in Sent and Drafts. */
  showsTo: boolean;
  /** Whether the user can only read the mailbox. */
  isReadOnly: boolean;
  /** The actions available in this list. */
  actions: readonly RowAction[];
  /** Today's date as text, because rows show the time for today's mail. */
  today: string;
  on: RowHandlers;
}
