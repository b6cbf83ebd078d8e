/** The thread that parses templates and fills them in: neither may hold up the event loop. */
import { parentPort } from 'node:worker_threads';
import { parseTemplate } from './engine.ts';
import { fillParts, PARTS, type ParsedParts } from './fill-parts.ts';
import { AppError } from '../model/app-error.ts';
import { checkTemplate } from './check-template.ts';
import type { RenderResults, Kind, RenderTask, Questions, Sources } from './question.ts';
import { tryTemplate } from './try-template.ts';

/** Characters of the sources. What is made of them takes some ten times as much. */
const MAX_KEPT = 8 * 1024 * 1024;

/** Least recently asked for first. */
const kept = new Map<string, { parsed: ParsedParts; length: number }>();
let keptLength = 0;

function keep(key: string, parsed: ParsedParts, length: number): void {
  kept.set(key, { parsed, length });
  keptLength += length;
  for (const [oldest, { length }] of kept) {
    if (keptLength <= MAX_KEPT) return;
    kept.delete(oldest);
    keptLength -= length;
  }
}

function parse(sources: Sources): ParsedParts | { fault: string } {
  const parsed: Partial<Record<keyof Sources, ParsedParts['text']>> = {};
  for (const part of PARTS) {
    const result = parseTemplate(part, sources[part]);
    if ('error' in result) return { fault: `${part}: ${result.error}` };
    parsed[part] = result.templates;
  }
  return parsed as ParsedParts;
}

function fill({ key, sources, variables }: Questions['fill']): RenderResults['fill'] {
  const known = kept.get(key);
  if (known !== undefined) {
    kept.delete(key);
    kept.set(key, known);
    return fillParts(known.parsed, variables);
  }
  if (sources === null) return 'unknown';
  const parsed = parse(sources);
  if ('fault' in parsed) return parsed;
  keep(
    key,
    parsed,
    PARTS.reduce((length, part) => length + sources[part].length, 0),
  );
  return fillParts(parsed, variables);
}

function check({ fields }: Questions['check']): RenderResults['check'] {
  try {
    return { variables: checkTemplate(fields) };
  } catch (error) {
    if (error instanceof AppError && error.errors !== undefined) return { errors: error.errors };
    throw error;
  }
}

function answer(question: RenderTask): RenderResults[Kind] {
  if (question.kind === 'fill') return fill(question);
  if (question.kind === 'check') return check(question);
  return tryTemplate(question.sources, question.variables);
}

parentPort?.on('message', (question: RenderTask) => parentPort?.postMessage(answer(question), []));
