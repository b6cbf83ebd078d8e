/** A page below `/docs` before it is made, and what it is made of. */
import type { Html } from '../html.ts';

/** Where a page is, and what it can link to. */
export interface PageLocation {
  /** From the page to the root of the service. */
  root: string;
  /** Of a file of the repository: from the root of the service. Null: it is not served. */
  pathOfFile(file: string): string | null;
}

export interface PageContent {
  title: string;
  description: string;
  contents: Html | null;
  content: Html;
  heading?: Html;
}

/** A page before it is made. */
export interface PageSource {
  /** Below `/docs`; empty: the first page. */
  path: string;
  title: string;
  make(place: PageLocation): PageContent;
}
