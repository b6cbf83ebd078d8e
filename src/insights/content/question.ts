/** The tasks and results of the worker thread that checks the content of emails. */
import type { PreviewOptions } from '../preview/preview-document.ts';
import type { ContentReport, InspectedContent } from './content.ts';

export type ContentCheckTask =
  | { kind: 'report'; content: InspectedContent; hostname: string; nowMs: number }
  | { kind: 'preview'; html: string; options: PreviewOptions };

export type ContentCheckResult =
  | { kind: 'report'; report: ContentReport }
  | { kind: 'preview'; html: string };
