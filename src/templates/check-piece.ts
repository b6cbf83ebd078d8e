/** Checks layouts and partials, and templates together with them (docs/templates.md, Layouts and partials). */
import { AppError, validationError } from '../model/app-error.ts';
import type { AuthoredTemplate, ComposedTemplate, Piece, Sources } from './fields.ts';
import { bodyError, checkTemplate } from './check-template.ts';
import { BODIES, composeTemplate, type Composition, pieceFault } from './compose.ts';
import { fillParts, parseParts, type Variables } from './fill-parts.ts';
import { missing } from './missing.ts';
import type { Trial } from './question.ts';
import { tryTemplate } from './try-template.ts';

/** Letters, digits, spaces, dots, hyphens and underscores: a name appears in quotes in templates. */
const NAME = /^[\p{L}\p{N}][\p{L}\p{N} ._-]*$/u;
const MAX_PIECE_NAME_LENGTH = 60;

/** @throws AppError validation-failed, with every invalid field; the message for a syntax error names the line and column */
export function checkAuthored(fields: AuthoredTemplate, pieces: readonly Piece[]): ComposedTemplate {
  const { sources, errors, pieceIds, locate } = composeTemplate(fields, fields.layoutId, pieces);
  if (Object.keys(errors).length > 0) throw validationError(errors);
  const { name } = fields;
  const { subject, html, text } = sources;
  try {
    return { html, text, pieceIds, variables: checkTemplate({ name, subject, html, text }) };
  } catch (error) {
    if (!(error instanceof AppError) || error.errors === undefined) throw error;
    throw validationError(locatedErrors(error.errors, locate));
  }
}

/** Tries out a template that a user is editing, with its layout and partials. */
export function tryAuthored(
  given: Sources,
  layoutId: string | null,
  pieces: readonly Piece[],
  variables: Variables,
): Trial {
  const { sources, errors, locate } = composeTemplate(given, layoutId, pieces);
  const trial = tryTemplate(sources, variables);
  const all = { ...locatedErrors(trial.errors, locate), ...errors };
  const filled = Object.entries(trial.filled).filter(([part]) => !(part in all));
  return { ...trial, errors: all, filled: Object.fromEntries(filled) };
}

/** @returns the error of each invalid field */
export function checkPiece(piece: Piece, pieces: readonly Piece[]): Record<string, string> {
  const errors: Record<string, string> = {};
  if (!NAME.test(piece.name) || piece.name.length > MAX_PIECE_NAME_LENGTH)
    errors['name'] =
      `must have 1 to ${MAX_PIECE_NAME_LENGTH} letters, digits, spaces, dots, hyphens or underscores, and begin with a letter or digit`;
  for (const body of BODIES) {
    const error = bodyError(piece[body]) ?? pieceFault(piece, body, pieces);
    if (error !== null) errors[body] = error;
  }
  if (piece.html === '' && piece.text === '') errors['html'] ??= 'html or text is required';
  return errors;
}

/**
 * Composes a published template again, after a change of its pieces. The change must not cause emails to be rejected that were accepted
 * with the same data before.
 */
export function recompose(
  fields: AuthoredTemplate,
  { before, after }: { before: readonly Piece[]; after: readonly Piece[] },
  sample: Variables,
): ComposedTemplate | { problem: string } {
  try {
    const composed = checkAuthored(fields, after);
    const filling = fillingOf(fields, composed, sample);
    if ('filled' in filling) return composed;
    const earlier = fillingOf(fields, checkAuthored(fields, before), sample);
    if ('fault' in filling) return 'fault' in earlier ? composed : { problem: filling.fault };
    const known = new Set('missing' in earlier ? earlier.missing : []);
    const added = filling.missing.filter((name) => !known.has(name));
    return added.length === 0 ? composed : { problem: missing(added) };
  } catch (error) {
    if (!(error instanceof AppError) || error.errors === undefined) throw error;
    const [field, message] = Object.entries(error.errors)[0] ?? [];
    return { problem: `${field}: ${message}` };
  }
}

function fillingOf({ subject }: AuthoredTemplate, { html, text }: ComposedTemplate, sample: Variables) {
  const parsed = parseParts({ subject, html, text });
  return 'fault' in parsed ? parsed : fillParts(parsed, sample);
}

function locatedErrors<Errors extends Readonly<Record<string, string>>>(
  errors: Errors,
  locate: Composition['locate'],
): Errors {
  const entries = Object.entries(errors).map(([part, message]) => [
    part,
    locate(part as keyof Sources, message),
  ]);
  return Object.fromEntries(entries) as Errors;
}
