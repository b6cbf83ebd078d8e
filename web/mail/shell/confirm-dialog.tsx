import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { confirmation } from './state.ts';

export default function ConfirmDialog({ settle }: { mailbox: string; settle(isConfirmed: boolean): void }) {
  const close = () => {
    settle(false);
    confirmation.set(null);
  };
  return (
    <Dialog isOpen onClose={close} title="Is it you?" actions={<Button onClick={close}>Cancel</Button>}>
      {null}
    </Dialog>
  );
}
