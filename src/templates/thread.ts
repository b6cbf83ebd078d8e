/** The worker thread that parses and fills templates, so that the event loop is not blocked. */
import { parentPort } from 'node:worker_threads';
import { parseTemplate } from './engine.ts';
import { fillParts, PARTS, type ParsedParts } from './fill-parts.ts';
import { AppError } from '../model/app-error.ts';
import { checkTemplate } from './check-template.ts';
import type { RenderResults, Kind, RenderTask, RenderTasks, Sources } from './question.ts';
import { tryTemplate } from './try-template.ts';

/** Maximum size of the cache, in characters of the sources. The parsed form takes about ten times as much memory. */
const MAX_CACHED = 8 * 1024 * 1024;

/** Parsed templates by key, least recently used first. */
const cache = new Map<string, { parsed: ParsedParts; length: number }>();
let cachedLength = 0;

function store(key: string, parsed: ParsedParts, length: number): void {
  cache.set(key, { parsed, length });
  cachedLength += length;
  for (const [oldest, { length }] of cache) {
    if (cachedLength <= MAX_CACHED) return;
    cache.delete(oldest);
    cachedLength -= length;
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

function fill({ key, sources, variables }: RenderTasks['fill']): RenderResults['fill'] {
  const known = cache.get(key);
  if (known !== undefined) {
    cache.delete(key);
    cache.set(key, known);
    return fillParts(known.parsed, variables);
  }
  if (sources === null) return 'unknown';
  const parsed = parse(sources);
  if ('fault' in parsed) return parsed;
  store(
    key,
    parsed,
    PARTS.reduce((length, part) => length + sources[part].length, 0),
  );
  return fillParts(parsed, variables);
}

function check({ fields }: RenderTasks['check']): RenderResults['check'] {
  try {
    return { variables: checkTemplate(fields) };
  } catch (error) {
    if (error instanceof AppError && error.errors !== undefined) return { errors: error.errors };
    throw error;
  }
}

function answer(task: RenderTask): RenderResults[Kind] {
  if (task.kind === 'fill') return fill(task);
  if (task.kind === 'check') return check(task);
  return tryTemplate(task.sources, task.variables);
}

parentPort?.on('message', (task: RenderTask) => parentPort?.postMessage(answer(task), []));
