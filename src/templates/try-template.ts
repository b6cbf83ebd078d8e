import type { Sources } from './fields.ts';
import { parseTemplate, type TemplatePart } from './engine.ts';
import { EMPTY, fillEach, PARTS, type ParsedParts, type Variables } from './fill-parts.ts';
import type { Trial } from './question.ts';

/** Parses a template that a user is editing, then fills each part as far as possible, whatever the errors of the other parts. */
export function tryTemplate(sources: Sources, given: Variables): Trial {
  const names = new Set<string>();
  const errors: Trial['errors'] = {};
  const parsed: Partial<Record<TemplatePart, ParsedParts['text']>> = {};
  for (const part of PARTS) {
    const result = parseTemplate(part, sources[part]);
    if ('error' in result) errors[part] = result.error;
    else {
      parsed[part] = result.templates;
      for (const name of result.variables) names.add(name);
    }
  }
  const strict = fillEach(parsed, given);
  const { missing } = strict;
  const { filled, faults } = missing.length > 0 ? fillEach(parsed, given, { strict: false }) : strict;
  const fault = filled.html === '' && filled.text === '' ? EMPTY : null;
  return { variables: [...names], errors: { ...errors, ...faults }, missing, fault, filled };
}
