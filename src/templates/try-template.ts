import { parseTemplate, type TemplatePart } from './engine.ts';
import { fillParts, PARTS, type ParsedParts, type Variables } from './fill-parts.ts';
import type { Sources, Trial } from './question.ts';

/** Parses a template that a user is editing, then fills the template as far as possible. */
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
  const trial: Trial = { variables: [...names], errors, missing: [], fault: null, filled: null };
  if (Object.keys(errors).length > 0) return trial;
  const strict = fillParts(parsed as ParsedParts, given);
  if ('filled' in strict) return { ...trial, filled: strict.filled };
  if ('fault' in strict) return { ...trial, fault: strict.fault };
  const lenient = fillParts(parsed as ParsedParts, given, { strict: false });
  const { missing } = strict;
  return 'filled' in lenient ? { ...trial, missing, filled: lenient.filled } : { ...trial, missing };
}
