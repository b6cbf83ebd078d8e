/** What passes between the event loop and the thread that reads large bodies. */
import type { ErrorCode } from '../../../model/app-error.ts';
import type { ExaminedBatch, ExaminedEmail } from '../../../sending/accept/examine-email.ts';
import type { FieldErrors } from '../validation.ts';

export interface ReadBody {
  /** Of the type that the schema of the operation says, unless there are errors. */
  value: unknown;
  errors: FieldErrors | null;
  /** Of a large email, or of a large batch. Null: nobody has looked so far. */
  examined: ExaminedEmail | ExaminedBatch | null;
}

/** One body. The bytes are handed over. */
export interface BodyTask {
  operationId: string;
  bytes: Uint8Array<ArrayBuffer>;
}

/** An `AppError` in parts, since its class does not pass between threads. */
interface Refusal {
  code: ErrorCode;
  detail: string;
  errors: FieldErrors | undefined;
}

export type BodyResult = ReadBody | { refusal: Refusal };
