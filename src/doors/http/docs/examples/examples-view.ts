/**
 * Shows one request in several languages. Without scripts, all languages are shown one below the other. With scripts, only the chosen
 * language is shown.
 */
import { type Html, html } from '../../html.ts';
import type { Instance } from '../instance.ts';
import { codeBlock } from '../markdown.ts';
import type { DocumentReader, FoundOperation } from '../reference/document.ts';
import { curlOf } from './curl.ts';
import { pythonOf } from './python.ts';
import { smtpOf } from './smtp.ts';
import { tryPathOf } from './try-paths.ts';
import { typescriptOf } from './typescript.ts';

interface Example {
  /** The language. Used in element ids, and stored in the browser as the reader's choice. */
  language: 'curl' | 'typescript' | 'python' | 'smtp';
  label: string;
  code: string;
}

export function examplesOf(operation: FoundOperation, reader: DocumentReader, instance: Instance): Example[] {
  const smtp = operation.operationId === 'sendEmail' ? smtpOf(instance) : null;
  return [
    { language: 'curl', label: 'curl', code: curlOf(operation, reader, instance) },
    { language: 'typescript', label: 'TypeScript', code: typescriptOf(operation, reader, instance) },
    { language: 'python', label: 'Python', code: pythonOf(operation, reader, instance) },
    ...(smtp === null ? [] : [{ language: 'smtp', label: 'SMTP', code: smtp } as const]),
  ];
}

const CODE = { curl: 'sh', typescript: 'ts', python: 'python', smtp: 'sh' } as const;

export function examplesView(
  operation: FoundOperation,
  { reader, instance }: { reader: DocumentReader; instance: Instance },
): Html {
  const { operationId } = operation;
  const tryPath = tryPathOf(operation, reader);
  const examples = examplesOf(operation, reader, instance);
  return html`<section class="example" aria-label="Example: ${operation.summary}"${tryPath === null ? null : html` data-try="${tryPath}"`}>
<div class="tabs" role="tablist" aria-label="Language">
${examples.map(
  ({ language, label }) =>
    html`<button type="button" role="tab" id="tab-${operationId}-${language}" aria-controls="${operationId}-${language}" data-language="${language}">${label}</button>\n`,
)}</div>
${examples.map(
  ({
    language,
    label,
    code,
  }) => html`<div class="panel" id="${operationId}-${language}" data-language="${language}">
<p class="language">${label}</p>
${codeBlock(code, CODE[language])}</div>
`,
)}</section>
`;
}
