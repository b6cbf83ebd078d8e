/** The messages between the event loop and the thread that reads large bodies. */
import type { ErrorCode } from '../../../model/app-error.ts';
import type { ExaminedBatch, ExaminedEmail } from '../../../sending/accept/examine-email.ts';
import type { FieldErrors } from '../validation.ts';

export interface ReadBody {
  /** The validated value, unless there are errors. */
  value: unknown;
  errors: FieldErrors | null;
  /** The findings about a large email or batch. Null if they are not known yet. */
  examined: ExaminedEmail | ExaminedBatch | null;
}

/** One body. Its bytes are transferred. */
export interface BodyTask {
  operationId: string;
  bytes: Uint8Array<ArrayBuffer>;
}

/** The fields of an `AppError`: the class itself cannot be sent between threads. */
interface Refusal {
  code: ErrorCode;
  detail: string;
  errors: FieldErrors | undefined;
}

export type BodyResult = ReadBody | { refusal: Refusal };
