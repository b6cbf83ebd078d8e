/** The types of a page below `/docs`: its source, and its rendered parts. */
import type { Html } from '../html.ts';

/** The location of a page, for links to other files. */
export interface PageLocation {
  /** The relative path from the page to the root of the service. */
  root: string;
  /** Returns the path of a repository file from the root of the service. Null if the file is not served. */
  pathOfFile(file: string): string | null;
}

export interface PageContent {
  title: string;
  description: string;
  contents: Html | null;
  content: Html;
}

/** A page that is not rendered yet. */
export interface PageSource {
  /** The path below `/docs`. Empty for the first page. */
  path: string;
  title: string;
  make(location: PageLocation): PageContent;
}
