/** The messages between the main thread and the thread that reads large bodies. */
import type { ErrorCode } from '../../../model/app-error.ts';
import type { ExaminedBatch, ExaminedEmail } from '../../../sending/accept/examine-email.ts';
import type { FieldErrors } from '../validation.ts';

export interface ReadBody {
  /** The validated value, with default values. Meaningful only if `errors` is null. */
  value: unknown;
  /** The value as it was sent, valid or not. Of a large body only what the API log may store. Undefined if there is no body. */
  sent: unknown;
  errors: FieldErrors | null;
  /** The results of examining a large email or batch. Null if the body was not examined. */
  examined: ExaminedEmail | ExaminedBatch | null;
}

/** A body to read. The bytes are transferred to the thread. */
export interface BodyTask {
  operationId: string;
  bytes: Uint8Array<ArrayBuffer>;
}

/** The fields of an `AppError`. An instance of the class cannot be sent between threads. */
interface Refusal {
  code: ErrorCode;
  detail: string;
  errors: FieldErrors | undefined;
}

export type BodyResult = ReadBody | { refusal: Refusal };
