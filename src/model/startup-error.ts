/** The exit code for a wrong configuration, after which a restart does not help: `EX_CONFIG` in sysexits(3). */
export const BAD_CONFIGURATION = 78;

export interface StartupErrorOptions extends ErrorOptions {
  /** The exit code of the process. Default 1: a restart may help. */
  exitCode?: number;
}

/** The service cannot start. The message says what is wrong and what the operator can do. It is printed without a stack trace. */
export class StartupError extends Error {
  override readonly name = 'StartupError';
  readonly exitCode: number;

  constructor(message: string, { exitCode = 1, ...options }: StartupErrorOptions = {}) {
    super(message, options);
    this.exitCode = exitCode;
  }
}
