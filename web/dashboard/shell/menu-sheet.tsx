import { Modal } from '../../ui/modal.tsx';
import { Sidebar } from './sidebar.tsx';

/** The menu on narrow screens. */
export default function MenuSheet({ onClose }: { onClose(): void }) {
  return (
    <Modal
      aria-label="Menu"
      onClose={onClose}
      className="fixed inset-y-0 right-auto left-0 h-dvh w-72 max-w-[85vw] bg-panel starting:-translate-x-full"
    >
      <Sidebar onChoose={onClose} />
    </Modal>
  );
}
