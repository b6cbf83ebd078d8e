import { watched } from '../../ui/watched.ts';

export interface FolderChoice {
  /** The title of the dialog: "Move to". */
  title: string;
  /** The slug of a folder that the dialog does not offer as a target. */
  without?: string;
  onChoose(slug: string): void;
}

/** The choice in the open folder dialog; null if the dialog is closed. */
export const choosing = watched<FolderChoice | null>(null);
