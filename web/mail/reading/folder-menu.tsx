/** The folders of the mailbox. @param onChoose after a folder was chosen */
export function FolderMenu(_props: { onChoose?: () => void }) {
  return null;
}
