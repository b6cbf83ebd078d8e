/** Checks the fields of a template. */
import { validationError } from '../model/app-error.ts';
import { oneLineFault } from '../model/one-line.ts';
import { parseTemplate, type TemplatePart } from './engine.ts';

const MAX_NAME_LENGTH = 200;
/** Limits on a template, and again on the result of filling it. `subject` is in characters; `bytes` applies to the HTML and to the text. */
export const CONTENT_LIMITS = { subject: 998, bytes: 2 * 1024 * 1024 };

export interface TemplateFields {
  name: string;
  subject: string;
  /** Empty if the template has no HTML. */
  html: string;
  /** Empty if the template has no text. */
  text: string;
}

/**
 * @returns the name of each variable once, in the order of first appearance in subject, HTML and text
 * @throws AppError validation-failed, with every invalid field; the message for a syntax error names the line and column
 */
export function checkTemplate(fields: TemplateFields): string[] {
  const errors: Record<string, string> = {};
  for (const field of ['name', 'subject', 'html', 'text'] as const) {
    const error = textError(field, fields[field]);
    if (error !== null) errors[field] = error;
  }
  if (fields.html === '' && fields.text === '') {
    errors['html'] ??= 'html or text is required';
    errors['text'] ??= 'html or text is required';
  }
  const variables = new Set<string>();
  for (const part of ['subject', 'html', 'text'] as const satisfies readonly TemplatePart[]) {
    if (part in errors) continue;
    const parsed = parseTemplate(part, fields[part]);
    if ('error' in parsed) errors[part] = parsed.error;
    else for (const name of parsed.variables) variables.add(name);
  }
  if (Object.keys(errors).length > 0) throw validationError(errors);
  return [...variables];
}

function textError(field: keyof TemplateFields, text: string): string | null {
  if (field === 'html' || field === 'text') return bodyError(text);
  const error = characterError(text);
  if (error !== null) return error;
  const max = field === 'name' ? MAX_NAME_LENGTH : CONTENT_LIMITS.subject;
  if (text.length > max) return `must have at most ${max} characters`;
  return oneLineFault(text) ?? (field === 'name' && text.trim() === '' ? 'must not be blank' : null);
}

/** The error in an HTML or plain text body, without its syntax. */
export function bodyError(text: string): string | null {
  return (
    characterError(text) ??
    (Buffer.byteLength(text) > CONTENT_LIMITS.bytes
      ? `must have at most ${CONTENT_LIMITS.bytes} bytes`
      : null)
  );
}

function characterError(text: string): string | null {
  if (text.includes('\0')) return 'must not contain the character NUL';
  return text.isWellFormed() ? null : 'must not contain half of a surrogate pair';
}
