import { Modal } from '../../ui/modal.tsx';
import { FolderMenu } from '../reading/folder-menu.tsx';

/** The folders on narrow screens. */
export default function MenuSheet({ onClose }: { onClose(): void }) {
  return (
    <Modal
      aria-label="Folders"
      onClose={onClose}
      className="fixed inset-y-0 right-auto left-0 h-dvh w-72 max-w-[85vw] overflow-y-auto bg-panel starting:-translate-x-full"
    >
      <FolderMenu onChoose={onClose} />
    </Modal>
  );
}
