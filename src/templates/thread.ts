/** The worker thread that parses and fills templates, so that the event loop is not blocked. */
import { parentPort } from 'node:worker_threads';
import { fillParts, PARTS, type ParsedParts, parseParts } from './fill-parts.ts';
import { AppError } from '../model/app-error.ts';
import { checkAuthored, checkPiece, recompose, tryAuthored } from './check-piece.ts';
import type { RenderResults, Kind, RenderTask, RenderTasks } from './question.ts';

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

function fill({ key, sources, variables }: RenderTasks['fill']): RenderResults['fill'] {
  const known = cache.get(key);
  if (known !== undefined) {
    cache.delete(key);
    cache.set(key, known);
    return fillParts(known.parsed, variables);
  }
  if (sources === null) return 'unknown';
  const parsed = parseParts(sources);
  if ('fault' in parsed) return parsed;
  store(
    key,
    parsed,
    PARTS.reduce((length, part) => length + sources[part].length, 0),
  );
  return fillParts(parsed, variables);
}

function check({ fields, pieces }: RenderTasks['check']): RenderResults['check'] {
  try {
    return checkAuthored(fields, pieces);
  } catch (error) {
    if (error instanceof AppError && error.errors !== undefined) return { errors: error.errors };
    throw error;
  }
}

function answer(task: RenderTask): RenderResults[Kind] {
  if (task.kind === 'fill') return fill(task);
  if (task.kind === 'check') return check(task);
  if (task.kind === 'check-piece') return checkPiece(task.piece, task.pieces);
  if (task.kind === 'recompose') return recompose(task.fields, task, task.sample);
  return tryAuthored(task.sources, task.layoutId, task.pieces, task.variables);
}

parentPort?.on('message', (task: RenderTask) => parentPort?.postMessage(answer(task), []));
