import { counted } from '../../../ui/amounts.ts';
import { AlertDialog } from '../../../ui/dialog.tsx';
import type { Order } from '../../reading/actions.ts';

interface ConfirmOrderProps {
  order: Order;
  count: number;
  onAnswer(isConfirmed: boolean): void;
}

/** Asks before many conversations are moved, or before any conversation is permanently deleted. */
export default function ConfirmOrder({ order, count, onAnswer }: ConfirmOrderProps) {
  const isDelete = order.action === 'delete';
  const what =
    order.all === undefined
      ? counted(order.conversations?.length ?? 0, 'conversation')
      : `all ${counted(count, 'conversation')}`;
  return (
    <AlertDialog
      isOpen
      title={isDelete ? `Delete ${what} permanently?` : `Move ${what}?`}
      action={isDelete ? 'Delete permanently' : 'Move'}
      onClose={() => onAnswer(false)}
      onConfirm={() => onAnswer(true)}
    >
      {isDelete
        ? 'They are deleted immediately, here and in all mail apps. This cannot be undone.'
        : 'This includes conversations further down the list. You can undo this for ten minutes.'}
    </AlertDialog>
  );
}
