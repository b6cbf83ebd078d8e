/** The source and the parts of a page below `/docs`. */
import type { Html } from '../html.ts';

/** The location of a page, and the files that it can link to. */
export interface PageLocation {
  /** The relative path from the page to the root of the service. */
  root: string;
  /** The path of a repository file from the root of the service. Null if the file is not served. */
  pathOfFile(file: string): string | null;
}

export interface PageContent {
  title: string;
  description: string;
  contents: Html | null;
  content: Html;
  heading?: Html;
}

/** A page that is not rendered yet. */
export interface PageSource {
  /** The path below `/docs`; empty for the first page. */
  path: string;
  title: string;
  make(location: PageLocation): PageContent;
}
