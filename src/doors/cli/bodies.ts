/** Reads files that arguments name, and the bodies of a message or a template. */
import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { validationError } from '../../model/app-error.ts';

/** Options for the bodies. Each body is given as text or as the path of a file. */
export interface BodyOptions {
  html?: string;
  htmlFile?: string;
  text?: string;
  textFile?: string;
}

/** @throws AppError validation-failed if a body is given twice, or a file cannot be read or is not UTF-8 */
export function readBodies(options: BodyOptions): { html?: string; text?: string } {
  const html = readBody('html', options.html, options.htmlFile);
  const text = readBody('text', options.text, options.textFile);
  return { ...(html !== undefined && { html }), ...(text !== undefined && { text }) };
}

const STANDARD_INPUT = 0;

/** Reads a file, or standard input if the path is `-`. @param field for the error message @throws AppError validation-failed */
export function readInput(path: string, field: string): Buffer {
  try {
    return readFileSync(path === '-' ? STANDARD_INPUT : path);
  } catch (error) {
    throw validationError({ [field]: `the file cannot be read: ${(error as Error).message}` });
  }
}

function readBody(
  field: 'html' | 'text',
  body: string | undefined,
  path: string | undefined,
): string | undefined {
  if (path === undefined) return body;
  if (body !== undefined)
    throw validationError({ [field]: `use either --${field} or --${field}-file, not both` });
  const bytes = readInput(path, field);
  if (!isUtf8(bytes)) throw validationError({ [field]: 'the file is not UTF-8; save it as UTF-8' });
  return bytes.toString();
}
