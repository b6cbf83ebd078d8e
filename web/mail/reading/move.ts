import type { MailFolder } from '../../../src/contract/mail/folders.ts';
import { watched } from '../../ui/watched.ts';

export interface FolderChoice {
  /** The title of the dialog: "Move to". */
  title: string;
  /** The slug of a folder that the dialog does not offer as a target. */
  without?: string;
  /** Whether the dialog can create a folder and choose it. */
  canCreate?: boolean;
  onChoose(folder: MailFolder): void;
}

/** The choice in the open folder dialog; null if the dialog is closed. */
export const choosing = watched<FolderChoice | null>(null);
