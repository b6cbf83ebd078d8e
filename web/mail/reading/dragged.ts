/** Conversations that the user drags from the list to a folder. */
import type { MailFolder } from '../../../src/contract/mail/folders.ts';
import { counted } from '../../ui/amounts.ts';
import { watched } from '../../ui/watched.ts';

export interface Dragged {
  /** The address of the mailbox that contains the conversations. */
  address: string;
  /** The id of the folder that is shown. Undefined for a search. */
  from: string | undefined;
  onDrop(folder: MailFolder): void;
}

/** The dragged conversations; null if none are dragged. */
export const dragged = watched<Dragged | null>(null);

/** A type that no other page and no program reads. */
const TYPE = 'application/x-posthorn-conversations';

/** Begins to drag. The picture at the pointer shows the number of conversations. */
export function beginDrag(transfer: DataTransfer, count: number, order: Dragged): void {
  transfer.clearData();
  transfer.setData(TYPE, '');
  transfer.effectAllowed = 'move';
  const picture = document.createElement('div');
  picture.className =
    'fixed -top-20 start-0 rounded-md bg-raised px-3 py-1.5 text-base font-medium text-text shadow-high';
  picture.textContent = counted(count, 'conversation');
  document.body.append(picture);
  transfer.setDragImage(picture, -8, -8);
  // The browser copies the picture after this event.
  setTimeout(() => picture.remove());
  dragged.set(order);
}

/** Whether dragged conversations can be dropped on a folder: not on Drafts and Sent, which contain the user's own messages. */
export function canDrop(order: Dragged | null, address: string, folder: MailFolder): boolean {
  return (
    order !== null &&
    order.address === address &&
    order.from !== folder.id &&
    folder.role !== 'drafts' &&
    folder.role !== 'sent'
  );
}
