/** The thread that reads large bodies. Imports as little as possible, because every start of the thread waits for its imports. */
import { parentPort, workerData } from 'node:worker_threads';
import type { TSchema } from 'typebox';
import { redact } from '../../../contract/redact.ts';
import { AppError } from '../../../model/app-error.ts';
import { examineBatch, examineEmail } from '../../../sending/accept/examine-email.ts';
import { parseJson } from '../json.ts';
import { type SchemaCheck, compileCheck } from '../validation.ts';
import type { BodyResult, BodyTask, ReadBody } from './read-body.ts';

/** Slow checks of a valid body, by operation id. The results are returned with the body. */
const EXAMINE: Readonly<Record<string, (value: never) => ReadBody['examined']>> = {
  sendEmail: examineEmail,
  sendBatch: examineBatch,
};

const schemas = workerData as Readonly<Record<string, TSchema>>;
const checks = new Map<string, SchemaCheck>();

function checkOf(operationId: string): SchemaCheck {
  const check = checks.get(operationId) ?? compileCheck(schemas[operationId] as TSchema);
  checks.set(operationId, check);
  return check;
}

function resultOf({ operationId, bytes }: BodyTask): BodyResult {
  try {
    const value = parseJson(Buffer.from(bytes.buffer));
    // Copy before the check adds default values.
    const sent = redact(value, schemas[operationId] as TSchema, { keepsContent: true });
    const errors = checkOf(operationId)(value);
    // Do not copy a whole rejected value back to the main thread.
    if (errors !== null) return { value: null, sent, errors, examined: null };
    return { value, sent, errors, examined: EXAMINE[operationId]?.(value as never) ?? null };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { code, message: detail, errors } = error;
    return { refusal: { code, detail, errors } };
  }
}

parentPort?.on('message', (task: BodyTask) => parentPort?.postMessage(resultOf(task), []));
