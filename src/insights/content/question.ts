/** What the thread that looks at the content of emails is asked, and what it answers. */
import type { PreviewOptions } from '../preview/preview-document.ts';
import type { ContentReport, InspectedContent } from './content.ts';

export type ContentCheckTask =
  | { kind: 'report'; content: InspectedContent; hostname: string; nowMs: number }
  | { kind: 'preview'; html: string; options: PreviewOptions };

export type ContentCheckResult =
  | { kind: 'report'; report: ContentReport }
  | { kind: 'preview'; html: string };
