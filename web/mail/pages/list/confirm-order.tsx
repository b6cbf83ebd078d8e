import { counted } from '../../../ui/amounts.ts';
import { AlertDialog } from '../../../ui/dialog.tsx';
import type { Action, Order } from '../../reading/actions.ts';

interface ConfirmOrderProps {
  order: Order;
  count: number;
  onAnswer(isConfirmed: boolean): void;
}

/** The question about each action that removes conversations from the list, and the name of its button. */
const QUESTIONS: Readonly<Partial<Record<Action, { title(what: string): string; button: string }>>> = {
  archive: { title: (what) => `Archive ${what}?`, button: 'Archive' },
  trash: { title: (what) => `Move ${what} to Trash?`, button: 'Move to Trash' },
  junk: { title: (what) => `Report ${what} as junk?`, button: 'Report as junk' },
  'not-junk': { title: (what) => `Move ${what} to the Inbox?`, button: 'Move to Inbox' },
  delete: { title: (what) => `Delete ${what} permanently?`, button: 'Delete permanently' },
};

/** Asks before many conversations are moved, or before any conversation is permanently deleted. */
export default function ConfirmOrder({ order, count, onAnswer }: ConfirmOrderProps) {
  const what =
    order.all === undefined
      ? counted(order.conversations?.length ?? 0, 'conversation')
      : `all ${counted(count, 'conversation')}`;
  const { title, button } = QUESTIONS[order.action] ?? {
    title: () => (order.toName === undefined ? `Move ${what}?` : `Move ${what} to ${order.toName}?`),
    button: 'Move',
  };
  return (
    <AlertDialog
      isOpen
      title={title(what)}
      action={button}
      onClose={() => onAnswer(false)}
      onConfirm={() => onAnswer(true)}
    >
      {order.action === 'delete'
        ? 'They are deleted immediately, here and in all mail apps. This cannot be undone.'
        : 'This includes conversations further down the list. You can undo this for ten minutes.'}
    </AlertDialog>
  );
}
