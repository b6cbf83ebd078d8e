import type { EmailContent } from '../../../../src/contract/dashboard/email.ts';
import { Copy } from '../../../ui/copy.tsx';

/** A long text as it is, with a button that copies it. */
export function Source({ label, text }: { label: string; text: string }) {
  return (
    <div className="relative rounded-md border border-line bg-sunken">
      <pre
        tabIndex={0}
        aria-label={label}
        className="max-h-[min(44rem,75vh)] overflow-auto px-3.5 py-3 pr-12 font-mono text-sm wrap-anywhere whitespace-pre-wrap focus-visible:-outline-offset-2"
      >
        {text}
      </pre>
      <Copy text={text} what={label} className="absolute top-1 right-1 bg-sunken" />
    </div>
  );
}

export function TextView({ content }: { content: EmailContent }) {
  return (
    <>
      {content.text_is_made && (
        <p className="mb-3 text-sm text-muted">No text was given: Posthorn made it from the HTML.</p>
      )}
      <Source label="the text" text={content.text} />
    </>
  );
}
