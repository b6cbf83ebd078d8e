import { watched } from '../../ui/watched.ts';

export interface FolderChoice {
  /** The title of the dialog: "Move to". */
  title: string;
  /** The slug of a folder that the dialog does not offer as a target. */
  without?: string;
  onChoose(slug: string): void;
}

/** What the open folder dialog offers; null if the dialog is closed. */
export const choosing = watched<FolderChoice | null>(null);
