import { watched } from '../../ui/watched.ts';

export interface FolderChoice {
  /** The title of the dialog: "Move to". */
  title: string;
  /** The slug of the folder to leave out as a target. */
  without?: string;
  onChoose(slug: string): void;
}

/** Set while the user chooses a folder. */
export const choosing = watched<FolderChoice | null>(null);
