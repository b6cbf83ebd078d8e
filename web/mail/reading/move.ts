import { watched } from '../../ui/watched.ts';

export interface FolderChoice {
  /** What the folder is for: "Move to". */
  title: string;
  /** The slug of a folder where nothing is moved to. */
  without?: string;
  onChoose(slug: string): void;
}

/** Somebody chooses a folder. */
export const choosing = watched<FolderChoice | null>(null);
